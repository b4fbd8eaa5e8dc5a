"""Deadlines, by a clock of the test's own."""

from __future__ import annotations

from outplay.cancellation import NEVER, deadline


def test_deadlines():
    now = [5.0]
    until = deadline(10, lambda: now[0])
    assert (until.left, until.passed, until.within(3).left) == (10, False, 3)
    now[0] = 20.0
    assert (until.left, until.passed, until.within(3).left) == (0, True, 0)
    assert (NEVER.left, NEVER.passed, deadline(None)) == (None, False, NEVER)
