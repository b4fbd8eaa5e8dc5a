"""Merging of parallel edges: at most one edge from a vertex to another, as Blass et al. 2005, section 2.3, has it.

Of a tester's edges to the same vertex the cheapest is kept. Those of the system become one: its probability is their
sum and its cost their average, weighted by probability, in fractions. No value changes. Bound: O(E log E).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from outplay.game.algebra import chance, subgame
from outplay.game.graph import SYSTEM, Game
from outplay.game.tables import Exact, exact_from

Answer: TypeAlias = tuple[Fraction, Fraction, int]
"""Probability, cost and target."""


@dataclass(frozen=True, eq=False)
class Reduced:
    """A smaller game with the same values, and the way back to the game it was made from."""

    game: Game
    goals: NDArray[np.uint32]
    """The goal vertices in the smaller game."""
    vertex: NDArray[np.int64]
    """The new number of each old vertex; -1 where it was dropped."""
    edge: NDArray[np.int64]
    """The old edge that each new edge stands for; -1 for edges of the system that stand for several."""
    dropped: tuple[tuple[int, tuple[Answer, ...]], ...] = ()
    """Old vertices that were dropped, each with answers to vertices kept or dropped later."""

    def choices(self, choice: Sequence[int] | NDArray[np.int64]) -> NDArray[np.int64]:
        """A strategy of the smaller game as edges of the old one; -1 where there is nothing to choose."""
        found = np.full(len(self.vertex), -1, dtype=np.int64)
        kept = np.flatnonzero(self.vertex >= 0)
        chosen = np.asarray(choice, dtype=np.int64)[self.vertex[kept]]
        found[kept] = np.where(chosen >= 0, np.append(self.edge, -1)[chosen], -1)
        return found

    def costs(self, values: Sequence[Any]) -> list[Any]:
        """Expected costs of all old vertices from those of the smaller game; None or infinity where there is none."""
        found = self._kept(values)
        for vertex, answers in reversed(self.dropped):
            beyond = [(p, cost, found[target]) for p, cost, target in answers]
            lost = any(value is None for _, _, value in beyond)
            found[vertex] = None if lost else sum(p * (cost + value) for p, cost, value in _alike(beyond))
        return found

    def probabilities(self, values: Sequence[Any]) -> list[Any]:
        """Probabilities of all old vertices from those of the smaller game."""
        found = self._kept(values)
        for vertex, answers in reversed(self.dropped):
            beyond = [(p, cost, found[target]) for p, cost, target in answers]
            found[vertex] = sum(p * value for p, _, value in _alike(beyond))
        return found

    def _kept(self, values: Sequence[Any]) -> list[Any]:
        return [None if new < 0 else values[new] for new in self.vertex.tolist()]


def _alike(beyond: list[tuple[Fraction, Fraction, Any]]) -> list[tuple[Any, Any, Any]]:
    """Fractions among fractions, floats among floats."""
    if all(isinstance(value, Fraction | int) for _, _, value in beyond):
        return list(beyond)
    return [(float(p), float(cost), float(value)) for p, cost, value in beyond]


def merge_parallel(game: Game, goals: NDArray[Any]) -> Reduced:
    """Keep one edge from each vertex to each other, changing no value.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("a", "tester").vertex("b", "system").vertex("g", "tester")
    >>> builder = builder.edge("a", "b", cost=2).edge("a", "b", cost=1).edge("b", "g", cost=1).edge("b", "g", cost=4)
    >>> merged = merge_parallel(builder.edge("b", "a").build(), np.array([2]))
    >>> merged.game, merged.edge.tolist()
    (Game(3 vertices, 3 edges, initial 'a'), [1, -1, 4])
    >>> merged.game.cost[1], merged.game.probability[1]
    (Fraction(5, 2), Fraction(2, 3))
    """
    double = _vertices_with_parallel_edges(game)
    kept = np.ones(game.edge_count, dtype=bool)
    merged: dict[int, tuple[Fraction, Fraction]] = {}
    for vertex in double:
        groups: dict[int, list[int]] = {}
        for edge in game.edges_of(vertex):
            groups.setdefault(int(game.target[edge]), []).append(edge)
        if game.owner[vertex] == SYSTEM:
            answers = dict(_merge_answers(game, groups))
            merged |= answers
            best = list(answers)
        else:
            best = [min(edges, key=lambda edge: game.cost[edge] or 0) for edges in groups.values()]
        kept[game.first[vertex] : game.first[vertex + 1]] = False
        kept[best] = True
    return Reduced(
        game=_with_edges(game, np.flatnonzero(kept), merged),
        goals=np.asarray(goals, dtype=np.uint32),
        vertex=np.arange(game.vertex_count),
        edge=_origins(game, np.flatnonzero(kept), merged),
    )


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


def _origins(game: Game, edges: NDArray[np.int64], merged: dict[int, tuple[Fraction, Fraction]]) -> NDArray[np.int64]:
    """An edge stands for itself unless its probability grew."""
    grown = [edge for edge, (share, _) in merged.items() if share != chance(game, edge)]
    return np.where(np.isin(edges, grown), -1, edges)
