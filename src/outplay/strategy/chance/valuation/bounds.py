"""From values to bounds: carried back to the game with every rounding outward, and the strategy's ranks with them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.errors import UsageError
from outplay.game.graph import SYSTEM, Game
from outplay.strategy.chance.answers import Bounds
from outplay.strategy.chance.reduction.decision_process import DecisionProcess
from outplay.strategy.chance.reduction.reachability import ranks
from outplay.strategy.chance.valuation import _bounds
from outplay.strategy.chance.valuation.iterates import Swept

Values: TypeAlias = Sequence[Fraction | None]
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


def exact_bounds(game: Game, goals: NDArray[Any], exact: Values, *, paid: bool) -> Bounds:
    """The floats around exact values, and a strategy that has them: to the goals along edges that lose nothing.

    A value is an expected cost if `paid`, else a probability.
    """
    low, high = outward(exact)
    choice = np.full(game.vertex_count, -1, dtype=np.int64)
    own = np.array([value is not None for value in exact], dtype=bool) & (game.owner != SYSTEM)
    own[goals] = False
    choice[own] = -2
    tight = np.zeros(game.edge_count, dtype=np.uint8)
    for vertex in np.flatnonzero(own).tolist():
        for edge in game.edges_of(vertex):
            beyond, cost = exact[int(game.target[edge])], game.cost[edge] if paid else 0
            tight[edge] = beyond is not None and cost is not None and cost + beyond == exact[vertex]
    return Bounds(low, high, choice, ranks(game, goals, choice, tight))


def relative_width(bounds: Bounds) -> float:
    """The greatest relative width of a finite interval."""
    with np.errstate(invalid="ignore"):  # no number where a value is 0 or infinite
        return float(np.fmax.reduce((bounds.high - bounds.low) / bounds.high, initial=0.0))


def narrow(bounds: Bounds, epsilon: float) -> bool:
    """Say whether every finite interval is as narrow as asked."""
    with np.errstate(invalid="ignore"):
        return not bool((bounds.high - bounds.low > epsilon * bounds.high).any())


def outward(values: Values) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
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
