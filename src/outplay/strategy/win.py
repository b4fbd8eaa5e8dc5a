"""Sure win: reach a goal whatever the system does, at the least worst-case cost.

Definition (000, section 4): a vertex is winnable when some strategy reaches a goal from it in finitely many moves
against every behaviour of the system; its value is the least worst-case sum of costs over such strategies. A goal is
worth 0, a tester vertex min over its edges of cost + value, a system vertex max over all its edges, provided all lead
to winnable vertices. Bound: O(V + E log C) for path costs up to C; parallel edges and zero costs included. The paper's
initialisation counts distinct successors while its relaxation counts edges; here both count edges.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for, plain
from outplay.game.graph import Game
from outplay.game.targets import Target, find_target
from outplay.strategy import _kernels
from outplay.strategy.arrays import graph_of
from outplay.strategy.result import NoStrategy, Result, Solution, Strategy, blocking_set

_ROOM: list[tuple[int, Any]] = [(1 << 30, np.int32), (1 << 62, np.int64)]  # half the memory is nearly twice as fast


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
    table = game.cost.scaled() or [0]
    largest = max(table) * (game.vertex_count + 1)
    whole = next((kind for room, kind in _ROOM if largest < room), object)
    about = np.full((game.vertex_count, 4), -1, dtype=whole)
    about[:, 1] = 0
    about[:, 2] = np.diff(game.first)
    costs = _kernels.Costs(game.cost.index, np.array(table, dtype=whole))
    queue = _empty_queue(game.edge_count + len(goals) + 1, largest.bit_length() // 8 + 1, whole)
    # Numbers beyond 64 bits are rare and left to Python's own, in the very same kernel.
    run = best_for(_kernels.sure_win, game.edge_count) if whole is not object else plain(_kernels.sure_win)
    run(graph_of(game, owner), costs, goals.astype(np.uint32), about.reshape(-1), queue)
    # What was touched but never settled is not won: some answer of the system is lost.
    worth, rank, left, choice = (np.ascontiguousarray(column) for column in about.T)
    worth[left >= 0] = -1
    choice[left >= 0] = -1
    return Solution(worth, game.cost.denominator, choice.astype(np.int64), rank.astype(np.int64))


def _empty_queue(room: int, levels: int, whole: Any) -> _kernels.BucketQueue:
    return _kernels.BucketQueue(
        value=np.zeros(room, dtype=whole),
        vertex=np.zeros(room, dtype=np.uint32),
        following=np.zeros(room, dtype=np.uint32),
        head=np.zeros(256 * levels, dtype=np.uint32),
        filled=np.zeros(levels, dtype=np.int64),
    )
