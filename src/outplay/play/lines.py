"""Messages as lines: a thread that reads them, stamps them with the time and turns them into events.

Shared by every adapter whose system talks in lines. Memory is bounded: a line has a longest length, and a system that
talks faster than it is listened to has to wait.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable

from outplay.errors import FormatError
from outplay.model.label import OUTPUT, Label
from outplay.play.event import Event

LONGEST_LINE = 64 * 1024
MOST_WAITING = 10_000  # messages read and not yet taken; beyond that the system has to wait


class LineReader:
    """Reads lines until the end of the stream, then says how it ended.

    `read` returns the next bytes, none at the end; `ending` is asked what the end means, and gets what was left of a
    line.
    """

    def __init__(self, read: Callable[[], bytes], ending: Callable[[bytes], Iterable[Event]]) -> None:
        self._read, self._ending = read, ending
        self._events: queue.Queue[Event] = queue.Queue(MOST_WAITING)
        self._closing = False
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def take(self, timeout: float) -> Event | None:
        """Return the next event, waiting at most so long."""
        try:
            return self._events.get_nowait() if timeout <= 0 else self._events.get(timeout=timeout)
        except queue.Empty:
            return None

    def stop(self) -> None:
        """What is read from now on is of no interest."""
        self._closing = True

    def ended(self, timeout: float) -> bool:
        """Wait for the thread and say whether it has ended; until then its stream must not be closed."""
        self._thread.join(timeout)
        return not self._thread.is_alive()

    def _work(self) -> None:
        pending = b""
        while chunk := self._read():
            now = time.monotonic()
            *lines, pending = (pending + chunk).split(b"\n")
            for line in lines:
                if self._closing:
                    return
                self._put(line_event(line, now))
            if len(pending) > LONGEST_LINE:
                self._put(line_event(pending, now))
                return
        if not self._closing:
            for event in self._ending(pending):
                self._put(event)

    def _put(self, event: Event) -> None:
        while not self._closing:
            try:
                self._events.put(event, timeout=0.1)
                return
            except queue.Full:
                continue


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
