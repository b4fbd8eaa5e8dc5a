"""Tours that are soon found: to the nearest goal, or there and back; and a tour made better by exchanging edges.

First tours: always on to the nearest goal that is not met, and back at last; or from the start to each and back. The
latter costs up to twice as much for each goal as the farthest one, so it is for when there is no time for anything
better: it is soon there however large the graph, in O(edges · log vertices) and the length of the tour.

A tour made better by exchanging the edges that count for its goals, one at a time. For each goal in turn the tour is
joined anew with another of its edges, or with none where the tour meets the goal anyway, and the change stays if the
tour gets no dearer. It ends when no change helps, or when time is up. Each attempt is a flow and a joining, so a goal
with many edges tries only some of them.
"""

from __future__ import annotations

import heapq
from collections.abc import Container, Iterable, Mapping

from outplay.cancellation import NEVER, Deadline
from outplay.strategy.tours.closed_walks import Rooted
from outplay.strategy.tours.joined_tour import GrowingDistances, Joined, joined_tour
from outplay.strategy.tours.postman_problem import PostmanProblem
from outplay.strategy.tours.tour_network import Cost

_WORK = 100_000  # vertices, as often as they may have been looked at


def nearest_goals_walk(rooted: Rooted, until: Deadline = NEVER) -> tuple[int, ...] | None:
    """Find a walk quickly, always to the nearest goal; None where it gets stuck or late. O(goals · E log V)."""
    for needed, choice in _easiest_first(rooted.problem):
        if not needed:
            return ()
        for start in _starts(rooted.problem, choice):
            walk = _Walker(rooted, until).walk(choice, needed, start)
            if walk is not None:
                return walk
            if until.passed:
                return None
    return None


def there_and_back_walk(rooted: Rooted) -> tuple[int, ...] | None:
    """Find a walk quickly, to each goal and back; None where some goal has no way back."""
    problem, network = rooted.problem, rooted.problem.network
    needed, choice = _easiest_first(problem)[0]
    if not needed:
        return ()
    for start in _starts(problem, choice):
        there = GrowingDistances(network.outgoing, network.target, network.joined)
        back = GrowingDistances(network.incoming, network.source, network.joined)
        there.add([start])
        back.add([start])
        walk = _to_and_fro(rooted, choice, there, back)
        if problem.enough(walk):
            return tuple(walk)
    return None


def _easiest_first(problem: PostmanProblem) -> list[tuple[int, frozenset[int]]]:
    """The choices of goals, each with how many of them are enough."""
    return sorted(zip(problem.needed, problem.choices, strict=True), key=lambda one: (one[0], sorted(one[1])))


def _starts(problem: PostmanProblem, choice: frozenset[int]) -> list[int]:
    """Return the possible beginnings: a tour that may begin anywhere does before the edges of the goal with the
    fewest.
    """
    if problem.start is not None:
        return [problem.start]
    goal = min((problem.goals[number] for number in choice), key=lambda goal: (len(goal), sorted(goal)))
    return list(dict.fromkeys(int(problem.network.source[edge]) for edge in sorted(goal)))


def _to_and_fro(rooted: Rooted, choice: Iterable[int], there: GrowingDistances, back: GrowingDistances) -> list[int]:
    network, prices = rooted.problem.network, rooted.network.joined
    source, target = network.source.tolist(), network.target.tolist()
    walk, taken = list[int](), set[int]()
    for goal in (rooted.problem.goals[number] for number in sorted(choice)):
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

    def __init__(self, problem: PostmanProblem, choice: frozenset[int]) -> None:
        self.edges: dict[int, set[int]] = {}
        """Each with the goals that it would meet."""
        self._goals, self.open = problem.goals, len(choice)
        for number in choice:
            for edge in problem.goals[number]:
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
        self.problem, network = rooted.problem, rooted.problem.network
        self.first, self.edge = network.outgoing.first.tolist(), network.outgoing.edge.tolist()
        self.sources, self.target = network.source.tolist(), network.target.tolist()
        self.cost = network.joined.tolist()

    @property
    def late(self) -> bool:
        """Whether time is up, after a good deal of looking."""
        return self.looked * len(self.first) > _WORK and self.until.passed

    def walk(self, choice: frozenset[int], needed: int, start: int) -> tuple[int, ...] | None:
        wanted, walk, at = _Wanted(self.problem, choice), list[int](), start
        while wanted.open > len(choice) - needed:
            path = self.path(at, wanted.edges, None)
            if path is None or self.late:
                return None
            walk += path
            wanted.take(path)
            at = self.target[path[-1]]
        if self.problem.closed and at != start:
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


_TRIED = 8
_JOINING = 5  # attempts to let go of a way, while there is more to try
_ROUNDS = 4


def exchange_edges(rooted: Rooted, counting: Mapping[int, int], until: Deadline) -> tuple[int, ...] | None:
    """Improve a walk by exchanging the edges that count for goals; None where they cannot be joined."""
    kept: dict[int, int | None] = dict(counting)
    best = _tried(rooted, kept, until)
    if best is None:
        return None
    for _ in range(_ROUNDS):
        before = best
        for goal in kept:
            for edge in [None, *_candidates(rooted, goal, kept[goal])]:
                if until.passed:
                    return best[1]
                found = _tried(rooted, kept | {goal: edge}, until)
                if found is not None and found[0] < best[0]:
                    best, kept[goal] = found, edge
        if best[0] == before[0]:
            break
    return best[1]


def _candidates(rooted: Rooted, goal: int, now: int | None) -> list[int]:
    """Some other edges of a goal, spread over all of them."""
    edges = sorted(rooted.problem.goals[goal])
    return [edge for edge in edges[:: max(1, len(edges) // _TRIED)] if edge != now]


def _tried(rooted: Rooted, counting: Mapping[int, int | None], until: Deadline) -> tuple[Cost, tuple[int, ...]] | None:
    """The tour through the edges that count, if it meets all their goals."""
    edges = {edge for edge in counting.values() if edge is not None}
    found = joined_tour(rooted, edges, attempts=_JOINING, until=until)
    if not isinstance(found, Joined) or found.times is None:
        return None
    walk = rooted.walk(found.times)
    return (rooted.problem.network.cost_of(walk), walk) if rooted.problem.met(walk) >= counting.keys() else None
