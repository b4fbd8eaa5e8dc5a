"""From values to bounds: carried back to the game with every rounding outward, and the strategy's ranks with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.errors import UsageError
from outplay.game.graph import Game
from outplay.strategy.chance.answers import Bounds
from outplay.strategy.chance.reduction.decision_process import DecisionProcess
from outplay.strategy.chance.reduction.reachability import ranks
from outplay.strategy.chance.valuation import _bounds
from outplay.strategy.chance.valuation.exact import Values, exact_bounds
from outplay.strategy.chance.valuation.iterates import Swept

Solver: TypeAlias = Callable[[], Values]
EXACT_UP_TO = 2_000  # edges of a game that is solved in fractions where floats do not get near enough


def bounds_of(game: Game, goals: NDArray[Any], process: DecisionProcess, swept: Swept) -> Bounds | None:
    """Make the bounds of all vertices from values that prove them; None where they prove no upper bound."""
    if not (swept.below < 1).all() or not np.isfinite(swept.value).all():
        return None
    low, high = np.empty((2, game.vertex_count))
    choice = np.empty(game.vertex_count, dtype=np.int64)
    ends = np.array(goals, dtype=np.uint32)
    run = best_for(_bounds.carry_back, game.edge_count)
    run(process.vertex, ends, game.owner, process.action_edge, swept, low, high, choice)
    process.unfold(game, game.cost.floats, low, high)
    return Bounds(low, high, choice, ranks(game, goals, choice))


def or_exactly(
    game: Game, goals: NDArray[Any], bounds: Bounds | None, epsilon: float, solve: Solver, *, paid: bool
) -> tuple[Bounds, Values | None]:
    """The bounds found in floats, or exact values where those prove nothing, or too little on a small game."""
    if bounds is not None and (game.edge_count > EXACT_UP_TO or narrow(bounds, epsilon)):
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
    """The greatest relative width of a finite interval."""
    with np.errstate(invalid="ignore"):  # no number where a value is 0 or infinite
        return float(np.fmax.reduce((bounds.high - bounds.low) / bounds.high, initial=0.0))


def narrow(bounds: Bounds, epsilon: float) -> bool:
    """Say whether every finite interval is as narrow as asked."""
    with np.errstate(invalid="ignore"):
        return not bool((bounds.high - bounds.low > epsilon * bounds.high).any())
