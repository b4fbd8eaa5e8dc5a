"""Best probability: the greatest chance of ever reaching a goal, the system moving by chance.

Definition: the value of a vertex is the supremum, over all strategies, of the probability that a goal is reached from
it; some strategy without memory attains it. Absent probabilities count as equal. Where the value is 0 or 1 follows from
the graph alone. Elsewhere sets in which the tester can stay are made into one vertex each, for staying is worth nothing
there; then values v rise from 0 in one component after the other. With n a bound of the expected number of steps that
every action lowers, weighted by v, v + x·n is an upper bound if it falls along every action, and v − x·n a lower bound
if it rises along the chosen ones: the least such x comes from one pass. Bound: O(E) for each sweep. Exact fractions
are taken where floats prove nothing, as some value is below them all, or too little on a small game; epsilon 0 asks for
them.

Bounds of best probabilities: what the graph alone decides, then iteration where it does not.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.errors import UsageError
from outplay.game.goals.target import Wanted, find_target
from outplay.game.graph import SYSTEM, Game
from outplay.strategy.arrays import SMALLEST
from outplay.strategy.chance.chance_answers import Bounds, Likelihood
from outplay.strategy.chance.reduction.decision_process import DecisionProcess, folded_process
from outplay.strategy.chance.reduction.end_components import end_components, inner_edges, quotient_game
from outplay.strategy.chance.reduction.reachability import almost_sure, reach_ranks
from outplay.strategy.chance.valuation import _reach_probability
from outplay.strategy.chance.valuation.bounds import are_narrow_bounds, float_or_exact_bounds
from outplay.strategy.chance.valuation.exact import exact_probability
from outplay.strategy.chance.valuation.policy_iteration import solve_row

_ATTEMPTS = 4  # each aims narrower than the one before
_PATIENCE = 200  # sweeps before a component is called slow
_LARGEST = 200_000  # equations
_ROUNDS = 12  # systems of equations for one component


def probability(game: Game, goal: Wanted, *, epsilon: float = 1e-6) -> Likelihood:
    """Find the greatest probability of reaching a goal, or one of several, with bounds and a strategy.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("1", "tester").vertex("2", "system").vertex("g", "tester", goals=["done"])
    >>> builder = builder.vertex("lost", "tester").edge("1", "2").edge("2", "g").edge("2", "1").edge("2", "lost")
    >>> probability(builder.build(), "done")
    Likelihood(to done with probability 0.5)
    """
    target = find_target(game, goal)
    if not 0 <= epsilon < 1:
        raise UsageError(f"epsilon is {epsilon}; write a number from 0 (exact) to below 1")
    game, goals = target.game, target.vertices
    bounds = _bounded_probabilities(game, goals, epsilon) if epsilon > 0 else None
    bounds, exact = float_or_exact_bounds(
        game, goals, bounds, epsilon, lambda: exact_probability(game, goals), paid=False
    )
    kept, used = exact is not None or are_narrow_bounds(bounds, epsilon), "vi" if exact is None else "pi"
    return Likelihood(game, target.goal, goals, bounds, used, epsilon, kept, exact=exact)


def _bounded_probabilities(game: Game, goals: NDArray[Any], epsilon: float) -> Bounds | None:
    """Find bounds of the greatest probabilities, as narrow as asked if floats allow; None if one is below them all."""
    found = almost_sure(game, goals)
    sure, able = found.winning, found.level != 0
    open_ = able & ~sure
    sets = end_components(game, open_[game.source] & open_[game.target])
    smaller = quotient_game(game, sets)
    between = _between(smaller.game, _mapped(sure, smaller.vertex), _mapped(able, smaller.vertex), epsilon)
    if between is None:
        return None
    low, high, chosen = between
    choice = smaller.choices(game, goals, chosen, sure | (sets > 0))
    low, high = low[smaller.vertex], high[smaller.vertex]
    if high[able].min(initial=1.0) < SMALLEST:
        return None
    free = (sure[game.source] & sure[game.target]) | inner_edges(game, sets)
    rank = reach_ranks(game, goals, choice, free.astype(np.uint8))
    choice[low == 0] = -1
    return Bounds(low, high, choice, rank)


def _mapped(flags: NDArray[np.bool_], vertex: NDArray[np.int64]) -> NDArray[np.bool_]:
    mapped = np.zeros(int(vertex.max(initial=-1)) + 1, dtype=bool)
    mapped[vertex] = flags
    return mapped


def _between(
    game: Game, sure: NDArray[np.bool_], able: NDArray[np.bool_], epsilon: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]] | None:
    """Bounds and choices of a game in which the tester can stay only where the goal is sure or out of reach."""
    ends = np.flatnonzero(sure).astype(np.uint32)
    reach = almost_sure(game, ends)
    process = folded_process(game, ends, replace(reach, level=np.where(able, -1, 0).astype(np.int32)))
    low, high = np.zeros((2, game.vertex_count))
    choice = np.full(game.vertex_count, -1, dtype=np.int64)
    if len(process.vertex):
        iterated = _iterated(process, epsilon)
        if iterated is None:
            return None
        value, spread, best = iterated
        low[process.vertex] = np.maximum(value - spread * (1 + process.margin), 0.0)
        high[process.vertex] = np.minimum(value + spread * (1 + process.margin), 1.0)
        own = game.owner[process.vertex] != SYSTEM
        choice[process.vertex[own]] = process.action_edge[best[own]]
    low[ends] = high[ends] = 1.0
    process.unfold(game, np.zeros(game.edge_count), low, high)
    return low, np.minimum(high, 1.0), choice


def _iterated(
    process: DecisionProcess, epsilon: float
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]] | None:
    """Values, how far the bounds are from them, and the best actions; None if a value is too small."""
    value, steps = np.zeros((2, len(process.vertex) + 1))
    value[-1] = 1.0
    choice = np.zeros(len(process.vertex), dtype=np.int64)
    tolerance = epsilon / 100
    spread = np.ones(len(process.vertex))
    for _ in range(_ATTEMPTS):
        if not _raise(process, tolerance, value, steps, choice):
            return None
        shift = best_for(_reach_probability.needed_shift, process.size)(
            process.arrays, value, steps, choice, process.margin
        )
        if shift >= 0:
            spread = steps[:-1] * shift
        widest = float(np.max(spread / value[:-1])) if shift >= 0 else 1.0
        if widest <= 0.49 * epsilon:
            break
        tolerance *= min(0.1, epsilon / widest / 10)
    return value[:-1], spread, choice


def _raise(
    process: DecisionProcess,
    tolerance: float,
    value: NDArray[np.float64],
    steps: NDArray[np.float64],
    choice: NDArray[np.int64],
) -> bool:
    """Raise the values of all components; False if one of them is too small for floats."""
    rows, row, tries = len(process.arrays.row_first) - 1, 0, 0
    run = best_for(_reach_probability.raise_chances, process.size)
    nothing = np.zeros(len(process.arrays.action_cost))
    while True:
        stopped = int(run(process.arrays, value, steps, choice, row, tolerance, _PATIENCE))
        if stopped == rows or stopped < 0:
            return stopped == rows
        tries = tries + 1 if stopped == row else 1
        row = stopped
        low, high = process.span(row)
        if tries > _ROUNDS or high - low > _LARGEST:
            row, tries = row + 1, 0
        elif solve_row(process, row, choice, nothing, value):
            solve_row(process, row, choice, value[process.owner_of_actions()], steps)
