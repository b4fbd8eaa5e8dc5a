"""The checker of joker answers: confirms them from the definition, in whole numbers, sharing no code with any solver.

A claim has for each vertex a row of changes (left, moves, rank, edge): with `left` jokers in hand or more, until the
next change, this many moves suffice; with fewer than in its first change, none do. T_j(v) below is what the row says.
  1. In a row `left` rises. A goal's row is the one entry of 0 jokers and 0 moves.
  2. No better: for each number of jokers, T_j(v) is at most moves + T_j at each edge of a tester vertex, at most the
     largest such sum over all edges of a system vertex, and at most each moves + T_(j−1) there.
  3. No worse: the named edge, or all edges where none is named, attains T_j(v); along an edge that counts no move and
     keeps T_j, the rank falls.
With prices, `left` is what is left to pay with: a joker at an edge costs that edge's price (None where it cannot be
had) in place of 1, and T counts weights in place of moves. A joker that costs nothing is a step like any other in 3.
Condition 2 holds by induction along any strategy that arrives, so none is better; by condition 3 jokers in hand, moves
and rank fall together in lexicographic order, so this one arrives. Both sides change only where a row of the vertex or
of a target does, so only there they are looked at. Bound: O(changes × out-degree) whole-number operations.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Collection, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from outplay.game.graph import SYSTEM, Game
from outplay.strategy.certificate.checker import Certificate, Checker

Amount: TypeAlias = int | Fraction
Change: TypeAlias = tuple[Amount, Amount, int, int]
Row: TypeAlias = Sequence[Change]
NEVER = math.inf  # compares with exact numbers exactly, and is the only number here that is none


def check_joker(
    game: Game,
    goals: Collection[int],
    claim: Sequence[Row],
    limit: int | None = None,
    avoided: Collection[int] = (),
    *,
    prices: Sequence[Amount | None] | None = None,
    weights: Sequence[Amount] | None = None,
) -> Certificate:
    """Check a joker claim for all vertices, or raise CertificateError with the first place that is wrong.

    Without a limit a vertex without row is claimed to be beyond all help; with one, to need more jokers than that. A
    claim about strategies that never enter the `avoided` vertices has no rows there, so that no edge to them is any
    good.
    """
    priced = [1] * game.edge_count if prices is None else prices
    return _JokerChecker(game, claim, limit, avoided, priced, weights).confirm(goals)


class _JokerChecker(Checker):
    def __init__(
        self,
        game: Game,
        claim: Sequence[Row],
        limit: int | None,
        avoided: Collection[int],
        prices: Sequence[Amount | None],
        weights: Sequence[Amount] | None,
    ) -> None:
        super().__init__(game, claim)
        self.avoided = frozenset(avoided)
        self.claim, self.complete = claim, limit is None
        # A complete claim says nothing about more jokers than any vertex needs.
        self.limit = max((row[0][0] for row in claim if row), default=0) if limit is None else limit
        self.lefts = [[change[0] for change in row] for row in claim]
        self.moves, self.prices = game.moves.tolist() if weights is None else weights, prices

    def check_goal(self, vertex: int) -> None:
        row = [tuple(change[:2]) for change in self.claim[vertex]]
        self.ensure(row == [(0, 0)], vertex, "a goal does not take 0 jokers and 0 moves")
        self.ensure(vertex not in self.avoided, vertex, "a goal is avoided")

    def check(self, vertex: int, edges: range) -> None:
        row = self.claim[vertex]
        if vertex in self.avoided:
            self.ensure(not row, vertex, "to be avoided, but something is claimed of it")
            return
        self.check_order(vertex, row)
        if not row and self.complete:
            out = [edge for edge in edges if self.claim[self.target[edge]]]
            if self.owner[vertex] == SYSTEM and len(out) < len(edges):  # it need not go out by itself
                out = [edge for edge in out if self.prices[edge] is not None]
            self.ensure(not out, vertex, "called beyond help, but an edge leads out")
            return
        for left in self.levels(vertex, edges):
            self.check_level(vertex, edges, left)

    def check_level(self, vertex: int, edges: range, left: Amount) -> None:
        offers, asked = [self.offer(edge, left) for edge in edges], list[Amount | float]()
        best = min(offers, default=NEVER)
        if self.owner[vertex] == SYSTEM:
            asked = [self.asked(edge, left) for edge in edges]
            best = min(max(offers, default=NEVER), min(asked, default=NEVER))
        now = self.now(vertex, left)
        if best != (NEVER if now is None else now[1]):
            raise self.wrong(vertex, f"with {left} jokers in hand {best} moves are needed, not what is claimed")
        if now is not None:
            self.check_choice(vertex, edges, left, now, offers, asked)

    def check_order(self, vertex: int, row: Row) -> None:
        in_order = all(before[0] < after[0] for before, after in pairwise(row))
        self.ensure(in_order, vertex, "the changes are not in order")
        self.ensure(not row or row[-1][0] <= self.limit, vertex, "a change is beyond the limit of the claim")

    def levels(self, vertex: int, edges: range) -> list[Amount]:
        """All numbers of jokers at which something changes at the vertex or behind its edges."""
        found = set(self.lefts[vertex])
        for edge in edges:
            beyond = self.lefts[self.target[edge]]
            found.update(beyond)
            if self.owner[vertex] == SYSTEM:
                price = self.prices[edge]
                found.update(() if price is None else (left + price for left in beyond))
        return sorted(left for left in found if left <= self.limit)

    def check_choice(
        self,
        vertex: int,
        edges: range,
        left: Amount,
        now: Change,
        offers: list[Amount | float],
        asked: list[Amount | float],
    ) -> None:
        """Check that the named edge, or all edges where none is named, take what is claimed and come nearer."""
        _, moves, rank, edge = now
        if edge < 0:
            self.ensure(self.owner[vertex] == SYSTEM, vertex, "no edge is named")
            taken, worst = edges, max(offers)
        else:
            self.ensure(edge in edges, vertex, "the named edge does not leave the vertex")
            taken = range(edge, edge + 1)
            worst = (asked or offers)[edge - edges.start]
        self.ensure(worst == moves, vertex, "the strategy does not take what is claimed")
        if edge >= 0 and asked and self.prices[edge]:
            return  # a joker is spent: whatever comes then, it comes with fewer in hand
        for each in taken:
            if self.moves[each] == 0:
                after = self.now(self.target[each], left)
                nearer = after is not None and (after[1], after[2]) < (moves, rank)
                self.ensure(nearer, vertex, "a step does not come nearer")

    def offer(self, edge: int, left: Amount) -> Amount | float:
        """The moves through an edge with this many jokers in hand."""
        after = self.now(self.target[edge], left)
        return NEVER if after is None else self.moves[edge] + after[1]

    def asked(self, edge: int, left: Amount) -> Amount | float:
        """The moves through an edge that a joker chooses, which is then gone."""
        price = self.prices[edge]
        return NEVER if price is None else self.offer(edge, left - price)

    def now(self, vertex: int, left: Amount) -> Change | None:
        place = bisect_right(self.lefts[vertex], left)
        return self.claim[vertex][place - 1] if place else None
