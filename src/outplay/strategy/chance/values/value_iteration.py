"""Value iteration with guaranteed bounds, one strongly connected component after the other.

Values of a component are swept in place (Gauss and Seidel) until they prove their own bounds: for any v ≥ 0 and all
costs positive let e1 = max over all actions of (v(s) − c − P·v) / c and e2 = max over the best actions of
(c + P·v − v(s)) / c. Then v / (1 + e1) keeps every inequality of the linear program (001, section 2.2), so it is a
lower bound, and v / (1 − e2) is at least the cost of the strategy that takes the best actions, which therefore arrives.
Errors do not add up along chains of components. A component that converges slowly gets the exact cost of the strategy
found so far by linear equations, and is swept on from there. Actions of cost 0 get a positive one by a shift: with w a
bound of the expected number of such actions in a row, v + k·w has costs c + k·(w − P·w), positive for a small k.
Bound: O(E) for each sweep.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.strategy.chance.graph.decision_process import DecisionProcess
from outplay.strategy.chance.values import _value_iteration
from outplay.strategy.chance.values.policy_evaluation import solve_row

PATIENCE = 24  # sweeps before a component of few states is called slow; twenty times as many for others
HASTY = 5
_ROOM = 64 * 66  # components of up to 64 states are solved inside the kernel
_ROUNDS = 12  # systems of equations for a large component before its bounds are left as wide as they are
_LARGEST = 200_000  # equations
_RUN = 2000  # sweeps for a bound of the actions of cost 0 in a row


@dataclass(frozen=True, eq=False)
class Swept:
    """Values that prove their own bounds: value / (1 + above) - shift and value / (1 - below) - shift."""

    value: NDArray[np.float64]
    shift: NDArray[np.float64]
    above: NDArray[np.float64]
    below: NDArray[np.float64]
    """Of each state; none is less than where it may lead, so one component that is off spoils none before it."""
    choice: NDArray[np.uint32]
    """The best action of each state."""


def sweep(
    process: DecisionProcess,
    epsilon: float,
    start: NDArray[np.float64] | None = None,
    *,
    equations: bool = True,
    hasty: bool = False,
) -> Swept | None:
    """Find values of all states whose bounds differ by `epsilon`, relative; `start` holds values to begin with.

    There must be no cycle of actions of cost 0 that the tester can stay in. None if no shift could be found for the
    actions of cost 0 or, when `hasty`, if a component turns out to be slow.
    """
    shift = _shift(process)
    if shift is None:
        return None
    if shift.any():
        process = _shifted(process, shift)
    states = len(process.vertex)
    value = np.zeros(states + 1) if start is None else np.append(start, 0.0) + shift
    choice = np.zeros(states, dtype=np.uint32)
    moved = np.zeros(states)
    above, below = np.zeros((2, len(process.row_first) - 1))
    room = np.zeros(_ROOM if equations else 0)
    rows, row, tries = len(above), 0, 0
    run = best_for(_value_iteration.solve_components, process.size)
    while True:
        started = rows if start is not None else row + 1 if tries else row
        limits = (row, started, 0.98 * epsilon, process.margin, HASTY if hasty else PATIENCE, room)
        stopped = int(run(*process.arrays, value, choice, above, below, moved, *limits))
        if stopped == rows:
            break
        if hasty:
            return None
        tries = tries + 1 if stopped == row else 1
        row = stopped
        size = int(process.row_first[row + 1] - process.row_first[row])
        if tries > _ROUNDS:
            row, tries = row + 1, 0
        elif equations and size <= _LARGEST:
            solve_row(process, row, choice, process.action_cost, value)
    sizes = np.diff(process.row_first)
    above, below = (np.repeat(np.maximum.accumulate(np.maximum(off, 0.0)), sizes) for off in (above, below))
    return Swept(value, shift, above, below, choice)


def _shift(process: DecisionProcess) -> NDArray[np.float64] | None:
    """What to add to values so that every action has a positive cost; None if nothing was found in time."""
    free = process.action_cost == 0
    run = np.zeros(len(process.vertex) + 1)
    if not free.any():
        return run
    if not best_for(_value_iteration.zero_runs, process.size)(*process.arrays, run, _RUN):
        return None
    paid = process.action_cost[~free]
    ahead = process.ahead(run)[~free]
    room = paid[ahead > 0] / ahead[ahead > 0]
    return np.asarray(run * (room.min(initial=paid.min(initial=1.0)) / 2))


def _shifted(process: DecisionProcess, shift: NDArray[np.float64]) -> DecisionProcess:
    before = shift[process.owner_of_actions()]
    return replace(process, action_cost=process.action_cost + (before * process.leave - process.ahead(shift)))
