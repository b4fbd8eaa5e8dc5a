"""From values to bounds: carried back to the game with every rounding outward, and the strategy's ranks with them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.game.graph import SYSTEM, Game
from outplay.strategy.chance import _folding, _reach
from outplay.strategy.chance.decisions import UNIT, Decisions
from outplay.strategy.chance.outcome import Bounds
from outplay.strategy.chance.sweeping import Swept


def bounds_of(game: Game, goals: NDArray[Any], decisions: Decisions, swept: Swept) -> Bounds | None:
    """Make the bounds of all vertices from values that prove them; None where they prove no upper bound."""
    if not (swept.below < 1).all() or not np.isfinite(swept.value).all():
        return None
    low, high = np.full((2, game.vertex_count), np.inf)
    value, shift = swept.value[:-1], swept.shift[:-1]
    # The margin that the certificate left covers the rounding of these divisions too.
    low[decisions.vertex] = np.maximum(value / ((1 + swept.above) * (1 + 8 * UNIT)) - shift, 0.0)
    high[decisions.vertex] = value / ((1 - swept.below) * (1 - 8 * UNIT)) - shift
    low[goals] = high[goals] = 0.0
    best_for(_folding.unfold, game.edge_count)(
        game.first,
        game.target,
        game.cost.floats,
        game.probability.floats,
        decisions.folded,
        decisions.rounding,
        low,
        high,
    )
    choice = np.full(game.vertex_count, -1, dtype=np.int64)
    own = game.owner[decisions.vertex] != SYSTEM
    choice[decisions.vertex[own]] = decisions.action_edge[swept.choice[own]]
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


def ranks(
    game: Game, goals: NDArray[Any], choice: NDArray[np.int64], free: NDArray[np.uint8] | None = None
) -> NDArray[np.int64]:
    """Rank vertices by the steps in which `choice` may arrive; where it is -2 an edge that is `free` is chosen."""
    rank = np.full(game.vertex_count, -1, dtype=np.int64)
    incoming = game.incoming
    best_for(_reach.arrive, game.edge_count)(
        game.owner,
        incoming.first,
        incoming.edge,
        incoming.source,
        np.asarray(goals, dtype=np.uint32),
        np.zeros(0, dtype=np.uint8) if free is None else free,
        choice,
        rank,
        np.zeros(game.vertex_count, dtype=np.uint32),
    )
    choice[choice < 0] = -1
    return rank


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
