"""Stretches that no signal may break: while a system is started or ended, and while what was found is told."""

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

_ENDINGS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
)  # fmt: skip
_held = False  # signals to end are waited for only where a stretch is breakable
_breakable = _came = False
_MOMENT = 0.02  # seconds, in which a destructor has long been left


def _come_again() -> None:
    time.sleep(_MOMENT)
    _thread.interrupt_main()


def lose_none() -> None:
    """From now on a signal that meets a destructor, where Python drops what is raised, comes again a moment later."""
    usual = sys.unraisablehook

    def dropped(what: Any) -> None:
        if not isinstance(what.exc_value, KeyboardInterrupt):
            usual(what)
            return
        _thread.start_new_thread(_come_again, ())  # unlike threading's, it is not waited for

    sys.unraisablehook = dropped


def hold() -> None:
    """From now on a signal to end breaks off breakable stretches only: what was found by then is told in any case."""
    global _held, _breakable, _came
    if threading.current_thread() is threading.main_thread():
        _held, _breakable, _came = True, False, False
        for number in _ENDINGS:
            if callable(signal.getsignal(number)):
                signal.signal(number, _take)


def _take(number: int, frame: FrameType | None) -> None:
    global _came
    if _breakable:
        raise KeyboardInterrupt
    _came = True


@contextmanager
def breakable() -> Iterator[None]:
    """A stretch that a signal breaks off where signals are held, also one that came since the last such stretch."""
    global _breakable, _came
    if not _held:
        yield
        return
    try:
        try:
            _breakable = True
            if _came:
                _came = False
                raise KeyboardInterrupt
            yield
        finally:
            _breakable = False
    except KeyboardInterrupt:  # one that came in the last moment, before the line above
        _breakable = False
        raise


@contextmanager
def handled_as_before() -> Iterator[None]:
    """Handle signals afterwards as they are handled now."""
    global _held
    before = {number: signal.getsignal(number) for number in _ENDINGS}
    try:
        yield
    finally:
        if _held:
            _held = False
            for number, handler in before.items():
                signal.signal(number, handler or signal.SIG_DFL)


@contextmanager
def unbroken() -> Iterator[None]:
    """Put off what a signal to end brings about until the end of the stretch."""
    if threading.current_thread() is not threading.main_thread():
        yield  # signals break in upon the main thread only
        return
    came: list[int] = []

    def remember(number: int, frame: FrameType | None) -> None:
        came.append(number)

    before = {number: handler for number in _ENDINGS if callable(handler := signal.getsignal(number))}
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
