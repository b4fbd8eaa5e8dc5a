"""End components: sets the tester can keep the play in for ever, each made into one vertex.

Where moving about costs nothing all vertices of such a set have the same value, and iteration would not see that it is
not worth staying. The quotient has one vertex of the tester for each set, with all the edges that leave it. Bound:
O(V + E) for each round of cutting what leaves, at most V rounds.

Strongly connected components, in an order of solving: what an edge leads to comes before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.game.algebra import row_starts, subgame
from outplay.game.graph import SYSTEM, TESTER, Game
from outplay.game.roles import Picked
from outplay.strategy.chance.reduction import _components


def strong_components(game: Game, inside: NDArray[np.bool_]) -> tuple[int, NDArray[np.int32]]:
    """Number the strongly connected components of some vertices from 1, edges lead to earlier ones; others get -1."""
    found, component, _ = finished_components(game.first, game.target, inside)
    return found, component


def finished_components(
    first: NDArray[Any], target: NDArray[Any], inside: NDArray[np.bool_], folded: NDArray[np.uint8] | None = None
) -> tuple[int, NDArray[np.int32], NDArray[np.uint32]]:
    """Number the strongly connected components of edges in rows, and list the vertices, each after all it leads to.

    That is so far as circles allow. Vertices that are `folded` are passed through, and not inside.
    """
    through = np.zeros(len(inside), dtype=np.uint8) if folded is None else folded
    component, about = np.empty(len(inside), dtype=np.int32), np.empty(4 * len(inside), dtype=np.int32)
    finished, stack, path, answer = np.empty((4, np.count_nonzero(inside)), dtype=np.uint32)
    search = _components.Search(component, finished, about, stack, path, answer)
    found = best_for(_components.strong_components, len(target))(first, target, inside, through, search)
    return int(found), component, finished


@dataclass(frozen=True, eq=False)
class Quotient:
    """A game with each set made into one vertex."""

    game: Game
    vertex: NDArray[np.int64]
    """The vertex that each vertex of the game before has become."""
    edge: NDArray[np.int64]
    """The edge that each edge was before."""

    def choices(
        self, game: Game, goals: NDArray[Any], chosen: NDArray[np.int64], open_: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """Carry choices back to the game before; -2 where the tester's choice is `open_` and not made here."""
        choice = np.full(game.vertex_count, -1, dtype=np.int64)
        choice[open_ & (game.owner != SYSTEM)] = -2
        choice[goals] = -1
        edges = self.edge[chosen[chosen >= 0]]
        choice[game.source[edges]] = edges
        return choice


def end_components(game: Game, kept: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Number the largest sets that the tester can stay in by edges that are `kept`; 0 where there is none.

    All edges of a system vertex in a set are kept and lead into the set.
    """
    kept = kept.copy()
    system = game.owner == SYSTEM
    while True:
        _, component = strong_components(subgame(game, kept), np.ones(game.vertex_count, dtype=bool))
        left_out = ~kept | (component[game.source] != component[game.target])
        broken = system & (np.bincount(game.source[left_out], minlength=game.vertex_count) > 0)
        dropped = kept & (left_out | broken[game.source])
        if not dropped.any():
            return np.where(np.bincount(component)[component] > 1, component, 0)
        kept &= ~dropped


def inner_edges(game: Game, sets: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Mark the edges of a game that stay within an end component."""
    return np.asarray((sets[game.source] > 0) & (sets[game.source] == sets[game.target]))


def quotient_game(game: Game, sets: NDArray[np.int32]) -> Quotient:
    """Make each end component, numbered from 1, into one vertex of the tester; edges within it vanish."""
    alone = np.flatnonzero(sets == 0)
    numbers, member = np.unique(sets[sets > 0], return_inverse=True)
    vertex = np.zeros(game.vertex_count, dtype=np.int64)
    vertex[alone] = np.arange(len(alone))
    vertex[sets > 0] = len(alone) + member
    representative = np.zeros(len(alone) + len(numbers), dtype=np.int64)
    representative[vertex] = np.arange(game.vertex_count)
    source, target = vertex[game.source], vertex[game.target]
    edge = np.flatnonzero((source != target) | (sets[game.source] == 0))
    edge = edge[np.argsort(source[edge], kind="stable")]
    owner = game.owner[representative].copy()
    owner[len(alone) :] = TESTER
    made = subgame(
        game,
        edge,
        first=row_starts(source[edge], len(representative)),
        target=target[edge].astype(np.uint32),
        owner=owner,
        names=Picked(game.names, representative),
        gain=game.gain.taken(representative),
        initial=int(vertex[game.initial]),
        goals={},
        known_roles=None,
        known_origin=None,
    )
    return Quotient(made, vertex, edge)
