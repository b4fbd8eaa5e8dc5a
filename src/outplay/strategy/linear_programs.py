"""Linear programs: HiGHS kept quiet and stopped by signals, and bounds that are proven in whole numbers.

Any prices y of the rows, at least 0 on rows that say "at least" and at most 0 on those that say "at most", prove a
bound: with the reduced costs r = c - y A no solution costs less than Σ y · side + Σ r · limit, where the limit of a
variable is its lower one where r is above 0, and its upper one where it is below (weak duality). HiGHS finds good
prices in floats. They are rounded to multiples of a small unit, and the rest is reckoned in whole numbers, so what
rounding does can make the bound worse, but never wrong. Costs and sides are whole numbers here.
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import interruptible

_FINEST = 30  # prices are rounded to multiples of 2 ** -30, or of more where costs are long numbers
_MOST = 62


def run_highs(solver: Callable[..., Any], *given: Any, **options: Any) -> Any:
    """Call the linear programming of HiGHS (`milp` or `linprog`); a signal is heard while it works."""
    with _silenced():
        return interruptible(partial(solver, *given, **options))


@contextmanager
def _silenced() -> Iterator[None]:
    """Keep standard output for answers."""
    if os.name != "posix":
        yield
        return
    try:
        kept = os.dup(1)
    except OSError:  # it is closed, so there is nothing to keep
        yield
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        ctypes.CDLL(None).fflush(None)  # what is printed to a pipe waits in a buffer of C
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


class Sides(NamedTuple):
    """Between what several numbers are, infinite where nothing limits them."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class LinearProgram:
    """Minimize costs where each row, a sparse matrix times the variables, is between its limits, and each variable."""

    costs: NDArray[Any]
    matrix: Any
    rows: Sides
    variables: Sides


@dataclass(frozen=True, eq=False)
class Relaxed:
    """The result: 0 where it is solved, 2 where nothing obeys the rows; values, and the bound that is proven."""

    status: int
    values: NDArray[np.float64] | None
    least: int = 0


def solve_relaxed_program(program: LinearProgram, most: int, seconds: float | None) -> Relaxed:
    """Solve the linear relaxation of a program in which some best solution has no variable above `most`."""
    from scipy.optimize import linprog  # only here: it takes half a second to load
    from scipy.sparse import vstack

    equal, above, below = _sorts(program)
    options = {} if seconds is None else {"time_limit": max(seconds, 0.05)}
    answer = run_highs(
        linprog,
        program.costs.astype(float),
        A_ub=vstack((-program.matrix[above], program.matrix[below]), format="csr"),
        b_ub=np.append(-program.rows.low[above], program.rows.high[below]),
        A_eq=program.matrix[equal],
        b_eq=program.rows.low[equal],
        bounds=np.stack(program.variables, axis=1),
        method="highs",
        options=options,
    )
    if answer.status != 0:
        return Relaxed(answer.status, answer.x)
    prices = np.zeros(len(program.rows.low))
    prices[equal] = answer.eqlin.marginals
    given = answer.ineqlin.marginals
    prices[above], prices[below] = np.maximum(-given[: len(above)], 0), np.minimum(given[len(above) :], 0)
    return Relaxed(0, answer.x, proven_least_cost(program, prices, most))


def proven_least_cost(program: LinearProgram, prices: NDArray[np.float64], most: int) -> int:
    """Return the bound in whole numbers that dual prices prove, at least 0; infinite limits count as `most`."""
    unit = _unit(program, prices)
    if unit is None:
        return 0
    whole = np.rint(prices * unit).astype(np.int64)
    matrix = program.matrix.astype(np.int64)
    reduced = program.costs.astype(np.int64) * unit - matrix.T @ whole
    sides = np.where(whole > 0, *program.rows)
    limits = np.where(reduced > 0, program.variables.low, np.minimum(program.variables.high, most))
    total = _product(whole, sides) + _product(reduced, limits)
    return max(0, -(-total // unit))


def _unit(program: LinearProgram, prices: NDArray[np.float64]) -> int | None:
    """Return the parts that a unit of cost is cut into, so that all sums fit into 64 bits; None where they do not."""
    largest = np.abs(program.costs).max(initial=0) + (abs(program.matrix).T @ np.abs(prices)).max(initial=0)
    if not np.isfinite(float(largest)):
        return None
    fitting = _MOST - int(np.ceil(np.log2(float(largest) + 2)))
    return None if fitting < 1 else 1 << min(_FINEST, fitting)


def _product(whole: NDArray[np.int64], sides: NDArray[np.float64]) -> int:
    used = np.flatnonzero(whole)
    return sum(one * int(side) for one, side in zip(whole[used].tolist(), sides[used].tolist(), strict=True))


def _sorts(program: LinearProgram) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The rows that are equations, those that say at least, and those that say at most."""
    equal = program.rows.low == program.rows.high
    above = ~equal & np.isfinite(program.rows.low)
    return tuple(np.flatnonzero(rows) for rows in (equal, above, ~equal & ~above))  # type: ignore[return-value]
