"""The checker of claims about chance: bounds of expected cost and of probability, confirmed in exact arithmetic.

Floats are taken as the exact binary fractions they are, so a claim holds to the last bit or is refused. Expected cost,
with the level of a vertex -1 where some strategy reaches the goal with probability 1: lower goals 0; low ≤ cost +
low(target) for every move that stays at level -1; low ≤ Σ p (cost + low(target)) over the answers, which all stay at
level -1. Summed along any strategy that arrives, low is at most its cost. upper goals 0; high ≥ cost + high(target) for
the chosen move; high ≥ Σ p (cost + high(target)) over the answers. The rank falls along the chosen move and along some
answer, so the strategy arrives with probability 1. level k ≥ 0: every move leads to levels 0 to k; some answer leads
below k (but not to -1), or all lead to 0 to k. By induction no strategy may enter a level below k; so it stays in level
k for ever, where there is no goal. Probability: upper goals 1, elsewhere ≥ 0; high ≥ high(target) for every move; high
≥ Σ p high(target): no strategy has more. lower goals 1, elsewhere ≥ 0; where low > 0, low ≤ low(target) for the chosen
move, low ≤ Σ p low(target), and the rank falls along the chosen move and along some answer: the play does not stay
where low > 0, so low is at most the chance that it leaves to a goal. Probabilities that are absent count as equal, and
all are divided by their sum. Bound: O(V + E) exact operations.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from outplay.errors import CertificateError
from outplay.game.graph import SYSTEM, Game
from outplay.strategy.certificate.checker import Certificate, Checker

Number: TypeAlias = float | Fraction | None
"""A float stands for the exact fraction it is; None, like infinity, for "no number is enough"."""
Numbers: TypeAlias = Sequence[Number] | NDArray[np.float64]
Places: TypeAlias = Collection[int] | NDArray[np.integer[Any]]
Ratio: TypeAlias = tuple[int, int] | None
_LONGEST = 4096  # bits of a common denominator; beyond, fractions are faster


def check_expected(
    game: Game, goals: Places, low: Numbers, high: Numbers, choices: Places, ranks: Places, levels: Places
) -> Certificate:
    """Check bounds of the least expected cost at all vertices, or raise CertificateError where one is wrong."""
    return _ExpectedChecker(game, low, high, choices, ranks, levels).confirm(_listed(goals))


def check_probability(
    game: Game, goals: Places, low: Numbers, high: Numbers, choices: Places, ranks: Places
) -> Certificate:
    """Check bounds of the greatest probability of reaching a goal, or raise CertificateError where one is wrong."""
    return _ProbabilityChecker(game, low, high, choices, ranks).confirm(_listed(goals))


class _ChanceChecker(Checker):
    """Numbers times one scale as whole numbers, and probabilities as whole weights."""

    def __init__(self, game: Game, low: Numbers, high: Numbers, choices: Places, ranks: Places, *more: Places) -> None:
        super().__init__(game, low, high, choices, ranks, *more)
        arrays = (game.cost.table, _listed(low), _listed(high), [1])
        table, self.low, self.high, [self.one] = _whole([_ratio(value) for value in column] for column in arrays)
        self.costs = [table[row] for row in game.cost.index.tolist()]
        (weights,) = _whole([[(1, 1) if value is None else _ratio(value) for value in game.probability.table]])
        self.weights = [weights[row] for row in game.probability.index.tolist()]
        self.choices, self.ranks = _listed(choices), _listed(ranks)

    def chosen(self, vertex: int, edges: range) -> int:
        """The target of the chosen edge, which must leave the vertex and come nearer."""
        choice = self.choices[vertex]
        self.ensure(choice in edges, vertex, "the chosen edge does not leave the vertex")
        target: int = self.target[choice]
        self.ensure(self.ranks[target] < self.ranks[vertex], vertex, "the chosen edge does not come nearer")
        return target

    def check_nearer(self, vertex: int, targets: list[int]) -> None:
        nearest = min([self.ranks[target] for target in targets])
        self.ensure(nearest < self.ranks[vertex], vertex, "no answer comes nearer")


class _ExpectedChecker(_ChanceChecker):
    def __init__(self, game: Game, *arrays: Any) -> None:
        super().__init__(game, *arrays)
        self.levels = _listed(arrays[-1])
        for vertex, level in enumerate(self.levels):
            valued = self.low[vertex] is not None, self.high[vertex] is not None
            self.ensure(valued == (level == -1,) * 2, vertex, "the bounds and the level differ on what is out of reach")

    def check_goal(self, vertex: int) -> None:
        self.ensure(self.low[vertex] == 0 == self.high[vertex], vertex, "a goal does not cost 0")

    def check(self, vertex: int, edges: range) -> None:
        if self.levels[vertex] != -1:
            self.check_level(vertex, self.levels[vertex], edges)
        elif self.owner[vertex] == SYSTEM:
            self.check_system(vertex, edges)
        else:
            self.check_tester(vertex, edges)

    def check_level(self, vertex: int, level: int, edges: range) -> None:
        beyond = [self.levels[target] for target in self.target[edges.start : edges.stop]]
        if self.owner[vertex] == SYSTEM and any(0 <= other < level for other in beyond):
            return
        self.ensure(all(0 <= other <= level for other in beyond), vertex, "called out of reach, but may arrive")

    def check_tester(self, vertex: int, edges: range) -> None:
        target = self.chosen(vertex, edges)
        self.ensure(self.levels[target] == -1, vertex, "the chosen edge may never arrive")
        offer = self.costs[self.choices[vertex]] + self.high[target]
        self.ensure(offer <= self.high[vertex], vertex, "the chosen edge costs more than is claimed")
        low, lows, costs = self.low[vertex], self.low, self.costs
        for edge in edges:
            beyond = lows[self.target[edge]]
            self.ensure(beyond is None or low <= costs[edge] + beyond, vertex, "a move costs less than is claimed")

    def check_system(self, vertex: int, edges: range) -> None:
        self.ensure(len(edges) > 0, vertex, "has no moves and is no goal, but is called sure to arrive")
        targets, weights = self.target[edges.start : edges.stop], self.weights[edges.start : edges.stop]
        for target in targets:
            self.ensure(self.levels[target] == -1, vertex, "an answer may never arrive")
        self.check_nearer(vertex, targets)
        costs = self.costs[edges.start : edges.stop]
        paid = sum([weight * cost for weight, cost in zip(weights, costs, strict=True)])
        whole = sum(weights)
        least = paid + sum([weight * self.low[target] for weight, target in zip(weights, targets, strict=True)])
        self.ensure(whole * self.low[vertex] <= least, vertex, "the answers cost less on average than is claimed")
        most = paid + sum([weight * self.high[target] for weight, target in zip(weights, targets, strict=True)])
        self.ensure(whole * self.high[vertex] >= most, vertex, "the answers cost more on average than is claimed")


class _ProbabilityChecker(_ChanceChecker):
    def __init__(self, game: Game, *arrays: Any) -> None:
        super().__init__(game, *arrays)
        for vertex, bounds in enumerate(zip(self.low, self.high, strict=True)):
            self.ensure(None not in bounds and min(bounds) >= 0, vertex, "a probability is none")

    def check_goal(self, vertex: int) -> None:
        self.ensure(self.low[vertex] == self.one == self.high[vertex], vertex, "a goal does not have probability 1")

    def check(self, vertex: int, edges: range) -> None:
        if self.owner[vertex] == SYSTEM:
            self.check_system(vertex, edges)
            return
        highest = max([self.high[target] for target in self.target[edges.start : edges.stop]], default=0)
        self.ensure(self.high[vertex] >= highest, vertex, "a move is more likely to arrive than is claimed")
        if self.low[vertex] > 0:
            sure = self.low[self.chosen(vertex, edges)]
            self.ensure(self.low[vertex] <= sure, vertex, "the chosen edge is less likely to arrive than is claimed")

    def check_system(self, vertex: int, edges: range) -> None:
        targets, weights = self.target[edges.start : edges.stop], self.weights[edges.start : edges.stop]
        whole = sum(weights)
        most = sum([weight * self.high[target] for weight, target in zip(weights, targets, strict=True)])
        self.ensure(whole * self.high[vertex] >= most, vertex, "the answers are more likely to arrive than is claimed")
        if self.low[vertex] > 0:
            least = sum([weight * self.low[target] for weight, target in zip(weights, targets, strict=True)])
            enough = whole > 0 and whole * self.low[vertex] <= least
            self.ensure(enough, vertex, "the answers are less likely to arrive than is claimed")
            self.check_nearer(vertex, targets)


def _listed(column: Any) -> list[Any]:
    listed: list[Any] = column.tolist() if hasattr(column, "tolist") else list(column)
    return listed


def _ratio(value: Number) -> Ratio:
    """The exact fraction that a number is; None where it is infinite."""
    if value is None or value == math.inf:
        return None
    if not isinstance(value, Fraction) and not math.isfinite(value):
        raise CertificateError(f"{value} is no bound; this is a defect of outplay, please report it with the model")
    return value.as_integer_ratio()


def _whole(arrays: Iterable[list[Ratio]]) -> list[list[Any]]:
    """All columns times one number that makes them whole; as fractions where that number would be very long."""
    rows = list(arrays)
    scale = 1
    for denominator in {ratio[1] for row in rows for ratio in row if ratio is not None}:
        scale = math.lcm(scale, denominator)
        if scale.bit_length() > _LONGEST:
            return [[None if ratio is None else Fraction(*ratio) for ratio in row] for row in rows]
    return [[None if ratio is None else ratio[0] * (scale // ratio[1]) for ratio in row] for row in rows]
