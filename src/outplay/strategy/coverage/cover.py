"""The maximal coverage guarantee: how much the tester is sure to visit, whatever the system does.

Definition (Wang, Wu, Schewe and Huang 2013, section 4): a play gains the sum of the gains of the vertices it visits,
each once; the guarantee of a vertex is the most, over all strategies of the tester, of the least, over all behaviours
of the system, that a play from there gains. With `restart` the tester may reset the system at any time and goes on with
what it has. Deciding whether the guarantee is below a number is NP-complete. The system has an optimal strategy of
polynomial size, the witness, which is found by integer programs (settling.py) and confirmed in exact numbers
(certificate/check_coverage.py); the tester's takes the memory of what was visited (coverage_strategy.py). Bound:
exponential in the largest strongly connected part; games of a hundred vertices take seconds.
"""

from __future__ import annotations

import numpy as np

from outplay.errors import UsageError
from outplay.game.goals.goal import AnyOf
from outplay.game.goals.target import Wanted
from outplay.game.graph import Game
from outplay.game.reset import RESET, with_reset
from outplay.strategy.coverage.guarantee import MOST_SECONDS, Coverage
from outplay.strategy.coverage.settling import Progress, settle
from outplay.strategy.coverage.weighted_game import weighted_game
from outplay.strategy.deadline import deadline

TIME_LIMIT = 30.0  # seconds
_SEARCH, _LEAST_SECONDS = 0.6, 0.5  # of the time there is for the search, the rest for its proof, which has a little


def cover_nodes(
    game: Game,
    goal: Wanted = (),
    *,
    restart: bool = False,
    time_limit: float | None = TIME_LIMIT,
    progress: Progress | None = None,
    everywhere: bool = True,
) -> Coverage:
    """Find the guarantee from every vertex; after `time_limit` seconds there are bounds where it is not known.

    The last part of that time is kept for the proof of the bounds. Where it is asked only for the initial vertex, and
    not `everywhere`, others may have bounds too. Without a limit (None) the search may take very long.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("v0", "tester").vertex("v1", "tester").vertex("v2", "tester")
    >>> builder = builder.vertex("v3", "system").edge("v0", "v1").edge("v0", "v2").edge("v1", "v3").edge("v2", "v3")
    >>> game = builder.edge("v3", "v1").edge("v3", "v2").build()
    >>> cover_nodes(game).bounds_of(0)
    (Fraction(3, 1), Fraction(3, 1))
    >>> cover_nodes(game, restart=True).value
    Fraction(4, 1)
    """
    if goal != () and goal != []:
        raise UsageError("`cover-nodes` is about all that can be visited: leave the goal out")
    if restart and RESET not in game.labels:
        game = with_reset(game)
    until = deadline(time_limit)
    weighted = weighted_game(game)
    found = settle(weighted, until.share(_SEARCH), progress, None if everywhere else game.initial)
    seconds = MOST_SECONDS if until.left is None else min(MOST_SECONDS, max(_LEAST_SECONDS, until.left))
    return Coverage(game, AnyOf(()), np.zeros(0, dtype=np.uint32), weighted, found, seconds)
