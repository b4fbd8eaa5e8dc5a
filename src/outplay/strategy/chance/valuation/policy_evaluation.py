"""The worth of a strategy in one component, by linear equations: for components where iteration is slow.

Bound: one factorisation of a sparse matrix, O(n) to O(n³) for n states, depending on how they hang together.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.game.algebra import ranges
from outplay.strategy.chance.reduction.decision_process import DecisionProcess

_DENSE = 100  # equations; up to there a full matrix is faster than a sparse one
# What leaves a state is at least what goes to others: no pivots are needed, and no order that allows for them.
_WITHOUT_PIVOTS: dict[str, Any] = {
    "permc_spec": "MMD_AT_PLUS_A",
    "diag_pivot_thresh": 0.0,
    "options": {"SymmetricMode": True},
}


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
    entries = source[inner], beyond[inner] - low, -chance[inner]
    found = solve_equations(process.arrays.leave[chosen], *entries, right, dense=_DENSE, **_WITHOUT_PIVOTS)
    if not (np.isfinite(found).all() and found.min() > 0):  # these choices never leave, or hardly
        return False
    value[low:high] = found
    return True


def solve_equations(
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
