"""Priced jokers: what help costs depends on its kind; pay as little as possible, then spend as little as possible.

Definition (van den Bos 2020, section 6.9, where it is left open): a joker at a system vertex chooses an edge and costs
that edge's price. The least price P is 0 at goals, the least of its targets at a tester vertex, and at a system vertex
the largest of its targets or, with a joker, the least price + P. With at most b to pay in all, C_b is 0 at goals, the
least cost + C_b at a tester vertex, and at a system vertex the largest cost + C_b over all edges or, with a joker, the
least cost + C_(b − price). The answer at v is P(v) and C_P(v). Both are exact, and C counts only strategies that never
pay more than P(v) in all, each joker granted; prices and costs are never added up. With all prices 1 and moves for
costs this is `joker`.

Bound: O((V + E) log V) for P and again for each sum of prices up to the largest P that changes something; in Python,
so meant for games of up to some 10,000 edges.
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from outplay.game.exact_numbers import Exact
from outplay.game.goals.target import Wanted, find_target
from outplay.game.graph import SYSTEM, Game, Vertices
from outplay.plurals import counted
from outplay.strategy.answer import Answer, Blocked
from outplay.strategy.attractor import blocking_set
from outplay.strategy.certificate.check_joker import check_joker
from outplay.strategy.certificate.checker import Certificate
from outplay.strategy.jokers.joker import refuse_fairness
from outplay.strategy.jokers.prices import Prices, read_prices
from outplay.strategy.number_format import format_number, json_number

Counted: TypeAlias = Literal["cost", "moves"]
FORBIDDEN = -1


class Priced(NamedTuple):
    """The price of help in the worst case and, paying no more than that, the cost of the moves."""

    price: Fraction
    cost: Fraction


class Affordable(NamedTuple):
    """From this much in hand on, this much suffices; `edge` is the tester's or the joker's, -1 for none."""

    left: Fraction
    cost: Fraction
    edge: int
    rank: int
    """Falls along edges that cost nothing; it shows that the strategy arrives."""


@dataclass(frozen=True, eq=False, repr=False)
class PricedAnswer(Answer):
    """The price of help from every vertex."""

    offers: list[list[Affordable]]
    """For each vertex, what each further amount in hand changes; empty where no help that can be had suffices."""
    prices: Exact
    """The price of each edge, if a joker chooses it; None where that cannot be had."""
    counted: Counted

    @property
    def strategy(self) -> PriceInHand:
        return PriceInHand(self)

    @property
    def persistent(self) -> PriceInHand:
        return PriceInHand(self, refilled=True)

    def value_of(self, vertex: int) -> Priced | None:
        """The least price from a vertex and, with it, the least cost."""
        row = self.offers[vertex]
        return Priced(*row[0][:2]) if row else None

    def edge(self, vertex: int, left: Fraction | int | None = None) -> int | None:
        """The tester's edge, or the one a joker chooses, with so much in hand or as much as is needed there."""
        row = self.offers[vertex]
        fitting = row[:1] if left is None else row[: bisect_right(row, left, key=lambda offer: offer.left)]
        return fitting[-1].edge if fitting and fitting[-1].edge >= 0 else None

    def plays_joker(self, vertex: int, left: Fraction | int | None = None) -> bool:
        """Say whether a joker is played at a vertex, with so much in hand."""
        return bool(self.game.owner[vertex] == SYSTEM) and self.edge(vertex, left) is not None

    def price(self, edge: int) -> Fraction:
        """Return the price of a joker that chooses an edge which can be had."""
        return self.prices[edge] or Fraction(0)

    def chosen(self, vertex: int) -> int | None:
        """With as much in hand as is needed from the vertex."""
        return self.edge(vertex)

    def check(self) -> Certificate:
        game, edges = self.game, range(self.game.edge_count)
        weights = game.moves.tolist() if self.counted == "moves" else [game.cost[edge] or 0 for edge in edges]
        claim = [[(one.left, one.cost, one.rank, one.edge) for one in row] for row in self.offers]
        prices = [self.prices[edge] for edge in edges]
        return check_joker(game, self.goal_vertices.tolist(), claim, prices=prices, weights=weights)

    def json_value(self, vertex: int, exact: bool) -> Any:
        found = self.value_of(vertex)
        return found and {"price": json_number(found.price, exact), self.counted: json_number(found.cost, exact)}

    def move_words(self, vertex: int, edge: int) -> str:
        help_words = f" (joker, price {format_number(self.price(edge))})" if self.game.owner[vertex] == SYSTEM else ""
        return super().move_words(vertex, edge) + help_words


@dataclass(frozen=True, eq=False, repr=False)
class PricedStrategy(PricedAnswer):
    """The tester reaches the goal paying at most this much for help, each joker granted, whatever else happens."""

    @property
    def value(self) -> Priced:
        """The least price and, with it, the least cost."""
        return Priced(*self.offers[self.game.initial][0][:2])

    @property
    def sentence(self) -> str:
        price, cost = self.value
        needs = f"needs help at a price of {format_number(price)}" if price else "can be forced without help to pay for"
        spent = counted(int(cost), "move") if self.counted == "moves" else f"cost {format_number(cost)}"
        return f"{self.goal} {needs}, and then {spent} at most"


@dataclass(frozen=True, eq=False, repr=False)
class NoPricedStrategy(PricedAnswer, Blocked):
    """No help that can be had suffices: the system can stay inside `blocking`."""

    @property
    def value(self) -> None:
        return None

    @property
    def sentence(self) -> str:
        return f"{self.goal} is impossible with the help that can be had"


class PriceInHand:
    """The strategy of a priced answer: it remembers what is left to pay with; what is paid is gone, helped or not.

    `refilled`, it takes as much as is needed from where it is when what it has does not suffice any more.
    """

    def __init__(self, answer: PricedAnswer, *, refilled: bool = False) -> None:
        self._answer, self._refilled = answer, refilled
        self.start = self._needed(answer.game.initial) or Fraction(0)

    def edge(self, vertex: int, memory: Fraction) -> int | None:
        return self._answer.edge(vertex, self._in_hand(vertex, memory))

    def after(self, vertex: int, memory: Fraction) -> Fraction:
        left = self._in_hand(vertex, memory)
        edge = self._answer.edge(vertex, left) if self._answer.plays_joker(vertex, left) else None
        return left if edge is None else left - self._answer.price(edge)

    def hopeless(self, vertex: int, memory: Fraction) -> bool:
        needed = self._needed(vertex)
        return needed is None or needed > self._in_hand(vertex, memory)

    def _needed(self, vertex: int) -> Fraction | None:
        row = self._answer.offers[vertex]
        return row[0].left if row else None

    def _in_hand(self, vertex: int, memory: Fraction) -> Fraction:
        return max(memory, self._needed(vertex) or memory) if self._refilled else memory


PricedResult: TypeAlias = PricedStrategy | NoPricedStrategy


def priced_joker(game: Game, goal: Wanted, prices: Prices | None = None, *, count: Counted = "cost") -> PricedResult:
    """Find the least price of help to a goal and, paying no more, the least worst-case cost or number of moves.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("g", "tester", goals=["done"])
    >>> builder = builder.edge("s", "c", "?go").edge("c", "g", "!ok").edge("c", "s", "!again")
    >>> priced_joker(builder.build(), "done", Prices(output="1/2"))
    PricedStrategy(done needs help at a price of 1/2 (0.5), and then cost 2 at most)
    """
    refuse_fairness(game)
    target = find_target(game, goal)
    priced, played = (prices or Prices()).of(target.game), target.game
    offers = _Solver(played, target.vertices, priced, count).solve()
    found: dict[str, Any] = {"offers": offers, "prices": priced, "counted": count}
    if offers[played.initial]:
        return PricedStrategy(played, target.goal, np.unique(target.vertices), **found)
    lost = np.array([not row for row in offers])
    blocking = blocking_set(played, lost)
    return NoPricedStrategy(played, target.goal, np.unique(target.vertices), blocking=blocking, **found)


def joker_for(game: Game, goal: Wanted, price: str) -> PricedResult:
    """Find the least price of help to a goal, for prices as they are written on the command line."""
    return priced_joker(game, goal, read_prices(price))


class _Solver:
    """Whole numbers throughout: prices and costs times their common denominators."""

    def __init__(self, game: Game, goals: Vertices, prices: Exact, count: Counted) -> None:
        self.goals = set(goals.tolist())
        self.system = (game.owner == SYSTEM).tolist()
        self.source, self.target = game.source.tolist(), game.target.tolist()
        self.degree = np.diff(game.first).tolist()
        self.in_first, self.in_edge = game.incoming.first.tolist(), game.incoming.edge.tolist()
        whole = prices.scaled()
        self.price = [FORBIDDEN if prices.table[row] is None else whole[row] for row in prices.index.tolist()]
        table = game.cost.scaled()
        self.cost = game.moves.tolist() if count == "moves" else [table[row] for row in game.cost.index.tolist()]
        self.price_unit = prices.denominator
        self.cost_unit = 1 if count == "moves" else game.cost.denominator
        self.rows: list[list[tuple[int, int, int, int]]] = [[] for _ in self.system]
        self.notes = 0

    def solve(self) -> list[list[Affordable]]:
        """Go through the amounts in hand at which something can change, up to the most that any vertex needs."""
        needed = self.settled([0] * len(self.price), self.price, [])
        limit = max((price for _, price, _ in needed), default=0)
        steps = {price for edge, price in enumerate(self.price) if price > 0 and self.system[self.source[edge]]}
        levels, seen = [0], {0}
        while levels:
            level = heapq.heappop(levels)
            if self.improves(level):
                fresh = {level + step for step in steps if level + step <= limit} - seen
                seen |= fresh
                for later in fresh:
                    heapq.heappush(levels, later)
        unit, cost_unit = self.price_unit, self.cost_unit
        return [
            [Affordable(Fraction(left, unit), Fraction(cost, cost_unit), e, rank) for left, cost, e, rank in row]
            for row in self.rows
        ]

    def improves(self, level: int) -> bool:
        """Note what is better with so much in hand than with less; say whether anything is."""
        free = [cost if price == 0 else FORBIDDEN for cost, price in zip(self.cost, self.price, strict=True)]
        better = False
        for vertex, cost, edge in self.settled(self.cost, free, self.paid(level)):
            row = self.rows[vertex]
            if not row or cost < row[-1][1]:
                row.append((level, cost, edge, self.notes))
                self.notes += 1
                better = True
        return better

    def paid(self, level: int) -> list[tuple[int, int, int, int]]:
        """Jokers that are paid for: what they offer is known from smaller amounts in hand."""
        found = []
        for edge, price in enumerate(self.price):
            vertex, row = self.source[edge], self.rows[self.target[edge]]
            place = bisect_right(row, level - price, key=lambda change: change[0])
            if price > 0 and place and self.system[vertex]:
                found.append((self.cost[edge] + row[place - 1][1], 1, vertex, edge))
        return found

    def settled(
        self, weight: list[int], asked: list[int], offers: list[tuple[int, int, int, int]]
    ) -> list[tuple[int, int, int]]:
        """Settle vertices in the order of their worth, with the edge chosen: by `asked` where a joker is played.

        `offers` are jokers known beforehand, as (worth, 1, vertex, edge): the second number puts doing without first.
        """
        queue = [*((0, 0, goal, -1) for goal in self.goals), *offers]
        heapq.heapify(queue)
        left, most = list(self.degree), [0] * len(self.system)
        order: dict[int, tuple[int, int, int]] = {}
        while queue:
            worth, _, vertex, chosen = heapq.heappop(queue)
            if vertex in order:
                continue
            order[vertex] = (vertex, worth, chosen)
            for edge in self.in_edge[self.in_first[vertex] : self.in_first[vertex + 1]]:
                before = self.source[edge]
                if before in order:
                    continue
                if not self.system[before]:
                    heapq.heappush(queue, (worth + weight[edge], 0, before, edge))
                    continue
                left[before] -= 1
                most[before] = max(most[before], worth + weight[edge])
                if left[before] == 0:
                    heapq.heappush(queue, (most[before], 0, before, -1))
                if asked[edge] >= 0:
                    heapq.heappush(queue, (worth + asked[edge], 1, before, edge))
        return list(order.values())
