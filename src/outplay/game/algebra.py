"""Array algebra that many solvers need of a game: kernel arrays, rows of edges, reachable vertices, edge chances."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.game import _kernels
from outplay.game.graph import SYSTEM, Game
from outplay.game.roles import Picked

Array: TypeAlias = Any
"""A numpy array where a kernel is compiled, and a list where Python runs it (see compiling.py)."""


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


def graph_arrays(game: Game, owner: NDArray[np.uint8] | None = None) -> Graph:
    """Return the arrays of a game graph for kernels; another `owner` array changes who chooses where."""
    incoming, owners = game.incoming, game.owner if owner is None else owner
    return Graph(owners, game.first, game.target, game.moves, incoming.first, incoming.edge, incoming.source)


def weighted_arrays(game: Game, cost: NDArray[np.float64] | None = None) -> Weighted:
    """Return a game's edges as kernel arrays with their probabilities and costs, or with other costs."""
    paid = game.cost.floats if cost is None else cost
    return Weighted(game.owner, game.first, game.target, paid, game.probability.floats)


def row_starts(row: NDArray[Any], count: int) -> NDArray[np.uint32]:
    """Return the place where each row starts when entries are sorted by row; one more entry at the end.

    >>> row_starts(np.array([0, 0, 2]), 3).tolist()
    [0, 2, 2, 3]
    """
    first = np.zeros(count + 1, dtype=np.uint32)
    np.cumsum(np.bincount(row, minlength=count), out=first[1:])
    return first


def row_of_each(first: NDArray[Any]) -> NDArray[np.int64]:
    """Return the row of each entry (the source of each edge), from where the rows start.

    >>> row_of_each(np.array([0, 2, 2, 3])).tolist()
    [0, 0, 2]
    """
    return np.repeat(np.arange(len(first) - 1), np.diff(first))


def row_entries(first: NDArray[Any], rows: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Concatenate the entries of some rows (the edges of some vertices), each with the place of its row in the list.

    >>> entries, place = row_entries(np.array([0, 2, 2, 5]), np.array([2, 0]))
    >>> entries.tolist(), place.tolist()
    ([2, 3, 4, 0, 1], [0, 0, 0, 1, 1])
    """
    return concatenated_spans(first[rows].astype(np.int64), first[rows + 1].astype(np.int64))


def concatenated_spans(start: NDArray[np.int64], end: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Concatenate the numbers from each start up to its end, each with the place of its span in the list."""
    count = end - start
    place = np.repeat(np.arange(len(start)), count)
    passed = np.cumsum(count) - count
    return np.arange(len(place)) + (start - passed)[place], place


def reachable(game: Game, start: int) -> NDArray[np.bool_]:
    """Mark the vertices of a game that some play from a vertex passes through, in O(vertices + edges)."""
    met = np.zeros(game.vertex_count, dtype=np.bool_)
    stack = np.zeros(game.vertex_count, dtype=np.uint32)
    best_for(_kernels.reach, game.edge_count)(game.first, game.target, start, met, stack)
    return met


def idle_vertices(game: Game) -> NDArray[np.bool_]:
    """Mark the vertices of a game that stand for waiting where nothing will come, which is no move."""
    return np.asarray(~game.is_state & (game.first[1:] == game.first[:-1]))


def choice_points(game: Game) -> NDArray[np.bool_]:
    """Mark the vertices of a game where the system has more than one answer."""
    return np.asarray((game.owner == SYSTEM) & (np.diff(game.first) > 1))


def subgame(game: Game, edges: NDArray[Any], **changed: Any) -> Game:
    """Return the game with only some of its edges, given by number in the order of their sources, or by a mask."""
    edges = np.flatnonzero(edges) if edges.dtype == bool else edges
    parts: dict[str, Any] = {
        "target": game.target[edges],
        "cost": game.cost.taken(edges),
        "probability": game.probability.taken(edges),
        "moves": game.moves[edges],
        "label": game.label[edges],
        "edge_names": Picked(game.edge_names, edges),
    }
    if "first" not in changed:
        parts["first"] = row_starts(game.source[edges], game.vertex_count)
    return replace(game, **{**parts, **changed})


def edge_chance(game: Game, edge: int) -> Fraction:
    """Return the probability of one edge of a game: where none is given all edges of its vertex are equally likely."""
    given = game.probability[edge]
    return Fraction(1, len(game.edges_of(int(game.source[edge])))) if given is None else given


def exact_chances(game: Game, vertex: int) -> list[Fraction]:
    """Return the exact probabilities of a vertex's edges; decimals that sum to almost 1 are divided by their sum."""
    given = [edge_chance(game, edge) for edge in game.edges_of(vertex)]
    total = sum(given, Fraction(0))
    return [one / total for one in given]


def exact_edge_chances(game: Game) -> list[Fraction]:
    """Return the exact probability of each edge of a game: 1 at tester vertices, equal ones where none are given."""
    shares = [Fraction(1)] * game.edge_count
    for vertex in np.flatnonzero(game.owner == SYSTEM).tolist():
        edges = game.edges_of(vertex)
        shares[edges.start : edges.stop] = exact_chances(game, vertex)
    return shares


def float_edge_chances(game: Game) -> NDArray[np.float64]:
    """Return the probability of each edge of a game as a float: absent ones are equal, given ones made to sum to 1."""
    given = game.probability.floats
    weight = np.where(np.isnan(given), 1.0, given)
    total = np.bincount(game.source, weights=weight, minlength=game.vertex_count)
    return np.asarray(weight / total[game.source])
