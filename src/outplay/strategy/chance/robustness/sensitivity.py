"""Sensitivity: how far the probabilities may be wrong before a strategy is no longer good.

Blass et al. 2005, lemma 5: the least expected cost is a continuous function of the probabilities, so a strategy that is
optimal stays within ε of optimal after small changes, and one that is strictly optimal stays so. Here "small" is a
number: a radius r such that whatever p' the probabilities p become with |p' - p| <= r p (those of a vertex summing to
1), the strategy costs at most ε more than the least cost under p', from every vertex from where the goal is reached
with probability 1. There are two proofs for a radius, and the better one counts. With bounds that hold for all p'
(`chance.perturbation`):

- the most the strategy can cost is at most ε above the least that any strategy can cost; or
- at each tester vertex, the most its edge can cost is at most the least that any other edge, followed by the strategy,
  can cost: then no other edge pays under any p', so the strategy is optimal under all of them.

Bound: some twenty times two such bounds, each a few policy iterations. Radii have a proof; larger ones may be safe too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from outplay.errors import UsageError
from outplay.game.exact_numbers import Exact
from outplay.game.graph import SYSTEM
from outplay.strategy.chance.chance_answers import Expectation
from outplay.strategy.chance.robustness.perturbation import ProperPolicy
from outplay.strategy.chance.valuation.shortest_path import cost_shortest_path

Floats = NDArray[np.float64]

MOST = 1 - 2.0**-10
"""The largest radius looked at: at 1 what is possible could become impossible."""
_LEAST = 2.0**-30
_PRECISION = 0.01  # a radius is at most this share below the best one that has a proof
_ROUNDING = 2.0**-50


@dataclass(frozen=True, eq=False)
class Between:
    """The bounds within a radius: the most that the strategy costs, and the least that any strategy costs."""

    high: Floats
    low: Floats


@dataclass(frozen=True, eq=False, repr=False)
class Robustness:
    """The change of the probabilities that is allowed, with a proof that the strategy stays within epsilon of
    optimal.
    """

    result: Expectation
    epsilon: float
    """Absolute, in units of cost."""
    radius: float
    """Each probability may change by up to this share of itself; 0 where no change at all has a proof."""
    optimal_radius: float
    """Within this the strategy even stays optimal."""
    between: Between
    """The bounds within the radius."""

    def loss(self, vertex: int) -> float | None:
        """Return by how much the strategy costs more than the optimum at most, within the radius; None where costs are
        infinite.
        """
        if not self.between.high[vertex] < np.inf:
            return None
        if self.radius == self.optimal_radius > 0:
            return 0.0
        return float(self.between.high[vertex] - self.between.low[vertex])

    def __repr__(self) -> str:
        return f"Robustness(within {self.epsilon:g} of optimal while probabilities change by at most {self.radius:.3%})"


def robustness(result: Expectation, epsilon: float) -> Robustness:
    """Find a radius of change within which the strategy of a result stays within epsilon of optimal.

    Below, to try costs 2 / (1 - p) where it fails with p = 1/2, and to buy costs 5: p may grow to 3/5, a fifth more.

    >>> from outplay import GameBuilder
    >>> from outplay.strategy.expected import expected
    >>> builder = GameBuilder().vertex("start", "tester").vertex("tried", "system").vertex("goal", "tester")
    >>> builder = builder.edge("start", "goal", "buy", cost=5).edge("start", "tried", "try")
    >>> game = builder.edge("tried", "goal", probability="1/2").edge("tried", "start", probability="1/2").build()
    >>> found = robustness(expected(game, "goal"), 0)
    >>> round(found.radius, 2), found.loss(0)
    (0.2, 0.0)
    """
    if not 0 <= epsilon < np.inf:
        raise UsageError(f"epsilon is {epsilon!r}; give a cost that is 0 or more")
    problem = cost_shortest_path(result.game, result.goal_vertices, result.region.winning)
    policy = ProperPolicy(problem, result.bounds.choice)
    optimal, staying = _largest(lambda radius: _staying_optimal(policy, radius), _LEAST)
    radius, between = _largest(lambda radius: _staying_close(result, policy, radius, epsilon), max(_LEAST, optimal))
    if radius < optimal:
        radius, between = optimal, staying
    return Robustness(result, epsilon, radius, optimal, between or Between(result.bounds.high, result.bounds.low))


def _largest(prove: Callable[[float], Between | None], least: float) -> tuple[float, Between | None]:
    """Find about the largest radius with a proof, 0 where even `least` has none; smaller radii have one too then."""
    radius, outside, proof = least, MOST, prove(least)
    if proof is None:
        return 0.0, None
    if (found := prove(MOST)) is not None:
        return MOST, found
    while outside > radius * (1 + _PRECISION):
        # By factors at first, as nothing is known about the size.
        middle = outside / 4 if outside > 16 * radius else (radius + outside) / 2
        found = prove(middle)
        if found is None:
            outside = middle
        else:
            radius, proof = middle, found
    return radius, proof


def _staying_close(result: Expectation, policy: ProperPolicy, radius: float, epsilon: float) -> Between | None:
    inside, high = policy.problem.inside, policy.dearest(radius)
    # The lower bound will be below the present optimum: too high above that is too high.
    if high is None or np.any(high[inside] - result.bounds.high[inside] > epsilon):
        return None
    low = policy.cheapest(radius)
    if low is None or np.any((high[inside] - low[inside]) * (1 + _ROUNDING) > epsilon):
        return None
    return Between(high, low)


def _staying_optimal(policy: ProperPolicy, radius: float) -> Between | None:
    high = policy.dearest(radius)
    low = None if high is None else policy.alone.cheapest(radius)
    if high is None or low is None:
        return None
    problem, game = policy.problem, policy.problem.game
    others = np.flatnonzero(problem.usable & (game.owner[game.source] != SYSTEM))
    taken = policy.choice[game.source[others]]
    here, there = high[game.target[taken]], low[game.target[others]]
    rank = _ranks(game.cost)
    # Where the costs alone decide no sum need be rounded, so ties of edges to goals or to one vertex do no harm.
    plain = (rank[taken] <= rank[others]) & ((game.target[taken] == game.target[others]) | (here <= there))
    plain |= game.target[others] == game.source[others]  # to stay never pays
    dear, cheap = problem.costs[taken] + here, problem.costs[others] + there
    better = dear * (1 + _ROUNDING) <= cheap * (1 - _ROUNDING)
    return Between(high, low) if np.all((others == taken) | plain | better) else None


def _ranks(column: Exact) -> NDArray[np.int64]:
    """Return the rank of each number in the order of all: comparing ranks compares the exact numbers."""
    order = sorted(range(len(column.table)), key=lambda row: column.table[row] or 0)
    place = np.zeros(len(order) + 1, dtype=np.int64)
    place[order] = np.arange(len(order))
    return np.asarray(place[column.index])
