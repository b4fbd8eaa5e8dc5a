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

The other half of a coverage guarantee: that the tester gets as much, proven in exact numbers.
A claim has for each vertex v a bound low(v) from below, in whole numbers. With w(P) for the weight of a set P, the
guarantee at v is (Wang et al. 2013, appendix A.3)
  c(v) = min( w(v) + c(u) over the answers u, if v is the system's; w(P) + max c(t) over exits t, over sets P with v ),
where P holds an answer with each of the system's vertices, and may be taken within the component of v. Every exit of
the best P is worth less than v. So by induction over c all bounds hold if at each vertex
  1. the tester can force a vertex whose bound is as large and proven by 2; or
  2. the inequality holds with low in place of c on the right.
That no set is cheaper is a statement hard for coNP. It is proven by a tree: sets whose dearest exit is worth d weigh at
least what a linear program says in which dearer exits are forbidden. A solver in floats guesses a dual of it; any dual
that is not negative gives a bound, which is added up here in whole numbers. Weights are whole, so a bound above k - 1
proves k. Where the program is too weak it is asked again with some vertex in the set, and out of it. Where that takes
too many programs nothing is proven, and so it is said.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from outplay.game.graph import SYSTEM, Game
from outplay.strategy.certificate.checker import Certificate, Checker
from outplay.strategy.certificate.covering_program import SetProgram, TooManyPrograms

Bound: TypeAlias = tuple[Fraction, int]
"""The most that may be gained, and from how many vertices; decides the order where gains are 0."""


def check_cover(game: Game, bounds: Sequence[Bound], traps: Sequence[frozenset[int]]) -> Certificate:
    """Check a coverage witness for all vertices, or raise CertificateError with the first place that is wrong."""
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


@dataclass(frozen=True)
class BoundProof:
    """The number of vertices that need a proof of their own, at which none was found, and the linear programs it
    took.
    """

    roots: int
    unproven: tuple[int, ...]
    programs: int

    @property
    def complete(self) -> bool:
        """Whether all bounds are proven; as they rest on one another, else none is."""
        return not self.unproven


def prove_coverage_bounds(
    is_system: Sequence[bool],
    successors: Sequence[Sequence[int]],
    weight: Sequence[int],
    low: Sequence[int],
    components: Iterable[Sequence[int]],
    most: int = 2_000,
    seconds: float = math.inf,
) -> BoundProof:
    """Prove bounds of coverage from below at all vertices, within this many linear programs and this time."""
    work = Proving(is_system, successors, weight, low, most)
    work.deadline = time.monotonic() + seconds
    for members in components:
        work.component(list(members))
    return BoundProof(work.roots, tuple(work.unproven), work.programs)


class Proving:
    """The claim, and how far its proof has come: a game with weights, and how many programs there may be."""

    def __init__(
        self,
        is_system: Sequence[bool],
        successors: Sequence[Sequence[int]],
        weight: Sequence[int],
        low: Sequence[int],
        most: int,
    ) -> None:
        self.is_system, self.successors, self.weight, self.low, self.most = is_system, successors, weight, low, most
        self.roots, self.unproven, self.programs = 0, list[int](), 0
        self.deadline, self.given_up = math.inf, False
        self.before: list[list[int]] = [[] for _ in successors]
        for vertex, targets in enumerate(successors):
            for target in targets:
                self.before[target].append(vertex)

    def component(self, members: list[int]) -> None:
        """Find the vertices of a component that need a proof of their own, and prove them."""
        inside, done = set(members), set[int]()
        forcing = {member: self.forcing(member, inside) for member in members}
        for vertex in sorted(members, key=lambda v: (-self.low[v], -len(forcing[v]), v)):
            if vertex in done:
                continue
            self.roots += 1
            try:
                proven = not self.given_up and time.monotonic() <= self.deadline and self.answered(vertex)
                proven = proven and self.offered(vertex, inside, forcing[vertex])
            except TooManyPrograms:
                proven, self.given_up = False, True
            if not proven:
                self.unproven.append(vertex)
            done |= forcing[vertex]

    def forcing(self, goal: int, inside: set[int]) -> set[int]:
        """The vertices of a component from which the tester is sure to come to a vertex; it alone when time is up."""
        found, newest = {goal}, {goal}
        while newest and time.monotonic() <= self.deadline:
            near = {before for vertex in newest for before in self.before[vertex] if before in inside}
            newest = {vertex for vertex in near if vertex not in found and self.leads(vertex, found)}
            found |= newest
        return found

    def leads(self, vertex: int, found: set[int]) -> bool:
        """Say whether the tester can go from a vertex into a set, or the system has to."""
        ahead = (target in found for target in self.successors[vertex])
        return all(ahead) if self.is_system[vertex] else any(ahead)

    def answered(self, vertex: int) -> bool:
        """Say whether the bound is right where the system leaves a vertex of its own at once."""
        answers = self.successors[vertex] if self.is_system[vertex] else ()
        if not answers or vertex in answers:
            return True
        return self.low[vertex] <= self.weight[vertex] + min(self.low[target] for target in answers)

    def offered(self, vertex: int, inside: set[int], forcing: set[int]) -> bool:
        """Say whether all sets with a vertex cost its bound at least."""
        need, own = self.low[vertex], self.weight[vertex]
        # An exit to what can force the vertex is worth no less than it; one that is too dear needs no set.
        exits = {
            target
            for member in inside
            if not self.is_system[member]
            for target in self.successors[member]
            if target not in forcing and self.low[target] + own < need
        }
        prices = sorted({0, *(self.low[target] for target in exits)})
        return self.between(vertex, sorted(inside), exits, prices, 0, len(prices) - 1)

    def between(
        self, vertex: int, members: list[int], exits: set[int], prices: list[int], first: int, last: int
    ) -> bool:
        """Prove sets whose dearest exit has one of some prices: all at once, or else in two halves."""
        allowed = {target for target in exits if self.low[target] <= prices[last]}
        need = self.low[vertex] - prices[first]
        program = SetProgram(self, members, allowed, vertex)
        if program.proves(need, branches=first == last):
            return True
        middle = (first + last) // 2
        return first < last and (
            self.between(vertex, members, exits, prices, first, middle)
            and self.between(vertex, members, exits, prices, middle + 1, last)
        )
