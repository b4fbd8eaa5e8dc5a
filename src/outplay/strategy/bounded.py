"""Bounded reachability: the best probability to reach a goal within this many moves, then the least worst cost.

Definition (Nachmanson et al. 2004, section 3, equations 2 and 3), for every vertex and every number k of moves left:
  a goal is worth (1, 0);
  a tester vertex the best of giving up, (0, 0), and of (P, cost + C) for each edge, with (P, C) that of its target;
  a system vertex (Σ p·P, max (cost + C)) over all its edges, and (0, 0) if there are none.
The target counts with k moves left less those of the edge, and an edge of more moves than are left ends the play:
(0, 0). An edge of 0 moves, which leads from a tester vertex to its choice, uses up none. Better is the higher
probability, and among equal ones the lower cost of the most expensive play, won or lost.

All vertices are recomputed for every k: the pseudo-code of Nachmanson et al. leaves out system vertices that cannot win
yet, whose costs are then missed. Bound: O(k (V + E)), less when a layer equals the one before: then so do all that
follow.

Small games are solved in whole numbers, exactly. Large ones are solved in floats, where probabilities that differ by a
share of `tolerance` or less count as equal: rounding would else decide between equal ones. So the probability found for
k moves is at least (1 - tolerance)^k times the best one; costs stay exact as long as they fit a float.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from outplay.errors import UsageError
from outplay.game.goals.target import Wanted, find_target
from outplay.game.graph import TESTER, Game
from outplay.plurals import counted
from outplay.strategy.answer import Answer
from outplay.strategy.bounded_reachability.layers import MoveLayers, all_layers, numbers_for, zero_levels
from outplay.strategy.bounded_reachability.other_orders import layers_by_order
from outplay.strategy.bounded_reachability.pareto import pareto_front
from outplay.strategy.certificate.bounded_claims import Claim
from outplay.strategy.certificate.check_bounded import check_bounded
from outplay.strategy.certificate.checker import Certificate
from outplay.strategy.number_format import format_number, format_probability, json_number
from outplay.strategy.value_orders import KNOWN, LEXICOGRAPHIC, Key, Order, check_acceptable, value_order
from outplay.strategy.value_orders import Odds as Odds


def bounded(
    game: Game, goal: Wanted, steps: int, *, order: str | Order | Key = LEXICOGRAPHIC, front: bool = False
) -> Bounded:
    """Solve bounded reachability of a goal, or of the union of several, within a number of moves.

    An `order` says what is better (value_orders.py): one with a name, or a function of probability and cost that is
    smaller for what is better. It has to be acceptable, so that the best is made of the best of its parts
    (Nachmanson et al. 2004, Definition 1 and Theorem 1): samples are tried, and a counterexample is shown. With
    `front` the answer also has the pairs of probability and worst cost that no strategy beats.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("g", "tester", goals=["done"])
    >>> game = builder.edge("s", "c", "?go").edge("c", "g", "!ok", cost=5).edge("c", "s", "!again").build()
    >>> bounded(game, "done", 4)
    Bounded(done is reached within 4 moves with probability 0.75, at cost 8 at worst)
    >>> [str(bounded(game, "done", steps).value.probability) for steps in (1, 2, 3, 4, 10)]
    ['0', '1/2', '1/2', '3/4', '31/32']
    >>> bounded(game, "done", 4, order=lambda probability, cost: cost - 100 * probability)
    Traceback (most recent call last):
    outplay.errors.UsageError: the order 'lambda' is not acceptable, so ...
    """
    target = find_target(game, goal)
    if steps < 0:
        raise UsageError(f"the number of moves is {steps}; give 0 or more")
    game, goals = target.game, target.vertices
    chosen, level = value_order(order), zero_levels(game, goals)
    if chosen == LEXICOGRAPHIC:
        layers = all_layers(game, goals, steps, numbers_for(game, steps, level))
    else:
        if chosen not in KNOWN.values():
            largest = max((cost for cost in game.cost.table if cost is not None), default=0)
            check_acceptable(chosen, max(1, largest * max(1, steps)))
        layers = layers_by_order(game, goals, steps, level, chosen)
    pairs = tuple(pareto_front(game, goals, steps)) if front else None
    return Bounded(game, target.goal, goals, steps, chosen, layers, pairs)


@dataclass(frozen=True, eq=False, repr=False)
class Bounded(Answer):
    """For every vertex and every number of moves left: the best odds, and the tester's move that gives them."""

    steps: int
    order: Order
    _layers: MoveLayers
    front: tuple[Odds, ...] | None = None
    """The pairs of probability and worst cost at the initial vertex that no strategy beats, where asked for."""
    _again: dict[int, MoveLayers] = field(default_factory=dict)

    @property
    def strategy(self) -> MovesMade:
        return MovesMade(self)

    @property
    def exact(self) -> bool:
        """Whether all numbers are exact; if not, see `tolerance`."""
        return self._layers.numbers.exact

    @property
    def tolerance(self) -> float:
        """Probabilities that differ by this share of the larger one, or less, were called equal."""
        return self._layers.numbers.tolerance

    @property
    def settled(self) -> int | None:
        """The least number of moves from which on more of them change neither values nor moves; None if not met."""
        return self._layers.settled

    def value_of(self, vertex: int, left: int | None = None) -> Odds:
        """The odds at a vertex; with fewer moves `left` than all, large games are solved anew and the last kept."""
        layer = min(self.steps if left is None else self._checked(left), self._layers.last)
        return self._holding(layer).odds(vertex, layer)

    def values(self, left: int | None = None) -> list[Odds]:
        """The odds at all vertices."""
        return [self.value_of(vertex, left) for vertex in range(self.game.vertex_count)]

    def chosen(self, vertex: int) -> int | None:
        """The first move with all moves left; later ones are in the JSON."""
        return self.edge(vertex, self.steps)

    def as_good(self, vertex: int, memory: int | None = None) -> tuple[int, ...]:
        """Edges with the same odds by the moves that are left; where odds are not all kept exactly, the chosen one.

        That whichever is taken gives them follows from their definition, by induction on the moves left: edges of 0
        moves form no cycle.
        """
        left = self.steps - (memory or 0)
        edge = self.edge(vertex, left) if left >= 0 else None
        if edge is None or not self.exact or not self._layers.holds(0):
            return () if edge is None else (edge,)
        odds = self.value_of(vertex, left)
        return tuple(one for one in self.game.edges_of(vertex) if self._odds_by(one, left) == odds)

    def _odds_by(self, edge: int, left: int) -> Odds | None:
        """The odds of taking an edge with this many moves left; None where they are too few."""
        beyond = left - int(self.game.moves[edge])
        if beyond < 0:
            return None
        chance, cost = self.value_of(int(self.game.target[edge]), beyond)
        return Odds(chance, cost + (self.game.cost[edge] or 0))

    def check(self) -> Certificate:
        claim = Claim(
            self.game,
            self.goal_vertices,
            self.steps,
            self.order,
            self.tolerance,
            self.settled,
            self.value_of,
            self.changes,
        )
        return check_bounded(claim)

    @property
    def sentence(self) -> str:
        odds, steps = self.value, counted(self.steps, "move")
        if not odds.probability:
            return f"{self.goal} cannot be reached within {steps}"
        reached = f"{self.goal} is reached within {steps} with probability {format_probability(odds.probability)}"
        by = "" if self.order == LEXICOGRAPHIC else f" (best by the order {self.order.name})"
        return f"{reached}, at cost {format_number(odds.cost)} at worst{by}"

    def lines(self) -> list[str]:
        pairs = [
            f"probability {format_probability(chance)} at cost {format_number(cost)}"
            for chance, cost in self.front or ()
        ]
        return [*(super().lines() if self.value.probability else []), *(f"can be had: {pair}" for pair in pairs)]

    def json_value(self, vertex: int, exact: bool) -> Any:
        return _json_odds(self.value_of(vertex), exact)

    def json_strategy(self) -> dict[str, Any]:
        listed = {vertex: self.changes(vertex) for vertex in range(self.game.vertex_count)}
        return {
            self.game.names[vertex]: [[left, None if edge is None else self.json_move(edge)] for left, edge in changes]
            for vertex, changes in listed.items()
            if changes
        }

    def json_details(self, exact: bool) -> dict[str, Any]:
        made: dict[str, Any] = {"steps": self.steps, "order": self.order.name}
        if self.front is not None:
            named = ("probability", "cost")
            made["front"] = [
                dict(zip(named, (json_number(one, exact) for one in odds), strict=True)) for odds in self.front
            ]
        return made

    def edge(self, vertex: int, left: int) -> int | None:
        """The edge to take with this many moves left; None to give up, or where there is nothing to choose."""
        rows = self._layers.rows
        begin, end = int(rows.first[vertex]), int(rows.first[vertex + 1])
        place = bisect_right(rows.left, self._checked(left), begin, end)
        return None if place == begin else self._edge(rows.edge[place - 1])

    def changes(self, vertex: int) -> list[tuple[int, int | None]]:
        """The tester's moves as (moves left from, edge), where they change; with fewer left than the first, give up."""
        rows = self._layers.rows
        row = slice(int(rows.first[vertex]), int(rows.first[vertex + 1]))
        return [
            (left, self._edge(edge))
            for left, edge in zip(rows.left[row].tolist(), rows.edge[row].tolist(), strict=True)
        ]

    def _edge(self, noted: int | np.unsignedinteger) -> int | None:
        return None if noted == self.game.edge_count else int(noted)

    def _checked(self, left: int) -> int:
        if left < 0 or (left > self.steps and self.settled is None):
            raise UsageError(f"{left} moves left were asked for; this answer is for 0 to {self.steps}")
        return left

    def _holding(self, layer: int) -> MoveLayers:
        if self._layers.holds(layer):
            return self._layers
        if layer not in self._again:
            self._again.clear()
            self._again[layer] = all_layers(self.game, self.goal_vertices, layer, self._layers.numbers)
        return self._again[layer]


def _json_odds(odds: Odds, exact: bool) -> dict[str, Any]:
    return {"probability": json_number(odds.probability, exact), "cost": json_number(odds.cost, exact)}


class MovesMade:
    """The strategy of a bounded answer: it remembers how many moves were made, for the edge depends on those left."""

    start = 0

    def __init__(self, answer: Bounded) -> None:
        self._answer = answer
        self._goals = frozenset(answer.goal_vertices.tolist())

    def edge(self, vertex: int, memory: int) -> int | None:
        left = self._answer.steps - memory
        return self._answer.edge(vertex, left) if left > 0 else None

    def after(self, vertex: int, memory: int) -> int:
        return memory + 1

    def hopeless(self, vertex: int, memory: int) -> bool:
        own = self._answer.game.owner[vertex] == TESTER and vertex not in self._goals
        return bool(memory >= self._answer.steps or (own and self.edge(vertex, memory) is None))
