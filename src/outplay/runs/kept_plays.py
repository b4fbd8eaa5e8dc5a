"""The plays of a run that are kept in memory: events of the first and of those that failed, and the counts of each.

The trace file has all events. Whether a play fails is known at its end, and it may have millions of events: those of a
long play lie in a file without a name meanwhile, and come back into memory if it failed.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from tempfile import TemporaryFile  # has no name and goes with the process
from typing import IO

from outplay.formats.trace_jsonl import event_json, read_event
from outplay.play.trace import Event
from outplay.runs.events import CoverageChanged, Observer, PlayEnded, RunEvent
from outplay.runs.result import PlayCounts, RunResult

MOST_EVENTS = 1_000  # kept of plays that conformed; a trace file has them all
MOST_FAILING = 20  # failing plays whose events are kept
LONG = 10_000  # events of a play in memory; those that follow go to the file
MOST_PLAYS = 10_000  # listed with their counts; of more the first
MOST_POINTS = 2_000  # of the curve; of more every second is left out, again and again
_PIECE = 1_000  # events written at once


class KeptEvents:
    """The events that a run keeps.

    >>> kept = KeptEvents()
    >>> kept.append(Event("silence"))
    >>> kept.begin()
    >>> [event.kind for event in kept.all]
    ['silence']
    """

    def __init__(self) -> None:
        self._events, self._began = list[Event](), 0
        self._newest = list[Event]()  # of a long play, not in the file yet
        self._file: IO[bytes] | None = None
        self._failing, self._wrong = 0, False

    @property
    def all(self) -> tuple[Event, ...]:
        """The events that are kept; of a long play that did not fail its beginning."""
        return tuple(self._events)

    def append(self, event: Event) -> None:
        """Keep an event of the play that goes on."""
        if len(self._events) - self._began < LONG:
            self._events.append(event)
            return
        self._newest.append(event)
        if not len(self._newest) % _PIECE:
            self._put_away()

    def failed(self, *, counts: bool) -> None:
        """The play that goes on failed, or ended in an error, which does not count: have all of it in memory."""
        self._wrong, self._failing = True, self._failing + counts
        if self._file:
            self._file.seek(0)
            self._events += [read_event(json.loads(line), 1) for line in self._file.read().splitlines()]
        self._events += self._newest
        self.close()

    def begin(self) -> None:
        """A play begins: forget the events of the last one where there are enough."""
        if self._began > MOST_EVENTS and (not self._wrong or self._failing > MOST_FAILING):
            del self._events[self._began :]
        self._began, self._wrong = len(self._events), False
        self.close()

    def close(self) -> None:
        """Let go of what was not kept."""
        self._newest.clear()
        if self._file:
            with suppress(OSError):
                self._file.close()
        self._file = None

    def _put_away(self) -> None:
        """Write what is newest into the file; where that is full it stays in memory."""
        left = memoryview(b"".join(json.dumps(event_json(event)).encode() + b"\n" for event in self._newest))
        with suppress(OSError):
            self._file = self._file or TemporaryFile(buffering=0)  # noqa: SIM115 - open while the play goes on
            end = self._file.tell()
            try:
                while left:
                    left = left[self._file.write(left) or 0 :]
            except OSError:
                self._file.seek(self._file.truncate(end))
                raise
            self._newest.clear()


class PlayLog(Observer):
    """Keeps the counts of each play, and a curve of what was seen that stays short however long the run is."""

    remembers = True

    def __init__(self) -> None:
        self._plays, self._curve = dict[int, PlayCounts](), list[tuple[int, PlayCounts]]()
        self._states = self._transitions = 0
        self._stride, self._last = 1, list[tuple[int, PlayCounts]]()

    def observe(self, event: RunEvent) -> None:
        if isinstance(event, CoverageChanged):
            self._states, self._transitions = event.states, event.transitions
        elif isinstance(event, PlayEnded):
            before = self._plays.get(event.play)
            steps = event.steps + (before.steps if before else 0)  # one that went on after a test
            counts = PlayCounts(steps, event.time, self._states, self._transitions)
            if event.play <= MOST_PLAYS:
                self._plays[event.play] = counts
            self._last = [(event.play, counts)]
            if not event.play % self._stride or event.play == 1:
                self._curve.append((event.play, counts))
            if len(self._curve) > MOST_POINTS:
                self._curve, self._stride = self._curve[::2], 2 * self._stride

    def complete(self, result: RunResult) -> RunResult:
        return replace(result, counts=tuple(self._plays.values()), curve=tuple(self._curve + self._last))
