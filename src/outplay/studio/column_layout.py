"""Positions for graphs that are too large to be drawn line by line: in columns by their distance from the start.

The order within a column follows the neighbours (barycentres, as in Sugiyama, Tagawa, Toda 1981), and each node is then
moved towards them as far as those above and below leave room. All steps work on whole arrays: O(E log V) a sweep.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.pictures.vertex_grouping import Ints

COLUMN, ROW = 150.0, 54.0
"""Distances of nodes."""
_SWEEPS, _MOVES = 12, 6
_FEWEST_ROWS, _SHAPE = 24, 1.6
_FAR = 1e9


def placed(layer: Ints, source: NDArray[Any], target: NDArray[Any]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Place vertices of a large graph in columns by their layers, joined by these edges."""
    other = source != target
    links = source[other].astype(np.int64), target[other].astype(np.int64)
    order = _ordered(layer, *links)
    column, row = _columns(layer, order)
    y = _moved(column, row, *links)
    return (column * COLUMN).astype(np.float32), y.astype(np.float32)


def _ordered(layer: Ints, source: Ints, target: Ints) -> Ints:
    """Give each vertex its place in its layer."""
    count, sizes = len(layer), np.bincount(layer)
    starts = np.concatenate([[0], np.cumsum(sizes)])[:-1]
    rank = np.empty(count, dtype=np.int64)
    place = np.zeros(count)
    best: tuple[float, Ints] | None = None
    by = np.arange(count, dtype=float)
    for _ in range(_SWEEPS):
        sorted_by = np.lexsort((by, layer))
        rank[sorted_by] = np.arange(count)
        rank -= starts[layer]
        place = (rank + 0.5) / sizes[layer]
        length = float(np.abs(place[source] - place[target]).sum())
        if best is None or length < best[0]:
            best = length, rank.copy()
        by = _mean_of_neighbours(place, source, target)
    assert best
    return best[1]


def _mean_of_neighbours(value: NDArray[Any], source: Ints, target: Ints) -> NDArray[Any]:
    count = len(value)
    total = np.bincount(source, value[target], count) + np.bincount(target, value[source], count)
    degree = np.bincount(source, minlength=count) + np.bincount(target, minlength=count)
    return np.where(degree > 0, total / np.maximum(degree, 1), value)


def _columns(layer: Ints, order: Ints) -> tuple[Ints, Ints]:
    """The column and the row of each vertex; layers that are too long take several columns."""
    sizes = np.bincount(layer)
    most = max(_FEWEST_ROWS, int(_SHAPE * np.sqrt(len(layer))))
    width = -(-sizes // most)
    starts = np.concatenate([[0], np.cumsum(np.maximum(width, 1))])[:-1]
    wide = np.maximum(width, 1)[layer]
    return starts[layer] + order % wide, order // wide


def _moved(column: Ints, row: Ints, source: Ints, target: Ints) -> NDArray[Any]:
    """Move vertices towards their neighbours, in their order and never nearer together than a row."""
    heights = np.bincount(column, minlength=int(column.max(initial=0)) + 1)
    y = (row - (heights[column] - 1) / 2) * ROW
    order = np.lexsort((row, column))
    of, slot = column[order], row[order] * ROW
    for _ in range(_MOVES):
        wanted = _mean_of_neighbours(y, source, target)[order] - slot
        lifted = wanted + of * _FAR  # so that one pass over all columns keeps them apart
        low = np.maximum.accumulate(lifted)
        high = np.minimum.accumulate(lifted[::-1])[::-1]
        y[order] = (low + high) / 2 - of * _FAR + slot
    return y
