"""From values to bounds: carried back to the game with every rounding outward, and the strategy's ranks with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.errors import UsageError
from outplay.game.graph import Game
from outplay.strategy.arrays import UNIT, SweepResult
from outplay.strategy.chance.chance_answers import Bounds
from outplay.strategy.chance.reduction.decision_process import DecisionProcess
from outplay.strategy.chance.reduction.reachability import reach_ranks
from outplay.strategy.chance.valuation.exact import Values, exact_bounds

Solver: TypeAlias = Callable[[], Values]
INFINITE = float("inf")
EXACT_UP_TO = 2_000  # edges of a game that is solved in fractions where floats do not get near enough


def proven_value_bounds(game: Game, goals: NDArray[Any], process: DecisionProcess, swept: SweepResult) -> Bounds | None:
    """Return the bounds of all vertices from values that prove them; None where they prove no upper bound."""
    if not (swept.below < 1).all() or not np.isfinite(swept.value).all():
        return None
    low, high = np.empty((2, game.vertex_count))
    choice = np.empty(game.vertex_count, dtype=np.int64)
    ends = np.array(goals, dtype=np.uint32)
    run = best_for(_carry_back, game.edge_count)
    run(process.vertex, ends, game.owner, process.action_edge, swept, low, high, choice)
    process.unfold(game, game.cost.floats, low, high)
    return Bounds(low, high, choice, reach_ranks(game, goals, choice))


def _carry_back(
    states: Any, goals: Any, owner: Any, action_edge: Any, swept: SweepResult, low: Any, high: Any, choice: Any
) -> None:
    """The kernel: the bounds and choices of vertices that are states or goals; for others there are none."""
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


def float_or_exact_bounds(
    game: Game, goals: NDArray[Any], bounds: Bounds | None, epsilon: float, solve: Solver, *, paid: bool
) -> tuple[Bounds, Values | None]:
    """Return the bounds found in floats, or exact values where those prove nothing, or too little on a small game."""
    if bounds is not None and (game.edge_count > EXACT_UP_TO or are_narrow_bounds(bounds, epsilon)):
        return bounds, None
    try:
        exact = solve()
    except UsageError as error:  # the fractions get too long
        if bounds is not None:
            return bounds, None
        if epsilon == 0:
            raise
        raise UsageError(
            f"numbers here lie too far apart for floats, and {str(error).partition(';')[0]}; bring costs and "
            "probabilities nearer to each other, or leave out what hardly ever happens"
        ) from None
    return exact_bounds(game, goals, exact, paid=paid), exact


def relative_width(bounds: Bounds) -> float:
    """Return the greatest relative width of finite bounds of values."""
    with np.errstate(invalid="ignore"):  # no number where a value is 0 or infinite
        return float(np.fmax.reduce((bounds.high - bounds.low) / bounds.high, initial=0.0))


def are_narrow_bounds(bounds: Bounds, epsilon: float) -> bool:
    """Say whether all finite bounds of values are as narrow as asked."""
    with np.errstate(invalid="ignore"):
        return not bool((bounds.high - bounds.low > epsilon * bounds.high).any())
