"""Policy iteration in floats: evaluate a strategy by a linear system, improve it, until nothing improves.

The parts of the graph are solved one after the other, those an edge leads to first, so a system of equations is never
larger than a strongly connected part. Improving only where it strictly pays keeps a strategy that is sure to leave a
part sure to leave it, zero costs or not: in a set where the new strategy stayed for ever nothing would have been
gained on average, so nothing would have been changed there, and the old one would stay there too. Rounding can break
that argument, so it is checked, and changes that get stuck are taken back. Bound: one sparse factorisation for each
strategy; the number of strategies is exponential at worst and seldom above ten.

The worth of a strategy in one component, by linear equations: for components where iteration is slow.
Bound: one factorisation of a sparse matrix, O(n) to O(n³) for n states, depending on how they hang together.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.errors import UsageError
from outplay.game.algebra import row_entries
from outplay.game.graph import SYSTEM, Game
from outplay.strategy.chance.reduction.decision_process import DecisionProcess
from outplay.strategy.chance.valuation.shortest_path import ShortestPath, cost_shortest_path

_DENSE_COMPONENT = 100  # equations; up to there a full matrix is faster than a sparse one
# What leaves a state is at least what goes to others: no pivots are needed, and no order that allows for them.
_WITHOUT_PIVOTS: dict[str, Any] = {
    "permc_spec": "MMD_AT_PLUS_A",
    "diag_pivot_thresh": 0.0,
    "options": {"SymmetricMode": True},
}
_DENSE = 40  # equations; up to there a full matrix is faster than a sparse one
_STRICT = 1e-12  # a relative gain below this is rounding


def solve_row(
    process: DecisionProcess,
    row: int,
    choice: NDArray[Any],
    gain: NDArray[np.float64],
    value: NDArray[np.float64],
) -> bool:
    """Set the values of a component to gain + expected value ahead under the choices; False if that has no solution.

    `gain` is what each action adds; values of other components are taken as they are.
    """
    low, high = process.span(row)
    chosen = choice[low:high]
    places, source = row_entries(process.arrays.outcome_first, chosen)
    beyond, chance = process.arrays.outcome_state[places].astype(np.int64), process.arrays.outcome_chance[places]
    inner = (beyond >= low) & (beyond < high)
    outer = np.where(inner, 0.0, chance * value[beyond])
    right = gain[chosen] + np.bincount(source, weights=outer, minlength=high - low)
    entries = source[inner], beyond[inner] - low, -chance[inner]
    found = _solve_equations(process.arrays.leave[chosen], *entries, right, dense=_DENSE_COMPONENT, **_WITHOUT_PIVOTS)
    if not (np.isfinite(found).all() and found.min() > 0):  # these choices never leave, or hardly
        return False
    value[low:high] = found
    return True


def _solve_equations(
    diagonal: NDArray[Any], row: Any, column: Any, entry: Any, right: NDArray[Any], *, dense: int, **order: Any
) -> NDArray[np.float64]:
    """Solve linear equations, up to `dense` of them by a full matrix; no numbers where there is not one solution.

    The matrix has a diagonal, and entries beside it; `order` says how a sparse one is factorised.
    """
    count = len(diagonal)
    if count <= dense:
        matrix = np.diag(diagonal)
        np.add.at(matrix, (row, column), entry)
        try:
            return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)
        except np.linalg.LinAlgError:
            return np.full(count, np.nan)
    from scipy.sparse import coo_array, diags_array  # only here: it takes a third of a second to load
    from scipy.sparse.linalg import splu

    sparse = diags_array(diagonal) + coo_array((entry, (row, column)), shape=(count, count))
    try:
        found: NDArray[np.float64] = splu(sparse.tocsc(), **order).solve(right)
    except RuntimeError:  # exactly singular
        return np.full(count, np.nan)
    return found


class IllConditionedError(UsageError):
    """Floats cannot solve the equations of a strategy."""


def policy_iteration(game: Game, goals: NDArray[Any], winning: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Compute least expected costs by policy iteration in floats, infinite outside `winning`.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("1", "tester").vertex("2", "system").vertex("g", "tester").edge("1", "2")
    >>> game = builder.edge("2", "g", probability="2/3").edge("2", "1", probability="1/3").build()
    >>> policy_iteration(game, np.array([2]), np.ones(3, dtype=bool)).round(9).tolist()
    [3.0, 2.0, 0.0]
    """
    problem = cost_shortest_path(game, goals, winning)
    return iterate_policies(problem, problem.towards(goals)[1])


def iterate_policies(problem: ShortestPath, choice: NDArray[np.int64]) -> NDArray[np.float64]:
    """Improve the strategy `choice`, which must be sure to leave, by policy iteration; return its values."""
    value = np.where(problem.ends >= 0, problem.ends, np.inf).astype(np.float64)
    place, part_of = np.zeros((2, problem.game.vertex_count), dtype=np.int64)
    for number, part in enumerate(problem.parts(), start=1):
        part_of[part] = number
        place[part] = np.arange(len(part))
        if len(part) == 1:
            _solve_single(problem, int(part[0]), value, choice)
        else:
            Component(problem, part, place, part_of).solve(value, choice)
    return value


def _solve_single(problem: ShortestPath, vertex: int, value: NDArray[np.float64], choice: NDArray[np.int64]) -> None:
    """A vertex that can only come back to itself: an average over its other edges, or the best of them."""
    edges = slice(int(problem.game.first[vertex]), int(problem.game.first[vertex + 1]))
    targets = problem.game.target[edges]
    offers = problem.costs[edges] + value[targets]
    away = targets != vertex
    if problem.game.owner[vertex] == SYSTEM:
        weights = problem.weights[edges]
        stays = float(np.sum(weights[~away] * problem.costs[edges][~away]))
        value[vertex] = (float(np.sum(weights[away] * offers[away])) + stays) / float(np.sum(weights[away]))
    else:
        best = int(np.argmin(np.where(away, offers, np.inf)))  # what may not be entered is infinite
        value[vertex] = offers[best]
        choice[vertex] = edges.start + best if np.isfinite(offers[best]) else choice[vertex]
    _trusted(value[[vertex]])


class Component:
    """A strongly connected part: its edges as arrays, grouped by vertex, its vertices numbered from 0."""

    def __init__(
        self, problem: ShortestPath, vertices: NDArray[np.int64], place: NDArray[np.int64], part_of: NDArray[np.int64]
    ) -> None:
        game = problem.game
        self.vertices, self.count = vertices, len(vertices)
        edges, _ = row_entries(game.first, vertices)
        self.edges = edges[problem.usable[edges]]
        self.row = place[game.source[self.edges]]
        self.target = game.target[self.edges]
        self.cost, self.weight = problem.costs[self.edges], problem.weights[self.edges]
        self.inner = part_of[self.target] == part_of[vertices[0]]
        self.column = np.where(self.inner, place[self.target], 0)
        self.systems = game.owner[vertices] == SYSTEM
        own = np.flatnonzero(~self.systems[self.row])
        self.own, self.own_row = own, self.row[own]
        self.sizes = np.bincount(self.own_row, minlength=self.count)[~self.systems]
        self.groups = np.cumsum(self.sizes) - self.sizes

    def solve(self, value: NDArray[np.float64], choice: NDArray[np.int64]) -> None:
        outside = np.where(self.inner, 0.0, value[self.target])
        total, best_choice = np.inf, choice[self.vertices]
        while True:
            found = self.evaluate(outside, choice)
            if not found.sum() < total:  # nothing but rounding is left to gain
                choice[self.vertices] = best_choice
                return
            total, best_choice = found.sum(), choice[self.vertices]
            value[self.vertices] = found
            if not len(self.own):
                return
            offers = self.cost[self.own] + value[self.target[self.own]]
            best = np.repeat(np.minimum.reduceat(offers, self.groups), self.sizes)
            better = (offers == best) & (best < found[self.own_row] * (1 - _STRICT))
            if not better.any():
                return
            self.improve(choice, self.own[better])

    def evaluate(self, outside: NDArray[np.float64], choice: NDArray[np.int64]) -> NDArray[np.float64]:
        """Solve value = Σ weight (cost + value(target)) over the edges that the strategy takes."""
        taken = self.taken(choice)
        row, weight = self.row[taken], self.weight[taken]
        right = np.bincount(row, weights=weight * (self.cost + outside)[taken], minlength=self.count)
        inner = self.inner[taken] & (self.column[taken] != row)
        # One minus the chance to stay, as a sum of what leaves: nothing is lost where that is tiny.
        leaves = ~(self.inner[taken] & (self.column[taken] == row))
        diagonal = np.bincount(row[leaves], weights=weight[leaves], minlength=self.count)
        entries = row[inner], self.column[taken][inner], -weight[inner]
        return _trusted(_solve_equations(diagonal, *entries, right, dense=_DENSE))

    def taken(self, choice: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.flatnonzero(self.systems[self.row] | (self.edges == choice[self.vertices][self.row]))

    def improve(self, choice: NDArray[np.int64], better: NDArray[np.int64]) -> None:
        """Take the better edges, unless the play would get stuck."""
        before = choice[self.vertices]
        choice[self.vertices[self.row[better]]] = self.edges[better]
        stuck = ~self.leaving(choice)
        choice[self.vertices[stuck]] = before[stuck]

    def leaving(self, choice: NDArray[np.int64]) -> NDArray[np.bool_]:
        """The vertices from which the strategy leaves the part with positive probability."""
        taken = self.taken(choice)
        row, column, inner = self.row[taken], self.column[taken], self.inner[taken]
        leaving = np.zeros(self.count, dtype=bool)
        leaving[row[~inner]] = True
        while True:
            more = row[inner & leaving[column]]
            if leaving[more].all():
                return leaving
            leaving[more] = True


def _trusted(found: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values that may be the solution; a little below 0 is rounding."""
    if not np.all(np.isfinite(found)) or found.min() < -_STRICT * found.max():
        raise IllConditionedError(
            "the equations of a strategy are too ill-conditioned for floats; use method 'vi' or epsilon 0"
        )
    return np.maximum(found, 0.0)
