"""Euler's walk: from how often each edge is taken to an order in which they are.

Definition: edges with numbers of times, every vertex entered as often as it is left and all of them connected, have a
closed walk that takes each edge exactly so many times. Hierholzer's way finds it in O(vertices + steps).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.strategy.tours import _kernels
from outplay.strategy.tours.network import Network


def euler_walk(network: Network, times: NDArray[Any], start: int) -> list[int]:
    """The edges of a closed walk from a vertex; it is shorter than `times` says where they are not connected.

    >>> from outplay.strategy.tours.network import network_of
    >>> euler_walk(network_of(2, [(0, 1, 1), (1, 0, 1), (1, 1, 1)]), np.array([2, 2, 1]), 0)
    [0, 1, 0, 2, 1]
    """
    steps, out = int(times.sum()), network.outgoing
    walk = np.zeros(steps, dtype=np.uint32)
    run = best_for(_kernels.euler, max(steps, network.edge_count))
    path = np.zeros(steps + 1, dtype=np.uint32)
    length = run(out.first, out.edge, network.target, times.astype(np.int64), start, out.first.copy(), path, walk)
    found: list[int] = walk[:length][::-1].tolist()
    return found


def connected_parts(network: Network, used: NDArray[np.bool_]) -> NDArray[np.int64]:
    """For each vertex the number of the part it is in, where only used edges connect, in either direction.

    >>> from outplay.strategy.tours.network import network_of
    >>> connected_parts(network_of(3, [(0, 1, 1), (2, 1, 1)]), np.array([True, False])).tolist()
    [0, 0, 1]
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ends = network.source[used], network.target[used]
    shape = (network.vertex_count, network.vertex_count)
    graph = coo_array((np.ones(len(ends[0])), ends), shape=shape).tocsr()
    return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)


def strong_parts(network: Network) -> NDArray[np.int64]:
    """For each vertex the number of its strongly connected part; edges lead to the same number or to a smaller one.

    >>> from outplay.strategy.tours.network import network_of
    >>> strong_parts(network_of(3, [(0, 1, 1), (1, 0, 1), (1, 2, 1)])).tolist()
    [2, 2, 1]
    """
    from outplay.strategy.chance.reduction.components import finished_components

    out, everywhere = network.outgoing, np.ones(network.vertex_count, dtype=bool)
    return finished_components(out.first, network.target[out.edge], everywhere)[1].astype(np.int64)
