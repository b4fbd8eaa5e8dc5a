"""What the system plays to hold the tester down: a bound and a set at each vertex (Wang et al. 2013, appendix A.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heappush

from outplay.strategy.certificate.covering import Bound
from outplay.strategy.coverage.settling import Settled
from outplay.strategy.coverage.weighted_game import WeightedGame


@dataclass(frozen=True)
class Witness:
    """At each vertex the set that the system lets the tester have there, and a bound on all that the tester gets."""

    bounds: Sequence[Bound]
    traps: Sequence[frozenset[int]]

    def offered(self, vertex: int, before: frozenset[int], weighted: WeightedGame) -> frozenset[int]:
        """The set on offer when a play comes to a vertex: that from before while it is not left; none in passing.

        The paper has the system give an offer up at every vertex of case S, even inside the offer; then what was
        visited of it is not paid for, and the tester can get more than the bound.
        """
        if vertex in before:
            return before
        return frozenset() if is_passing(vertex, self.traps[vertex], weighted) else self.traps[vertex]

    def answer(self, vertex: int, offer: frozenset[int], weighted: WeightedGame) -> int:
        """Where the system goes from a vertex of its own, the same whenever the play comes there with this offer."""
        inside = [target for target in weighted.successors[vertex] if target in offer]
        return min(inside or weighted.successors[vertex], key=lambda target: (self.bounds[target], target))


def witness_of(weighted: WeightedGame, found: Settled) -> Witness:
    """Add up what the sets are worth, in exact numbers, the smallest bounds first, so that exits are known."""
    bounds: list[Bound | None] = [None] * weighted.count
    passing = [is_passing(vertex, trap, weighted) for vertex, trap in enumerate(found.trap)]
    ahead = [
        set(weighted.successors[v]) if passing[v] else weighted.exits(found.trap[v]) for v in range(weighted.count)
    ]
    waiting: dict[int, list[int]] = {}
    for vertex, exits in enumerate(ahead):
        for target in exits:
            waiting.setdefault(target, []).append(vertex)
    inside = [
        (sum(map(weighted.gain, map(weighted.weight.__getitem__, trap)), Fraction(0)), len(trap)) for trap in found.trap
    ]
    queue = [(inside[vertex], vertex) for vertex, exits in enumerate(ahead) if not exits]
    heapify(queue)
    while queue:
        bound, reached = heappop(queue)
        if bounds[reached] is not None:
            continue
        bounds[reached] = bound
        for vertex in waiting.get(reached, ()):
            ahead[vertex].discard(reached)
            if passing[vertex] or not ahead[vertex]:  # the least of the answers, the greatest of the exits
                heappush(queue, ((inside[vertex][0] + bound[0], inside[vertex][1] + bound[1]), vertex))
    return Witness([bound for bound in bounds if bound is not None], found.trap)


def is_passing(vertex: int, trap: frozenset[int], weighted: WeightedGame) -> bool:
    """Whether the system leaves a vertex of its own at once, for where the tester gets least (case S)."""
    targets = weighted.successors[vertex]
    return weighted.is_system[vertex] and trap == {vertex} and bool(targets) and vertex not in targets
