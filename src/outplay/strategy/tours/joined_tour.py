"""A good tour through required edges: the cheapest balanced flow, then its parts joined by the shortest detours.

The flow without regard to connection costs no more than any tour, so it is a bound as well. Parts are joined one after
the other, each time the one with the shortest way there and back, whose edges are then required too; the flow is
balanced again, and what was required only for joining is let go where the tour holds together without it. The bound of
the flow is exact; the tour is optimal where nothing had to be joined. O(parts · E log V) and a flow for each attempt.
When time is up, what is left is joined by the ways that are known, and nothing is tried any more.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.cancellation import NEVER, Deadline
from outplay.strategy.tours.cheapest_flow import Balanced, Late, Stuck, cheapest_flow
from outplay.strategy.tours.closed_walks import Rooted
from outplay.strategy.tours.tour_network import EdgeRows

_ATTEMPTS = 40


@dataclass(frozen=True, eq=False)
class Joined:
    """The times that each edge is taken, None where parts cannot be joined in time, and the flow that no tour
    undercuts.
    """

    times: NDArray[np.int64] | None
    relaxed: Balanced
    relaxed_times: NDArray[np.int64]


def joined_tour(
    rooted: Rooted, edges: Iterable[int], *, attempts: int = _ATTEMPTS, until: Deadline = NEVER
) -> Joined | Stuck | Late:
    """Join a tour through all of some edges from the cheapest flow by the shortest detours.

    After joining, this many ways are tried to be let go, as long as there is time.
    """
    least = rooted.required(edges)
    relaxed = _balanced(rooted, least, until)
    if not isinstance(relaxed, Balanced):
        return relaxed
    relaxed_times = times = _times(least, relaxed)
    detours = _joining_detours(rooted, times, until)
    if detours is None:
        return Joined(None, relaxed, relaxed_times)
    if detours:
        balanced = _balanced(rooted, _with(least, detours), until)
        if not isinstance(balanced, Balanced):
            return Joined(None, relaxed, relaxed_times)
        times = _times(_with(least, detours), balanced)
        times = _improved(rooted, least, detours, times, attempts, until)
    return Joined(times, relaxed, relaxed_times)


def _balanced(rooted: Rooted, least: NDArray[np.int64], until: Deadline) -> Balanced | Stuck | Late:
    """The cheapest flow that balances what is required."""
    network, taken = rooted.network, np.flatnonzero(least)
    count = network.vertex_count
    entered = np.bincount(network.target[taken], minlength=count)
    return cheapest_flow(rooted.movable, entered - np.bincount(network.source[taken], minlength=count), until)


def _times(least: NDArray[np.int64], balanced: Balanced) -> NDArray[np.int64]:
    times = least.copy()
    times[: len(balanced.flow)] += balanced.flow
    return times


def _with(least: NDArray[np.int64], detours: list[list[int]]) -> NDArray[np.int64]:
    """Return what is required together with some ways."""
    more = least.copy()
    for path in detours:
        more[path] = 1
    return more


def _improved(
    rooted: Rooted,
    least: NDArray[np.int64],
    detours: list[list[int]],
    times: NDArray[np.int64],
    attempts: int,
    until: Deadline,
) -> NDArray[np.int64]:
    """Let go of one way after the other, the dearest first, as long as the tour gets cheaper and holds together."""
    best, kept = _joint_cost(rooted, times), list(detours)
    prices = rooted.network.joined
    for path in sorted(detours, key=lambda path: -sum(int(prices[edge]) for edge in path))[:attempts]:
        if until.passed:
            break
        fewer = [other for other in kept if other is not path]
        wanted = _with(least, fewer)
        tried = _balanced(rooted, wanted, until)
        if not isinstance(tried, Balanced):
            continue
        found = _times(wanted, tried)
        if len(set(rooted.parts(found)[found > 0].tolist())) == 1 and _joint_cost(rooted, found) <= best:
            best, kept, times = _joint_cost(rooted, found), fewer, found
    return times


def _joint_cost(rooted: Rooted, times: NDArray[np.int64]) -> int:
    used = np.flatnonzero(times)
    return sum(int(c) * n for c, n in zip(rooted.network.joined[used].tolist(), times[used].tolist(), strict=True))


def _joining_detours(rooted: Rooted, times: NDArray[np.int64], until: Deadline) -> list[list[int]] | None:
    """For each part but the first a way there and back; None where there is none."""
    parts = rooted.parts(times)
    first = parts[rooted.root] if rooted.root is not None else parts[times > 0][:1].max(initial=-1)
    network, detours = rooted.movable, list[list[int]]()
    number = np.full(network.vertex_count, -1)
    used = np.flatnonzero(times)
    number[rooted.network.source[used]] = number[rooted.network.target[used]] = parts[used]
    waiting = set(parts[used].tolist()) - {int(first)}
    if not waiting:
        return []
    if not rooted.problem.closed:
        network, number = rooted.problem.network, number[:-1]  # a way back must not be the end of the walk
    there = GrowingDistances(network.outgoing, network.target, network.joined)
    back = GrowingDistances(network.incoming, network.source, network.joined)
    home, queue = number.tolist(), list[tuple[int, int]]()
    new = np.flatnonzero(number == first).tolist()
    while waiting:
        for vertex in there.add(new) | back.add(new):
            if home[vertex] in waiting and vertex in there.distance and vertex in back.distance:
                heapq.heappush(queue, (there.distance[vertex] + back.distance[vertex], vertex))
        while queue and home[queue[0][1]] not in waiting:
            heapq.heappop(queue)
        if not queue:
            return None
        nearest = queue[0][1]  # lengths only get shorter, so the first of a vertex in the queue is its present one
        path = there.path(nearest) + back.path(nearest)
        detours.append(path)
        waiting.discard(home[nearest])
        new = []
        if not until.passed:
            new += np.flatnonzero(number == home[nearest]).tolist()
            new += [*network.source[path].tolist(), *network.target[path].tolist()]
    return detours


class GrowingDistances:
    """Shortest distances from a set of vertices that grows; only what gets nearer is looked at again."""

    def __init__(self, rows: EdgeRows, beyond: NDArray[np.uint32], cost: NDArray[Any]) -> None:
        self._first, self._edge = rows.first.tolist(), rows.edge.tolist()
        self._beyond, self._cost = beyond.tolist(), cost.tolist()
        self.distance: dict[int, int] = {}
        self._by: dict[int, tuple[int, int]] = {}

    def add(self, vertices: Iterable[int]) -> set[int]:
        """Put vertices into the set; returns which got nearer."""
        queue, nearer = [], set[int]()
        for vertex in vertices:
            self.distance[vertex] = 0
            self._by.pop(vertex, None)
            queue.append((0, vertex))
            nearer.add(vertex)
        heapq.heapify(queue)
        while queue:
            length, vertex = heapq.heappop(queue)
            if length > self.distance[vertex]:
                continue
            for at in range(self._first[vertex], self._first[vertex + 1]):
                edge = self._edge[at]
                beyond, further = self._beyond[edge], length + self._cost[edge]
                if beyond not in self.distance or further < self.distance[beyond]:
                    self.distance[beyond] = further
                    self._by[beyond] = edge, vertex
                    nearer.add(beyond)
                    heapq.heappush(queue, (further, beyond))
        return nearer

    def path(self, vertex: int) -> list[int]:
        """The edges of a shortest way between the set and a vertex, that at the vertex first."""
        edges = []
        while vertex in self._by:
            edge, vertex = self._by[vertex]
            edges.append(edge)
        return edges
