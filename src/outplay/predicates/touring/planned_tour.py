"""The test of least cost for a strategy: its inputs, its cost with a bound, and what cannot be shown.

Definition (Kapus-Kolar 2007, 7.4 and 7.5): among all sequences of inputs that the machine cannot refuse and that surely
lead it back to its root, one that is predicted to show all that is pursued at the least predicted cost. It is found as
a postman's tour in the problem model (tour_planning.py), and comes with a bound below which there is none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from outplay.errors import UsageError
from outplay.game.reset import RESET
from outplay.predicates.touring.prediction import Vector
from outplay.predicates.touring.problem_model import ProblemModel
from outplay.predicates.touring.unwitnessed import Unwitnessed, unwitnessed
from outplay.predicates.unfolding.sheaf_graph import SheafEdge
from outplay.strategy.deadline import NEVER, Deadline


@dataclass(frozen=True)
class PlannedTour:
    """A test that meets a strategy, or the tests where they must not be put one behind the other."""

    problem: ProblemModel
    walks: tuple[tuple[SheafEdge, ...], ...]
    """One for each time the test begins at the root anew."""
    cost: Vector
    bound: Vector
    """No test that meets the strategy is predicted to cost less; of an approximation, none that shows as much."""
    checked: Vector
    """The bound as far as it is proven in whole numbers, without the floats of HiGHS."""

    @property
    def approximate(self) -> bool:
        """Whether not all tests were looked at as what they are, because there are too many."""
        return self.problem.graph.rounded

    @property
    def optimal(self) -> bool:
        return self.cost == self.bound

    @property
    def tests(self) -> tuple[tuple[str, ...], ...]:
        """The inputs of each test that starts afresh: at a reset, or where tests must not be put behind others."""
        rows = [self.inputs] if self.in_a_row else [_inputs(walk) for walk in self.walks]
        parts = (tuple(part) for row in rows for reset, part in groupby(row, RESET.__eq__) if not reset)
        return tuple(parts)

    @property
    def in_a_row(self) -> bool:
        """Whether all of it can be played as one test: its walks may be put one behind the other, or there is one."""
        return self.problem.joins or len(self.walks) < 2

    @property
    def inputs(self) -> tuple[str, ...]:
        """All inputs in a row, resets among them."""
        if not self.in_a_row:
            raise UsageError("these are several tests, each from a fresh start: ask for `tests`")
        return tuple(given for walk in self.walks for given in _inputs(walk))

    @property
    def edges(self) -> tuple[SheafEdge, ...]:
        return tuple(edge for walk in self.walks for edge in walk)

    @cached_property
    def missing(self) -> tuple[Unwitnessed, ...]:
        """What cannot be shown for sure, each with the reason."""
        return self.missing_by(NEVER)

    def missing_by(self, until: Deadline) -> tuple[Unwitnessed, ...]:
        """The same, with the reasons that are found in time."""
        return unwitnessed(self.problem.graph, self.problem.pursuit, until)


def _inputs(walk: Sequence[SheafEdge]) -> tuple[str, ...]:
    return tuple(given for edge in walk for given in edge.inputs)
