"""Strongly connected components, in an order of solving: what an edge leads to comes before it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.game.graph import Game
from outplay.strategy.chance.reduction import _components


def components(game: Game, inside: NDArray[np.bool_]) -> tuple[int, NDArray[np.int32]]:
    """Number the strongly connected components of some vertices from 1, edges lead to earlier ones; others get -1."""
    found, component, _ = finished_components(game.first, game.target, inside)
    return found, component


def finished_components(
    first: NDArray[Any], target: NDArray[Any], inside: NDArray[np.bool_], folded: NDArray[np.uint8] | None = None
) -> tuple[int, NDArray[np.int32], NDArray[np.uint32]]:
    """Like `components`, of edges in rows; the third answer lists the vertices, each after all it leads to.

    That is so far as circles allow. Vertices that are `folded` are passed through, and not inside.
    """
    through = np.zeros(len(inside), dtype=np.uint8) if folded is None else folded
    component, about = np.empty(len(inside), dtype=np.int32), np.empty(4 * len(inside), dtype=np.int32)
    finished, stack, path, answer = np.empty((4, np.count_nonzero(inside)), dtype=np.uint32)
    search = _components.Search(component, finished, about, stack, path, answer)
    found = best_for(_components.strong_components, len(target))(first, target, inside, through, search)
    return int(found), component, finished
