"""A play that a worker has made: its events and its lesson, as plain data."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from outplay.formats.trace_jsonl import event_json, read_event
from outplay.play.following import Following, Step
from outplay.play.trace import Event
from outplay.tester.lessons import Entry, Lesson
from outplay.tester.tester import Tester


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


def taught(play: RecordedPlay, following: Following, testers: Sequence[Tester], since: float = 0.0) -> Iterator[Step]:
    """The steps of a play that was made elsewhere, while testers learn from it; its times count from `since`."""
    lesson = Lesson(testers, play.entries)
    for number, event in enumerate(play.shifted(since), 1):
        step = following.take(event)
        lesson.take(number, step.before, step.label)
        yield step
    lesson.end(following.tracker)


def _later(event: Event, seconds: float) -> Event:
    given, taken, seen = (None if time is None else time + seconds for time in (event.given, event.taken, event.seen))
    return replace(event, given=given, taken=taken, seen=seen)
