"""What a strategy is worth in one component, by linear equations: for components where iteration is slow.

Bound: one factorisation of a sparse matrix, O(n) to O(n³) for n states, depending on how they hang together.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.game.algebra import ranges
from outplay.strategy.chance.reduction.decision_process import DecisionProcess

_DENSE = 100  # equations; up to there a full matrix is faster than a sparse one


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
    places, source = ranges(process.arrays.outcome_first, chosen)
    beyond, chance = process.arrays.outcome_state[places].astype(np.int64), process.arrays.outcome_chance[places]
    inner = (beyond >= low) & (beyond < high)
    outer = np.where(inner, 0.0, chance * value[beyond])
    right = gain[chosen] + np.bincount(source, weights=outer, minlength=high - low)
    found = _solved(process.arrays.leave[chosen], source[inner], beyond[inner] - low, chance[inner], right)
    if found is None or not (np.isfinite(found).all() and found.min() > 0):
        return False
    value[low:high] = found
    return True


def _solved(
    leave: NDArray[np.float64],
    source: NDArray[np.int64],
    beyond: NDArray[np.int64],
    chance: NDArray[np.float64],
    right: NDArray[np.float64],
) -> NDArray[np.float64] | None:
    count = len(leave)
    if count <= _DENSE:
        matrix = np.diag(leave)
        np.subtract.at(matrix, (source, beyond), chance)
        try:
            return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)
        except np.linalg.LinAlgError:  # these choices never leave
            return None
    from scipy.sparse import coo_array, diags_array  # only here: it takes a third of a second to load
    from scipy.sparse.linalg import splu

    sparse = diags_array(leave) - coo_array((chance, (source, beyond)), shape=(count, count))
    # What leaves a state is at least what goes to others: no pivots are needed, and no order that allows for them.
    order = {"permc_spec": "MMD_AT_PLUS_A", "diag_pivot_thresh": 0.0, "options": {"SymmetricMode": True}}
    try:
        found: NDArray[np.float64] = splu(sparse.tocsc(), **order).solve(right)
    except RuntimeError:  # these choices never leave
        return None
    return found
