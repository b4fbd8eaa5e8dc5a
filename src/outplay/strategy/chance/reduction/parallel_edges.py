"""Merging of parallel edges: at most one edge from a vertex to another, as Blass et al. 2005, section 2.3, has it.

Of a tester's edges to the same vertex the cheapest is kept. Those of the system become one: its probability is their
sum and its cost their average, weighted by probability, in fractions. No value changes. Bound: O(E log E).
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from outplay.game.algebra import chance, subgame
from outplay.game.graph import SYSTEM, Game
from outplay.game.tables import Exact, exact_from
from outplay.groups import grouped


def merge_parallel(game: Game) -> Game:
    """Keep one edge from each vertex to each other, changing no value.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("a", "tester").vertex("b", "system").vertex("g", "tester")
    >>> builder = builder.edge("a", "b", cost=2).edge("a", "b", cost=1).edge("b", "g", cost=1).edge("b", "g", cost=4)
    >>> merged = merge_parallel(builder.edge("b", "a").build())
    >>> merged
    Game(3 vertices, 3 edges, initial 'a')
    >>> merged.cost[1], merged.probability[1]
    (Fraction(5, 2), Fraction(2, 3))
    """
    double = _vertices_with_parallel_edges(game)
    kept = np.ones(game.edge_count, dtype=bool)
    merged: dict[int, tuple[Fraction, Fraction]] = {}
    for vertex in double:
        groups = grouped((int(game.target[edge]), edge) for edge in game.edges_of(vertex))
        if game.owner[vertex] == SYSTEM:
            answers = dict(_merge_answers(game, groups))
            merged |= answers
            best = list(answers)
        else:
            best = [min(edges, key=lambda edge: game.cost[edge] or 0) for edges in groups.values()]
        kept[game.first[vertex] : game.first[vertex + 1]] = False
        kept[best] = True
    return _with_edges(game, np.flatnonzero(kept), merged)


def _vertices_with_parallel_edges(game: Game) -> list[int]:
    pair = game.source.astype(np.int64) * game.vertex_count + game.target
    order = np.argsort(pair, kind="stable")
    again = order[1:][pair[order][1:] == pair[order][:-1]]
    return [int(vertex) for vertex in np.unique(game.source[again])]


def _merge_answers(game: Game, groups: dict[int, list[int]]) -> list[tuple[int, tuple[Fraction, Fraction]]]:
    """For the first edge of each group: probability and cost of all of them together."""
    made = []
    for edges in groups.values():
        shares = [chance(game, edge) for edge in edges]
        paid = sum((share * (game.cost[edge] or 0) for share, edge in zip(shares, edges, strict=True)), Fraction(0))
        made.append((edges[0], (sum(shares, Fraction(0)), paid / sum(shares))))
    return made


def _with_edges(game: Game, edges: NDArray[np.int64], merged: dict[int, tuple[Fraction, Fraction]]) -> Game:
    """The game with only these edges, some with a new probability and cost."""
    return subgame(
        game,
        edges,
        cost=_changed(game.cost, edges, {edge: cost for edge, (_, cost) in merged.items()}),
        probability=_changed(game.probability, edges, {edge: share for edge, (share, _) in merged.items()}),
        known_roles=None,
        known_origin=None,
    )


def _changed(column: Exact, places: NDArray[np.int64], new: dict[int, Fraction]) -> Exact:
    if not new:
        return column.taken(places)
    return exact_from([new.get(place, column[place]) for place in places.tolist()])
