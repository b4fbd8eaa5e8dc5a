"""The layers of bounded reachability: values for every number of moves left, and the strategy where it changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for, interpreted
from outplay.game.algebra import row_starts
from outplay.game.graph import Game, Vertices
from outplay.strategy.layers import _kernels
from outplay.strategy.layers.numbers import Numbers
from outplay.strategy.orders import Odds

_KEPT = 1_000_000  # values: up to this many all layers are kept, beyond only the last two
_LAYERS_AT_ONCE = 1000


class Rows(NamedTuple):
    """Changes of the strategy in rows of their vertex: those of v lie from `first[v]` to `first[v + 1]`."""

    first: NDArray[np.uint32]
    left: NDArray[np.uint32]
    edge: NDArray[np.uint32]
    """The edge from this many moves left on; the number of edges stands for none."""


@dataclass(frozen=True, eq=False)
class MoveLayers:
    """All layers or the last two; layer `last` is that of all moves, or as good as it."""

    numbers: Numbers
    values: NDArray[Any]
    last: int
    settled: int | None
    rows: Rows

    def holds(self, layer: int) -> bool:
        return layer > self.last - len(self.values)

    def odds(self, vertex: int, layer: int) -> Odds:
        chance, cost = self.values[layer % len(self.values), 2 * vertex : 2 * vertex + 2].tolist()
        return self.numbers.odds(chance, cost, layer, vertex)


def all_layers(game: Game, goals: Vertices, steps: int, numbers: Numbers) -> MoveLayers:
    """Compute the layers for 0 to `steps` moves left, or up to the first that equals the one before."""
    vertices = game.vertex_count
    kept = steps + 1 if (steps + 1) * vertices <= _KEPT else 2
    values = np.zeros((kept, 2 * vertices), dtype=object if numbers.exact else np.float64)
    choice = np.full(vertices, game.edge_count, dtype=np.uint32)
    graph = _layer_graph(game, goals, sequence(numbers.level, goals))
    noted, settled = np.zeros((2, 4 * vertices), dtype=np.uint32), np.zeros(1, dtype=np.uint8)
    kernel = _kernels.layers
    # Numbers of any length are left to Python's own, in the very same kernel.
    run = interpreted(kernel) if numbers.exact else best_for(kernel, game.edge_count * steps)
    parts, last = list[tuple[NDArray[np.uint32], NDArray[np.uint32]]](), -1
    while last < steps and not settled[0]:
        begin = last + 1
        until = np.zeros(min(steps + 1 - begin, _LAYERS_AT_ONCE), dtype=np.int64)
        scale = _kernels.Scale(numbers.growth**begin, numbers.growth, numbers.tolerance)
        changes = _kernels.ChoiceNotes(choice, noted[0], noted[1], until, settled)
        last = run(graph, numbers.edges, scale, values, changes, begin)
        until = until[: last + 1 - begin]
        lefts = np.arange(begin, last + 1, dtype=np.uint32)
        parts.append((np.repeat(lefts, np.diff(until, prepend=0)), noted[:, : until[-1]].copy()))
    stable = None
    if settled[0]:
        # The values are those of the layer before, but a move may have changed for another that is as good.
        stable = last if last in parts[-1][0] else last - 1
    left = np.concatenate([lefts for lefts, _ in parts])
    vertex, edge = np.concatenate([changed for _, changed in parts], axis=1)
    by_vertex = np.argsort(vertex, kind="stable")
    rows = Rows(row_starts(vertex, vertices), left[by_vertex], edge[by_vertex])
    return MoveLayers(numbers, values, last, stable, rows)


def _layer_graph(game: Game, goals: Vertices, order: NDArray[np.uint32]) -> _kernels.LayerGraph:
    twice_target = (2 * game.target.astype(np.int64)).astype(np.uint32)
    none, one = np.uint32(game.edge_count), np.uint32(1)
    return _kernels.LayerGraph(game.first, twice_target, game.moves, game.owner, order, goals, none, one)


def sequence(level: NDArray[np.uint32], goals: Vertices) -> NDArray[np.uint32]:
    """All vertices but the goals, each after those that it reaches by edges of 0 moves."""
    order = np.argsort(level, kind="stable").astype(np.uint32)
    return order[~np.isin(order, goals)]
