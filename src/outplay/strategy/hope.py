"""Hope: how to move where nothing can be forced.

Where the goal can be forced, the sure strategy is played. Elsewhere the tester plays as if the system helped: along a
cheapest path on which all choices are its own. It guarantees nothing, but it is the shortest way to be lucky.
"""

from __future__ import annotations

import numpy as np

from outplay.game.graph import TESTER
from outplay.strategy.result import Result, Solution
from outplay.strategy.win import solve_for


def hope(result: Result) -> Solution:
    """Complete a result into choices for every vertex from which the goal can be reached at all."""
    game, sure = result.game, result.solution
    friendly = solve_for(game, result.goal_vertices, owner=np.full_like(game.owner, TESTER))
    forced = sure.worth >= 0
    own = game.owner == TESTER
    choice = np.where(forced, sure.choice, np.where(own, friendly.choice, -1))
    return Solution(friendly.worth, friendly.denominator, choice, friendly.rank)
