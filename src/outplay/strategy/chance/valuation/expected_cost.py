"""Bounds of expected costs: fold, sweep, carry back, with what costs nothing taken out before.

Two things would keep iteration from a proof. Vertices from which the goal is sure to be reached at no cost are worth
exactly 0: they become goals. Sets in which the tester can move about for nothing have one value: each becomes one
vertex, and its strategy goes to the place where the set is best left. The rest is solved as it is.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import COMPILE_FROM_EDGES, best_for
from outplay.game.algebra import subgame, weighted_arrays
from outplay.game.graph import Game
from outplay.strategy.chance.chance_answers import Bounds
from outplay.strategy.chance.reduction import _folding
from outplay.strategy.chance.reduction.decision_process import DecisionProcess, folded_process
from outplay.strategy.chance.reduction.end_components import end_components, inner_edges, quotient_game
from outplay.strategy.chance.reduction.reachability import WinningRegion, almost_sure, reach_ranks
from outplay.strategy.chance.valuation.bounds import are_narrow_bounds, proven_value_bounds, relative_width
from outplay.strategy.chance.valuation.value_iteration import iterate_values

Start = NDArray[np.float64] | None
_ATTEMPTS = 3  # each aims narrower than the one before


def bounded_costs(
    game: Game,
    goals: NDArray[Any],
    region: WinningRegion,
    epsilon: float,
    *,
    start: Start = None,
    equations: bool = True,
) -> Bounds | None:
    """Find bounds of the least expected costs, as narrow as asked if floats allow; None if they prove no upper bound.

    `start` holds values of all vertices to begin with; without `equations` slow components are only swept.
    """
    process = _folded(game, goals, region, start)
    free = None if process.arrays.action_cost.min(initial=1.0) > 0 else _free_edges(game, goals, region)
    if free is None:
        return _solved(process, game, goals, region, epsilon, start, equations)
    nothing = almost_sure(subgame(game, free), goals).winning
    sets = end_components(game, free & ~nothing[game.source] & ~nothing[game.target])
    if not sets.any() and nothing.sum() == len(np.unique(goals)):
        return _solved(process, game, goals, region, epsilon, start, equations)
    smaller = quotient_game(game, sets)
    ends = np.unique(smaller.vertex[nothing]).astype(np.uint32)
    begin = None
    if start is not None:
        begin = np.zeros(smaller.game.vertex_count)
        begin[smaller.vertex] = start
    inside = almost_sure(smaller.game, ends)
    process = _folded(smaller.game, ends, inside, begin)
    found = _solved(process, smaller.game, ends, inside, epsilon, begin, equations)
    if found is None:
        return None
    choice = smaller.choices(game, goals, found.choice, nothing | (sets > 0))
    within = (nothing[game.source] & nothing[game.target]) | inner_edges(game, sets)
    rank = reach_ranks(game, goals, choice, (free & within).astype(np.uint8))
    return Bounds(found.low[smaller.vertex], found.high[smaller.vertex], choice, rank)


def _folded(game: Game, goals: NDArray[Any], region: WinningRegion, start: Start) -> DecisionProcess:
    """Fold a game, quickly where that may be enough."""
    return folded_process(game, goals, region, ordered=start is not None or not is_shallow(game, region))


def _solved(
    process: DecisionProcess,
    game: Game,
    goals: NDArray[Any],
    region: WinningRegion,
    epsilon: float,
    start: Start,
    equations: bool,
) -> Bounds | None:
    """Solve a game without sets in which moving about costs nothing."""
    if not process.ordered:
        swept = iterate_values(process, epsilon, equations=False, hasty=True)
        bounds = None if swept is None else proven_value_bounds(game, goals, process, swept)
        if bounds is not None and are_narrow_bounds(bounds, epsilon):
            return bounds
        process = folded_process(game, goals, region)
    begin = None if start is None else start[process.vertex]
    best, accuracy = None, epsilon
    for _ in range(_ATTEMPTS):
        swept = iterate_values(process, accuracy, begin, equations=equations)
        bounds = None if swept is None else proven_value_bounds(game, goals, process, swept)
        if swept is None or bounds is None or (best is not None and relative_width(bounds) >= relative_width(best)):
            break
        best = bounds
        if (
            are_narrow_bounds(best, epsilon) or max(swept.above.max(), swept.below.max()) > accuracy
        ):  # floats get no nearer
            break
        begin = swept.value[:-1] - swept.shift[:-1]
        accuracy *= epsilon / relative_width(best) / 2
    return best


def is_shallow(game: Game, region: WinningRegion) -> bool:
    """Say whether all vertices are so near the goals that finding components is likely to take longer than it saves."""
    if game.edge_count < COMPILE_FROM_EDGES:
        return False
    return 2 * int(region.distance.max(initial=0)) <= math.log2(game.vertex_count)


def _free_edges(game: Game, goals: NDArray[Any], region: WinningRegion) -> NDArray[np.bool_] | None:
    """Edges that cost nothing, of the tester or of system vertices where none costs anything, and may lead on."""
    if Fraction(0) not in game.cost.table:
        return None
    free, goal = np.zeros(game.edge_count, dtype=bool), np.zeros(game.vertex_count, dtype=bool)
    goal[goals] = True
    left = best_for(_folding.free_edges, game.edge_count)(weighted_arrays(game), region.level, goal, goal.copy(), free)
    return free if left else None
