"""What the tester is sure to get from a vertex when it has visited some already: minimax over visited sets.

With S visited and the play at v in S, the tester's next gain is a vertex outside S. So the vertices of S are a small
reachability game whose ends are the edges out of S, each worth what is sure with one vertex more. Sets are looked at
when they are asked for; there may be exponentially many, as is to be expected of a problem that is hard for NP.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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
    work = _VisitedSets(weighted, most)
    try:
        work.of(1 << start)
    except _TooManySets:
        return {}
    return work.known


class _TooManySets(Exception):
    pass


class _VisitedSets:
    def __init__(self, weighted: WeightedGame, most: int) -> None:
        self._weighted, self._most = weighted, most
        self.known: dict[int, dict[int, Sure]] = {}

    def of(self, visited: int) -> dict[int, Sure]:
        if visited not in self.known:
            if len(self.known) >= self._most:
                raise _TooManySets
            self.known[visited] = {}  # counted before those behind it
            self.known[visited] = self._solved(visited)
        return self.known[visited]

    def _solved(self, visited: int) -> dict[int, Sure]:
        weighted = self._weighted
        inside = [vertex for vertex in range(weighted.count) if visited >> vertex & 1]
        ends: dict[int, list[tuple[int, int]]] = {}
        for vertex in inside:
            for target in weighted.successors[vertex]:
                if not visited >> target & 1:
                    ends.setdefault(self.of(visited | 1 << target)[target].weight, []).append((vertex, target))
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
