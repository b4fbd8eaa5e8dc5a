"""Signals to end a command: one that has come is never forgotten, and breaks in where nothing is half done.

Python raises `KeyboardInterrupt` between any two instructions: where a lock has been taken and nobody knows it yet, or
where books are half kept. In a destructor it drops it, and what cleans up behind it may raise an error of its own in
its place. So a signal is noted before anything is raised, and a command that plays or judges turns signals into its
cancel token (`cancel_on_signals`), which ends the work only where that is safe.
"""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from outplay.cancellation import CancelToken, shielded

ENDINGS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)  # fmt: skip
_MOMENT = 0.02  # seconds, in which a destructor has long been left

_asked: signal.Signals | None = None  # the signal that has come and was raised
_deaf = False


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
    """Say whether a signal has come and has not broken off a stretch: what is raised then is its doing."""
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


def cancel_on_signals() -> CancelToken:
    """From now on a signal to end cancels a token: what was found by then is told in any case."""
    token = CancelToken()
    if threading.current_thread() is threading.main_thread():
        for number in ENDINGS:
            if callable(signal.getsignal(number)):
                signal.signal(number, lambda number, frame: token.cancel())
        if _asked is not None:  # it was raised, and somebody has dropped it
            raise KeyboardInterrupt
    return token


@contextmanager
def handled_as_before() -> Iterator[None]:
    """Handle signals afterwards as they are handled now."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in ENDINGS}
    try:
        yield
    finally:
        for number, handler in before.items():
            if signal.getsignal(number) is not handler:
                signal.signal(number, handler or signal.SIG_DFL)


@contextmanager
def unbroken() -> Iterator[None]:
    """A stretch that no signal breaks, such as starting or ending a system: what it brings about comes at the end."""
    with shielded():
        yield from _unsignalled()


def _unsignalled() -> Iterator[None]:
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
