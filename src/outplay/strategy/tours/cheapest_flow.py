"""The flow of least cost that balances a network, with the proof that there is no cheaper one.

Definition: each vertex has a supply, below 0 where something is wanted; supplies sum to 0. A flow sends all of it along
edges that carry any amount, and costs the sum over edges of cost times amount. For any heights with
cost + height[source] - height[target] ≥ 0 on every edge no flow costs less than -Σ supply · height, and the heights
that come with the answer reach that. The network simplex method (Ahuja, Magnanti and Orlin 1993, chapter 11), with
entering edges found block by block and leaving ones by Cunningham's rule. Bound: finite, exponential at worst; in
practice a few pivots for each vertex, each of which looks at one block of edges and one part of the tree.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.cancellation import NEVER, Deadline
from outplay.compiling import best_for, interpreted
from outplay.strategy.tours import _kernels
from outplay.strategy.tours._kernels import Carried, CheapestPaths, Tree
from outplay.strategy.tours.tour_network import Network

PIVOTS = 20_000  # at most, between two looks at the clock
_FIRST_PIVOTS = 500  # in a deep tree each one takes long
_PACE = 0.2  # seconds between two looks, about


@dataclass(frozen=True, eq=False)
class Balanced:
    """The load of each edge, and heights that prove that less will not do."""

    flow: NDArray[np.int64]
    height: NDArray[Any]
    """In the joined costs of the network."""
    proven: bool = True
    """Whether there was time to make it the cheapest; else the heights prove nothing."""


@dataclass(frozen=True)
class Stuck:
    """The load of a vertex that cannot go anywhere it is wanted."""

    vertex: int


@dataclass(frozen=True)
class Late:
    """Time was up before anything was balanced."""


def cheapest_flow(
    network: Network, supply: NDArray[np.int64], until: Deadline = NEVER, *, pivots: int = PIVOTS
) -> Balanced | Stuck | Late:
    """Find the flow of least cost in a network, or any flow where time is up; the clock is read after some pivots.

    >>> from outplay.strategy.tours.tour_network import network_of
    >>> network = network_of(3, [(0, 1, 1), (1, 2, 1), (0, 2, 3)])
    >>> cheapest_flow(network, np.array([2, 0, -2])).flow.tolist()
    [2, 2, 0]
    """
    count, edges = network.vertex_count, network.edge_count
    carried, tree = _first_tree(network, supply.astype(np.int64))
    block = max(3 * math.isqrt(edges + count), 20)
    run = _runner(_kernels.balance, network)
    edge, pace = 0, min(pivots, _FIRST_PIVOTS)
    while True:
        began = time.monotonic()
        edge = run(carried, tree, block, edge, pace)
        if edge < 0 or until.passed:
            break
        pace = max(1, min(pivots, int(pace * _PACE / (time.monotonic() - began + 1e-6))))
    stuck = np.flatnonzero(carried.flow[edges:])
    if len(stuck):
        return Stuck(int(stuck[0])) if edge < 0 else Late()
    return Balanced(carried.flow[:edges], tree.height[:count], proven=edge < 0)


def _first_tree(network: Network, supply: NDArray[np.int64]) -> tuple[Carried, Tree]:
    """Everything that is wanted comes from the nearest supply; what these lack or have left is settled at the root.

    Edges to and from the root, a vertex of its own, carry that at first, and cost more than any way in the network.
    Vertices behind which nothing is wanted hang from the root by edges upwards, as Cunningham's rule asks for.
    """
    count, edges, own = network.vertex_count, network.edge_count, network.joined
    dear = max(own.tolist(), default=0) * count + 1
    by_edge, wanted, order = _nearest(network, supply)
    inner = (wanted > 0) & (by_edge >= 0)
    left = np.where(inner, 0, supply - np.where(supply < 0, 0, wanted))
    sends, vertices, root = left >= 0, np.arange(count), np.full(count, count)
    source = np.concatenate([network.source, np.where(sends, vertices, root)]).astype(np.uint32)
    target = np.concatenate([network.target, np.where(sends, root, vertices)]).astype(np.uint32)
    prices = np.where(sends, 0, np.array(dear, dtype=own.dtype)).astype(own.dtype)
    flow = np.concatenate([np.zeros(edges, dtype=np.int64), np.abs(left)])
    flow[by_edge[inner]] = wanted[inner]
    parent, hung = np.append(root, -1).astype(np.int32), np.append(edges + vertices, -1).astype(np.int32)
    parent[:-1][inner], hung[:-1][inner] = network.source[by_edge[inner]], by_edge[inner]
    depth, height = np.append(np.ones(count), 0).astype(np.int32), np.append(prices, 0).astype(own.dtype)
    for vertex in order[inner[order]].tolist():  # nearest first, so that its parent is done
        depth[vertex] = depth[parent[vertex]] + 1
        height[vertex] = height[parent[vertex]] + own[by_edge[vertex]]
    carried = Carried(source, target, np.concatenate([own, prices]), flow)
    return carried, Tree(parent, hung, np.append(sends & ~inner, False), depth, height, *_children(parent))


def _nearest(network: Network, supply: NDArray[np.int64]) -> tuple[NDArray[Any], ...]:
    """Cheapest ways from what supplies: their last edges, what is wanted behind, and vertices, nearest first."""
    count, out = network.vertex_count, network.outgoing
    distance, wanted = np.zeros(count, dtype=network.joined.dtype), np.zeros(count, dtype=np.int64)
    by_edge, place = np.full(count, -1, dtype=np.int64), np.full(count, -1, dtype=np.int32)
    heap, settled = np.zeros(count, dtype=np.int32), np.zeros(count, dtype=np.int32)
    paths = CheapestPaths(distance, by_edge, wanted, heap, place, settled)
    run = _runner(_kernels.nearest_supply, network)
    reached = run(out.first, out.edge, network.target, network.joined, network.source, supply, paths)
    return by_edge, wanted, settled[:reached]


def _runner(kernel: Callable[..., Any], network: Network) -> Callable[..., Any]:
    """Compiled where that pays; numbers that are too long for it are left to Python."""
    return interpreted(kernel) if network.joined.dtype == object else best_for(kernel, network.edge_count)


def _children(parent: NDArray[np.int32]) -> tuple[NDArray[np.int32], ...]:
    """For each vertex its first child, and the next and the one before among the children of its parent."""
    count = len(parent)
    child, after, before = (np.full(count, -1, dtype=np.int32) for _ in range(3))
    order = np.argsort(parent[:-1], kind="stable")
    same = parent[order][1:] == parent[order][:-1]
    after[order[:-1][same]] = order[1:][same]
    before[order[1:][same]] = order[:-1][same]
    first = np.ones(len(order), dtype=bool)
    first[1:] = ~same
    child[parent[order[first]]] = order[first]
    return child, after, before
