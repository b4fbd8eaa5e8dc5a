"""Stretches that no signal may break: while a system is started or ended."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from outplay.interrupting import ENDINGS


@contextmanager
def unbroken() -> Iterator[None]:
    """Put off what a signal to end brings about until the end of the stretch."""
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
