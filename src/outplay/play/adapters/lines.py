"""Messages as lines: read as they come, stamped with the time and turned into events.

Shared by every adapter whose system talks in lines. Memory is bounded: a line has a longest length, and a system that
talks faster than it is listened to has to wait.

A thread that reads a stream as it comes, and hands on each piece with the time. Memory is bounded: where there is no
room for more, the other side has to wait. Whoever waited for something in vain looks at the stream once more itself:
what was there by then is not late because a thread had not come to reading it.

Waiting for a descriptor: to have something to read, until somebody says stop; or to take a line. A thread that only
reads could not be stopped while another process holds the other end open, and its descriptor could not be closed.
`poll` knows no largest descriptor, as `select` does.
"""

from __future__ import annotations

import contextlib
import os
import queue
import select
import threading
import time
from collections.abc import Callable, Iterable
from typing import Protocol

from outplay.cancellation import wait_for
from outplay.errors import FormatError, SystemUnready
from outplay.model.label import OUTPUT, Label
from outplay.play.trace import Event


class Readable:
    """One descriptor to wait for; `stop` ends the wait of whatever threads there are, for good."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._stopped, self._stop = os.pipe()

    def wait(self) -> bool:
        """Wait until there is something to read, or the end of it; False once stopped."""
        return self._poll(None)

    def now(self) -> bool:
        """Say whether there is something to read, or the end of it, at this moment."""
        return self._poll(0)

    def stop(self) -> None:
        """End every wait, now and later."""
        with contextlib.suppress(OSError):
            os.write(self._stop, b".")

    def close(self) -> None:
        """Give the descriptors back; nobody may be waiting any more."""
        os.close(self._stopped)
        os.close(self._stop)

    def _poll(self, timeout: float | None) -> bool:
        poll = select.poll()
        poll.register(self._descriptor, select.POLLIN)
        poll.register(self._stopped, select.POLLIN)
        ready = dict(poll.poll(timeout))
        return self._descriptor in ready and self._stopped not in ready


def hand_over(message: bytes, send: Callable[[bytes], int], descriptor: int, patience: float, who: str) -> None:
    """Send bytes of messages to their reader; one that takes nothing is an error.

    `send` sends as much as is taken at once, to a descriptor that does not block.
    """
    left, deadline = message, time.monotonic() + patience
    while left:
        try:
            left = left[send(left) :]
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise SystemUnready(f"the {who} has taken no input for {patience:g} s") from None
            poll = select.poll()
            poll.register(descriptor, select.POLLOUT)
            poll.poll(100)
        except OSError:
            return  # it is gone; the reader says how


_ROOM_AFTER = 0.001  # seconds until the reader asks again whether there is room
_STUCK = 2.0  # seconds after which a thread that does not end is left to itself


class StreamReader:
    """Reads the stream with this `descriptor` until its end, or until it is closed.

    `read` returns the next bytes, none at the end, None where nothing can be made of them yet. `heard` takes each
    piece, the empty one at the end included, with the time at which it was read, and returns whether to go on.
    """

    def __init__(
        self,
        descriptor: int,
        read: Callable[[], bytes | None],
        heard: Callable[[bytes, float], bool],
        has_room: Callable[[], bool],
    ) -> None:
        self._read, self._heard, self._has_room = read, heard, has_room
        self._readable = Readable(descriptor)
        self._reading = threading.Lock()  # held from reading bytes to having put away what they mean
        self._over = self._closing = False
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def look(self, enough: Callable[[], bool]) -> None:
        """Read what is there already, until there is enough."""
        with self._reading:
            while not enough() and self._step():
                pass

    def close(self) -> None:
        """Stop reading. The stream may be closed afterwards."""
        self._closing = True
        self._readable.stop()
        # Ctrl-C in the moment in which a lock is taken leaves it taken for ever, and the thread waiting for it.
        if self._thread is not threading.current_thread():
            self._thread.join(_STUCK)
        self._readable.close()

    def _work(self) -> None:
        while self._readable.wait():
            if not self._has_room():
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
        """Read once what is there, if anything is; return whether there was. The lock is held."""
        if self._over or self._closing or not self._readable.now():
            return False
        chunk = self._read()
        if chunk is None:
            return True
        self._over = not self._heard(chunk, time.monotonic()) or not chunk
        return True


LONGEST_LINE = 64 * 1024
MOST_WAITING = 10_000  # messages read and not yet taken; beyond that the system has to wait


class EventReader(Protocol):
    """Reads a stream, and has the events that stand in it."""

    def take(self, timeout: float) -> Event | None:
        """Return the next event, waiting at most this long."""

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
        """Return the next event, waiting at most this long; what has come by then is never missed.

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
    """Read a line as an event; whatever is wrong with it is the system's fault and becomes garbage."""
    if len(line) > LONGEST_LINE:
        return garbage_event(line, now, f"a line of more than {LONGEST_LINE} bytes")
    try:
        label = Label.from_message(OUTPUT, line.decode().rstrip("\r"))
        label.text.encode()  # half a surrogate pair, written as an escape, could not be recorded
        return Event("output", label, seen=now)
    except UnicodeDecodeError:
        return garbage_event(line, now, "not UTF-8")
    except (FormatError, ValueError) as error:
        return garbage_event(line, now, str(error))


def garbage_event(line: bytes, now: float, why: str) -> Event:
    """Make the event for a line that is no message, with its first bytes."""
    return Event("garbage", seen=now, detail=f"{why}: {line[:60]!r}")
