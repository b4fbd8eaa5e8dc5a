"""The checker of bounded reachability: follows the claimed strategy from the definition, sharing no code with a solver.

For every number of moves left, from 0 up, the odds of the strategy are computed by the definition (Nachmanson et al.
2004, section 3, equations 2 and 3). It is right if at every tester vertex no other edge, nor giving up, is better than
what the strategy does there; by induction no other strategy is better anywhere, because the order is monotone. Then the
claimed values must be those of the strategy. Bound: O(k (V + E)) operations for k moves, fewer once a layer equals the
one before.

Exact claims are checked here, in whole numbers: a probability is a number over a power of d, the common denominator of
the game's own. Those in floats are left to `bounded_claims.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from outplay.game.graph import SYSTEM
from outplay.strategy.certificate.bounded_claims import (
    Claim,
    IntervalChecker,
    bounded_claim_error,
    changes_by_left,
    zero_moves_first,
)
from outplay.strategy.certificate.checker import Certificate
from outplay.strategy.value_orders import LEXICOGRAPHIC


@dataclass(frozen=True)
class BoundedCertificate(Certificate):
    """The checker confirmed the strategy for every number of moves up to `steps`."""

    steps: int
    shortfall: float
    """No strategy has a probability that exceeds this one's by more than this share; 0 where all is exact."""


def check_bounded(claim: Claim) -> BoundedCertificate:
    """Check an answer of bounded reachability for all vertices and moves, or raise CertificateError where it is wrong.

    >>> from outplay import GameBuilder
    >>> from outplay.strategy.bounded import bounded
    >>> game = GameBuilder().vertex("s", "tester").vertex("g", "tester", goals=["done"]).edge("s", "g").build()
    >>> bounded(game, "done", 3).check()
    BoundedCertificate(vertices=2, edges=1, steps=3, shortfall=0.0)
    """
    shortfall = 0.0
    if claim.tolerance == 0:
        _ExactChecker(claim).run()
    else:
        shortfall = IntervalChecker(claim).run()
    return BoundedCertificate(claim.game.vertex_count, claim.game.edge_count, claim.steps, shortfall)


class _Odds(NamedTuple):
    """A probability, `chance` over d to the `power`, and a cost times the common denominator of costs."""

    chance: int
    power: int
    cost: int


_NOTHING, _WON = _Odds(0, 0, 0), _Odds(1, 0, 0)


class _ExactChecker:
    def __init__(self, claim: Claim) -> None:
        self.claim, self.game = claim, claim.game
        self.goals = set(claim.goal_vertices.tolist())
        self.sequence = zero_moves_first(self.game, self.goals)
        self.first, self.target = self.game.first.tolist(), self.game.target.tolist()
        self.moves, self.owner = self.game.moves.tolist(), self.game.owner.tolist()
        prices = [cost or Fraction(0) for cost in self.game.cost.table]
        self.cost_scale = math.lcm(*(price.denominator for price in prices))
        self.costs = [int(prices[row] * self.cost_scale) for row in self.game.cost.index.tolist()]
        shares = dict(self.shares())
        self.base = math.lcm(*(share.denominator for share in shares.values()))
        self.weights = {edge: int(share * self.base) for edge, share in shares.items()}
        self.is_lexicographic = claim.order == LEXICOGRAPHIC

    def shares(self) -> Iterator[tuple[int, Fraction]]:
        """The probability of every answer; what is given is divided by its sum, which decimals may miss a little."""
        for vertex in range(self.game.vertex_count):
            if self.owner[vertex] == SYSTEM:
                given = {edge: self.game.probability[edge] or Fraction(1) for edge in self.game.edges_of(vertex)}
                total = sum(given.values())
                yield from ((edge, share / total) for edge, share in given.items())

    def run(self) -> None:
        changes = changes_by_left(self.claim)
        choice: dict[int, int | None] = {}
        below: list[_Odds] = []
        for left in range(self.claim.steps + 1):
            choice.update(changes.get(left, {}))
            here = self.layer(left, below, choice)
            moved = next((v for v, odds in enumerate(here) if left and not self.same(odds, below[v])), None)
            if moved is not None and left > self.claim.final:
                raise bounded_claim_error(self.game, moved, left, "called settled, but its odds still change")
            below = here
            if left > max(changes, default=0) and moved is None:
                break  # from the same layer the same moves make the same layer
        self.check_values(below)

    def layer(self, left: int, below: list[_Odds], choice: dict[int, int | None]) -> list[_Odds]:
        here = [_NOTHING] * self.game.vertex_count
        for vertex in self.sequence:
            if vertex in self.goals:
                here[vertex] = _WON
                continue
            edges = range(self.first[vertex], self.first[vertex + 1])
            offers = {edge: self.offer(edge, left, here, below) for edge in edges}
            if self.owner[vertex] == SYSTEM:
                here[vertex] = self.mixed(offers)
            else:
                edge = choice.get(vertex)
                here[vertex] = own = _NOTHING if edge is None else offers[edge]
                if any(self.better(other, own) for other in (_NOTHING, *offers.values())):
                    raise bounded_claim_error(self.game, vertex, left, "a better move is left out")
        return here

    def offer(self, edge: int, left: int, here: list[_Odds], below: list[_Odds]) -> _Odds:
        """Offer the target of an edge, its cost added; without the moves for it the play has ended."""
        if self.moves[edge] > left:
            return _NOTHING
        chance, power, cost = (below if self.moves[edge] else here)[self.target[edge]]
        return _Odds(chance, power, cost + self.costs[edge])

    def mixed(self, offers: dict[int, _Odds]) -> _Odds:
        power = max((odds.power for odds in offers.values()), default=0)
        chance = sum(
            self.weights[edge] * odds.chance * self.base ** (power - odds.power)
            for edge, odds in offers.items()
            if odds.chance
        )
        return _Odds(chance, power + 1, max((odds.cost for odds in offers.values()), default=0))

    def better(self, one: _Odds, other: _Odds) -> bool:
        if not self.is_lexicographic:
            return bool(self.key(one) < self.key(other))
        more = self.more(one, other)
        return more > 0 or (more == 0 and one.cost < other.cost)

    def key(self, odds: _Odds) -> Any:
        return self.claim.order.key(Fraction(odds.chance, self.base**odds.power), Fraction(odds.cost, self.cost_scale))

    def more(self, one: _Odds, other: _Odds) -> int:
        """Above 0 where the first probability is higher, 0 where both are equal."""
        if one.power == other.power or not (one.chance and other.chance):
            return one.chance - other.chance
        power = max(one.power, other.power)
        more: int = one.chance * self.base ** (power - one.power) - other.chance * self.base ** (power - other.power)
        return more

    def same(self, one: _Odds, other: _Odds) -> bool:
        return one.cost == other.cost and self.more(one, other) == 0

    def check_values(self, layer: list[_Odds]) -> None:
        for vertex, odds in enumerate(layer):
            probability, cost = self.claim.value_of(vertex)
            if probability * self.base**odds.power != odds.chance or cost * self.cost_scale != odds.cost:
                raise bounded_claim_error(
                    self.game, vertex, self.claim.steps, "the strategy does not have the odds claimed"
                )
