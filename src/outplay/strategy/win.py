"""Sure win: reach a goal whatever the system does, at the least worst-case cost.

Definition (000, section 4): a vertex is winnable when some strategy reaches a goal from it in finitely many moves
against every behaviour of the system; its value is the least worst-case sum of costs over such strategies. A goal is
worth 0, a tester vertex min over its edges of cost + value, a system vertex max over all its edges, provided all lead
to winnable vertices. Bound: O((V + E) log E), as Dijkstra's; parallel edges and zero costs included. The paper's
initialisation counts distinct successors while its relaxation counts edges; here both count edges.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.errors import UsageError
from outplay.game.graph import Game
from outplay.game.targets import Target, find_target
from outplay.strategy import _kernels
from outplay.strategy.compiling import best_for, plain
from outplay.strategy.result import NoStrategy, Result, Solution, Strategy, blocking_set

_ROOM = 1 << 62  # sums of costs below this fit the compiled kernel's 64 bits


def win(game: Game, goal: str | Iterable[str]) -> Result:
    """Solve the game for a goal, or for the union of several.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("g", "tester", goals=["done"])
    >>> game = builder.edge("s", "c", "?go").edge("c", "g", "!ok").edge("c", "g", "!slow", cost=5).build()
    >>> win(game, "done")
    Strategy(to done at cost 6)
    """
    target = find_target(game, [goal] if isinstance(goal, str) else list(goal))
    return win_target(target)


def win_target(target: Target) -> Result:
    """Solve for a target that has been found already."""
    game = target.game
    solution = solve_for(game, target.vertices)
    if solution.worth[game.initial] >= 0:
        return Strategy(game, target.names, target.vertices, solution)
    return NoStrategy(game, target.names, target.vertices, solution, blocking_set(game, solution.worth < 0))


def solve_for(game: Game, goals: NDArray[Any], owner: NDArray[np.uint8] | None = None) -> Solution:
    """Compute values and choices of all vertices; another `owner` array changes who chooses where."""
    if not len(goals):
        raise UsageError("the goal holds nowhere in this game: there is nothing to reach")
    owners = game.owner if owner is None else owner
    scaled = game.cost.scaled()
    fits = max(scaled, default=0) * (game.vertex_count + 1) < _ROOM
    whole = np.int64 if fits else object
    cost = np.array(scaled or [0], dtype=whole)[game.cost.index]
    worth = np.full(game.vertex_count, -1, dtype=whole)
    choice = np.full(game.vertex_count, -1, dtype=np.int64)
    rank = np.zeros(game.vertex_count, dtype=np.int64)
    left = np.diff(game.first).astype(np.int64)
    in_first, in_edge = game.incoming
    room = game.edge_count + len(goals) + 2
    heap_value, heap_vertex = np.zeros(room, dtype=whole), np.zeros(room, dtype=np.uint32)
    # Numbers beyond 64 bits are rare and left to Python's own, in the very same kernel.
    run = best_for(_kernels.sure_win, game.edge_count) if fits else plain(_kernels.sure_win)
    run(
        game.source,
        cost,
        owners,
        in_first,
        in_edge,
        goals.astype(np.uint32),
        worth,
        choice,
        rank,
        left,
        heap_value,
        heap_vertex,
    )
    worth[left >= 0] = -1  # touched but never settled: some answer of the system is lost
    choice[left >= 0] = -1
    return Solution(worth, game.cost.denominator, choice, rank)
