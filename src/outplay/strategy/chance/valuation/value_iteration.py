"""Value iteration with guaranteed bounds, one strongly connected component after the other.

Values of a component are swept in place (Gauss and Seidel) until they prove their own bounds: for any v ≥ 0 and all
costs positive let e1 = max over all actions of (v(s) − c − P·v) / c and e2 = max over the best actions of (c + P·v −
v(s)) / c. Then v / (1 + e1) keeps every inequality of the linear program (Blass et al. 2005, section 2.2), so it is a
lower bound, and v / (1 − e2) is at least the cost of the strategy that takes the best actions, which therefore arrives.
Errors do not add up along chains of components. A component that converges slowly is brought near by equations of
aggregates, or of all its states where these do not help, for the strategy found so far, and is swept on from there.
Actions of cost 0 get a positive one by a shift: with w a bound of the expected number of such actions in a row, v + k·w
has costs c + k·(w − P·w), positive for a small k. Bound: O(E) for each sweep.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.strategy.arrays import SMALLEST, UNIT, Iterates, ProcessArrays, Stopping, SweepResult
from outplay.strategy.chance.reduction.decision_process import DecisionProcess
from outplay.strategy.chance.valuation import _value_iteration
from outplay.strategy.chance.valuation.aggregation import aggregate_component
from outplay.strategy.chance.valuation.policy_iteration import solve_row

PATIENCE = 24  # sweeps before a component of few states is called slow
LONG = 48  # the same for others
HASTY = 24
AGAIN = 8  # sweeps between corrections of a slow component
_ALONE = 480  # sweeps where there shall be no corrections
_USELESS = 6  # corrections, or this many sweeps, that do not bring a component nearer before it is left as it is
_DOUBTFUL = 2  # useless corrections before all equations of a component are solved instead
_LARGEST = 200_000  # equations
_ROOM = 64 * 66  # components of up to 64 states are solved inside the kernel
_RUN = 2000  # sweeps for a bound of the actions of cost 0 in a row


def iterate_values(
    process: DecisionProcess,
    epsilon: float,
    start: NDArray[np.float64] | None = None,
    *,
    equations: bool = True,
    hasty: bool = False,
) -> SweepResult | None:
    """Find the values of all states by value iteration, with bounds that differ by a relative `epsilon`.

    There must be no cycle of actions of cost 0 that the tester can stay in. None if no shift could be found for the
    actions of cost 0, if costs are too small for floats or, when `hasty`, if a component turns out to be slow.
    """
    shift = _shift(process)
    if shift is None:
        return None
    if shift.any():
        process = _shifted(process, shift)
    if process.arrays.action_cost.min(initial=1.0) < SMALLEST:
        return None
    states, rows = len(process.vertex), len(process.arrays.row_first) - 1
    value = np.zeros(states + 1) if start is None else np.append(start, 0.0) + shift
    found = Iterates(value, np.zeros(states, dtype=np.uint32), np.zeros(states), *np.full((3, rows), np.inf))
    margin = process.margin if shift.any() else 8 * UNIT  # shifted costs are rounded as values are
    limits = Stopping(0.98 * epsilon, process.rounding, margin, PATIENCE, HASTY if hasty else LONG)
    if not _iterated(process, found, limits, started=start is not None, equations=equations, hasty=hasty):
        return None
    sizes = np.diff(process.arrays.row_first)
    above, below = (np.repeat(np.maximum.accumulate(np.maximum(off, 0.0)), sizes) for off in (found.above, found.below))
    return SweepResult(value, shift, above, below, found.choice)


def _iterated(
    process: DecisionProcess, found: Iterates, limits: Stopping, *, started: bool, equations: bool, hasty: bool
) -> bool:
    """Bring the values of all components near; False if one turns out to be slow when `hasty`."""
    rows, row, slow = len(found.above), 0, None
    room = np.zeros(_ROOM if equations else 0)
    run = best_for(_value_iteration.solve_components, process.size)
    certify = best_for(_value_iteration.certify, process.size)
    while True:
        now = limits if slow is None else limits._replace(long_patience=slow.patience)
        stopped = int(run(process.arrays, found, row, rows if started else row + (slow is not None), now, room))
        if stopped == rows:
            return True
        if hasty:
            return False
        if slow is None or slow.row != stopped:
            slow = _Slow(stopped, AGAIN if equations else _ALONE)
        row = stopped
        if not slow.goes_on(process, found, equations):  # its bounds stay as wide as they are
            low, high = process.span(row)
            found.above[row], found.below[row] = certify(process.arrays, low, high, found, limits)
            row, slow = row + 1, None


@dataclass(eq=False)
class _Slow:
    """A component that is slow: corrected between sweeps, more seldom where that does not help."""

    row: int
    patience: int
    before: float = np.inf
    useless: int = 0
    solved: NDArray[np.uint32] | None = None
    """The choices whose values were found outright."""

    def goes_on(self, process: DecisionProcess, found: Iterates, equations: bool) -> bool:
        """Correct the values if there shall be `equations`; False when nothing more can be gained."""
        change = float(found.change[self.row])
        stuck = change > 0.5 * self.before
        if stuck:
            self.useless += 1
            self.patience *= 2 if equations else 1
        self.before = change
        if equations:
            low, high = process.span(self.row)
            if self.solved is not None and np.array_equal(self.solved, found.choice[low:high]):
                return not stuck  # to solve the same equations again would bring nothing but other rounding
            if self._solve(process, found):
                self.solved = found.choice[low:high].copy()
        return self.useless < _USELESS

    def _solve(self, process: DecisionProcess, found: Iterates) -> bool:
        """Bring the values near to what the choices are worth; True if they are that outright."""
        low, high = process.span(self.row)
        if self.useless < _DOUBTFUL or high - low > _LARGEST:
            return aggregate_component(process, self.row, found.choice, found.value)
        return solve_row(process, self.row, found.choice, process.arrays.action_cost, found.value)


def _shift(process: DecisionProcess) -> NDArray[np.float64] | None:
    """Return what to add to values so that every action has a positive cost; None if nothing was found in time."""
    free = process.arrays.action_cost == 0
    run = np.zeros(len(process.vertex) + 1)
    if not free.any():
        return run
    if not best_for(_zero_runs, process.size)(process.arrays, run, _RUN):
        return None
    paid = process.arrays.action_cost[~free]
    ahead = process.ahead(run)[~free]
    with np.errstate(over="ignore"):  # endless room is no bound
        room = paid[ahead > 0] / ahead[ahead > 0]
    return np.asarray(run * (room.min(initial=paid.min(initial=1.0)) / 2))


def _zero_runs(process: ProcessArrays, run: Any, patience: int) -> bool:
    """The kernel of shifts: bound the expected number of actions of cost 0 in a row, whatever the tester does.

    On entry `run` is 0; on return each action of cost 0 lowers it by at least a half on average, or the answer is
    False: some component did not get there in this many sweeps.
    """
    row_first, action_first, action_cost = process.row_first, process.action_first, process.action_cost
    leave, outcome_first, outcome_state = process.leave, process.outcome_first, process.outcome_state
    outcome_chance = process.outcome_chance
    for row in range(len(row_first) - 1):
        for _ in range(patience):
            least = 1.0
            for state in range(row_first[row], row_first[row + 1]):
                for action in range(action_first[state], action_first[state + 1]):
                    if action_cost[action] > 0.0:
                        continue
                    ahead = 0.0
                    for place in range(outcome_first[action], outcome_first[action + 1]):
                        ahead += outcome_chance[place] * run[outcome_state[place]]
                    least = min(least, run[state] * leave[action] - ahead)
                    run[state] = max(run[state], (1.0 + ahead) / leave[action])
            if least >= 0.5:
                break
        if least < 0.5:
            return False
    return True


def _shifted(process: DecisionProcess, shift: NDArray[np.float64]) -> DecisionProcess:
    arrays, before = process.arrays, shift[process.owner_of_actions()]
    cost = arrays.action_cost + (before * arrays.leave - process.ahead(shift))
    return replace(process, arrays=arrays._replace(action_cost=cost))
