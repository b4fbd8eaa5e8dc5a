"""Aggregation: what a strategy is worth in a large component where sweeping is slow.

States stand in the order of their distance to the goals, so neighbours in this order have values that are wrong by
about the same. Some of them in a row make an aggregate, and the equations of the aggregates say by how much each is
wrong (Bertsekas and Castañon 1989); sweeps do the rest, for they are quick where errors differ from state to state.
Aggregates are as small as equations can be afforded: of single states where the component is long and narrow, and then
the values are right at once. Bound: O(E) for each correction.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.strategy.arrays import ProcessArrays
from outplay.strategy.chance.reduction.decision_process import DecisionProcess

_WORK = 24  # multiplications for each state that equations may take


class Band(NamedTuple):
    """Equations of aggregates, each with those from `start` to `reach`, both inclusive, neither ever falling."""

    start: Any
    reach: Any
    offset: Any
    """The beginning of the row of each aggregate in `entry`."""
    entry: Any
    """Chances to go from an aggregate to others, row after row."""
    leaving: Any
    """Chances to leave the component."""
    right: Any


def aggregate_component(process: DecisionProcess, row: int, choice: NDArray[Any], value: NDArray[np.float64]) -> bool:
    """Bring the values of a large component nearer to what the choices are worth; say whether they are exact.

    Nothing changes where the choices never leave the component.
    """
    low, high = process.span(row)
    reach = np.zeros(high - low, dtype=np.int64)
    best_for(_furthest, process.size)(process.arrays, low, high, choice, reach)
    bits, band = _affordable(np.maximum.accumulate(np.maximum(reach, np.arange(len(reach)))))
    run = best_for(_solve_aggregates, process.size)
    return bool(run(process.arrays, low, high, choice, value, bits, band)) and bits == 0


def _affordable(reach: NDArray[np.int64]) -> tuple[int, Band]:
    """The finest aggregates whose equations can be afforded, and room for these."""
    bits = 0
    while True:
        ends = np.maximum.reduceat(reach, np.arange(0, len(reach), 1 << bits)) >> bits
        count = len(ends)
        if count <= 2 or np.sum((ends - np.arange(count)).astype(np.float64) ** 2) <= _WORK * len(reach):
            break
        bits += 1
    start = np.searchsorted(ends, np.arange(count))
    offset = np.concatenate(([0], np.cumsum(ends - start + 1)))
    return bits, Band(start, ends, offset[:-1], np.zeros(offset[-1]), *np.zeros((2, count)))


def _furthest(process: ProcessArrays, low: int, high: int, choice: Any, reach: Any) -> None:
    """For each state of a component, the last one that a chosen action leads to from it, or from which one leads to it.

    `reach` is 0 on entry; states are counted from `low`.
    """
    outcome_first, outcome_state = process.outcome_first, process.outcome_state
    for state in range(low, high):
        here = state - low
        for place in range(outcome_first[choice[state]], outcome_first[choice[state] + 1]):
            beyond = outcome_state[place]
            if low <= beyond < high:
                there = beyond - low
                first = min(here, there)
                reach[first] = max(reach[first], here, there)


def _solve_aggregates(
    process: ProcessArrays, low: int, high: int, choice: Any, value: Any, bits: int, band: Band
) -> bool:
    """Add to the values of each aggregate, 2 ** `bits` states in a row, what the equations of all aggregates ask for.

    With P the chances and c the costs of the chosen actions, r = c + P·v − v, R the sum over each aggregate and W its
    spreading out again: solve R (I − P) W y = R r and add W y. An aggregate of one state gets its value outright.
    `band` has zeros in `entry`, `leaving` and `right` on entry. False, and nothing changed, if some never leave.
    """
    action_cost, leave, outcome_first = process.action_cost, process.leave, process.outcome_first
    outcome_state, outcome_chance = process.outcome_state, process.outcome_chance
    start, offset, entry, leaving, right = band.start, band.offset, band.entry, band.leaving, band.right
    whole = bits == 0
    for state in range(low, high):
        action = choice[state]
        at = (state - low) >> bits
        row = offset[at] - start[at]
        rest = action_cost[action]
        if not whole:
            rest -= leave[action] * value[state]
        for place in range(outcome_first[action], outcome_first[action + 1]):
            beyond = outcome_state[place]
            chance = outcome_chance[place]
            if low <= beyond < high:
                to = (beyond - low) >> bits
                if to != at:
                    entry[row + to] += chance
                if not whole:
                    rest += chance * value[beyond]
            else:
                leaving[at] += chance
                rest += chance * value[beyond]
        right[at] += rest
    if not _eliminate_banded(band):
        return False
    for state in range(low, high):
        found = right[(state - low) >> bits]
        value[state] = found if whole else max(0.0, value[state] + found)
    return True


def _eliminate_banded(band: Band) -> bool:
    """Solve the equations of a band, forward without a subtraction (Grassmann, Taksar and Heyman), then back.

    What a row keeps for itself is the sum of what goes elsewhere, so nothing is lost where that is tiny. On return
    `right` holds the solution. False if an aggregate leads nowhere. O(rows · width²).
    """
    start, reach, offset, entry, leaving = band.start, band.reach, band.offset, band.entry, band.leaving
    right = band.right
    count = len(start)
    for gone in range(count):
        row = offset[gone] - start[gone]
        end = reach[gone] + 1
        away = leaving[gone]
        for to in range(gone + 1, end):
            away += entry[row + to]
        if not away > 0.0:
            return False
        entry[row + gone] = away
        for other in range(gone + 1, end):
            at = offset[other] - start[other]
            share = entry[at + gone]
            if share > 0.0:
                share /= away
                for to in range(gone + 1, end):
                    entry[at + to] += share * entry[row + to]
                leaving[other] += share * leaving[gone]
                right[other] += share * right[gone]
    for gone in range(count - 1, -1, -1):
        row = offset[gone] - start[gone]
        total = right[gone]
        for to in range(gone + 1, reach[gone] + 1):
            total += entry[row + to] * right[to]
        right[gone] = total / entry[row + gone]
    return True
