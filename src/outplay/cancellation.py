"""Ending work early: a token that any thread may cancel, the places where work stops for it, and deadlines.

Work is done in stretches. Inside one, a cancelled token raises `Cancelled` wherever the work looks for it: between two
steps, and while it waits. Work that does not look for 0.3 s, such as a model that loops, is broken off where it is.
Nothing is raised outside of stretches, so books are never left half kept.

Work looks at the deadline only after a good deal of it, so that what is small is finished whatever time there is.
"""

from __future__ import annotations

import _thread
import math
import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass
from types import TracebackType
from typing import TypeVar

PATIENCE = 0.3  # seconds in which a stretch may look by itself
AGAIN = 1.0  # seconds until what was raised in it is raised again
LISTENING = 0.1  # seconds of waiting until a token is looked at again
_Thing = TypeVar("_Thing")


class Cancelled(KeyboardInterrupt):
    """The work was cancelled by its token."""

    def __init__(self) -> None:
        super().__init__("interrupted")


class CancelToken:
    """Asks work to end. It may be cancelled from any thread and from a signal handler, and stays cancelled.

    >>> token = CancelToken()
    >>> with token.stretch():
    ...     raise_if_cancelled()
    >>> token.cancel()
    >>> try:
    ...     with token.stretch():
    ...         print("never reached")
    ... except Cancelled:
    ...     print("the work has ended")
    the work has ended
    """

    def __init__(self) -> None:
        self.cancelled = False
        self._lock = threading.Lock()
        self._worker: int | None = None  # the thread that is in a stretch
        self._shields = 0
        self._thrown = False

    def cancel(self) -> None:
        """Ask the work to end."""
        if not self.cancelled:
            self.cancelled = True
            _thread.start_new_thread(self._insist, ())  # unlike a thread of threading, nobody waits for it

    def check(self) -> None:
        """Raise `Cancelled` where somebody has cancelled."""
        if self.cancelled:
            raise Cancelled

    def stretch(self) -> Stretch:
        """A stretch of work that ends when the token is cancelled."""
        return Stretch(self)

    def _insist(self) -> None:
        """Break off a stretch that does not look, again and again: it may drop what is raised in it."""
        time.sleep(PATIENCE)
        while self._worker is not None:
            with self._lock:
                if self._worker is not None and not self._shields:
                    self._thrown = True
                    _throw(self._worker, Cancelled)
            time.sleep(AGAIN)

    def _enter(self) -> int | None:
        with self._lock:
            before, self._worker = self._worker, threading.get_ident()
        return before

    def _leave(self, outer: int | None) -> None:
        """From here on nothing is raised; what was thrown and has not come yet is taken back."""
        with self._lock:
            self._worker = outer
            if self._thrown:
                self._thrown = False
                _throw(threading.get_ident(), None)


class Until(CancelToken):
    """A token for a part of the work of another one: it ends that part when the other is cancelled or the time is up.

    >>> try:
    ...     with Until(CancelToken(), ends=time.monotonic()).stretch():
    ...         print("never reached")
    ... except Cancelled:
    ...     print("the time is up")
    the time is up
    """

    def __init__(self, outer: CancelToken, ends: float) -> None:
        super().__init__()
        self._whole, self.ends = outer, ends

    @property
    def passed(self) -> bool:
        """Whether its time is up, by the clock that no one sets."""
        return time.monotonic() >= self.ends

    def check(self) -> None:
        self._whole.check()
        if self.passed:
            raise Cancelled


class Stretch:
    """A stretch of work of a token; its thread and what that calls can look at the token."""

    def __init__(self, token: CancelToken) -> None:
        self._token = token
        self._outer: int | None = None
        self._before: Token[CancelToken | None] | None = None

    def __enter__(self) -> None:
        self._token.check()
        self._before = _current.set(self._token)
        self._outer = self._token._enter()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        token, late = self._token, False
        try:
            token._leave(self._outer)
        except Cancelled:  # thrown at the last moment; the next one would be a second away
            late = True
            token._leave(self._outer)
        assert self._before
        _current.reset(self._before)
        # A lock or an import that was broken off raises an error of its own in place of what was thrown.
        if late or (token.cancelled and error is not None and not isinstance(error, GeneratorExit)):
            raise Cancelled from None


_current: ContextVar[CancelToken | None] = ContextVar("outplay_cancellation", default=None)


def raise_if_cancelled() -> None:
    """Raise `Cancelled` where the token of this stretch was cancelled: nothing is half done here."""
    token = _current.get()
    if token is not None:
        token.check()


def wait_for(things: queue.Queue[_Thing], timeout: float) -> _Thing:
    """The next thing that a thread puts into a queue, waiting at most this long; `queue.Empty` where none comes.

    What is raised inside a queue may leave its lock taken for ever, so the token is looked at between two waits.
    """
    deadline = time.monotonic() + timeout
    while True:
        raise_if_cancelled()
        left = deadline - time.monotonic()
        try:
            return things.get(timeout=max(min(left, LISTENING), 0.0))
        except queue.Empty:
            if left <= LISTENING:
                raise


@contextmanager
def shielded() -> Iterator[None]:
    """A part of a stretch that is never broken off, such as starting or ending a system."""
    token = _current.get()
    if token is None:
        yield
        return
    with token._lock:
        token._shields += 1
    try:
        yield
    finally:
        with token._lock:
            token._shields -= 1


def _throw(thread: int, error: type[BaseException] | None) -> None:
    """Raise an exception in a thread, or take back the one that it has not seen yet."""
    import ctypes  # takes long to load, and few runs are ended so

    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), None if error is None else ctypes.py_object(error)
    )


@dataclass(frozen=True)
class Deadline:
    """A moment after which no new work is begun. Make one with `deadline`."""

    ends: float = math.inf
    now: Callable[[], float] = time.monotonic

    @property
    def left(self) -> float | None:
        """The seconds that are left, at least 0; None where there is no end."""
        return None if self.ends == math.inf else max(0.0, self.ends - self.now())

    @property
    def passed(self) -> bool:
        return self.ends < math.inf and self.now() >= self.ends

    def within(self, seconds: float) -> Deadline:
        """A deadline that is at most this many seconds away."""
        return Deadline(min(self.ends, self.now() + seconds), self.now)

    def share(self, part: float) -> Deadline:
        """The deadline for a part of the time that is left; the same where there is no end."""
        return self if self.left is None else self.within(self.left * part)

    def not_before(self, seconds: float) -> Deadline:
        """A deadline that is at least this many seconds away."""
        return Deadline(max(self.ends, self.now() + seconds), self.now)


NEVER = Deadline()


def deadline(seconds: float | None, now: Callable[[], float] = time.monotonic) -> Deadline:
    """The deadline that is this many seconds away; none where no number is given."""
    return NEVER if seconds is None else Deadline(now() + seconds, now)
