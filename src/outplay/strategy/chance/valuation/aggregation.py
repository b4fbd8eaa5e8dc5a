"""Aggregation: what a strategy is worth in a large component where sweeping is slow.

States stand in the order of their distance to the goals, so neighbours in this order have values that are wrong by
about the same. Some of them in a row make an aggregate, and the equations of the aggregates say by how much each is
wrong (Bertsekas and Castañon 1989); sweeps do the rest, for they are quick where errors differ from state to state.
Aggregates are as small as equations can be afforded: of single states where the component is long and narrow, and then
the values are right at once. Bound: O(E) for each correction.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.strategy.chance.reduction.decision_process import DecisionProcess
from outplay.strategy.chance.valuation import _aggregation
from outplay.strategy.chance.valuation._aggregation import Band

_WORK = 24  # multiplications for each state that equations may take


def correct(process: DecisionProcess, row: int, choice: NDArray[Any], value: NDArray[np.float64]) -> bool:
    """Bring the values of a component nearer to what the choices are worth; say whether they are that outright.

    Nothing changes where the choices never leave the component.
    """
    low, high = process.arrays.row_first[row : row + 2].tolist()
    reach = np.zeros(high - low, dtype=np.int64)
    best_for(_aggregation.furthest, process.size)(process.arrays, low, high, choice, reach)
    bits, band = _affordable(np.maximum.accumulate(np.maximum(reach, np.arange(len(reach)))))
    run = best_for(_aggregation.correct, process.size)
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
