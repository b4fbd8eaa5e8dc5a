"""Policy iteration: the least expected cost and the greatest probability, in floats and in rationals.

Definition: 001, section 2. A strategy fixes an edge at each tester vertex; what is left is a system of linear equations
for its costs (001, lemma 3). Start with a strategy that arrives, and change it where another edge is cheaper by the
costs just found; when there is none it is optimal. Bound: see `iteration` and `exact`.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.game.graph import Game
from outplay.strategy.chance.exact import solve_exactly
from outplay.strategy.chance.iteration import iterate
from outplay.strategy.chance.task import expected_task, failure_task


def policy_iteration(game: Game, goals: NDArray[Any], finite: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the least expected costs as floats, infinite outside `finite`.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("1", "tester").vertex("2", "system").vertex("g", "tester").edge("1", "2")
    >>> game = builder.edge("2", "g", probability="2/3").edge("2", "1", probability="1/3").build()
    >>> policy_iteration(game, np.array([2]), np.ones(3, dtype=bool)).round(9).tolist()
    [3.0, 2.0, 0.0]
    """
    task = expected_task(game, goals, finite)
    return iterate(task, task.towards(goals)[1])


def exact_expected(game: Game, goals: NDArray[Any], level: NDArray[Any]) -> list[Fraction | None]:
    """Return the least expected costs as fractions, None where `level` is not -1.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("1", "tester").vertex("2", "system").vertex("g", "tester").edge("1", "2")
    >>> game = builder.edge("2", "g", probability="2/3").edge("2", "1", probability="1/3").build()
    >>> exact_expected(game, np.array([2]), np.full(3, -1))
    [Fraction(3, 1), Fraction(2, 1), Fraction(0, 1)]
    """
    return solve_exactly(expected_task(game, goals, np.asarray(level) == -1), goals)[0]


def exact_probability(game: Game, goals: NDArray[Any]) -> list[Fraction]:
    """Return the greatest probabilities of reaching a goal as fractions.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("a", "tester").vertex("b", "system").vertex("g", "tester").vertex("d", "tester")
    >>> game = builder.edge("a", "b").edge("b", "g").edge("b", "a").edge("b", "d").build()
    >>> exact_probability(game, np.array([2]))
    [Fraction(1, 2), Fraction(1, 2), Fraction(1, 1), Fraction(0, 1)]
    """
    failing, _ = solve_exactly(failure_task(game, goals), goals)
    return [Fraction(0) if value is None else 1 - value for value in failing]
