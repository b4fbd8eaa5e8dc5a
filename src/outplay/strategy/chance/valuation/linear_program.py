"""The linear program of Blass et al. 2005, section 2.2: least expected costs as the largest solution of inequalities.

Maximise the sum of all values under: 0 at goals; at a tester vertex at most cost + value(target) for every edge; at a
system vertex at most Σ p (cost + value(target)). Edges to vertices from where the goal may be missed are left out.
Every solution is below the cost of every strategy that arrives, with zero costs too, so the program is bounded, and the
costs of a best strategy are a solution; hence the largest is theirs. Bound: polynomial, in practice 10 to 100 times
slower than value iteration (Blass et al. 2005, table 1). HiGHS works in floats and keeps inequalities within 1e-7.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.errors import UsageError
from outplay.game.graph import SYSTEM, Game
from outplay.strategy.chance.valuation.shortest_path import ShortestPath, cost_shortest_path
from outplay.strategy.linear_programs import run_highs


def linear_program(game: Game, goals: NDArray[Any], winning: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Compute least expected costs by a linear program, infinite outside `winning`.

    >>> from outplay import GameBuilder
    >>> coin = GameBuilder().vertex("toss", "system").vertex("heads", "tester")
    >>> game = coin.edge("toss", "heads", cost=3).edge("toss", "toss", cost=3).build()
    >>> linear_program(game, np.array([1]), np.ones(2, dtype=bool)).round(6).tolist()
    [6.0, 0.0]
    """
    problem = cost_shortest_path(game, goals, winning)
    value = np.where(problem.ends >= 0, 0.0, np.inf)
    if problem.inside.any():
        value[problem.inside] = _largest(problem)
    return value


def _largest(problem: ShortestPath) -> NDArray[np.float64]:
    from scipy.optimize import linprog  # only here: it takes half a second to load
    from scipy.sparse import coo_array

    row, column, entry, right = _inequalities(problem)
    scale = right.max() or 1.0  # the solver's tolerance is absolute
    count = int(problem.inside.sum())
    matrix = coo_array((entry, (row, column)), shape=(len(right), count)).tocsr()
    bounds = {"A_ub": matrix, "b_ub": right / scale, "bounds": (0, None)}
    answer = run_highs(linprog, -np.ones(count), **bounds, method="highs")
    if answer.x is None:
        raise UsageError(f"the linear program could not be solved ({answer.message}); use method 'vi' or 'pi'")
    found: NDArray[np.float64] = answer.x * scale
    return found


def _inequalities(problem: ShortestPath) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Value − Σ weight value(target) ≤ Σ weight cost: a row for each edge of the tester, each vertex of the system."""
    game = problem.game
    edges = np.flatnonzero(problem.usable)
    source, target = game.source[edges], game.target[edges]
    key = np.where(game.owner[source] == SYSTEM, source.astype(np.int64), game.vertex_count + edges)
    rows, at, row = np.unique(key, return_index=True, return_inverse=True)
    weight = problem.weights[edges]
    right = np.bincount(row, weights=weight * problem.costs[edges], minlength=len(rows))
    column = np.cumsum(problem.inside) - 1
    inner = problem.inside[target]
    return (
        np.concatenate((np.arange(len(rows)), row[inner])),
        np.concatenate((column[source[at]], column[target[inner]])),
        np.concatenate((np.ones(len(rows)), -weight[inner])),
        right,
    )
