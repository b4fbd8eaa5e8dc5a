"""The joker sets: set k holds the vertices from which k jokers suffice (van den Bos 2020, Definition 6.11).

Each is the attractor of the one before and of the system vertices with an edge into it. Bound: O(V + E).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.game.algebra import graph_arrays
from outplay.game.graph import Game, Vertices
from outplay.strategy.arrays import NOWHERE
from outplay.strategy.jokers import _kernels

Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class JokerSets:
    """The joker sets in the order in which they are built."""

    jokers: Ints
    """The joker rank: the least jokers that suffice; -1 where none do."""
    rank: Ints
    """The moves that suffice to the next joker or, where none is needed, to a goal: Table 6.1's attractor sets."""
    order: NDArray[np.uint32]
    starts: NDArray[np.int64]
    """Set k is new with `order[starts[k]:starts[k + 1]]`."""

    @property
    def count(self) -> int:
        return len(self.starts) - 1

    def jokers_at(self, vertex: int) -> int:
        """The least jokers from a vertex, -1 where none suffice."""
        return int(self.jokers[vertex])


def joker_sets(
    game: Game, goals: Vertices, *, closed: Flags | None = None, owner: NDArray[np.uint8] | None = None
) -> JokerSets:
    """Build the joker sets of all vertices; `closed` ones must not be entered, `owner` changes who chooses where."""
    sets = set_arrays(game.vertex_count)
    if closed is not None:
        sets.jokers[closed] = -2
    inside = np.unique(goals).astype(np.uint32)
    inside = inside[sets.jokers[inside] != -2]
    run = best_for(_kernels.joker_sets, game.edge_count)
    count = run(graph_arrays(game, owner), inside, sets, NOWHERE)
    jokers, rank = sets.jokers, sets.rank
    rank[jokers < 0] = -1
    jokers[jokers < 0] = -1
    return JokerSets(jokers, rank, sets.order[: sets.starts[count]], sets.starts[: count + 1])


def set_arrays(vertices: int) -> _kernels.SetArrays:
    """Room for the joker sets of this many vertices."""
    jokers, rank, left = (np.zeros(vertices, dtype=np.int32) for _ in range(3))
    order, starts = np.zeros(vertices, dtype=np.uint32), np.zeros(vertices + 2, dtype=np.int64)
    here, ahead, asked = (np.zeros(2 * vertices + 1, dtype=np.uint32) for _ in range(3))
    return _kernels.SetArrays(jokers, rank, order, starts, left, here, ahead, asked)
