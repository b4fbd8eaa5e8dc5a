"""Bounded reachability under another order: the definition in plain Python and exact fractions, for small games."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from outplay.errors import UsageError
from outplay.game.algebra import exact_edge_chances, row_starts
from outplay.game.graph import SYSTEM, Game, Vertices
from outplay.strategy.bounded_reachability._kernels import EdgeNumbers
from outplay.strategy.bounded_reachability.layers import MoveLayers, Numbers, Rows, zero_move_order
from outplay.strategy.value_orders import Order

_MOST_WORK = 5_000_000  # looks at an edge: about a minute
_Pair: TypeAlias = tuple[Fraction, Fraction]
_NOTHING, _WON = (Fraction(0), Fraction(0)), (Fraction(1), Fraction(0))


def layers_by_order(game: Game, goals: Vertices, steps: int, level: NDArray[np.uint32], order: Order) -> MoveLayers:
    """Compute the layers of bounded reachability under another order of values, for 0 to `steps` moves left."""
    work = steps * (game.edge_count + game.vertex_count)
    if work > _MOST_WORK:
        raise UsageError(
            f"the order {order.name!r} would take {work:,} steps in exact fractions, and {_MOST_WORK:,} are allowed; "
            "leave the order out, or take fewer moves"
        )
    run = _Layering(game, goals, level, order)
    notes, settled = list[tuple[int, int, int]](), None
    for left in range(steps + 1):
        changed = run.layer(left)
        notes += [(vertex, left, run.choice[vertex]) for vertex in changed]
        if left > 0 and run.values[-1] == run.values[-2]:
            settled = left if changed else left - 1
            break
    vertex, lefts, edges = np.array(sorted(notes), dtype=np.uint32).reshape(-1, 3).T
    rows = Rows(row_starts(vertex, game.vertex_count), lefts.copy(), edges.copy())
    values = np.empty((len(run.values), 2 * game.vertex_count), dtype=object)
    values[:] = [[number for pair in layer for number in pair] for layer in run.values]
    return MoveLayers(_fractions(game, level), values, len(run.values) - 1, settled, rows)


def _fractions(game: Game, level: NDArray[np.uint32]) -> Numbers:
    """Numbers that are read as they are."""
    empty = np.zeros(0, dtype=object)
    edges = EdgeNumbers(game.cost.index, empty, game.cost.index, empty)
    return Numbers(edges, 1, 1, 1, level, 0)


class _Layering:
    """Layers one after the other."""

    def __init__(self, game: Game, goals: Vertices, level: NDArray[np.uint32], order: Order) -> None:
        self._game, self._goals, self._order = game, goals.tolist(), order
        self._sequence = zero_move_order(level, goals).tolist()
        self._shares = exact_edge_chances(game)
        self.values: list[list[_Pair]] = []
        self.choice = [game.edge_count] * game.vertex_count

    def layer(self, left: int) -> list[int]:
        """Add the next layer, and return the vertices where the tester's move changes."""
        self.values.append([_NOTHING] * self._game.vertex_count)
        here, changed = self.values[-1], []
        for goal in self._goals:
            here[goal] = _WON
        for vertex in self._sequence:
            if self._game.owner[vertex] == SYSTEM:
                here[vertex] = self._mixed(vertex, left)
                continue
            chosen, here[vertex] = self._best(vertex, left)
            if chosen != self.choice[vertex]:
                self.choice[vertex] = chosen
                changed.append(vertex)
        return changed

    def _mixed(self, vertex: int, left: int) -> _Pair:
        offers = dict(self._offers(vertex, left))
        chance = sum((self._shares[edge] * probability for edge, (probability, _) in offers.items()), Fraction(0))
        return chance, max((cost for _, cost in offers.values()), default=Fraction(0))

    def _best(self, vertex: int, left: int) -> tuple[int, _Pair]:
        """The tester's edge and its odds: the one it had, if none is better, else the first of the best."""
        offers = {self._game.edge_count: _NOTHING, **dict(self._offers(vertex, left))}
        keys = {edge: self._order.key(*pair) for edge, pair in offers.items()}
        held = self.choice[vertex]
        best = min(keys, key=keys.__getitem__)
        if held in keys and not keys[best] < keys[held]:
            best = held
        return best, offers[best]

    def _offers(self, vertex: int, left: int) -> Iterator[tuple[int, _Pair]]:
        """Return the target of each edge, its cost added."""
        for edge in self._game.edges_of(vertex):
            moves = int(self._game.moves[edge])
            if moves <= left:
                probability, cost = self.values[left - moves][int(self._game.target[edge])]
                yield edge, (probability, cost + (self._game.cost[edge] or 0))
