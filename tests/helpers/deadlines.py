"""Deadlines by a clock of the test's own."""

from __future__ import annotations

from collections.abc import Callable

from outplay.cancellation import Deadline


def after(looks: int) -> Deadline:
    """A deadline that has passed when it was looked at so often."""
    return Deadline(looks, counting())


def counting() -> Callable[[], float]:
    """A clock that goes on by one each time it is read, from 0."""
    readings = iter(range(10**9))
    return lambda: float(next(readings))
