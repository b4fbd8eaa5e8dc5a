"""The cost of strategies when every probability may change a little: worst and best case, with proof.

Definition: within a radius r, 0 <= r < 1, a probability p becomes any p' with |p' - p| <= r p; those of a vertex sum to
1. What is possible stays possible, so a strategy that is sure to arrive stays so (Blass et al. 2005, lemma 1).
Let x be the costs to come after each answer of the system at a vertex. With p' = p (1 + d) and m a median of x under p,
Σ p d = 0 gives Σ p' x = Σ p x + Σ p d (x - m), so

    max Σ p' x = Σ p x + r Σ p |x - m|   and   min Σ p' x = Σ p x - r Σ p |x - m|,

taken where d is r on one side of the median and -r on the other. Any other m makes both wider, so they still bound.
Certificates: u >= 0 that is nowhere below the worst case of its own next step, by the strategy's edges, is above the
strategy's cost for all p' (it bounds the cost of n steps, for every n); a bounded l that is nowhere above the best case
of its own next step, by any edge, is below the cost of every strategy that arrives (what l promises dies out with the
chance not to have arrived). Both are made by policy iteration for both sides and then mended, rounding outward, until
they hold. Bound: one policy iteration for each change of medians, seldom above ten.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.game.algebra import subgame
from outplay.game.graph import SYSTEM
from outplay.strategy.arrays import UNIT
from outplay.strategy.chance.valuation.policy_iteration import IllConditionedError, iterate_policies
from outplay.strategy.chance.valuation.shortest_path import ShortestPath

Floats = NDArray[np.float64]
_SLACKS = (1e-13, 1e-11, 1e-9, 1e-7, 1e-5)  # how much is given away, relative, before a certificate is looked for
_SWEEPS = 60  # more are needed only where long ways cost nothing
_ROUNDS = 50
_SETTLED = 1e-14  # relative; from there on only rounding changes


@dataclass(frozen=True, eq=False)
class ProperPolicy:
    """A problem, and a strategy for it that is sure to arrive."""

    problem: ShortestPath
    choice: NDArray[np.int64]

    @cached_property
    def alone(self) -> ProperPolicy:
        """The same where the tester has nothing but the edges of the strategy."""
        game = self.problem.game
        chosen = self.choice[game.source] == np.arange(game.edge_count)
        left = subgame(game, self.problem.usable & (chosen | (game.owner[game.source] == SYSTEM)))
        choice = np.where(self.choice >= 0, left.first[:-1].astype(np.int64), -1)
        return ProperPolicy(ShortestPath(left, self.problem.inside, self.problem.ends, self.problem.paid), choice)

    @property
    def best(self) -> ProperPolicy:
        """The same problem with a best strategy, where no probability changes."""
        return ProperPolicy(self.problem, self._unchanged[1])

    def dearest(self, radius: float) -> Floats | None:
        """Return the most that the strategy costs from each vertex, within the radius; None where that was not
        proven.
        """
        return self.alone._proven(radius, worst=True)

    def cheapest(self, radius: float) -> Floats | None:
        """Return a cost that no strategy of the problem beats within the radius; None where that was not proven."""
        return self._proven(radius, worst=False)

    @cached_property
    def _rows(self) -> _Rows:
        return _Rows(self.problem)

    @cached_property
    def _unchanged(self) -> tuple[Floats, NDArray[np.int64]]:
        """The best strategy's costs, and that strategy, when no probability changes."""
        choice = self.choice.copy()
        return iterate_policies(self._leaning(self.problem.weights), choice), choice

    def _leaning(self, chances: Floats) -> _Leaning:
        return _Leaning(self.problem.game, self.problem.inside, self.problem.ends, self.problem.paid, chances)

    def _proven(self, radius: float, *, worst: bool) -> Floats | None:
        rows = self._rows
        try:
            value, middle = self._near(radius if worst else -radius)
        except IllConditionedError:
            return None
        for slack in _SLACKS:
            bound = value * (1 + slack if worst else 1 - slack)
            for _ in range(_SWEEPS):
                ahead = rows.ahead(bound, middle, radius, worst)
                held = bound[rows.vertex]
                wrong = ahead > held if worst else ahead < held
                if not wrong.any():
                    return bound
                bound[rows.vertex[wrong]] = ahead[wrong]
        return None

    def _near(self, lean: float) -> tuple[Floats, NDArray[np.int64]]:
        """Costs close to the worst case (or the best, where `lean` is negative), and the median edge of each row."""
        value, choice, inside = self._unchanged[0], self._unchanged[1].copy(), self.problem.inside
        chances, middle = self._rows.leaning(value, lean)
        for _ in range(_ROUNDS if lean else 0):
            before, value = value, iterate_policies(self._leaning(chances), choice)
            chances, middle = self._rows.leaning(value, lean)
            if np.all(np.abs(value[inside] - before[inside]) <= _SETTLED * value[inside]):
                break
        return value, middle


@dataclass(frozen=True, eq=False)
class _Leaning(ShortestPath):
    """A problem with other probabilities, solved as a whole: the strategy is nearly the best, so parts save nothing."""

    chances: Floats

    @cached_property
    def weights(self) -> Floats:
        return self.chances

    def parts(self) -> Iterator[NDArray[np.int64]]:
        if self.inside.any():
            yield np.flatnonzero(self.inside)


class _Rows:
    """The usable edges of a problem, in rows of their source."""

    def __init__(self, problem: ShortestPath) -> None:
        self.problem = problem
        self.edge = np.flatnonzero(problem.usable)
        source = problem.game.source[self.edge]
        self.vertex, self.start, size = np.unique(source, return_index=True, return_counts=True)
        self.row = np.repeat(np.arange(len(self.vertex)), size)
        self.target, self.cost = problem.game.target[self.edge], problem.costs[self.edge]
        self.system = problem.game.owner[self.vertex] == SYSTEM
        self.chance = problem.weights[self.edge]
        # No term of a sum is negative, so this covers all its roundings, relative to the sum.
        self.margin = (2 * int(size.max(initial=0)) + 16) * UNIT

    def leaning(self, value: Floats, lean: float) -> tuple[Floats, NDArray[np.int64]]:
        """Shift chance across the median, to dearer answers where `lean` is positive; also find the median edges."""
        ahead = self.cost + value[self.target]
        order = np.lexsort((-ahead, self.row))
        chance = self.chance[order]
        passed = np.cumsum(chance)
        passed -= np.repeat((passed - chance)[self.start], np.diff([*self.start, len(order)])) if len(order) else 0.0
        above = np.clip(0.5 - (passed - chance), 0.0, chance)  # how much of it lies in the dearer half
        chances = self.problem.weights.copy()
        shifted = chance + lean * (2 * above - chance)
        own = self.edge[order]
        chances[own] = np.where(self.system[self.row[order]], shifted, chances[own])
        # The first edge with which half of the chance has been passed; rounding may leave none but the last.
        late = np.flatnonzero(passed >= 0.5 * (1 - self.margin))
        rows, place = np.unique(self.row[order][late], return_index=True)
        middle = self.start.copy()
        middle[rows] = order[late[place]]
        return chances, middle

    def ahead(self, bound: Floats, middle: NDArray[np.int64], radius: float, worst: bool) -> Floats:
        """The worst or best case of the next step from each row, rounded outward."""
        sign = 1 if worst else -1
        paid = (self.cost + bound[self.target]) * (1 + sign * 4 * UNIT)
        cost = np.where(self.cost > 0, paid, bound[self.target])  # a step that is free adds no rounding
        least = np.minimum.reduceat(cost, self.start) if len(self.start) else np.zeros(0)
        if not self.system.any():
            return least
        # Sums of differences keep a row of equal costs free of rounding, and so cycles that cost nothing.
        mean = self._average(cost - least[self.row])
        spread = self._average(np.abs(cost - cost[middle][self.row])) * radius
        if worst:
            found = np.nextafter(least + (mean + spread) * (1 + self.margin), np.inf)
        else:
            more = np.maximum(mean * (1 - self.margin) - spread * (1 + self.margin), 0.0) * (1 - self.margin)
            found = np.where(more > 0, np.nextafter(least + more, 0.0), least)
        return np.where(self.system & (mean > 0), found, least)

    def _average(self, amount: Floats) -> Any:
        return np.add.reduceat(self.chance * amount, self.start)
