"""From values to bounds: carried back to the game with every rounding outward, and the strategy's ranks with them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.game.graph import SYSTEM, Game
from outplay.strategy.arrays import UNIT
from outplay.strategy.chance.answers import Bounds
from outplay.strategy.chance.graph.decision_process import DecisionProcess
from outplay.strategy.chance.graph.reachability import ranks
from outplay.strategy.chance.values.value_iteration import Swept


def bounds_of(game: Game, goals: NDArray[Any], process: DecisionProcess, swept: Swept) -> Bounds | None:
    """Make the bounds of all vertices from values that prove them; None where they prove no upper bound."""
    if not (swept.below < 1).all() or not np.isfinite(swept.value).all():
        return None
    low, high = np.full((2, game.vertex_count), np.inf)
    value, shift = swept.value[:-1], swept.shift[:-1]
    # The margin that the certificate left covers the rounding of these divisions too.
    low[process.vertex] = np.maximum(value / ((1 + swept.above) * (1 + 8 * UNIT)) - shift, 0.0)
    high[process.vertex] = value / ((1 - swept.below) * (1 - 8 * UNIT)) - shift
    low[goals] = high[goals] = 0.0
    process.unfold(game, game.cost.floats, low, high)
    choice = np.full(game.vertex_count, -1, dtype=np.int64)
    own = game.owner[process.vertex] != SYSTEM
    choice[process.vertex[own]] = process.action_edge[swept.choice[own]]
    return Bounds(low, high, choice, ranks(game, goals, choice))


def width(bounds: Bounds) -> float:
    """The greatest relative width of a finite interval."""
    finite = (bounds.high < np.inf) & (bounds.high > 0)
    low, high = bounds.low[finite], bounds.high[finite]
    return float(np.max((high - low) / high, initial=0.0))


def narrow(bounds: Bounds, epsilon: float) -> bool:
    """Say whether every finite interval is as narrow as asked."""
    finite = bounds.high < np.inf
    low, high = bounds.low[finite], bounds.high[finite]
    return bool(np.all(high - low <= epsilon * high))


def outward(values: Sequence[Fraction | None]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The nearest floats below and above exact values; None is infinite.

    >>> [bound.tolist() for bound in outward([Fraction(1, 2), None])]
    [[0.5, inf], [0.5, inf]]
    >>> [bound.tolist() for bound in outward([Fraction(10**400)])]
    [[1.7976931348623157e+308], [inf]]
    """
    return np.array([_float(value, -np.inf) for value in values]), np.array([_float(value, np.inf) for value in values])


def _float(value: Fraction | None, side: float) -> float:
    """The nearest float on one side of an exact value."""
    if value is None:
        return np.inf
    try:
        near = float(value)
    except OverflowError:
        near = np.inf
    if near < np.inf and (near >= value if side > 0 else near <= value):
        return near
    return float(np.nextafter(near, side))
