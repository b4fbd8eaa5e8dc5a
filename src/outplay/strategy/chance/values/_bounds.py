"""The kernel between values and bounds: a plain function that numba can compile (see compiling.py)."""

from __future__ import annotations

from typing import Any

from outplay.strategy.arrays import UNIT
from outplay.strategy.chance.values.iterates import Swept


def carry_back(states: Any, owner: Any, action_edge: Any, swept: Swept, low: Any, high: Any, choice: Any) -> None:
    """Set the bounds and the choices of the vertices that are states; the goals have theirs."""
    value, shift, above, below, chosen = swept
    for state in range(len(states)):
        vertex = states[state]
        # The margin that the certificate left covers the rounding of these divisions too.
        low[vertex] = max(value[state] / ((1.0 + above[state]) * (1.0 + 8.0 * UNIT)) - shift[state], 0.0)
        high[vertex] = value[state] / ((1.0 - below[state]) * (1.0 - 8.0 * UNIT)) - shift[state]
        if owner[vertex] == 0:
            choice[vertex] = action_edge[chosen[state]]
