"""What the tester is sure to get from a vertex when it has visited some already: minimax over visited sets.

With S visited and the play at v in S, the tester's next gain is a vertex outside S. So the vertices of S are a small
reachability game whose ends are the edges out of S, each worth what is sure with one vertex more. Sets are looked at
when they are asked for; there may be exponentially many, as is to be expected of a problem that is hard for NP.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from outplay.groups import grouped
from outplay.strategy.coverage.weighted_game import WeightedGame


@dataclass(frozen=True)
class Sure:
    """What the play weighs in the end, and where the tester goes for it; None where nothing more is sure."""

    weight: int
    target: int | None


def visited_sets(weighted: WeightedGame, start: int, most: int) -> Mapping[int, Mapping[int, Sure]]:
    """What is sure with every set that a play from a vertex may visit; sets are numbers, a bit for each vertex.

    Where there are more than `most`, nothing is told.
    """
    work = _VisitedSets(weighted)
    sets = work.behind(1 << start, most)
    for visited in reversed(sets):  # the largest first: what a set is worth hangs on those with one vertex more
        work.known[visited] = work.solved(visited)
    return work.known


class _VisitedSets:
    def __init__(self, weighted: WeightedGame) -> None:
        self._weighted = weighted
        self.known: dict[int, dict[int, Sure]] = {}

    def behind(self, first: int, most: int) -> list[int]:
        """A set and all that may come of it, each after those with fewer vertices; none where there are too many."""
        found, order = {first}, [first]
        for visited in order:
            for _, target in self._exits(visited):
                if (more := visited | 1 << target) not in found:
                    if len(found) >= most:
                        return []
                    found.add(more)
                    order.append(more)
        return order

    def _inside(self, visited: int) -> list[int]:
        return [vertex for vertex in range(self._weighted.count) if visited >> vertex & 1]

    def _exits(self, visited: int) -> Iterator[tuple[int, int]]:
        """The edges out of a set."""
        for vertex in self._inside(visited):
            for target in self._weighted.successors[vertex]:
                if not visited >> target & 1:
                    yield vertex, target

    def solved(self, visited: int) -> dict[int, Sure]:
        """What is sure at each vertex of a set, where it is known of all sets with one vertex more."""
        weighted, inside = self._weighted, self._inside(visited)
        ends = grouped((self.known[visited | 1 << edge[1]][edge[1]].weight, edge) for edge in self._exits(visited))
        found: dict[int, Sure] = {}
        left = {vertex: len(weighted.successors[vertex]) for vertex in inside}
        for weight in sorted(ends, reverse=True):
            self._attract(weight, ends[weight], visited, found, left)
        weighs = weighted.weigh(inside)
        return {vertex: found.get(vertex, Sure(weighs, None)) for vertex in inside}

    def _attract(
        self, weight: int, edges: list[tuple[int, int]], visited: int, found: dict[int, Sure], left: dict[int, int]
    ) -> None:
        """Add the vertices from which one of some edges, or one worth more, is sure to be taken."""
        weighted, stack = self._weighted, edges.copy()
        while stack:
            vertex, target = stack.pop()
            if vertex in found:
                continue
            left[vertex] -= 1
            if weighted.is_system[vertex] and left[vertex]:
                continue
            found[vertex] = Sure(weight, None if weighted.is_system[vertex] else target)
            stack += [(before, vertex) for before in weighted.predecessors[vertex] if visited >> before & 1]
