"""When a play arrived at its goal, counted in moves."""

from __future__ import annotations

import math
from collections.abc import Iterable

from outplay.model.specification import Specification
from outplay.model.tracking import GoalTest, Tracker
from outplay.play.event import Event
from outplay.play.following import Step, follow


class Arrival:
    """Counts, step by step, the moves of one play until its goal was reached.

    Where input and output may have crossed, it may take another event to know; what counts is when it was reached.
    """

    def __init__(self) -> None:
        self._made = 0
        self._since: int | None = None
        self._last: Tracker | None = None
        self._over = False

    def take(self, step: Step) -> None:
        """Count the next step."""
        if self._last is None and step.before.maybe_reached:
            self._since = 0
        self._last = step.after
        if step.label is None or self._over:
            return
        self._over = step.before.reached or not step.after.possible
        if step.before.reached:
            return
        self._made += 1
        reached = self._made if self._since is None else self._since
        self._since = reached if step.after.maybe_reached else None

    @property
    def moves(self) -> int | None:
        """After how many moves the goal was reached; None if it never was, or nobody can tell."""
        sure = self._over or (self._last is not None and self._last.settled(math.inf).reached)
        return self._since if sure else None


def arrival(
    spec: Specification, events: Iterable[Event], goal: GoalTest, *, latency: float = 0.0, silence: float = 0.0
) -> int | None:
    """After how many moves a recorded play had reached the goal; None if it never had, or nobody can tell."""
    found = Arrival()
    for step in follow(spec, events, latency=latency, silence=silence, goal=goal):
        found.take(step)
    return found.moves
