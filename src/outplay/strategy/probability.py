"""Best probability: the greatest chance of ever reaching a goal, the system moving by chance.

Definition: the value of a vertex is the supremum, over all strategies, of the probability that a goal is reached from
it; some strategy without memory attains it. Absent probabilities count as equal. Where the value is 0 or 1 follows from
the graph alone. Elsewhere sets in which the tester can stay are made into one vertex each, for staying is worth nothing
there; then values v rise from 0 in one component after the other. With n a bound of the expected number of steps that
every action lowers, weighted by v, v + x·n is an upper bound if it falls along every action, and v − x·n a lower bound
if it rises along the chosen ones: the least such x comes from one pass. Bound: O(E) for each sweep. Exact fractions
are taken where floats prove nothing, as some value is below them all, or too little on a small game; epsilon 0 asks for
them.
"""

from __future__ import annotations

from outplay.errors import UsageError
from outplay.game.goals.target import Wanted, find_target
from outplay.game.graph import Game
from outplay.strategy.chance.answers import Likelihood
from outplay.strategy.chance.valuation.bounds import narrow, or_exactly
from outplay.strategy.chance.valuation.exact import exact_probability
from outplay.strategy.chance.valuation.reach_probability import bounded_probabilities


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
    bounds = bounded_probabilities(game, goals, epsilon) if epsilon > 0 else None
    bounds, exact = or_exactly(game, goals, bounds, epsilon, lambda: exact_probability(game, goals), paid=False)
    kept, used = exact is not None or narrow(bounds, epsilon), "vi" if exact is None else "pi"
    return Likelihood(game, target.goal, goals, bounds, used, epsilon, kept, exact=exact)
