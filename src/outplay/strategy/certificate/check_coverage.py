"""The checker of coverage witnesses: confirms what the system can hold the tester to, in exact numbers.

A claim has for each vertex v a bound and a set, which the system offers the tester there. A bound is a pair: what may
be gained, and how many vertices may be visited, compared in that order. It is consistent (Wang et al. 2013, appendix
A.3, with gains in place of sizes) if v is in its set P and
  S. where P is v alone, a vertex of the system that has answers but no loop: the bound is v's own gain and one vertex,
     plus the least bound of an answer;
  T. else: with each vertex of the system that has answers one of them is in P, and the bound is the gain and size of P,
     plus the greatest bound of a vertex outside P that the tester can go to from P.
By induction over the bounds the system, which stays in P as long as the tester does, holds the tester to them: behind
an exit the bound is smaller, as at least one vertex lies before it. This is Lemma 4, and Lemma 3 is that checking is
polynomial: O(vertices × edges). That the tester gets as much is a statement of the other kind, for which no short
proof is known; it rests on the search.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

from outplay.game.graph import SYSTEM, Game
from outplay.strategy.certificate.checker import Certificate, Checker

Bound: TypeAlias = tuple[Fraction, int]
"""The most that may be gained, and from how many vertices; decides the order where gains are 0."""


def check_cover(game: Game, bounds: Sequence[Bound], traps: Sequence[frozenset[int]]) -> Certificate:
    """Confirm a witness for all vertices, or raise CertificateError with the first place that is wrong."""
    return _CoverChecker(game, bounds, traps).confirm(())


class _CoverChecker(Checker):
    def __init__(self, game: Game, bounds: Sequence[Bound], traps: Sequence[frozenset[int]]) -> None:
        super().__init__(game, bounds, traps)
        self.bounds, self.traps = bounds, traps
        counted = game.is_state.tolist()
        self.gains = [Fraction(game.gain[v] or 0) if counted[v] else Fraction(0) for v in range(game.vertex_count)]
        self.parts = math.lcm(*(gain.denominator for gain in self.gains))
        self.whole = [int(gain * self.parts) for gain in self.gains]  # sums of whole numbers are soon made
        self.confirmed: dict[frozenset[int], Bound] = {}
        """Sets that are whole, with what they are worth; many vertices share one."""

    def check_goal(self, vertex: int) -> None:
        raise AssertionError("coverage has no goals")

    def check(self, vertex: int, edges: range) -> None:
        trap, targets = self.traps[vertex], {self.target[edge] for edge in edges}
        self.ensure(vertex in trap, vertex, "it is not in the set that is offered there")
        if len(trap) == 1 and self.owner[vertex] == SYSTEM and targets and vertex not in targets:
            worth = _sum((self.gains[vertex], 1), min(self.bounds[target] for target in targets))
        else:
            if trap not in self.confirmed:
                self.confirmed[trap] = self.worth(vertex, trap)
            worth = self.confirmed[trap]
        self.ensure(worth == self.bounds[vertex], vertex, "the set that is offered does not have the bound claimed")

    def worth(self, vertex: int, trap: frozenset[int]) -> Bound:
        """Check that the system can stay in a set, and add up what it gives away."""
        self.ensure(all(0 <= member < len(self.owner) for member in trap), vertex, "the set has unknown vertices")
        exits: set[int] = set()
        for member in trap:
            targets = self.target[self.first[member] : self.first[member + 1]]
            if self.owner[member] == SYSTEM:
                stays = not targets or any(target in trap for target in targets)
                self.ensure(stays, vertex, f"the system has to leave the set at {self.game.names[member]!r}")
            else:
                exits.update(target for target in targets if target not in trap)
        inside = Fraction(sum(self.whole[member] for member in trap), self.parts), len(trap)
        return _sum(inside, max((self.bounds[target] for target in exits), default=(Fraction(0), 0)))


def _sum(one: Bound, other: Bound) -> Bound:
    return one[0] + other[0], one[1] + other[1]
