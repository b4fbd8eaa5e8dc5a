"""Policy iteration in rationals: the exact value, whatever the numbers.

Floats find a strategy that is best or nearly so; it is evaluated exactly, part by part, and improved where an exact
comparison says so, which is seldom. Bound: that of `elimination` for each strategy that is evaluated.

Linear equations of a strategy solved in fractions, by eliminating one vertex after the other. Always one with the
fewest paths through it goes next: each edge into it is replaced by what follows. Bound: O(V + E) fractions where there
are no cycles; O(n³) fractions at worst in a strongly connected part of n vertices, though graphs of models stay far
below.
"""

from __future__ import annotations

import contextlib
import heapq
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from outplay.errors import UsageError
from outplay.game.graph import SYSTEM, Game
from outplay.strategy.chance.chance_answers import Bounds
from outplay.strategy.chance.reduction.reachability import reach_ranks
from outplay.strategy.chance.valuation.policy_iteration import IllConditionedError, iterate_policies
from outplay.strategy.chance.valuation.shortest_path import ShortestPath, cost_shortest_path, failure_shortest_path

ENOUGH = 400_000_000
"""Bits to be multiplied before an answer is refused; this many take some ten seconds."""
Row: TypeAlias = dict[int, Fraction]


class Effort:
    """The work that is left: each product of fractions counts as many bits as its denominator has."""

    def __init__(self, left: int = ENOUGH) -> None:
        self.left = left

    def spend(self, products: int, number: Fraction) -> None:
        """Take from what is left, or refuse."""
        bits = number.denominator.bit_length()
        self.left -= products * bits * max(1, bits // 1000)  # reducing long fractions takes time by their square
        if self.left < 0:
            raise UsageError(
                "exact values take too long here, their fractions are too long; ask for an epsilon above 0"
            )


def eliminate_exactly(rows: dict[int, Row], right: dict[int, Fraction], effort: Effort) -> dict[int, Fraction]:
    """Solve x = row · x + right in fractions for a strategy that is sure to leave; both arguments are used up.

    >>> half = Fraction(1, 2)
    >>> eliminate_exactly({0: {1: Fraction(1)}, 1: {0: half}}, {0: Fraction(1), 1: Fraction(1)}, Effort())[0]
    Fraction(4, 1)
    """
    into: dict[int, set[int]] = {vertex: set() for vertex in rows}
    for vertex, row in rows.items():
        for target in row:
            into[target].add(vertex)
    queue = [(len(into[vertex]) * len(row), vertex) for vertex, row in rows.items()]
    heapq.heapify(queue)
    order: list[int] = []
    while queue:
        paths, vertex = heapq.heappop(queue)
        if vertex not in into:
            continue
        now = len(into[vertex]) * len(rows[vertex])
        if now > paths:
            heapq.heappush(queue, (now, vertex))
            continue
        order.append(vertex)
        effort.spend((len(into[vertex]) + 1) * (len(rows[vertex]) + 1), right[vertex])
        for changed in _bypass(vertex, rows, right, into):
            heapq.heappush(queue, (len(into[changed]) * len(rows[changed]), changed))
    found: dict[int, Fraction] = {}
    for vertex in reversed(order):
        found[vertex] = right[vertex] + sum(weight * found[target] for target, weight in rows[vertex].items())
    return found


def _bypass(vertex: int, rows: dict[int, Row], right: dict[int, Fraction], into: dict[int, set[int]]) -> set[int]:
    """Write the vertex as what follows it in all rows where it stands; say whose rows changed."""
    row = rows[vertex]
    stays = row.pop(vertex, None)
    before = into.pop(vertex)
    if stays is not None:
        before.discard(vertex)
        leaves = 1 / (1 - stays)
        right[vertex] *= leaves
        for target in row:
            row[target] *= leaves
    for source in before:
        changed = rows[source]
        weight = changed.pop(vertex)
        right[source] += weight * right[vertex]
        for target, onward in row.items():
            known = changed.get(target)
            changed[target] = weight * onward if known is None else known + weight * onward
            into[target].add(source)
    for target in row:
        into[target].discard(vertex)
    return before


Values: TypeAlias = Sequence[Fraction | None]


def exact_expected(game: Game, goals: NDArray[Any], level: NDArray[Any]) -> list[Fraction | None]:
    """Return the exact least expected costs as fractions, None where `level` is not -1.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("1", "tester").vertex("2", "system").vertex("g", "tester").edge("1", "2")
    >>> game = builder.edge("2", "g", probability="2/3").edge("2", "1", probability="1/3").build()
    >>> exact_expected(game, np.array([2]), np.full(3, -1))
    [Fraction(3, 1), Fraction(2, 1), Fraction(0, 1)]
    """
    return solve_exactly(cost_shortest_path(game, goals, np.asarray(level) == -1), goals)[0]


def exact_probability(game: Game, goals: NDArray[Any]) -> list[Fraction]:
    """Return the exact greatest probabilities of reaching a goal as fractions.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("a", "tester").vertex("b", "system").vertex("g", "tester").vertex("d", "tester")
    >>> game = builder.edge("a", "b").edge("b", "g").edge("b", "a").edge("b", "d").build()
    >>> exact_probability(game, np.array([2]))
    [Fraction(1, 2), Fraction(1, 2), Fraction(1, 1), Fraction(0, 1)]
    """
    failing, _ = solve_exactly(failure_shortest_path(game, goals), goals)
    return [Fraction(0) if value is None else 1 - value for value in failing]


def solve_exactly(problem: ShortestPath, goals: NDArray[Any]) -> tuple[list[Fraction | None], NDArray[np.int64]]:
    """Return exact values by policy iteration, None where play may not enter, and the edges of a best strategy."""
    choice = _near_best(problem, goals)
    values: list[Fraction | None] = [Fraction(end) if end >= 0 else None for end in problem.ends.tolist()]
    effort = Effort()
    for part in problem.parts():
        _Exact(problem, part.tolist(), values, choice, effort).solve()
    return values, choice


def _near_best(problem: ShortestPath, goals: NDArray[Any]) -> NDArray[np.int64]:
    _, choice = problem.towards(goals)
    with contextlib.suppress(IllConditionedError):  # what was found so far is sure to leave; exact steps do the rest
        iterate_policies(problem, choice)
    return choice


def exact_bounds(game: Game, goals: NDArray[Any], exact: Values, *, paid: bool) -> Bounds:
    """Return the floats around exact values, and a strategy that has them.

    A value is an expected cost if `paid`, else a probability.
    """
    low, high = _enclosing_floats(exact)
    choice = np.full(game.vertex_count, -1, dtype=np.int64)
    own = np.array([value is not None for value in exact], dtype=bool) & (game.owner != SYSTEM)
    own[goals] = False
    choice[own] = -2
    tight = np.zeros(game.edge_count, dtype=np.uint8)
    for vertex in np.flatnonzero(own).tolist():
        for edge in game.edges_of(vertex):
            beyond, cost = exact[int(game.target[edge])], game.cost[edge] if paid else 0
            tight[edge] = beyond is not None and cost is not None and cost + beyond == exact[vertex]
    return Bounds(low, high, choice, reach_ranks(game, goals, choice, tight))


def _enclosing_floats(values: Values) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The nearest floats below and above exact values; None is infinite.

    >>> [bound.tolist() for bound in _enclosing_floats([Fraction(1, 2), None])]
    [[0.5, inf], [0.5, inf]]
    >>> [bound.tolist() for bound in _enclosing_floats([Fraction(10**400)])]
    [[1.7976931348623157e+308], [inf]]
    """
    return np.array([_float(value, -np.inf) for value in values]), np.array([_float(value, np.inf) for value in values])


def _float(value: Fraction | None, side: float) -> float:
    """The nearest float on one side of an exact value."""
    if value is None:
        return np.inf
    try:
        near = float(value)
    except OverflowError:
        near = np.inf
    if near < np.inf and (near >= value if side > 0 else near <= value):
        return near
    return float(np.nextafter(near, side))


class _Exact:
    """A strongly connected part with exact numbers; the values of all parts it leads to are known."""

    def __init__(
        self,
        problem: ShortestPath,
        part: list[int],
        values: list[Fraction | None],
        choice: NDArray[np.int64],
        effort: Effort,
    ) -> None:
        self.problem, self.part, self.values, self.choice, self.effort = problem, part, values, choice, effort
        self.members = set(part)
        self.own = [vertex for vertex in part if problem.game.owner[vertex] != SYSTEM]

    def solve(self) -> None:
        self.evaluate()
        while self.improve():
            self.evaluate()

    def improve(self) -> bool:
        """Change each choice that an exact comparison shows to be too dear; say whether there was one."""
        changed = False
        for vertex in self.own:
            edges = [edge for edge in self.problem.game.edges_of(vertex) if self.problem.usable[edge]]
            best = min(edges, key=self.offer)
            if self.offer(best) < self.known(vertex):
                self.choice[vertex] = best
                changed = True
        return changed

    def offer(self, edge: int) -> Fraction:
        return self.problem.exact_cost(edge) + self.known(int(self.problem.game.target[edge]))

    def known(self, vertex: int) -> Fraction:
        value = self.values[vertex]
        if value is None:
            raise UsageError(f"vertex {self.problem.game.names[vertex]!r} has no value, but an edge leads to it")
        return value

    def evaluate(self) -> None:
        rows, right = {}, {}
        for vertex in self.part:
            rows[vertex], right[vertex] = self.equation(vertex)
        for vertex, value in eliminate_exactly(rows, right, self.effort).items():
            self.values[vertex] = value

    def equation(self, vertex: int) -> tuple[Row, Fraction]:
        """The value as a sum: of weights times values in this part, and of what is known."""
        row: Row = {}
        right = Fraction(0)
        for weight, cost, target in self.steps(vertex):
            if target in self.members:
                row[target] = row.get(target, Fraction(0)) + weight
                right += weight * cost
            else:
                right += weight * (cost + self.known(target))
        return row, right

    def steps(self, vertex: int) -> Iterable[tuple[Fraction, Fraction, int]]:
        if self.problem.game.owner[vertex] == SYSTEM:
            return self.problem.exact_answers(vertex)
        edge = int(self.choice[vertex])
        return [(Fraction(1), self.problem.exact_cost(edge), int(self.problem.game.target[edge]))]
