"""The search that all goals share: outwards from the start, as if every choice were the tester's.

It finds to each vertex a path of least cost, among those of fewest moves, among those with fewest bends, a bend being a
system vertex with a choice. No strategy has a lower worst cost, nor fewer moves at that cost. A path without bends
is a strategy: what lies at its end is forced, at exactly these figures, and no goal there needs solving at all. In
a deterministic model these are all. Bound: O(E log V) for all goals together.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from outplay.game.algebra import choice_points
from outplay.game.graph import Game

Length = tuple[int, int, int]


@dataclass(frozen=True)
class ShortestPaths:
    """For each vertex the least (cost, moves, bends) from the start, None where no way leads; costs are scaled."""

    nearest: list[Length | None]

    def to(self, vertices: NDArray[np.uint32]) -> Length | None:
        """The least length to any of some vertices."""
        found = (self.nearest[vertex] for vertex in vertices.tolist())
        return min((length for length in found if length is not None), default=None)


def shortest_paths(game: Game) -> ShortestPaths:
    """Search outwards from the initial vertex.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("g", "tester").vertex("h", "tester")
    >>> game = builder.edge("s", "c").edge("c", "g").edge("c", "h", cost=5).edge("s", "h", cost=9).build()
    >>> shortest_paths(game).nearest
    [(0, 0, 0), (1, 1, 0), (2, 2, 1), (6, 2, 1)]
    """
    first, target, moves = game.first.tolist(), game.target.tolist(), game.moves.tolist()
    table = game.cost.scaled()
    cost = [table[row] for row in game.cost.index.tolist()]
    bends = choice_points(game).astype(int).tolist()
    nearest: list[Length | None] = [None] * game.vertex_count
    queue: list[tuple[int, int, int, int]] = [(0, 0, 0, game.initial)]
    while queue:
        paid, moved, bent, vertex = heapq.heappop(queue)
        if nearest[vertex] is not None:
            continue
        nearest[vertex] = (paid, moved, bent)
        bent += bends[vertex]
        for edge in range(first[vertex], first[vertex + 1]):
            if nearest[target[edge]] is None:
                heapq.heappush(queue, (paid + cost[edge], moved + moves[edge], bent, target[edge]))
    return ShortestPaths(nearest)
