"""Messages as lines: read as they come, stamped with the time and turned into events.

Shared by every adapter whose system talks in lines. Memory is bounded: a line has a longest length, and a system that
talks faster than it is listened to has to wait.
"""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterable
from typing import Protocol

from outplay.cancellation import wait_for
from outplay.errors import FormatError
from outplay.model.label import OUTPUT, Label
from outplay.play.adapters.stream_reader import StreamReader
from outplay.play.event import Event

LONGEST_LINE = 64 * 1024
MOST_WAITING = 10_000  # messages read and not yet taken; beyond that the system has to wait


class EventReader(Protocol):
    """Reads a stream, and has the events that stand in it."""

    def take(self, timeout: float) -> Event | None:
        """Return the next event, waiting at most so long."""

    def close(self) -> None:
        """Stop reading."""


class LineReader:
    """Reads lines until the end of the stream, then says how it ended.

    `read` returns the next bytes of the stream with this `descriptor`, none at the end; `ending` is asked what the end
    means, and gets what was left of a line.
    """

    def __init__(self, descriptor: int, read: Callable[[], bytes], ending: Callable[[bytes], Iterable[Event]]) -> None:
        self._ending = ending
        self._events: queue.Queue[Event] = queue.Queue()
        self._pending = b""
        self._reader = StreamReader(descriptor, read, self._heard, lambda: self._events.qsize() < MOST_WAITING)

    def take(self, timeout: float) -> Event | None:
        """Return the next event, waiting at most so long; what has come by then is never missed.

        A glance, without waiting, takes what has been read: a system that never stops talking would else be listened to
        without ever being given anything.
        """
        if timeout <= 0:
            return self._read_already()
        try:
            return wait_for(self._events, timeout)
        except queue.Empty:
            self._reader.look(lambda: not self._events.empty())
            return self._read_already()

    def close(self) -> None:
        """Stop reading; what has not been taken is of no interest. The stream may be closed afterwards."""
        self._reader.close()

    def _read_already(self) -> Event | None:
        try:
            return self._events.get_nowait()
        except queue.Empty:
            return None

    def _heard(self, chunk: bytes, now: float) -> bool:
        if not chunk:
            self._put(*self._ending(self._pending))
            return False
        *lines, self._pending = (self._pending + chunk).split(b"\n")
        self._put(*(line_event(line, now) for line in lines))
        if len(self._pending) > LONGEST_LINE:
            self._put(line_event(self._pending, now))
            return False
        return True

    def _put(self, *events: Event) -> None:
        for event in events:
            self._events.put(event)


def line_event(line: bytes, now: float) -> Event:
    """Read a line; whatever is wrong with it is the system's fault and must not end the thread that reads."""
    if len(line) > LONGEST_LINE:
        return garbage(line, now, f"a line of more than {LONGEST_LINE} bytes")
    try:
        label = Label.from_message(OUTPUT, line.decode().rstrip("\r"))
        label.text.encode()  # half a surrogate pair, written as an escape, could not be recorded
        return Event("output", label, seen=now)
    except UnicodeDecodeError:
        return garbage(line, now, "not UTF-8")
    except (FormatError, ValueError) as error:
        return garbage(line, now, str(error))


def garbage(line: bytes, now: float, why: str) -> Event:
    """Something that is no message, with its first bytes."""
    return Event("garbage", seen=now, detail=f"{why}: {line[:60]!r}")
