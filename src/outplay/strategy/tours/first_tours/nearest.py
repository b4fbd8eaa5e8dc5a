"""First tours: always on to the nearest goal that is not met, and back at last; or from the start to each and back.

The latter costs up to twice as much for each goal as the farthest one, so it is for when there is no time for anything
better: it is soon there however large the graph, in O(edges · log vertices) and the length of the tour.
"""

from __future__ import annotations

import heapq
from collections.abc import Container, Iterable

from outplay.strategy.deadline import NEVER, Deadline
from outplay.strategy.tours.errand import Errand
from outplay.strategy.tours.first_tours.joining import Spreading
from outplay.strategy.tours.rooted import Rooted

_WORK = 100_000  # vertices, as often as they may have been looked at


def nearest_goals(rooted: Rooted, until: Deadline = NEVER) -> tuple[int, ...] | None:
    """A walk that meets the goals of the first choice it can, None where it gets stuck or late. O(goals · E log V)."""
    for needed, choice in _easiest_first(rooted.errand):
        if not needed:
            return ()
        for start in _starts(rooted.errand, choice):
            walk = _Walker(rooted, until).walk(choice, needed, start)
            if walk is not None:
                return walk
            if until.passed:
                return None
    return None


def there_and_back(rooted: Rooted) -> tuple[int, ...] | None:
    """A walk that meets enough goals of the choice that needs fewest; None where some goal has no way back."""
    errand, network = rooted.errand, rooted.errand.network
    needed, choice = _easiest_first(errand)[0]
    if not needed:
        return ()
    for start in _starts(errand, choice):
        there = Spreading(network.outgoing, network.target, network.joined)
        back = Spreading(network.incoming, network.source, network.joined)
        there.add([start])
        back.add([start])
        walk = _to_and_fro(rooted, choice, there, back)
        if errand.enough(walk):
            return tuple(walk)
    return None


def _easiest_first(errand: Errand) -> list[tuple[int, frozenset[int]]]:
    """The choices of goals, each with how many of them are enough."""
    return sorted(zip(errand.needed, errand.choices, strict=True), key=lambda one: (one[0], sorted(one[1])))


def _starts(errand: Errand, choice: frozenset[int]) -> list[int]:
    """Where to begin: a tour that may begin anywhere does before the edges of the goal with the fewest."""
    if errand.start is not None:
        return [errand.start]
    goal = min((errand.goals[number] for number in choice), key=lambda goal: (len(goal), sorted(goal)))
    return list(dict.fromkeys(int(errand.network.source[edge]) for edge in sorted(goal)))


def _to_and_fro(rooted: Rooted, choice: Iterable[int], there: Spreading, back: Spreading) -> list[int]:
    network, prices = rooted.errand.network, rooted.network.joined
    source, target = network.source.tolist(), network.target.tolist()
    walk, taken = list[int](), set[int]()
    for goal in (rooted.errand.goals[number] for number in sorted(choice)):
        possible = [edge for edge in goal if source[edge] in there.distance and target[edge] in back.distance]
        if not possible or not taken.isdisjoint(goal):
            continue
        edge = min(
            possible, key=lambda one: (there.distance[source[one]] + int(prices[one]) + back.distance[target[one]], one)
        )
        path = [*there.path(source[edge])[::-1], edge, *back.path(target[edge])]
        taken.update(path)
        walk += path
    return walk


class _Wanted:
    """The edges of goals that are not met yet; each goal is looked at twice, however long the walk."""

    def __init__(self, errand: Errand, choice: frozenset[int]) -> None:
        self.edges: dict[int, set[int]] = {}
        """Each with the goals that it would meet."""
        self._goals, self.open = errand.goals, len(choice)
        for number in choice:
            for edge in errand.goals[number]:
                self.edges.setdefault(edge, set()).add(number)

    def take(self, path: Iterable[int]) -> None:
        """Strike out the goals that a way meets."""
        for met in {number for edge in path for number in self.edges.get(edge, ())}:
            self.open -= 1
            for edge in self._goals[met]:
                self.edges[edge].discard(met)
                if not self.edges[edge]:
                    del self.edges[edge]


class _Walker:
    def __init__(self, rooted: Rooted, until: Deadline) -> None:
        self.until, self.looked = until, 0
        self.errand, network = rooted.errand, rooted.errand.network
        self.first, self.edge = network.outgoing.first.tolist(), network.outgoing.edge.tolist()
        self.sources, self.target = network.source.tolist(), network.target.tolist()
        self.cost = network.joined.tolist()

    @property
    def late(self) -> bool:
        """Whether time is up, after a good deal of looking."""
        return self.looked * len(self.first) > _WORK and self.until.passed

    def walk(self, choice: frozenset[int], needed: int, start: int) -> tuple[int, ...] | None:
        wanted, walk, at = _Wanted(self.errand, choice), list[int](), start
        while wanted.open > len(choice) - needed:
            path = self.path(at, wanted.edges, None)
            if path is None or self.late:
                return None
            walk += path
            wanted.take(path)
            at = self.target[path[-1]]
        if self.errand.closed and at != start:
            path = self.path(at, frozenset(), start)
            if path is None:
                return None
            walk += path
        return tuple(walk)

    def path(self, start: int, wanted: Container[int], end: int | None) -> list[int] | None:
        """The shortest way from a vertex over one of some edges, or to an end."""
        self.looked += 1
        queue: list[tuple[int, int, int, int]] = [(0, 0, start, -1)]  # cost, 0 at a vertex and -1 after a wanted edge
        by: dict[int, tuple[int, int]] = {}
        done: set[int] = set()
        while queue:
            length, found, vertex, last = heapq.heappop(queue)
            if found:
                return [*self.back(by, start, self.sources[last]), last]
            if vertex in done:
                continue
            done.add(vertex)
            if vertex == end:
                return self.back(by, start, vertex)
            for at in range(self.first[vertex], self.first[vertex + 1]):
                edge = self.edge[at]
                beyond, further = self.target[edge], length + self.cost[edge]
                if edge in wanted:
                    heapq.heappush(queue, (further, -1, vertex, edge))
                if beyond not in done and (beyond not in by or further < by[beyond][1]):
                    by[beyond] = edge, further
                    heapq.heappush(queue, (further, 0, beyond, edge))
        return None

    def back(self, by: dict[int, tuple[int, int]], start: int, vertex: int) -> list[int]:
        edges = []
        while vertex != start:
            edges.append(by[vertex][0])
            vertex = self.sources[edges[-1]]
        return edges[::-1]
