"""Pareto fronts of bounded reachability: which probabilities can be had for which worst cost.

Definition: of the odds (P, C) of all strategies for this many moves (Nachmanson et al. 2004, equations 2 and 3), those
that no other strategy beats: none has a probability at least as high at a cost at most as high. More for less after a
move is more for less before it, so a front is made of those of the targets: at a tester vertex of all edges and of
giving up; at a system vertex, for each worst cost that some answer can have, of the best probability each answer has
within it. Small games only: a front can have as many pairs as there are strategies.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from fractions import Fraction
from typing import TypeAlias

from outplay.errors import UsageError
from outplay.game.algebra import exact_edge_chances
from outplay.game.graph import SYSTEM, Game, Vertices
from outplay.strategy.bounded_reachability.layers import zero_levels, zero_move_order
from outplay.strategy.value_orders import Odds

MOST_PAIRS = 2_000_000  # looked at: some ten seconds
_Front: TypeAlias = list[Odds]
_NOTHING, _WON = Odds(Fraction(0), Fraction(0)), Odds(Fraction(1), Fraction(0))


def pareto_front(game: Game, goals: Vertices, steps: int) -> _Front:
    """Return the Pareto front at the initial vertex: the best odds for each worst cost, the cheapest first.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("g", "tester", goals=["done"])
    >>> builder = builder.edge("s", "c", "?try").edge("c", "g", "!ok").edge("c", "s", "!no")
    >>> game = builder.edge("s", "g", "?pay", cost=9).build()
    >>> import numpy as np
    >>> [(str(odds.probability), str(odds.cost)) for odds in pareto_front(game, np.array([2]), 4)]
    [('0', '0'), ('1/2', '2'), ('3/4', '4'), ('1', '9')]
    """
    return _Fronts(game, goals).at(game.initial, steps)


class _Fronts:
    def __init__(self, game: Game, goals: Vertices) -> None:
        self.game, self.goals = game, goals.tolist()
        self.order = zero_move_order(zero_levels(game, goals), goals).tolist()
        self.shares = exact_edge_chances(game)
        self.costs = [cost or Fraction(0) for cost in game.cost.table]
        self.pairs = 0

    def at(self, vertex: int, steps: int) -> _Front:
        layers: list[list[_Front]] = []
        for left in range(steps + 1):
            layers.append([[_NOTHING] for _ in range(self.game.vertex_count)])
            for goal in self.goals:
                layers[-1][goal] = [_WON]
            for one in self.order:
                layers[-1][one] = self.front(one, left, layers)
            if left and layers[-1] == layers[-2] and left >= self._longest:
                break
        return layers[-1][vertex]

    @property
    def _longest(self) -> int:
        return int(self.game.moves.max(initial=1))

    def front(self, vertex: int, left: int, layers: list[list[_Front]]) -> _Front:
        offers = [(self.shares[edge], self.offer(edge, left, layers)) for edge in self.game.edges_of(vertex)]
        self.pairs += sum(len(front) for _, front in offers)
        if self.pairs > MOST_PAIRS:
            raise UsageError(f"the front has more than {MOST_PAIRS:,} pairs on the way: take fewer --steps")
        if self.game.owner[vertex] != SYSTEM:
            return _undominated([_NOTHING, *(odds for _, front in offers for odds in front)])
        return _mixed(offers) if offers else [_NOTHING]

    def offer(self, edge: int, left: int, layers: list[list[_Front]]) -> _Front:
        """Offer the target of an edge, its cost added; without the moves for it the play has ended."""
        moves = int(self.game.moves[edge])
        if moves > left:
            return [_NOTHING]
        cost = self.costs[int(self.game.cost.index[edge])]
        return [Odds(chance, price + cost) for chance, price in layers[left - moves][int(self.game.target[edge])]]


def _undominated(pairs: Iterable[Odds]) -> _Front:
    """Those that no other one beats, the cheapest first."""
    kept: _Front = []
    for odds in sorted(pairs, key=lambda odds: (odds.cost, -odds.probability)):
        if not kept or odds.probability > kept[-1].probability:
            kept.append(odds)
    return kept


def _mixed(offers: list[tuple[Fraction, _Front]]) -> _Front:
    """The front of a system vertex: the best of each answer within each worst cost."""
    least = max(front[0].cost for _, front in offers)
    limits = sorted({odds.cost for _, front in offers for odds in front if odds.cost >= least})
    listed = [(share, front, [odds.cost for odds in front]) for share, front in offers]
    found = []
    for limit in limits:
        chance = sum((share * front[bisect_right(costs, limit) - 1].probability for share, front, costs in listed), 0)
        found.append(Odds(Fraction(chance), limit))
    return _undominated(found)
