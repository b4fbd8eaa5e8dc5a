"""The graph that tours are found in: edges with costs that are numbers, or vectors compared in lexicographic order.

Costs are kept as whole numbers in columns, the most important first, each with the denominator that made it whole. For
searches they are joined into one number: a residual circle that is simple has at most as many edges as there are
vertices, so a column counts for nothing against the next more important one if that is multiplied by the most that such
a circle could cost, plus one. Whole numbers are 64 bits wide where that is enough, and Python's own where it is not.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.errors import GameError
from outplay.game import _kernels
from outplay.game.algebra import row_starts
from outplay.game.exact_numbers import read_fraction
from outplay.game.graph import Game
from outplay.plurals import counted

Cost: TypeAlias = tuple[Fraction, ...]
"""The cost of a walk, column by column; Python compares such tuples in lexicographic order."""
_MOST = 1 << 60  # sums of a few such numbers fit into 64 bits


@dataclass(frozen=True, eq=False)
class EdgeRows:
    """Edges by a vertex: those of v are `edge[first[v]:first[v + 1]]`, ascending."""

    first: NDArray[np.uint32]
    edge: NDArray[np.uint32]


@dataclass(frozen=True, eq=False, repr=False)
class Network:
    """A directed graph with costs of at least 0. Make one with `network_of` or `network_of_game`."""

    vertex_count: int
    source: NDArray[np.uint32]
    target: NDArray[np.uint32]
    criteria: tuple[NDArray[Any], ...]
    """Costs as whole numbers, the most important first: arrays of 64 bits, or of Python's own numbers."""
    denominators: tuple[int, ...]

    @property
    def edge_count(self) -> int:
        return len(self.source)

    @cached_property
    def outgoing(self) -> EdgeRows:
        """Edges by source."""
        return _rows(self.source, self.vertex_count)

    @cached_property
    def incoming(self) -> EdgeRows:
        """Edges by target."""
        return _rows(self.target, self.vertex_count)

    @cached_property
    def joined(self) -> NDArray[Any]:
        """One whole number for each edge, whose sums along simple circles compare as the vectors do."""
        joined, below = [0] * self.edge_count, 1
        for criterion in reversed(self.criteria):
            joined = [high * below + low for high, low in zip(criterion.tolist(), joined, strict=True)]
            below = max(joined, default=0) * self.vertex_count + 1
        return _whole(joined, below)

    def reached_from(self, start: int) -> NDArray[np.bool_]:
        """The vertices that walks from a vertex come to."""
        met, out = np.zeros(self.vertex_count, dtype=np.bool_), self.outgoing
        stack = np.zeros(self.vertex_count, dtype=np.uint32)
        best_for(_kernels.reach, self.edge_count)(out.first, self.target[out.edge], start, met, stack)
        return met

    def cost_of(self, walk: Iterable[int]) -> Cost:
        """Return the cost of taking some edges, each as often as it is named."""
        times = np.bincount(np.fromiter(walk, dtype=np.int64), minlength=self.edge_count)
        return self.cost_of_times(times)

    def cost_of_times(self, times: NDArray[Any]) -> Cost:
        """Return the cost of taking each edge this many times."""
        used = np.flatnonzero(times).tolist()
        often = times[used].tolist()
        return tuple(
            Fraction(sum(int(cost) * count for cost, count in zip(criterion[used].tolist(), often, strict=True)), unit)
            for criterion, unit in zip(self.criteria, self.denominators, strict=True)
        )

    def with_edges(self, ends: Sequence[tuple[int, int]], *, cost: Sequence[Any] | None = None) -> Network:
        """The network with more edges, and vertices where they name new ones, at one cost, 0 unless it is given."""
        vector = [read_fraction(part) for part in (cost or [0] * len(self.criteria))]
        if len(vector) != len(self.criteria) or min(vector, default=0) < 0:
            raise GameError(f"a cost of {counted(len(self.criteria), 'number')} of at least 0 is wanted, not {cost!r}")
        units = [math.lcm(unit, part.denominator) for unit, part in zip(self.denominators, vector, strict=True)]
        criteria = []
        for criterion, old, unit, part in zip(self.criteria, self.denominators, units, vector, strict=True):
            values = [value * (unit // old) for value in criterion.tolist()]
            criteria.append(_whole(values + [int(part * unit)] * len(ends)))
        count = max([self.vertex_count, *(1 + vertex for pair in ends for vertex in pair)])
        new = np.array(ends, dtype=np.uint32).reshape(-1, 2)
        source, target = np.append(self.source, new[:, 0]), np.append(self.target, new[:, 1])
        return Network(count, source, target, tuple(criteria), tuple(units))

    def with_resets(self, start: int, *, cost: Sequence[Any]) -> Network:
        """The network with an edge from every vertex back to `start`; the one from vertex v has number edges + v."""
        return self.with_edges([(vertex, start) for vertex in range(self.vertex_count)], cost=cost)

    def __repr__(self) -> str:
        return f"Network({counted(self.vertex_count, 'vertex')}, {counted(self.edge_count, 'edge')})"


def network_of(vertex_count: int, edges: Iterable[tuple[int, int, Any]]) -> Network:
    """Make a tour network of edges (source, target, cost); a cost is a number, or a tuple of one length everywhere.

    >>> network_of(2, [(0, 1, (1, "1/2")), (1, 0, (0, 3))]).cost_of([0, 1, 0])
    (Fraction(2, 1), Fraction(4, 1))
    """
    listed = list(edges)
    vectors = [
        [read_fraction(part) for part in (cost if isinstance(cost, tuple) else (cost,))] for _, _, cost in listed
    ]
    widths = {len(vector) for vector in vectors} or {1}
    if len(widths) > 1 or 0 in widths:
        raise GameError("costs have different numbers of parts: give every edge a number, or tuples of one length")
    units, criteria = [], []
    for values in zip(*vectors, strict=True) if vectors else [()]:
        units.append(math.lcm(*(value.denominator for value in values)))
        criteria.append(_whole([value.numerator * (units[-1] // value.denominator) for value in values]))
    ends = np.array([(source, target) for source, target, _ in listed], dtype=np.int64).reshape(-1, 2)
    return _checked(vertex_count, ends[:, 0], ends[:, 1], tuple(criteria), tuple(units))


def network_of_game(game: Game) -> Network:
    """Make a tour network of a game's edges with their costs, as if every move were the tester's."""
    table = _whole(game.cost.scaled() or [0])
    criterion = table[game.cost.index] if game.edge_count else table[:0]
    return _checked(game.vertex_count, game.source, game.target, (criterion,), (game.cost.denominator,))


def _checked(
    count: int, source: NDArray[Any], target: NDArray[Any], criteria: tuple[NDArray[Any], ...], units: tuple[int, ...]
) -> Network:
    for ends in (source, target):
        if len(ends) and not 0 <= int(ends.min()) <= int(ends.max()) < count:
            raise GameError(f"an edge has an end that is none of the {count} vertices; number them from 0")
    if any(len(criterion) and min(criterion.tolist()) < 0 for criterion in criteria):
        raise GameError("a cost is below 0: then going round would pay for itself; make all costs at least 0")
    return Network(count, source.astype(np.uint32), target.astype(np.uint32), criteria, units)


def _whole(values: list[int], most: int = 0) -> NDArray[Any]:
    """An array of whole numbers, of 64 bits if `most` and what is in it fit into them."""
    wide = max([most, *map(abs, values)]) >= _MOST
    return np.array(values, dtype=object if wide else np.int64)


def _rows(key: NDArray[np.uint32], count: int) -> EdgeRows:
    return EdgeRows(row_starts(key, count), np.argsort(key, kind="stable").astype(np.uint32))


def connected_parts(network: Network, used: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Number the part of each vertex of a network, where only used edges connect, in either direction.

    >>> from outplay.strategy.tours.tour_network import network_of
    >>> connected_parts(network_of(3, [(0, 1, 1), (2, 1, 1)]), np.array([True, False])).tolist()
    [0, 0, 1]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ends = network.source[used], network.target[used]
    shape = (network.vertex_count, network.vertex_count)
    graph = coo_array((np.ones(len(ends[0])), ends), shape=shape).tocsr()
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)
