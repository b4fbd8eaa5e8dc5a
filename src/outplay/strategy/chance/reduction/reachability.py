"""The region where the goal can be reached with probability 1, which is where its least expected cost is finite.

Definition: a vertex counts when some strategy of the tester reaches a goal from it with probability 1, the system
moving by chance. The "transient" vertices of Blass et al. 2005, section 2.1, are more: those from which a goal can be
reached at all. There the tester may end, with positive probability, where no goal is in reach: then the expected cost
is infinite. Computed by cutting in rounds: what cannot reach a goal at all; system vertices with an answer that has
been cut, and tester vertices whose moves all have been; then again what cannot reach a goal within the rest. Bound: O(V
+ E) for each round, at most V rounds; a round looks only at what lost its way to the goal. Ranks are a proof, local at
every vertex, that a strategy arrives.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.game.algebra import graph_arrays
from outplay.game.graph import TESTER, Game
from outplay.strategy.arrays import NOWHERE
from outplay.strategy.chance.reduction import _reachability


@dataclass(frozen=True, eq=False)
class WinningRegion:
    """The region where the goal can be reached with probability 1, and why not elsewhere."""

    game: Game = field(repr=False)
    level: NDArray[np.int32]
    """-1 where some strategy reaches the goal with probability 1, else the round in which the vertex was cut."""
    distance: NDArray[np.uint32] = field(repr=False)
    """The steps to a goal, at least, where the goal is reached with probability 1."""

    @property
    def winning(self) -> NDArray[np.bool_]:
        """The vertices where the least expected cost is finite."""
        return np.asarray(self.level == -1)

    def reason(self, vertex: int) -> str:
        """Say in one sentence why the goal is, or is not, reached with probability 1."""
        name, level = self.game.names[vertex], int(self.level[vertex])
        edges = self.game.edges_of(vertex)
        if level < 0:
            return f"from {name!r} some strategy reaches the goal with probability 1"
        if not edges:
            return f"{name!r} has no edges and is no goal"
        if level == 0:
            return f"no path leads from {name!r} to the goal"
        if self.game.owner[vertex] == TESTER:
            return f"every move of the tester at {name!r} leads where the goal may be missed for ever"
        for edge in edges:
            beyond = int(self.game.target[edge])
            if 0 <= self.level[beyond] < level:
                answer = self.game.label_of(edge)
                by = f" by {answer!r}" if answer else ""
                there = self.game.names[beyond]
                return f"at {name!r} the system may answer{by} and lead to {there!r}: {self._end(beyond)}"
        return f"every answer at {name!r} leads where the goal may be missed for ever"

    def _end(self, vertex: int) -> str:
        if not self.game.edges_of(vertex):
            return "a dead end"
        return "no path leads on to the goal" if self.level[vertex] == 0 else "the goal may be missed for ever there"


def almost_sure(game: Game, goals: NDArray[Any]) -> WinningRegion:
    """Find the vertices from which some strategy reaches a goal with probability 1.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("v", "tester").vertex("p", "system").vertex("g", "tester")
    >>> game = builder.vertex("sink", "tester").edge("v", "p").edge("p", "g").edge("p", "sink", "!lost").build()
    >>> found = almost_sure(game, game.goal_vertices("g"))
    >>> found.level.tolist()
    [1, 1, -1, 0]
    >>> found.reason(1)
    "at 'p' the system may answer by '!lost' and lead to 'sink': a dead end"
    """
    is_goal = np.zeros(game.vertex_count, dtype=bool)
    is_goal[goals] = True
    wanted = np.flatnonzero(is_goal).astype(np.uint32)  # each once, and without sorting
    cut = cut_arrays(game.vertex_count)
    best_for(_reachability.cut_levels, game.edge_count)(graph_arrays(game), wanted, cut, NOWHERE)
    return WinningRegion(game, cut.level, cut.distance)


def cut_arrays(vertices: int) -> _reachability.CutArrays:
    """Allocate the arrays for cutting off vertices that cannot reach the goal with probability 1."""
    distance, parent, queue, doubtful = np.empty((4, vertices), dtype=np.uint32)
    level, left = np.empty((2, vertices), dtype=np.int32)
    return _reachability.CutArrays(level, distance, left, parent, queue, doubtful)


def reach_ranks(
    game: Game, goals: NDArray[Any], choice: NDArray[np.int64], free: NDArray[np.uint8] | None = None
) -> NDArray[np.int64]:
    """Rank vertices by the steps in which `choice` may reach the goal; where it is -2 a `free` edge is chosen."""
    rank = np.empty(game.vertex_count, dtype=np.int64)
    best_for(_reachability.arrive, game.edge_count)(
        graph_arrays(game),
        np.asarray(goals, dtype=np.uint32),
        np.zeros(0, dtype=np.uint8) if free is None else free,
        choice,
        rank,
        np.empty(game.vertex_count, dtype=np.uint32),
    )
    if free is not None:
        choice[choice < 0] = -1
    return rank
