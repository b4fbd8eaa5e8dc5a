"""Comparing two assignments of probabilities to one graph: what a strategy made for the first costs in the second.

Definition: Blass et al. 2005, lemma 5 and after. The least expected cost under both, the cost of the first strategy
under the second probabilities, and the loss: how much of it the tester who knew the second ones would save. What is
possible is possible in both, so the goal is reached with probability 1 from the same vertices. In fractions where the
game is small, else between proven bounds. Bound: two policy iterations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.errors import UsageError
from outplay.game.exact_numbers import exact_column_of
from outplay.game.goals.target import find_target
from outplay.game.graph import SYSTEM, Game
from outplay.game.validation import check_numbers
from outplay.plurals import counted
from outplay.strategy.chance.chance_answers import Expectation
from outplay.strategy.chance.robustness.perturbation import ProperPolicy
from outplay.strategy.chance.valuation.exact import solve_exactly
from outplay.strategy.chance.valuation.shortest_path import ShortestPath, cost_shortest_path

Number = float | Fraction
_SMALL = 2_000  # edges; up to there fractions take a second at most, as a rule
_ROUNDING = 2.0**-40


@dataclass(frozen=True, eq=False)
class CostIntervals:
    """Expected costs from each vertex, exact or between proven bounds; infinite where the goal may be missed."""

    low: Sequence[Number | None] | NDArray[np.float64]
    high: Sequence[Number | None] | NDArray[np.float64]

    def interval(self, vertex: int) -> tuple[Number, Number] | None:
        """Between which numbers the cost lies; None where it is infinite."""
        low, high = self.low[vertex], self.high[vertex]
        if low is None or high is None or not high < np.inf:
            return None
        return low, high


@dataclass(frozen=True, eq=False, repr=False)
class Regret:
    """One strategy under two assignments of probabilities."""

    first: Expectation
    """The strategy and its costs where it was made."""
    game: Game
    """The same graph with the second probabilities."""
    distance: Number
    """At most so large a share of itself did any probability change that can be met before the goal."""
    best: CostIntervals
    """The least costs under the second probabilities."""
    played: CostIntervals
    """The cost of the first strategy under them."""

    def loss(self, vertex: int) -> tuple[Number, Number] | None:
        """Between which numbers lies what the strategy loses from a vertex; None where all costs are infinite."""
        best, played = self.best.interval(vertex), self.played.interval(vertex)
        if best is None or played is None:
            return None
        return max(played[0] - best[1], type(played[0])(0)), played[1] - best[0]

    @property
    def largest_loss(self) -> tuple[Number, Number]:
        """Between which numbers lies the largest loss of any vertex."""
        found = [loss for vertex in range(self.game.vertex_count) if (loss := self.loss(vertex)) is not None]
        return max((low for low, _ in found), default=0), max((high for _, high in found), default=0)

    @property
    def optimal(self) -> bool | None:
        """Whether the strategy is optimal from every vertex; None where the bounds do not tell."""
        low, high = self.largest_loss
        return True if high == 0 else False if low > 0 else None

    def __repr__(self) -> str:
        loss, change = float(self.largest_loss[1]), float(self.distance)
        return f"Regret(the strategy loses at most {loss:.6g} where probabilities change by {change:.3%})"


def regret(first: Expectation, second: Game | Mapping[int, Any]) -> Regret:
    """Compute the regret of a strategy: its cost in the same graph with other probabilities.

    `second` is the other game, or only the probabilities of the edges, by number, whose probability is another.

    >>> from outplay import GameBuilder
    >>> from outplay.strategy.expected import expected
    >>> builder = GameBuilder().vertex("start", "tester").vertex("tried", "system").vertex("goal", "tester")
    >>> builder = builder.edge("start", "goal", "buy", cost=5).edge("start", "tried", "try")
    >>> game = builder.edge("tried", "goal", probability="1/2").edge("tried", "start", probability="1/2").build()
    >>> found = regret(expected(game, "goal"), {2: "1/4", 3: "3/4"})
    >>> found.best.interval(0), found.played.interval(0)
    ((Fraction(5, 1), Fraction(5, 1)), (Fraction(8, 1), Fraction(8, 1)))
    >>> found.optimal, found.distance
    (False, Fraction(1, 2))
    """
    game = _with_second(first, second)
    goals, winning = first.goal_vertices, first.region.winning
    here, there = (cost_shortest_path(each, goals, winning) for each in (first.game, game))
    policy = ProperPolicy(there, first.bounds.choice)
    found = _exactly(policy, goals) if game.edge_count <= _SMALL else None
    best, played = found or _bounded(policy)
    return Regret(first, game, _distance(here, there), best, played)


def _with_second(first: Expectation, second: Game | Mapping[int, Any]) -> Game:
    game = first.game
    if isinstance(second, Game):
        if second.vertex_count < game.vertex_count:  # a label or transition as goal has vertices of its own
            second = find_target(second, first.goals).game
        _check_same(game, second)
        return replace(game, probability=second.probability)
    wrong = next((edge for edge in second if not 0 <= edge < game.edge_count), None)
    if wrong is not None:
        raise UsageError(f"there is no edge {wrong}; the game has {counted(game.edge_count, 'edge')}, numbered from 0")
    column = [second.get(edge, game.probability[edge]) for edge in range(game.edge_count)]
    changed = replace(game, probability=exact_column_of(column))
    check_numbers(changed, changed.source)
    return changed


def _check_same(game: Game, second: Game) -> None:
    """Refuse another graph."""
    same = (
        np.array_equal(game.owner, second.owner)
        and np.array_equal(game.first, second.first)
        and np.array_equal(game.target, second.target)
        and game.cost.same(second.cost)
    )
    if not same:
        raise UsageError("the games are different graphs; only probabilities may differ, vertices, edges and costs not")


def _exactly(policy: ProperPolicy, goals: NDArray[Any]) -> tuple[CostIntervals, CostIntervals] | None:
    try:
        best, played = (solve_exactly(each, goals)[0] for each in (policy.problem, policy.alone.problem))
    except UsageError:  # the fractions got too long
        return None
    return CostIntervals(best, best), CostIntervals(played, played)


def _bounded(policy: ProperPolicy) -> tuple[CostIntervals, CostIntervals]:
    least, most = policy.cheapest(0.0), policy.best.dearest(0.0)
    low, high = policy.alone.cheapest(0.0), policy.dearest(0.0)
    if least is None or most is None or low is None or high is None:
        raise UsageError("the costs of these strategies are too ill-conditioned for floats; compare smaller games")
    return CostIntervals(least, most), CostIntervals(low, high)


def _distance(here: ShortestPath, there: ShortestPath) -> Number:
    """The largest relative change of a probability, rounded up where it is computed in floats."""
    game = here.game
    systems = here.inside & (game.owner == SYSTEM)
    if game.edge_count <= _SMALL:
        pairs = [
            (old, new)
            for vertex in np.flatnonzero(systems).tolist()
            for (old, *_), (new, *_) in zip(here.exact_answers(vertex), there.exact_answers(vertex), strict=True)
        ]
        return max((abs(new - old) / old for old, new in pairs), default=Fraction(0))
    met = systems[game.source]
    changed = float(np.max(np.abs(there.weights[met] - here.weights[met]) / here.weights[met], initial=0.0))
    return changed * (1 + _ROUNDING) + _ROUNDING
