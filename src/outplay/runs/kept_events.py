"""The events of a run that are kept in memory: the first plays, and those that failed; the rest is in its trace file.

Whether a play fails is known at its end, and it may have millions of events. Those of a long play lie in a file without
a name meanwhile, and come back into memory if it failed.
"""

from __future__ import annotations

import json
from contextlib import suppress
from tempfile import TemporaryFile  # has no name and goes with the process
from typing import IO

from outplay.formats.trace_jsonl import event_json, read_event
from outplay.play.trace import Event

MOST_EVENTS = 1_000  # kept of plays that conformed; a trace file has them all
MOST_FAILING = 20  # failing plays whose events are kept
LONG = 10_000  # events of a play in memory; those that follow go to the file
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
