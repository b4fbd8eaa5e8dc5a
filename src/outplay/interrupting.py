"""Signals to end a command: one that has come is never forgotten, and breaks in where nothing is half done.

Python raises `KeyboardInterrupt` between any two instructions: where a lock has been taken and nobody knows it yet, or
where books are half kept. In a destructor it drops it, and what cleans up behind it may raise an error of its own in
its place. So a signal is noted before anything is raised. While a run plays (`hold`) it only is, and raised by whoever
looks for it (`look`): between two steps, and while the system is waited for. What has not looked for a second, such as
a model that loops, is broken off wherever it is.
"""

from __future__ import annotations

import _thread
import queue
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

ENDINGS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)  # fmt: skip
_MOMENT = 0.02  # seconds, in which a destructor has long been left
_PATIENCE = 1.0  # seconds in which a stretch may look for a signal by itself
_LISTENING = 0.1  # seconds of waiting until a signal is looked for again
_Thing = TypeVar("_Thing")

_asked: signal.Signals | None = None  # the signal that has come, until it has broken off a stretch
_held = _breakable = _overdue = _deaf = False


def listen() -> None:
    """From now on a signal to end raises `KeyboardInterrupt`; Ctrl-C only where it is not ignored."""
    for number in ENDINGS:
        if number != signal.SIGINT or callable(signal.getsignal(number)):
            signal.signal(number, _interrupt)


def listen_no_more() -> None:
    """From now on no signal breaks in: all is said, and what still runs is being ended."""
    global _deaf
    _deaf = True  # at once, while the handlers are changed one after the other
    for number in ENDINGS:
        signal.signal(number, signal.SIG_IGN)


def asked_to_end() -> bool:
    """Whether a signal has come and has not broken off a stretch: what is raised then is its doing."""
    return _asked is not None


def _interrupt(number: int, frame: FrameType | None) -> None:
    global _asked
    if not _deaf:
        _asked = signal.Signals(number)
        raise KeyboardInterrupt


def lose_none() -> None:
    """From now on a signal that meets a destructor, where Python drops what is raised, comes again a moment later."""
    usual = sys.unraisablehook

    def dropped(what: Any) -> None:
        if not isinstance(what.exc_value, KeyboardInterrupt):
            usual(what)
            return
        # Unlike a thread of threading, it is not waited for. Ctrl-C may be ignored where another signal is not.
        _thread.start_new_thread(_come_again, (signal.SIGINT if _asked is None else _asked,))

    sys.unraisablehook = dropped


def _come_again(number: signal.Signals) -> None:
    time.sleep(_MOMENT)
    _thread.interrupt_main(number)


def hold() -> None:
    """From now on a signal to end breaks off breakable stretches only: what was found by then is told in any case."""
    global _held, _breakable, _overdue
    if threading.current_thread() is not threading.main_thread():
        return
    _held, _breakable, _overdue = True, False, False
    for number in ENDINGS:
        if callable(signal.getsignal(number)):
            signal.signal(number, _note)
    if _asked is not None:  # it was raised, and somebody has dropped it
        raise KeyboardInterrupt


def _note(number: int, frame: FrameType | None) -> None:
    """Note a signal; one that is overdue, since nobody has looked for it, breaks in here."""
    global _asked, _overdue
    overdue, _overdue = _overdue, False
    if _asked is None and not overdue:
        _asked = signal.Signals(number)
        if _breakable:
            _thread.start_new_thread(_remind, (_asked,))
    elif _asked is not None and overdue and _breakable:
        _thread.start_new_thread(_remind, (_asked,))  # for this may be dropped as well
        raise KeyboardInterrupt


def _remind(number: signal.Signals) -> None:
    global _overdue
    time.sleep(_PATIENCE)
    if _asked is not None:
        _overdue = True
        _thread.interrupt_main(number)


def look() -> None:
    """Raise `KeyboardInterrupt` where a signal has come that may break in: here nothing is half done."""
    global _asked
    if _asked is not None and _breakable:
        _asked = None
        raise KeyboardInterrupt


def wait_for(things: queue.Queue[_Thing], timeout: float) -> _Thing:
    """The next thing that a thread puts into a queue, waiting at most so long; `queue.Empty` where none comes.

    What is raised inside of a queue may leave its lock taken for ever, so a signal is looked for between two waits.
    """
    deadline = time.monotonic() + timeout
    while True:
        look()
        left = deadline - time.monotonic()
        try:
            return things.get(timeout=max(min(left, _LISTENING), 0.0))
        except queue.Empty:
            if left <= _LISTENING:
                raise


@contextmanager
def breakable() -> Iterator[None]:
    """A stretch that a signal breaks off where signals are held, also one that came since the last such stretch."""
    global _breakable, _asked
    if not _held:
        yield
        return
    try:
        _breakable = True
        look()
        yield
    except (Exception, KeyboardInterrupt):
        asked, _asked = _asked, None
        if asked is not None:  # whatever has become of it on its way
            raise KeyboardInterrupt from None
        raise
    finally:
        _breakable = False


@contextmanager
def handled_as_before() -> Iterator[None]:
    """Handle signals afterwards as they are handled now."""
    global _held, _asked
    before = {number: signal.getsignal(number) for number in ENDINGS}
    try:
        yield
    finally:
        if _held:
            _held, _asked = False, None
            for number, handler in before.items():
                signal.signal(number, handler or signal.SIG_DFL)


@contextmanager
def unbroken() -> Iterator[None]:
    """A stretch that no signal breaks, such as starting or ending a system: what it brings about comes at the end."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals break in upon the main thread only
        return
    came: list[int] = []

    def remember(number: int, frame: FrameType | None) -> None:
        came.append(number)

    before = {number: handler for number in ENDINGS if callable(handler := signal.getsignal(number))}
    try:
        for number in before:
            signal.signal(number, remember)
        yield
    finally:
        try:
            _restore(before)
        except BaseException:  # one that was restored already broke in upon the others
            _restore(before)
            raise
        if came:
            before[signal.Signals(came[0])](came[0], None)


def _restore(handlers: dict[signal.Signals, Callable[[int, FrameType | None], Any]]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, handler)
