"""The answer of the coverage solver: how much is sure, the system's witness against more, and the tester's strategy.

The play of the system that holds the tester down: a bound and a set at each vertex (Wang et al. 2013, appendix
A.3).

The maximal coverage guarantee: how much the tester is sure to visit, whatever the system does. Definition (Wang, Wu,
Schewe and Huang 2013, section 4): a play gains the sum of the gains of the vertices it visits, each once; the guarantee
of a vertex is the most, over all strategies of the tester, of the least, over all behaviours of the system, that a play
from there gains. With `restart` the tester may reset the system at any time and goes on with what it has. Deciding
whether the guarantee is below a number is NP-complete. The system has an optimal strategy of polynomial size, the
witness, which is found by integer programs (guarantee_bounds.py) and confirmed in exact numbers
(certificate/check_coverage.py); the tester's takes the memory of what was visited (coverage_strategy.py). Bound:
exponential in the largest strongly connected part; games of a hundred vertices take seconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np

from outplay.cancellation import deadline
from outplay.errors import UsageError
from outplay.game.goals.goal import AnyOf
from outplay.game.goals.target import Wanted
from outplay.game.graph import Game
from outplay.game.reset import RESET, with_reset
from outplay.grouping import grouped
from outplay.strategy.answer import Answer
from outplay.strategy.certificate.check_coverage import Bound, BoundProof, check_cover, prove_coverage_bounds
from outplay.strategy.certificate.checker import Certificate
from outplay.strategy.coverage.coverage_strategy import Learning, Touring
from outplay.strategy.coverage.guarantee_bounds import Progress, Settled, settle_guarantees
from outplay.strategy.coverage.weighted_game import WeightedGame, weighted_game
from outplay.strategy.number_format import format_number, json_number


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
        return frozenset() if _is_passing(vertex, self.traps[vertex], weighted) else self.traps[vertex]

    def answer(self, vertex: int, offer: frozenset[int], weighted: WeightedGame) -> int:
        """Return the move of the system from a vertex of its own, the same whenever the play comes there with this
        offer.
        """
        inside = [target for target in weighted.successors[vertex] if target in offer]
        return min(inside or weighted.successors[vertex], key=lambda target: (self.bounds[target], target))


def _witness_of(weighted: WeightedGame, found: Settled) -> Witness:
    """Add up what the sets are worth, in exact numbers, the smallest bounds first, so that exits are known."""
    bounds: list[Bound | None] = [None] * weighted.count
    at = grouped((trap, vertex) for vertex, trap in enumerate(found.trap))  # many vertices share one set
    passing = {trap for trap, vertices in at.items() if _is_passing(vertices[0], trap, weighted)}
    ahead = {trap: weighted.exits(trap) for trap in at.keys() - passing}
    ahead |= {trap: set(weighted.successors[at[trap][0]]) for trap in passing}
    waiting = grouped((target, trap) for trap, exits in ahead.items() for target in exits)
    inside = {trap: (Fraction(sum(weighted.gains[v] for v in trap), weighted.denominator), len(trap)) for trap in at}
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


def _is_passing(vertex: int, trap: frozenset[int], weighted: WeightedGame) -> bool:
    """Say whether the system leaves a vertex of its own at once, for where the tester gets least (case S)."""
    targets = weighted.successors[vertex]
    return weighted.is_system[vertex] and trap == {vertex} and bool(targets) and vertex not in targets


MOST_SECONDS, _MOST_PROGRAMS = 20.0, 2_000  # for a proof; games of a hundred vertices take some hundreds, and seconds
_SHOWN = 8  # vertices of an offer that are named; `--json` has them all


@dataclass(frozen=True, eq=False, repr=False)
class Coverage(Answer):
    """The gain that the tester is sure of from every vertex by visiting others, against the worst of all systems."""

    weighted: WeightedGame
    found: Settled
    seconds: float = MOST_SECONDS
    """The time that a proof of the bounds may take."""

    @cached_property
    def witness(self) -> Witness:
        """Return the strategy of the system that holds the tester to the upper bounds."""
        return _witness_of(self.weighted, self.found)

    def bounds_of(self, vertex: int) -> tuple[Fraction, Fraction]:
        """Return the least and the most that the tester is sure to gain from a vertex; the same where time was
        enough.
        """
        return self.weighted.gain(self.found.low[vertex]), self.witness.bounds[vertex][0]

    def value_of(self, vertex: int) -> Fraction | None:
        """The guarantee from a vertex; None where there was no time to find it."""
        low, high = self.bounds_of(vertex)
        return low if low == high else None

    @property
    def total(self) -> Fraction:
        """The total to be gained."""
        return self.weighted.gain(self.weighted.weigh(range(self.weighted.count)))

    @cached_property
    def strategy(self) -> Touring:
        return Touring(self.game, self.weighted)

    @cached_property
    def persistent(self) -> Touring:
        """The same, but what one play has visited the next ones need not visit again."""
        return Learning(self.game, self.weighted)

    def check(self) -> Certificate:
        return check_cover(self.game, self.witness.bounds, self.witness.traps)

    @property
    def sentence(self) -> str:
        low, high = self.bounds_of(self.game.initial)
        sure = f"{format_number(low)} of {format_number(self.total)} are sure to be covered"
        played = f"the strategy played is proven to cover {format_number(self.strategy.proven)}"
        if low == high:
            return f"{sure}, whatever the system does; no tester is sure of more; {played}"
        return f"{sure}, and no tester is sure of more than {format_number(high)}; time ran out between them; {played}"

    @cached_property
    def proof(self) -> BoundProof:
        """Whether the bounds from below are proven in exact numbers; they were found in floats."""
        weighted = self.weighted
        claim = weighted.is_system, weighted.successors, weighted.weight, self.found.low, weighted.components
        return prove_coverage_bounds(*claim, most=_MOST_PROGRAMS, seconds=self.seconds)

    def lines(self) -> list[str]:
        """Describe what the system offers, and what guarantees that the tester gets as much."""
        if self.proof.complete:
            return [*self.offers(), "that a tester gets as much is proven in exact numbers"]
        return [*self.offers(), "that a tester gets as much rests on floats: a proof would take too long"]

    def offers(self) -> list[str]:
        """Return the offers of the system, set by set, as a tester meets them that takes the best exits."""
        offer, lines, seen = self.witness.traps[self.game.initial], [], set()
        while offer not in seen:
            seen.add(offer)
            if gaining := [vertex for vertex in sorted(offer) if self.weighted.gain(self.weighted.weight[vertex])]:
                lines.append(f"the system lets the tester have {self._listed(gaining)}")
            ahead = self.weighted.exits(offer)
            if not ahead and len(offer) == 1:
                (vertex,) = offer
                answers = self.weighted.successors[vertex]
                ahead = {self.witness.answer(vertex, frozenset(), self.weighted)} - offer if answers else set()
            if ahead:
                offer = self.witness.traps[max(ahead, key=self.witness.bounds.__getitem__)]
        return lines

    def _listed(self, vertices: list[int]) -> str:
        more = f" and {len(vertices) - _SHOWN:,} more" if len(vertices) > _SHOWN else ""
        return ", ".join(self.vertex_words(vertex) for vertex in vertices[:_SHOWN]) + more

    @property
    def warnings(self) -> tuple[str, ...]:
        stopped = self.game.origin.stopped
        cut = (f"{stopped}; what lies behind is not counted",) if stopped else ()
        return (*self.game.origin.cautions, *cut)

    def json_details(self, exact: bool) -> dict[str, Any]:
        low, high = self.bounds_of(self.game.initial)
        bounds, total = [json_number(low, exact), json_number(high, exact)], json_number(self.total, exact)
        played = json_number(self.strategy.proven, exact)
        return {
            "bounds": bounds,
            "played": played,
            "total": total,
            "proven": self.proof.complete,
            "witness": self.json_witness(),
        }

    def json_witness(self) -> dict[str, Any]:
        """The sets that the system offers, each once, and which of them at each vertex, as JSON."""
        names, numbers = self.game.names, dict[frozenset[int], int]()
        at = {names[v]: numbers.setdefault(trap, len(numbers)) for v, trap in enumerate(self.witness.traps)}
        return {"offers": [[names[vertex] for vertex in sorted(trap)] for trap in numbers], "at": at}


TIME_LIMIT = 30.0  # seconds
_SEARCH, _LEAST_SECONDS = 0.6, 0.5  # of the time there is for the search, the rest for its proof, which has a little


def cover_nodes(
    game: Game,
    goal: Wanted = (),
    *,
    restart: bool = False,
    time_limit: float | None = TIME_LIMIT,
    progress: Progress | None = None,
    everywhere: bool = True,
) -> Coverage:
    """Find the guaranteed node coverage from every vertex; after `time_limit` seconds there are bounds.

    The last part of that time is kept for the proof of the bounds. Where it is asked only for the initial vertex, and
    not `everywhere`, others may have bounds too. Without a limit (None) the search may take very long.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("v0", "tester").vertex("v1", "tester").vertex("v2", "tester")
    >>> builder = builder.vertex("v3", "system").edge("v0", "v1").edge("v0", "v2").edge("v1", "v3").edge("v2", "v3")
    >>> game = builder.edge("v3", "v1").edge("v3", "v2").build()
    >>> cover_nodes(game).bounds_of(0)
    (Fraction(3, 1), Fraction(3, 1))
    >>> cover_nodes(game, restart=True).value
    Fraction(4, 1)
    """
    if goal != () and goal != []:
        raise UsageError("`cover-nodes` is about all that can be visited: leave the goal out")
    if restart and RESET not in game.labels:
        game = with_reset(game)
    until = deadline(time_limit)
    weighted = weighted_game(game)
    found = settle_guarantees(weighted, until.share(_SEARCH), progress, None if everywhere else game.initial)
    seconds = MOST_SECONDS if until.left is None else min(MOST_SECONDS, max(_LEAST_SECONDS, until.left))
    return Coverage(game, AnyOf(()), np.zeros(0, dtype=np.uint32), weighted, found, seconds)
