"""What the system plays to hold the tester down: a bound and a set at each vertex (Wang et al. 2013, appendix A.3)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heapify, heappop, heappush

from outplay.groups import grouped
from outplay.strategy.certificate.check_coverage import Bound
from outplay.strategy.coverage.settling import Settled
from outplay.strategy.coverage.weighted_game import WeightedGame


@dataclass(frozen=True)
class Witness:
    """At each vertex the set that the system lets the tester have there, and a bound on all that the tester gets."""

    bounds: Sequence[Bound]
    traps: Sequence[frozenset[int]]

    def offered(self, vertex: int, before: frozenset[int], weighted: WeightedGame) -> frozenset[int]:
        """The set on offer when a play comes to a vertex: that from before while it is not left; none in passing.

        In Wang et al. 2013 the system gives an offer up at every vertex of case S, even inside the offer; then what was
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
    at = grouped((trap, vertex) for vertex, trap in enumerate(found.trap))  # many vertices share one set
    passing = {trap for trap, vertices in at.items() if is_passing(vertices[0], trap, weighted)}
    ahead = {trap: weighted.exits(trap) for trap in at.keys() - passing}
    ahead |= {trap: set(weighted.successors[at[trap][0]]) for trap in passing}
    waiting = grouped((target, trap) for trap, exits in ahead.items() for target in exits)
    gains = [weight // weighted.unit for weight in weighted.weight]
    inside = {trap: (Fraction(sum(gains[v] for v in trap), weighted.denominator), len(trap)) for trap in at}
    queue = [(inside[trap], vertex) for trap, vertices in at.items() if not ahead[trap] for vertex in vertices]
    heapify(queue)
    while queue:
        bound, reached = heappop(queue)
        if bounds[reached] is not None:
            continue
        bounds[reached] = bound
        for trap in waiting.get(reached, ()):
            ahead[trap].discard(reached)
            if trap in passing or not ahead[trap]:  # the least of the answers, the greatest of the exits
                worth = inside[trap][0] + bound[0], inside[trap][1] + bound[1]
                for vertex in at[trap]:
                    heappush(queue, (worth, vertex))
    return Witness([bound for bound in bounds if bound is not None], found.trap)


def is_passing(vertex: int, trap: frozenset[int], weighted: WeightedGame) -> bool:
    """Whether the system leaves a vertex of its own at once, for where the tester gets least (case S)."""
    targets = weighted.successors[vertex]
    return weighted.is_system[vertex] and trap == {vertex} and bool(targets) and vertex not in targets
