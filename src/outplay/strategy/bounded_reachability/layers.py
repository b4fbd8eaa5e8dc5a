"""The layers of bounded reachability: values for every number of moves left, and the strategy where it changes.

Numbers for bounded reachability: a game's probabilities and costs as its kernel takes them, whole or as floats.
Whole numbers are exact. With d the common denominator of all probabilities and h - 1 the most edges of 0 moves in a
row, a probability with k moves left, at a vertex with at most j such edges ahead in a row, is a multiple of
1 / d^(kh + j). So every edge has a whole weight, and no fraction is ever shortened.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for, interpreted
from outplay.errors import GameError
from outplay.game.algebra import exact_edge_chances, float_edge_chances, graph_arrays, row_starts
from outplay.game.graph import TESTER, Game, Vertices
from outplay.strategy.bounded_reachability import _kernels
from outplay.strategy.bounded_reachability._kernels import EdgeNumbers
from outplay.strategy.value_orders import Odds

EXACT_WORK = 600_000  # looks at an edge, more for long numbers: a fraction of a second
TOLERANCE = 1e-12
_EPSILON = float(np.finfo(np.float64).eps)
_MANY_LAYERS = 10_000
_WHOLE_FLOATS = 1 << 53
_LONGEST_TABLE = 1 << 16  # beyond, numbers lie beside their edges: looking them up would miss the caches
_KEPT = 1_000_000  # values: up to this many all layers are kept, beyond only the last two
_LAYERS_AT_ONCE = 1000


@dataclass(frozen=True, eq=False)
class Numbers:
    """Weights and costs of edges, and how to read what the kernel makes of them."""

    edges: EdgeNumbers
    cost_denominator: int | None
    """None where costs are floats that are not scaled."""
    base: int
    height: int
    level: NDArray[np.uint32]
    tolerance: float

    @property
    def exact(self) -> bool:
        return bool(self.edges.weight_table.dtype == object)

    @property
    def growth(self) -> Any:
        """Return the factor by which the numbers for the same probability grow with one more move left."""
        return self.base**self.height if self.exact else 1.0

    def odds(self, chance: Any, cost: Any, left: int, vertex: int) -> Odds:
        """Read the two numbers of a vertex with this many moves left."""
        scale = self.base ** (left * self.height + int(self.level[vertex]))
        price = float(cost) if self.cost_denominator is None else Fraction(cost) / self.cost_denominator
        return Odds(Fraction(chance, scale) if self.exact else min(1.0, float(chance)), price)


def zero_levels(game: Game, goals: Vertices) -> NDArray[np.uint32]:
    """Count the most edges of 0 moves in a row from each vertex; refuse a cycle of them, as play might never end."""
    level = np.zeros(game.vertex_count, dtype=np.uint32)
    if game.moves.all():
        return level
    is_goal = np.zeros(game.vertex_count, dtype=np.uint8)
    is_goal[goals] = 1
    free = (game.moves == 0) & (is_goal[game.source] == 0)
    waits = np.bincount(game.source[free], minlength=game.vertex_count)
    run = best_for(_kernels.zero_levels, game.edge_count)
    if run(graph_arrays(game), game.moves, is_goal, waits, level, np.zeros_like(level)) < game.vertex_count:
        raise GameError(
            f"edges of 0 moves form a cycle, {_cycle(game, waits)}; give one of them 1 move, or no number of moves "
            "ends the play"
        )
    return level


def _cycle(game: Game, waits: NDArray[Any]) -> str:
    """Walk along edges of 0 moves among the vertices that wait for each other until one comes round again."""
    path = [int(np.flatnonzero(waits)[0])]
    while path[-1] not in path[:-1]:
        edges = game.edges_of(path[-1])
        path.append(next(int(t) for e in edges if not game.moves[e] and waits[t := game.target[e]]))
    return " → ".join(repr(game.names[vertex]) for vertex in path[path.index(path[-1]) :])


def numbers_for(game: Game, steps: int, level: NDArray[np.uint32]) -> Numbers:
    """Choose whole numbers for layers where that is affordable for this many steps, floats otherwise."""
    height = int(level.max(initial=0)) + 1
    work = (steps + 10) * (game.vertex_count + game.edge_count)  # 10 for preparing fractions
    if work <= EXACT_WORK:
        shares = exact_edge_chances(game)
        base = math.lcm(*{share.denominator for share in shares})
        if work * (1 + steps * height * base.bit_length() // 4000) <= EXACT_WORK:
            return _whole(game, level, height, shares, base)
    return _floats(game, steps, level, height)


def _whole(game: Game, level: NDArray[np.uint32], height: int, shares: list[Fraction], base: int) -> Numbers:
    levels = level.tolist()
    ends = zip(game.source.tolist(), game.target.tolist(), game.moves.tolist(), strict=True)
    rise = [moves * height + levels[source] - levels[target] for source, target, moves in ends]
    weights = [
        int(share * base) * base ** (more - 1) if more > 0 else 0 for share, more in zip(shares, rise, strict=True)
    ]
    table = np.empty(game.edge_count, dtype=object)
    table[:] = weights
    costs = np.array(game.cost.scaled() or [0], dtype=object)
    rows = np.arange(game.edge_count, dtype=np.uint32)
    edges = EdgeNumbers(rows, table, game.cost.index, costs)
    return Numbers(edges, game.cost.denominator, base, height, level, 0)


def _floats(game: Game, steps: int, level: NDArray[np.uint32], height: int) -> Numbers:
    scaled = game.cost.scaled() or [0]
    is_whole = max(scaled) * height * (steps + 1) < _WHOLE_FLOATS
    plain = [0.0 if cost is None else float(cost) for cost in game.cost.table] or [0.0]
    costs = _lookup(game.cost.index, np.array(scaled if is_whole else plain, dtype=np.float64))
    shares, row = np.unique(
        np.where(game.owner[game.source] == TESTER, 1.0, float_edge_chances(game)), return_inverse=True
    )
    edges = EdgeNumbers(*_lookup(row, shares if len(shares) else np.ones(1)), *costs)
    degree = int(np.diff(game.first).max(initial=0))
    # Well above what rounding adds up to, so what is equal is called equal; runs of more layers than many converge.
    tolerance = max(TOLERANCE, 16 * _EPSILON * (degree + 4) * height * min(steps, _MANY_LAYERS))
    denominator = game.cost.denominator if is_whole else None
    return Numbers(edges, denominator, 1, height, level, tolerance)


def _lookup(row: NDArray[Any], table: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows in as few bytes as they need, or, for long tables, the numbers themselves."""
    if len(table) > _LONGEST_TABLE:
        return np.arange(len(row), dtype=np.uint32), table[row]
    return row.astype(np.uint8 if len(table) <= 1 << 8 else np.uint16), table


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
    graph = _layer_graph(game, goals, zero_move_order(numbers.level, goals))
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


def zero_move_order(level: NDArray[np.uint32], goals: Vertices) -> NDArray[np.uint32]:
    """Order all vertices but the goals so that each comes after those it reaches by edges of 0 moves."""
    order = np.argsort(level, kind="stable").astype(np.uint32)
    return order[~np.isin(order, goals)]
