"""Time as an argument: the real monotonic clock, or a virtual one on which a whole play takes no time at all."""

from __future__ import annotations

import time
from typing import Protocol


class Clock(Protocol):
    """Tells the time in seconds; only differences mean anything."""

    def now(self) -> float: ...
    def sleep(self, seconds: float) -> None: ...


class RealClock:
    """The monotonic clock: setting the computer's time does not touch it."""

    def now(self) -> float:
        return time.monotonic()

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)


class VirtualClock:
    """Time that passes only when somebody waits.

    >>> clock = VirtualClock()
    >>> clock.sleep(2.5)
    >>> clock.now()
    2.5
    """

    def __init__(self, start: float = 0.0) -> None:
        self._now = start

    def now(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        self._now += seconds


def sleep_lateness() -> float:
    """Measure how late a short sleep ends on this machine, in seconds: the worst of 20."""
    worst = 0.0
    for _ in range(20):
        began = time.monotonic()
        time.sleep(0.005)
        worst = max(worst, time.monotonic() - began - 0.005)
    return worst


def least_silence(lateness: float) -> float:
    """Return the shortest silence that means anything where sleeps end so late.

    >>> least_silence(0.0001), least_silence(0.02)
    (0.1, 0.4)
    """
    return max(0.1, 20 * lateness)
