"""The claims of bounded reachability: what its checkers ask, and the check in floats, by intervals.

A sum of n products of numbers from 0 up, with weights whose own sum may miss 1 by a rounding, is wrong by less than the
share 2(n + 4)·ε, so intervals widened by that much hold the true probabilities; those below 1e-300 count as 0. With w
the most that intervals can widen in all layers, and slack = tolerance + 2w, the checker confirms for every tester
vertex and number of moves that
  1. no edge is more likely to win than the chosen one by more than the share slack;
  2. no edge that is surely as likely as any, but for half the tolerance, costs less than the chosen one, and where
     nothing can be won the tester gives up.
By induction the strategy's probability is at least (1 - slack)^(layers) times the best. Costs are exact while they fit
a float, else right within the share w.

An answer called settled is checked one layer further, where no probability may rise or fall by more than the share
slack and no cost may change at all. The same moves make the next layer from each, and sums of products pass on a share
as it is: so every later layer, too, differs from the one before by no more than the slack, and by another one from the
best. All of that is in the shortfall, also that the odds claimed for all moves are those of the layer checked last; a
cost that does not change in floats grows by less than the share ε h with each layer, h vertices high.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from graphlib import TopologicalSorter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from outplay.errors import CertificateError
from outplay.game.graph import SYSTEM, TESTER, Game, Vertices
from outplay.strategy.value_orders import Order

_Floats: TypeAlias = NDArray[np.float64]
_EPSILON = float(np.finfo(np.float64).eps)
_TINY = 1e-300


@dataclass(frozen=True, eq=False)
class Claim:
    """An answer to be checked: what it says for each vertex, and what of that is said to be exact and settled."""

    game: Game
    goal_vertices: Vertices
    steps: int
    order: Order
    tolerance: float
    """0 where all numbers are exact."""
    settled: int | None
    value_of: Callable[[int], tuple[Fraction | float, Fraction | float]]
    changes: Callable[[int], list[tuple[int, int | None]]]
    """For a vertex the moves, each with the number of moves left from which on it is made."""

    @property
    def final(self) -> int:
        """With more moves left than that nothing changes."""
        return self.steps if self.settled is None else self.settled


def bounded_claim_error(game: Game, vertex: int, left: int, what: str) -> CertificateError:
    """Return the error of a bounded claim at one vertex with this many moves left."""
    return CertificateError(
        f"the checker refuses the answer at vertex {game.names[vertex]!r} with {left} move{'s' * (left != 1)} left: "
        f"{what}; this is a defect of outplay, please report it with the model"
    )


def changes_by_left(claim: Claim) -> dict[int, dict[int, int | None]]:
    """Return the claimed changes of moves: for each number of moves left the vertices with a new move, and the move.

    Moves must be edges of tester vertices that are no goals, and nothing may change once the answer is called settled.
    """
    game, goals = claim.game, set(claim.goal_vertices.tolist())
    found: dict[int, dict[int, int | None]] = {}
    for vertex in range(game.vertex_count):
        for left, edge in claim.changes(vertex):
            if game.owner[vertex] != TESTER or vertex in goals:
                raise bounded_claim_error(game, vertex, left, "there is nothing to choose, but a move is claimed")
            if edge is not None and edge not in game.edges_of(vertex):
                raise bounded_claim_error(game, vertex, left, "the chosen edge does not leave the vertex")
            if edge is not None and game.moves[edge] > left:
                raise bounded_claim_error(game, vertex, left, "the chosen edge takes more moves than are left")
            if not 0 <= left <= claim.final:
                raise bounded_claim_error(game, vertex, left, "the move changes outside the steps claimed")
            found.setdefault(left, {})[vertex] = edge
    return found


def zero_moves_first(game: Game, goals: set[int]) -> list[int]:
    """Order all vertices of a claim so that each comes after those it reaches by edges of 0 moves."""
    free = np.flatnonzero(game.moves == 0).tolist()
    sorter = TopologicalSorter[int]()
    for edge in free:
        if int(game.source[edge]) not in goals:
            sorter.add(int(game.source[edge]), int(game.target[edge]))
    late = list(sorter.static_order())
    return [*sorted(set(range(game.vertex_count)) - set(late)), *late]


class _Layer:
    """Bounds of the probability, and the cost, of every vertex."""

    def __init__(self, vertices: int) -> None:
        self.low, self.high, self.cost = np.zeros(vertices), np.zeros(vertices), np.zeros(vertices)


class _Group:
    """Vertices of one owner that do not reach each other by edges of 0 moves, with their edges."""

    def __init__(self, checker: IntervalChecker, vertices: NDArray[Any]) -> None:
        game = checker.game
        degree = np.diff(game.first)[vertices]
        self.vertices = vertices[degree > 0]
        self.degree = degree[degree > 0].astype(np.int64)
        self.start = np.cumsum(self.degree) - self.degree
        first = game.first[self.vertices].astype(np.int64)
        self.edges = np.repeat(first - self.start, self.degree) + np.arange(int(self.degree.sum()))
        self.row = np.repeat(np.arange(len(self.vertices)), self.degree)
        self.is_system = bool(len(vertices)) and bool(game.owner[vertices[0]] == SYSTEM)
        self.target, self.cost = game.target[self.edges], checker.costs[self.edges]
        self.now = game.moves[self.edges] == 0
        self.share = checker.shares[self.edges]


class IntervalChecker:
    """Follows the strategy through all layers."""

    def __init__(self, claim: Claim) -> None:
        self.claim, self.game = claim, claim.game
        self.goals = set(claim.goal_vertices.tolist())
        levels = self._levels()
        height = int(levels.max(initial=0)) + 1
        self.layers = min(claim.steps, claim.final + 1)
        most = int(np.diff(self.game.first).max(initial=0))
        self.width = 4 * _EPSILON * (most + 4) * height * (self.layers + 1)
        self.slack = claim.tolerance + 2 * self.width
        unchecked = claim.steps - self.layers
        self.shortfall = float(-np.expm1(np.log1p(-self.slack) * (height * (claim.steps + 1) + 2 * unchecked)))
        self.costs, self.cost_scale = self._costs(height)
        self.cost_slack = 0.0 if self.cost_scale else self.width
        self.shares = self._shares()
        self.choice = np.full(self.game.vertex_count, -1, dtype=np.int64)
        self.groups = self._groups(levels)

    def _levels(self) -> NDArray[np.int64]:
        """The most edges of 0 moves in a row from each vertex."""
        levels = np.zeros(self.game.vertex_count, dtype=np.int64)
        if not self.game.moves.all():
            for vertex in zero_moves_first(self.game, self.goals):
                free = [edge for edge in self.game.edges_of(vertex) if not self.game.moves[edge]]
                if free and vertex not in self.goals:
                    levels[vertex] = 1 + max(levels[self.game.target[edge]] for edge in free)
        return levels

    def _costs(self, height: int) -> tuple[_Floats, int]:
        """Costs as whole numbers, with their scale, if all sums of them fit a float; else as they are, and 0."""
        table = [cost or Fraction(0) for cost in self.game.cost.table] or [Fraction(0)]
        scale = self.game.cost.denominator
        if max(table) * scale * height * (self.claim.steps + 1) >= 1 << 53:
            scale = 0
        return np.array([float(cost * (scale or 1)) for cost in table])[self.game.cost.index], scale

    def _shares(self) -> _Floats:
        given = np.nan_to_num(self.game.probability.floats, nan=1.0)
        totals = np.bincount(self.game.source, weights=given, minlength=self.game.vertex_count)
        return np.asarray(given / totals[self.game.source])

    def _groups(self, levels: NDArray[np.int64]) -> list[_Group]:
        is_goal = np.zeros(self.game.vertex_count, dtype=bool)
        is_goal[self.claim.goal_vertices] = True
        sorts = [(level, owner) for level in range(int(levels.max(initial=0)) + 1) for owner in (0, 1)]
        return [
            _Group(self, np.flatnonzero(~is_goal & (levels == level) & (self.game.owner == owner)))
            for level, owner in sorts
        ]

    def run(self) -> float:
        """Check everything, and return how much the probabilities may fall short of the best, as a share."""
        changes = changes_by_left(self.claim)
        below = _Layer(self.game.vertex_count)
        for left in range(self.layers + 1):
            for vertex, edge in changes.get(left, {}).items():
                self.choice[vertex] = -1 if edge is None else edge
            here = _Layer(self.game.vertex_count)
            here.low[self.claim.goal_vertices] = here.high[self.claim.goal_vertices] = 1.0
            for group in self.groups:
                if len(group.vertices):
                    self._fill(group, left, here, below)
            if left > self.claim.final:
                self._check_settled(left, here, below)
            below = here
        self._check_values(below)
        return self.shortfall

    def _fill(self, group: _Group, left: int, here: _Layer, below: _Layer) -> None:
        low, high, cost = (
            np.where(group.now, new[group.target], old[group.target])
            for new, old in ((here.low, below.low), (here.high, below.high), (here.cost, below.cost))
        )
        cost = cost + group.cost
        if left == 0:  # the play has ended but for edges of 0 moves
            low, high, cost = (np.where(group.now, numbers, 0.0) for numbers in (low, high, cost))
        if group.is_system:
            error = 2 * (group.degree + 4) * _EPSILON
            here.low[group.vertices] = np.add.reduceat(group.share * low, group.start) * (1 - error)
            here.high[group.vertices] = np.add.reduceat(group.share * high, group.start) * (1 + error)
            here.cost[group.vertices] = np.maximum.reduceat(cost, group.start)
        else:
            self._follow(group, left, here, (low, high, cost))

    def _follow(self, group: _Group, left: int, here: _Layer, offers: tuple[_Floats, _Floats, _Floats]) -> None:
        chosen = self.choice[group.vertices]
        place = np.where(chosen < 0, 0, group.start + chosen - self.game.first[group.vertices])
        own_low, own_high, own_cost = (np.where(chosen < 0, 0.0, numbers[place]) for numbers in offers)
        low, high, cost = offers
        likeliest = np.maximum.reduceat(high, group.start)
        self._ensure(own_low >= likeliest * (1 - self.slack) - _TINY, group, left, "a likelier move is left out")
        near = low >= (likeliest * (1 - self.claim.tolerance / 2))[group.row]
        cheaper = near & (cost < (own_cost * (1 - self.cost_slack))[group.row])
        self._ensure(~np.logical_or.reduceat(cheaper, group.start), group, left, "a cheaper move is left out")
        self._ensure((own_high > 0) | (own_cost == 0), group, left, "nothing can be won, but it plays on")
        here.low[group.vertices], here.high[group.vertices] = own_low, own_high
        here.cost[group.vertices] = own_cost

    def _ensure(self, holds: NDArray[np.bool_], group: _Group, left: int, what: str) -> None:
        if not holds.all():
            raise bounded_claim_error(self.game, int(group.vertices[np.flatnonzero(~holds)[0]]), left, what)

    def _check_settled(self, left: int, here: _Layer, below: _Layer) -> None:
        rises = here.high * (1 - self.slack) > below.high + _TINY
        falls = here.low < below.low * (1 - self.slack) - _TINY
        holds = ~rises & ~falls & (here.cost == below.cost)
        if not holds.all():
            raise bounded_claim_error(
                self.game, int(np.flatnonzero(~holds)[0]), left, "called settled, but its odds still change"
            )

    def _check_values(self, layer: _Layer) -> None:
        for vertex in range(self.game.vertex_count):
            probability, cost = self.claim.value_of(vertex)
            price = float(cost * (self.cost_scale or 1))
            if not (
                layer.low[vertex] - _TINY <= probability <= layer.high[vertex] + _TINY
                and abs(price - layer.cost[vertex]) <= self.cost_slack * price
            ):
                raise bounded_claim_error(
                    self.game, vertex, self.claim.steps, "the strategy does not have the odds claimed"
                )
