"""What kernels read and write, as named tuples of arrays (see compiling.py).

A field holds a numpy array where the kernel is compiled and a list where Python runs it, so its type is left open.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from outplay.game.graph import Game

Array: TypeAlias = Any
NOWHERE = -1
"""No vertex: where a kernel may stop at a vertex, it goes on to the end."""


class Graph(NamedTuple):
    """A game's vertices and edges, and the edges again by target."""

    owner: Array
    first: Array
    target: Array
    moves: Array
    in_first: Array
    in_edge: Array
    in_source: Array


def graph_of(game: Game, owner: NDArray[np.uint8] | None = None) -> Graph:
    """The arrays of a game; another `owner` array changes who chooses where."""
    incoming, owners = game.incoming, game.owner if owner is None else owner
    return Graph(owners, game.first, game.target, game.moves, incoming.first, incoming.edge, incoming.source)
