"""The kernel between values and bounds: a plain function that numba can compile (see compiling.py)."""

from __future__ import annotations

from typing import Any

from outplay.strategy.arrays import UNIT
from outplay.strategy.chance.valuation.iterates import Swept

INFINITE = float("inf")


def carry_back(
    states: Any, goals: Any, owner: Any, action_edge: Any, swept: Swept, low: Any, high: Any, choice: Any
) -> None:
    """Set the bounds and the choices of the vertices that are states or goals; for others there are none."""
    value, shift, above, below, chosen = swept
    for vertex in range(len(low)):
        low[vertex] = INFINITE
        high[vertex] = INFINITE
        choice[vertex] = -1
    for place in range(len(goals)):
        low[goals[place]] = 0.0
        high[goals[place]] = 0.0
    for state in range(len(states)):
        vertex = states[state]
        # The margin that the certificate left covers the rounding of these divisions too.
        low[vertex] = max(value[state] / ((1.0 + above[state]) * (1.0 + 8.0 * UNIT)) - shift[state], 0.0)
        high[vertex] = value[state] / ((1.0 - below[state]) * (1.0 - 8.0 * UNIT)) - shift[state]
        if owner[vertex] == 0:
            choice[vertex] = action_edge[chosen[state]]
