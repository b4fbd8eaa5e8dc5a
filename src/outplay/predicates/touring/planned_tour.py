"""The test of least cost for a strategy: inputs, what may be answered, what each step shows, and what cannot be shown.

Definition (Kapus-Kolar 2007, 7.4 and 7.5): among all sequences of inputs that the machine cannot refuse and that surely
lead it back to its root, one that is predicted to show all that is pursued at the least predicted cost. It is found as
a postman's tour in the problem model (tour_planning.py), and comes with a bound below which there is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby

from outplay.errors import UsageError
from outplay.game.reset import RESET
from outplay.predicates.touring.prediction import Vector
from outplay.predicates.touring.problem_model import ProblemModel
from outplay.predicates.touring.unwitnessed import Unwitnessed, unwitnessed
from outplay.predicates.touring.witnessing import Pursued
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
    def gap(self) -> Fraction:
        """How much of the cost may be too much, by the first criterion in which cost and bound differ."""
        pairs = zip(self.cost, self.bound, strict=True)
        return next(((cost - bound) / cost for cost, bound in pairs if cost != bound), Fraction(0))

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

    def shown_by(self, edge: SheafEdge) -> list[Pursued]:
        """The goals that an edge is a witness of."""
        number = self.problem.graph.edges.index(edge)
        return [goal for goal in self.problem.pursuit.goals if number in goal.edges]

    def lines(self) -> Iterator[str]:
        """The test in words: a line for each edge, with what may be answered and what is shown first there."""
        system, seen = self.problem.graph.system, set[Pursued]()
        for walk in self.walks:
            for edge in walk:
                new = [goal for goal in self.shown_by(edge) if goal not in seen]
                seen.update(new)
                shown = "; ".join(goal.in_words(system) for goal in new)
                yield _in_words(edge) + (f"   shows {shown}" if shown else "")


def _inputs(walk: Sequence[SheafEdge]) -> tuple[str, ...]:
    return tuple(given for edge in walk for given in edge.inputs)


def _in_words(edge: SheafEdge) -> str:
    """Inputs and what may answer them."""
    return f"{' '.join(edge.inputs)} / {' | '.join(edge.answers)}"
