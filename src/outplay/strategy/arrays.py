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
UNIT = 2.0**-53
"""The relative error of one rounding."""
SMALLEST = 1e-290
"""Below it products may be too small for that, or vanish: there floats prove nothing."""


class Graph(NamedTuple):
    """A game's vertices and edges, and the edges again by target."""

    owner: Array
    first: Array
    target: Array
    moves: Array
    in_first: Array
    in_edge: Array
    in_source: Array


class Weighted(NamedTuple):
    """The edges of a game forward, with their numbers; a probability that is absent is not a number."""

    owner: Array
    first: Array
    target: Array
    cost: Array
    probability: Array


class ProcessArrays(NamedTuple):
    """States of a decision process, their actions and the outcomes of those, each in rows."""

    row_first: Array
    """The states of each component."""
    action_first: Array
    action_cost: Array
    leave: Array
    """The chance that an action does not stay; 1 where it cannot."""
    outcome_first: Array
    outcome_state: Array
    outcome_chance: Array


def graph_of(game: Game, owner: NDArray[np.uint8] | None = None) -> Graph:
    """The arrays of a game; another `owner` array changes who chooses where."""
    incoming, owners = game.incoming, game.owner if owner is None else owner
    return Graph(owners, game.first, game.target, game.moves, incoming.first, incoming.edge, incoming.source)


def weighted(game: Game, cost: NDArray[np.float64] | None = None) -> Weighted:
    """The edges of a game with their probabilities and costs, or with other costs."""
    paid = game.cost.floats if cost is None else cost
    return Weighted(game.owner, game.first, game.target, paid, game.probability.floats)
