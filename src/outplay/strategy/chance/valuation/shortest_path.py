"""The stochastic shortest path problem: an average to be made small, by a strategy that is sure to leave.

Both objectives are such a problem. Expected cost: pay the costs until a goal ends the play. Probability: pay nothing,
but 1 where no goal can be reached any more; the least average is the chance to fail. Vertices where the value is wanted
are `inside`; the others end the play at a fixed value, or may not be entered.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.game.algebra import exact_chances, float_edge_chances
from outplay.game.graph import SYSTEM, Game
from outplay.strategy.chance.reduction.end_components import strong_components
from outplay.strategy.chance.reduction.reachability import reach_ranks


@dataclass(frozen=True, eq=False)
class ShortestPath:
    """Make the expected cost until the play leaves `inside` as small as can be; it ends at a value of `ends`."""

    game: Game
    inside: NDArray[np.bool_]
    ends: NDArray[np.int8]
    """The value where the play ends; -1 at vertices inside and at those that may not be entered."""
    paid: bool
    """Whether costs count."""

    @cached_property
    def usable(self) -> NDArray[np.bool_]:
        """The edges that may be taken."""
        enter = self.inside | (self.ends >= 0)
        return np.asarray(self.inside[self.game.source] & enter[self.game.target])

    @cached_property
    def costs(self) -> NDArray[np.float64]:
        return self.game.cost.floats if self.paid else np.zeros(self.game.edge_count)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """The probability of each edge of the system; 1 for the tester's, which are taken or not."""
        game = self.game
        return np.where(game.owner[game.source] == SYSTEM, float_edge_chances(game), 1.0)

    def exact_answers(self, vertex: int) -> Iterator[tuple[Fraction, Fraction, int]]:
        """Probability, cost and target of each answer of the system."""
        game = self.game
        for edge, share in zip(game.edges_of(vertex), exact_chances(game, vertex), strict=True):
            yield share, self.exact_cost(edge), int(game.target[edge])

    def exact_cost(self, edge: int) -> Fraction:
        cost = self.game.cost[edge] if self.paid else None
        return Fraction(0) if cost is None else cost

    def parts(self) -> Iterator[NDArray[np.int64]]:
        """The strongly connected parts of what is inside; an edge leads to its own part or to one before."""
        number = strong_components(self.game, self.inside)[1]
        members = np.flatnonzero(self.inside)
        order = members[np.argsort(number[members], kind="stable")]
        yield from np.split(order, np.flatnonzero(np.diff(number[order])) + 1) if len(order) else ()

    def towards(self, goals: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Steps to a nearest goal (-1: out of reach) and the edge to take: by these edges every play leaves."""
        choice = np.where(self.game.owner == SYSTEM, -1, -2)
        rank = reach_ranks(self.game, goals, choice, self.usable.astype(np.uint8))
        return rank, np.maximum(choice, -1)


def cost_shortest_path(game: Game, goals: NDArray[Any], winning: NDArray[np.bool_]) -> ShortestPath:
    """Make the stochastic shortest path problem of least cost to a goal, without vertices where it may be missed."""
    inside = winning.astype(bool)
    inside[goals] = False
    ends = np.full(game.vertex_count, -1, dtype=np.int8)
    ends[goals] = 0
    return ShortestPath(game, inside, ends, paid=True)


def failure_shortest_path(game: Game, goals: NDArray[Any]) -> ShortestPath:
    """Make the stochastic shortest path problem that costs 1 where no goal can be reached any more."""
    everywhere = cost_shortest_path(game, goals, np.ones(game.vertex_count, dtype=bool))
    hopeless = everywhere.towards(goals)[0] < 0
    ends = np.where(hopeless, 1, everywhere.ends).astype(np.int8)
    return ShortestPath(game, everywhere.inside & ~hopeless, ends, paid=False)
