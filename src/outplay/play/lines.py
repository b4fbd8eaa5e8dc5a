"""Messages as lines: a thread that reads them, stamps them with the time and turns them into events.

Shared by every adapter whose system talks in lines. Memory is bounded: a line has a longest length, and a system that
talks faster than it is listened to has to wait. Whoever takes an event and finds none when the time has run out looks
at the stream once more itself: what was there then is not late because a thread had not come to reading it.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable

from outplay.errors import FormatError
from outplay.interrupting import wait_for
from outplay.model.label import OUTPUT, Label
from outplay.play.event import Event
from outplay.play.readable import Readable

LONGEST_LINE = 64 * 1024
MOST_WAITING = 10_000  # messages read and not yet taken; beyond that the system has to wait
_ROOM_AFTER = 0.001  # seconds until the reader asks again whether there is room
_STUCK = 2.0  # seconds after which a thread that does not end is left to itself


class LineReader:
    """Reads lines until the end of the stream, then says how it ended.

    `read` returns the next bytes of the stream with this `descriptor`, none at the end; `ending` is asked what the end
    means, and gets what was left of a line.
    """

    def __init__(self, descriptor: int, read: Callable[[], bytes], ending: Callable[[bytes], Iterable[Event]]) -> None:
        self._read, self._ending = read, ending
        self._readable = Readable(descriptor)
        self._events: queue.Queue[Event] = queue.Queue()
        self._reading = threading.Lock()  # held from reading bytes to having put away what they mean
        self._pending = b""
        self._over = self._closing = False
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

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
            with self._reading:
                while self._events.empty() and self._step():
                    pass
            return self._read_already()

    def _read_already(self) -> Event | None:
        try:
            return self._events.get_nowait()
        except queue.Empty:
            return None

    def close(self) -> None:
        """Stop reading; what has not been taken is of no interest. The stream may be closed afterwards."""
        self._closing = True
        self._readable.stop()
        # Ctrl-C in the moment in which a lock is taken leaves it taken for ever, and the thread waiting for it.
        self._thread.join(_STUCK)
        self._readable.close()

    def _work(self) -> None:
        while self._readable.wait():
            if self._events.qsize() >= MOST_WAITING:
                # Waiting for room with the lock held would keep whoever takes from looking, for ever.
                time.sleep(_ROOM_AFTER)
                if self._closing:
                    return
                continue
            with self._reading:
                self._step()
                if self._over or self._closing:
                    return

    def _step(self) -> bool:
        """Read once what is there, if anything is; say whether there was. The lock is held."""
        if self._over or self._closing or not self._readable.now():
            return False
        chunk = self._read()
        now = time.monotonic()
        if not chunk:
            self._over = True
            self._put(*self._ending(self._pending))
            return True
        *lines, self._pending = (self._pending + chunk).split(b"\n")
        self._put(*(line_event(line, now) for line in lines))
        if len(self._pending) > LONGEST_LINE:
            self._over = True
            self._put(line_event(self._pending, now))
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
