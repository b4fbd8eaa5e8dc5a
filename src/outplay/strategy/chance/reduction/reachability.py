"""Ranks: a proof, local at every vertex, that a strategy arrives."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.game.algebra import graph_arrays
from outplay.game.graph import Game
from outplay.strategy.chance.reduction import _reachability


def ranks(
    game: Game, goals: NDArray[Any], choice: NDArray[np.int64], free: NDArray[np.uint8] | None = None
) -> NDArray[np.int64]:
    """Rank vertices by the steps in which `choice` may arrive; where it is -2 an edge that is `free` is chosen."""
    rank = np.empty(game.vertex_count, dtype=np.int64)
    best_for(_reachability.arrive, game.edge_count)(
        graph_arrays(game),
        np.asarray(goals, dtype=np.uint32),
        np.zeros(0, dtype=np.uint8) if free is None else free,
        choice,
        rank,
        np.empty(game.vertex_count, dtype=np.uint32),
    )
    if free is not None:
        choice[choice < 0] = -1
    return rank
