"""A bound on a program in whole numbers, proven in whole numbers: by parts, each of which is bounded by prices.

HiGHS says that nothing costs less than what it has found, but computes in floats. Here the same is proven again, with
the answer known: where the relaxed program is proven to cost as much (linear_programs.py), there is nothing to do; else
a variable that is no whole number is chosen, and both sides of it are looked at. That nothing obeys the rows is proven
by a program that is allowed to miss them, at a price of one for each unit. Where a solution falls apart, cuts are added
that all tours obey. Exponential at worst, so it is tried for a while, and given up where it takes too long. Without an
answer to be proven there is a bound too: what the relaxed program with cuts costs.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.cancellation import NEVER, Deadline
from outplay.strategy.linear_programs import LinearProgram, Relaxed, Sides, solve_relaxed_program
from outplay.strategy.tours.closed_walks import with_closing_edges
from outplay.strategy.tours.postman_problem import PostmanProblem
from outplay.strategy.tours.tour_network import Cost
from outplay.strategy.tours.tour_program import TourProgram

_PARTS = 1_000
_ROUNDS = 5  # of cuts for a bound without an answer
_WHOLE = 1e-6


def proven_to_cost(tours: TourProgram, column: NDArray[Any], least: int, until: Deadline, parts: int = _PARTS) -> bool:
    """Say whether it was proven in time that no tour costs less in a column."""
    waiting = [tours.limits]
    while waiting:
        if parts == 0 or until.passed:
            return False
        parts -= 1
        limits = waiting.pop()
        program = replace(tours.program(column), variables=limits)
        found = solve_relaxed_program(program, tours.most, until.left)
        if found.least >= least or (found.status == 2 and _empty(program, tours.most, until)):
            continue
        if found.values is None:
            return False
        broken = np.abs(found.values - np.rint(found.values))
        if broken.max() > _WHOLE:
            waiting += _sides(limits, found, int(broken.argmax()))
        elif tours.cut(found.values):
            waiting.append(limits)  # again, with more rows
        else:
            return False
    return True


def _sides(limits: Sides, found: Relaxed, place: int) -> list[Sides]:
    """Both sides of a variable that is no whole number."""
    assert found.values is not None
    below, above = limits.high.copy(), limits.low.copy()
    below[place], above[place] = np.floor(found.values[place]), np.ceil(found.values[place])
    return [Sides(limits.low, below), Sides(above, limits.high)]


def _empty(program: LinearProgram, most: int, until: Deadline) -> bool:
    """Say whether nothing obeys the rows: then missing them costs something, however it is done."""
    from scipy.sparse import csr_array, eye_array, hstack

    count, variables = len(program.rows.low), len(program.costs)
    missing = eye_array(count, format="csr")
    matrix = csr_array(hstack([program.matrix, missing, -missing]))
    costs = np.append(np.zeros(variables, dtype=np.int64), np.ones(2 * count, dtype=np.int64))
    low, high = program.variables
    limits = Sides(np.append(low, np.zeros(2 * count)), np.append(high, np.full(2 * count, np.inf)))
    missed = LinearProgram(costs, matrix, program.rows, limits)
    return solve_relaxed_program(missed, most, until.left).least > 0


def relaxed_tour_bound(problem: PostmanProblem, until: Deadline = NEVER) -> Cost:
    """Return the bound that no tour costs less than, in the first column with any costs, by a relaxed program.

    >>> from outplay.strategy.tours.postman_problem import postman_problem
    >>> from outplay.strategy.tours.tour_network import network_of
    >>> network = network_of(3, [(0, 1, 1), (1, 0, 1), (1, 2, 4), (2, 0, 1), (2, 1, 1)])
    >>> relaxed_tour_bound(postman_problem(network, [[0], [3, 4]]))
    (Fraction(6, 1),)
    """
    tours = TourProgram(with_closing_edges(problem))
    network = tours.rooted.network
    costs = [Fraction(0)] * len(network.criteria)
    place = next((number for number, criterion in enumerate(network.criteria) if criterion.any()), 0)
    for _ in range(_ROUNDS):
        found = None if until.passed else tours.solve(network.criteria[place], whole=False, seconds=until.left)
        if found is None:
            break
        costs[place] = max(costs[place], Fraction(found.least, network.denominators[place]))
        if found.connected or found.stalled:
            break
    return tuple(costs)
