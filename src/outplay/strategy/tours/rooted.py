"""An errand made ready for solving: as closed tours through one edge that stands for the beginning.

A tour that is to pass `start` passes a loop of no cost there (Kapus-Kolar 2007, section 3.11). An open walk is closed
by edges of no cost from every vertex to a new one, and from there one edge to `start`, which is taken exactly once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from outplay.strategy.tours.errand import Errand
from outplay.strategy.tours.euler import connected_parts, euler_walk
from outplay.strategy.tours.network import Network


@dataclass(frozen=True, eq=False)
class Rooted:
    """An errand, its network with the edges that close the walk, and which of them stands for the beginning."""

    errand: Errand
    network: Network
    root: int | None

    @cached_property
    def movable(self) -> Network:
        """The network without the edge that stands for the beginning, which is not taken again."""
        if self.root is None:
            return self.network
        whole = self.network
        criteria = tuple(criterion[:-1] for criterion in whole.criteria)
        return Network(whole.vertex_count, whole.source[:-1], whole.target[:-1], criteria, whole.denominators)

    def required(self, edges: Iterable[int]) -> NDArray[np.int64]:
        """How often each edge is taken at least: some edges once, and with them the one that is the beginning."""
        least = np.zeros(self.network.edge_count, dtype=np.int64)
        least[list(edges)] = 1
        if self.root is not None:
            least[self.root] = 1
        return least

    def parts(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        """For each edge that is taken the connected part it is in; -1 for the others."""
        used = times > 0
        number = connected_parts(self.network, used)
        return np.where(used, number[self.network.source], -1)

    def walk(self, times: NDArray[np.int64], through: int | None = None) -> tuple[int, ...]:
        """The walk that takes each edge so many times, without the edges that only close it.

        It begins at `start`, else with an edge that is named, else anywhere.
        """
        network = self.network
        if self.root is not None:
            start = int(network.target[self.root])
        elif times.any():
            start = int(network.source[int(np.flatnonzero(times)[0]) if through is None else through])
        else:
            return ()
        walk = euler_walk(network, times, start)
        begin = 0 if self.root is None else walk.index(self.root)
        return tuple(edge for edge in walk[begin:] + walk[:begin] if edge < self.errand.network.edge_count)


def rooted(errand: Errand) -> Rooted:
    """Add to an errand's network the edges that close its walks."""
    network, start = errand.network, errand.start
    if start is None:
        return Rooted(errand, network, None)
    ends = [(start, start)]
    if not errand.closed:
        end = network.vertex_count
        ends = [*((vertex, end) for vertex in range(end)), (end, start)]
    made = network.with_edges(ends)
    return Rooted(errand, made, made.edge_count - 1)
