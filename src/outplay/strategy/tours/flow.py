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
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for, plain
from outplay.strategy.tours import _kernels
from outplay.strategy.tours.network import Network


@dataclass(frozen=True, eq=False)
class Balanced:
    """How much each edge carries, and heights that prove that less will not do."""

    flow: NDArray[np.int64]
    height: NDArray[Any]
    """In the joined costs of the network."""


@dataclass(frozen=True)
class Stuck:
    """What a vertex has to send cannot go anywhere it is wanted."""

    vertex: int


def cheapest_flow(network: Network, supply: NDArray[np.int64]) -> Balanced | Stuck:
    """Find the flow of least cost.

    >>> from outplay.strategy.tours.network import network_of
    >>> network = network_of(3, [(0, 1, 1), (1, 2, 1), (0, 2, 3)])
    >>> cheapest_flow(network, np.array([2, 0, -2])).flow.tolist()
    [2, 2, 0]
    """
    count, edges, own = network.vertex_count, network.edge_count, network.joined
    # Edges to and from a vertex of their own carry everything at first, and cost more than any way in the network.
    dear = max(own.tolist(), default=0) * count + 1
    sends = supply >= 0
    root, vertices = np.full(count, count), np.arange(count)
    source = np.concatenate([network.source, np.where(sends, vertices, root)]).astype(np.uint32)
    target = np.concatenate([network.target, np.where(sends, root, vertices)]).astype(np.uint32)
    prices = np.where(sends, 0, np.array(dear, dtype=own.dtype)).astype(own.dtype)
    cost = np.concatenate([own, prices])
    flow = np.concatenate([np.zeros(edges, dtype=np.int64), np.abs(supply)])
    height = np.append(prices, 0).astype(own.dtype)
    tree = _star(count, edges, sends)
    block = max(3 * math.isqrt(edges + count), 20)
    run = plain(_kernels.balance) if own.dtype == object else best_for(_kernels.balance, edges)
    run(source, target, cost, flow, *tree[:4], height, *tree[4:], block)
    stuck = np.flatnonzero(flow[edges:])
    return Balanced(flow[:edges], height[:count]) if not len(stuck) else Stuck(int(stuck[0]))


def _star(count: int, edges: int, sends: NDArray[np.bool_]) -> tuple[NDArray[Any], ...]:
    """The tree in which all vertices hang from one of their own: parents, edges, directions, depths and lists."""
    parent = np.append(np.full(count, count), -1)
    by_edge = np.append(edges + np.arange(count), -1)
    depth = np.append(np.ones(count, dtype=np.int64), 0)
    child = np.append(np.full(count, -1), 0 if count else -1)
    after = np.append(np.arange(1, count + 1), -1)
    after[max(count - 1, 0)] = -1
    before = np.append(np.arange(-1, count - 1), -1)
    lists = [array.astype(np.int32) for array in (child, after, before)]
    return parent.astype(np.int32), by_edge.astype(np.int32), np.append(sends, False), depth.astype(np.int32), *lists
