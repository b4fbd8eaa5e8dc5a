"""Least expected cost: reach a goal with probability 1, at the least cost on average, the system moving by chance.

Definition (Blass, Gurevich, Nachmanson and Veanes 2005, section 2): the value of a vertex is the least expected sum of
costs over all strategies that reach a goal from it with probability 1; it is infinite where there are none. Goals are
worth 0. Absent probabilities count as equal. Zero costs are allowed: a strategy that would go round for nothing is not
among those that arrive. Values come as bounds, proven for each vertex; `chance/valuation/value_iteration.py` says how.
Methods: "vi" value iteration (section 3 there), "lp" the linear program (section 2.2), "pi" policy iteration; "auto" is
value iteration with linear equations for components that are slow, and exact fractions where floats prove nothing, or
too little on a small game. Epsilon 0 asks for exact values. With `learnt`, counts of the answers that a system gave,
the answer is the best promise within the intervals of what was seen (`chance/robustness/learnt_expectation.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from numpy.typing import NDArray

from outplay.errors import UsageError, did_you_mean
from outplay.game.goals.target import Target, Wanted, find_target
from outplay.game.graph import Game
from outplay.registries import imported
from outplay.strategy.chance.chance_answers import Bounds, Expectation
from outplay.strategy.chance.reduction.reachability import WinningRegion, almost_sure
from outplay.strategy.chance.valuation.bounds import are_narrow_bounds, float_or_exact_bounds
from outplay.strategy.chance.valuation.exact import Values, exact_expected
from outplay.strategy.chance.valuation.expected_cost import bounded_costs
from outplay.strategy.chance.valuation.linear_program import linear_program
from outplay.strategy.chance.valuation.policy_iteration import policy_iteration

if TYPE_CHECKING:
    from outplay.strategy.chance.robustness.observed_chances import Counts

METHODS = {"auto": None, "vi": None, "pi": policy_iteration, "lp": linear_program}


def expected(
    game: Game, goal: Wanted, *, method: str = "auto", epsilon: float = 1e-6, learnt: Counts | None = None
) -> Expectation:
    """Find the least expected cost of reaching a goal, or one of several, with bounds and a strategy for each vertex.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("1", "tester").vertex("2", "system").vertex("g", "tester", goals=["done"])
    >>> builder = builder.edge("1", "2").edge("2", "g", probability="2/3").edge("2", "1", probability="1/3")
    >>> expected(builder.build(), "done")
    Expectation(to done at expected cost 3)
    """
    target = find_target(game, goal)
    if method not in METHODS:
        raise UsageError(f"there is no method {method!r}; {did_you_mean(method, METHODS)}")
    if not 0 <= epsilon < 1:
        raise UsageError(f"epsilon is {epsilon}; write a number from 0 (exact) to below 1")

    def solve(game: Game) -> Expectation:
        return _expectation(game, target, method, epsilon)

    if learnt is None:
        return solve(target.game)
    found: Any = imported("outplay.strategy.chance.robustness.learnt_expectation:learnt_expectation")
    return cast(Expectation, found(target.game, learnt, solve, epsilon))


def _expectation(game: Game, target: Target, method: str, epsilon: float) -> Expectation:
    """The answer for a game that may have other chances than that of the target."""
    goals = target.vertices
    region = almost_sure(game, goals)
    bounds, exact = _solved(game, goals, region, method, epsilon)
    kept = exact is not None or are_narrow_bounds(bounds, epsilon)
    used = "pi" if exact is not None else "vi" if method == "auto" else method
    return Expectation(game, target.goal, goals, bounds, used, epsilon, kept, exact=exact, region=region)


def _solved(
    game: Game, goals: NDArray[Any], region: WinningRegion, method: str, epsilon: float
) -> tuple[Bounds, Values | None]:
    """Find bounds in floats where they are near enough or the game is large, else the exact values."""
    bounds = None
    if epsilon > 0:
        values = METHODS[method]
        start = None if values is None else values(game, goals, region.winning)
        bounds = bounded_costs(game, goals, region, epsilon, start=start, equations=method != "vi")
    return float_or_exact_bounds(
        game, goals, bounds, epsilon, lambda: exact_expected(game, goals, region.level), paid=True
    )
