"""Plays that were played before, by a worker or in a run that was cut short: plain data, followed again.

The store says which plays were acknowledged, and the trace what happened in them. What came after the last of these is
cut off. So whatever was watched, counted and learnt is as it was, and nothing that was told is lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from outplay.errors import FormatError, UsageError
from outplay.formats.trace_jsonl import event_json, read_event, read_trace
from outplay.play.following import Following, Step
from outplay.play.trace import Event, Trace, TraceHeader
from outplay.runs.job import Job
from outplay.tester.lessons import Entry, Lesson, entries_from_labels
from outplay.tester.tester import Tester

_LATER = 1_000_003  # so that seeds of a run and of what it goes on with are far apart


@dataclass(frozen=True)
class RecordedPlay:
    """One play; its events are numbered from 1, with times since it began."""

    number: int
    events: tuple[Event, ...]
    entries: tuple[Entry, ...] = ()
    """The lessons that testers take from it (`outplay.tester.lessons`)."""
    seconds: float = 0.0
    """The time it took, by the clock of the system."""
    in_run: bool = False
    """Whether its events have the numbers and times of a run that it was a part of."""

    @property
    def ended(self) -> float:
        """The time of its last event."""
        return max((event.time for event in self.events), default=0.0)

    def text(self) -> str:
        """The play as one line."""
        first = self.events[0].n - 1 if self.in_run and self.events else 0
        events = [event_json(replace(event, n=event.n - first)) for event in self.events]
        written: dict[str, Any] = {"play": self.number, "events": events, "lesson": self.entries}
        return json.dumps(written | {"seconds": self.seconds}, ensure_ascii=True)

    @staticmethod
    def from_text(text: str) -> RecordedPlay:
        """Read what `text` has written."""
        read = json.loads(text)
        events = tuple(read_event(event, number) for number, event in enumerate(read["events"], 2))
        return RecordedPlay(read["play"], events, tuple(read["lesson"]), read["seconds"])

    def shifted(self, seconds: float) -> tuple[Event, ...]:
        """The events, with times since this many seconds earlier."""
        return tuple(_later(event, seconds) for event in self.events)


def learn_recorded_play(
    play: RecordedPlay, following: Following, testers: Sequence[Tester], since: float = 0.0
) -> Iterator[Step]:
    """Follow a recorded play step by step while testers learn from it; its times count from `since`."""
    lesson = Lesson(testers, play.entries)
    for number, event in enumerate(play.shifted(since), 1):
        step = following.take(event)
        lesson.take(number, step.before, step.label)
        yield step
    lesson.end(following.tracker)


def _later(event: Event, seconds: float) -> Event:
    given, taken, seen = (None if time is None else time + seconds for time in (event.given, event.taken, event.seen))
    return replace(event, given=given, taken=taken, seen=seen)


@dataclass(frozen=True)
class CutRun:
    """A run that was cut short, as far as its plays were acknowledged."""

    name: str
    """Of its folder, and in the store."""
    header: TraceHeader
    plays: tuple[RecordedPlay, ...] = ()
    trace: Path = Path()
    size: int = 0
    """Of the trace up to the end of these plays, in bytes."""

    @property
    def seconds(self) -> float:
        """Return the seconds it took so far."""
        return self.plays[-1].ended if self.plays else 0.0

    def rest(self, job: Job) -> Job:
        """The job for what is left: with the time that is left, and other chances where plays go by one stream of them.

        >>> CutRun("", TraceHeader()).rest(Job(time=9.0, jobs=2)).time
        9.0
        """
        left = None if job.time is None else max(job.time - self.seconds, 0.001)
        seed = job.seed if job.jobs else job.seed + _LATER * len(self.plays)
        return replace(job, time=left, seed=seed)


def read_cut_run(name: str, trace: Path, steps: list[int]) -> CutRun:
    """Read the recorded plays of a run that was cut short; `steps` are those of each acknowledged play."""
    if not trace.is_file():
        raise UsageError(f"run {name} cannot be resumed: its trace {trace} is not there; start a new run")
    found = read_trace(trace)
    plays = _plays(found, len(steps))
    made = [sum(event.is_move for event in play.events) for play in plays]
    if made != steps:
        raise FormatError(f"{trace}: it does not have all plays that the store has; start a new run")
    kept = 1 + sum(len(play.events) for play in plays)
    size = sum(len(line) for line in trace.read_bytes().splitlines(keepends=True)[:kept])
    return CutRun(name, found.header, tuple(plays), trace, size)


def _plays(trace: Trace, count: int) -> list[RecordedPlay]:
    """The first this many plays."""
    made = [_recorded(number, [*events]) for number, events in groupby(trace.events, lambda event: event.play)]
    return made[:count]


def _recorded(number: int, events: list[Event]) -> RecordedPlay:
    moves = [event.label if event.is_move else None for event in events]
    shown = [event.is_move for event in events]
    return RecordedPlay(number, tuple(events), tuple(entries_from_labels(moves, shown)), in_run=True)
