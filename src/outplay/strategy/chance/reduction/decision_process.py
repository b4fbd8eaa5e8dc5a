"""A game folded into states with actions: what value iteration works on.

The states are the vertices with a finite value, in components such that no edge leads to a later one, within a
component by distance to the goals, and at the same distance each after what it leads to, so far as circles allow. Swept
in this order values are made of new ones, and neighbours lie close in memory. A system vertex that only one move leads
to is no state: the move and its answers are one action, whose cost is the expected one. Bound: O(V + E).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.game.algebra import graph_arrays, row_of_each, weighted_arrays
from outplay.game.graph import Game
from outplay.strategy.arrays import UNIT, ProcessArrays
from outplay.strategy.chance.reduction import _components, _folding
from outplay.strategy.chance.reduction._folding import Marks
from outplay.strategy.chance.reduction.end_components import finished_components
from outplay.strategy.chance.reduction.reachability import WinningRegion


@dataclass(frozen=True, eq=False)
class DecisionProcess:
    """States with actions, and what they are in the game; the last state stands for all goals."""

    arrays: ProcessArrays
    vertex: NDArray[np.uint32]
    """The vertex that a state is."""
    folded: NDArray[np.uint8]
    """The vertices of the game that are part of an action."""
    action_edge: NDArray[np.uint32]
    """The tester's edge, or the first edge of a system vertex."""
    rounding: float
    """The relative error of any sum over the answers of a vertex, probabilities divided by their sum included."""
    ordered: bool
    """Whether components are told apart."""

    @property
    def margin(self) -> float:
        """Covers the rounding of a sum over answers, and then of bounds made from it, carried back to the game."""
        return 4 * self.rounding + 16 * UNIT

    @property
    def size(self) -> int:
        """The work of a sweep."""
        return len(self.arrays.outcome_state)

    def ahead(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The expected value after each action, as far as it leaves."""
        arrays = self.arrays
        if not len(arrays.action_cost):
            return np.zeros(0)
        reached = arrays.outcome_chance * values[arrays.outcome_state]
        return np.asarray(np.add.reduceat(reached, arrays.outcome_first[:-1].astype(np.int64)))

    def unfold(
        self, game: Game, cost: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]
    ) -> None:
        """Complete bounds of values at the vertices that are part of an action; each edge adds its `cost`."""
        run = best_for(_folding.complete_bounds, game.edge_count)
        run(weighted_arrays(game, cost), graph_arrays(game), self.folded, self.rounding, low, high)

    def span(self, row: int) -> tuple[int, int]:
        """The first state of a component, and the one after its last."""
        return int(self.arrays.row_first[row]), int(self.arrays.row_first[row + 1])

    def owner_of_actions(self) -> NDArray[np.int64]:
        """The state of each action."""
        return row_of_each(self.arrays.action_first)


def _as_one(inside: NDArray[np.bool_]) -> tuple[int, NDArray[np.int32], NDArray[np.uint32]]:
    """All vertices as one component, in the order of their numbers."""
    return int(inside.any()), np.where(inside, 1, -1).astype(np.int32), np.flatnonzero(inside).astype(np.uint32)


def folded_process(game: Game, goals: NDArray[Any], region: WinningRegion, *, ordered: bool = True) -> DecisionProcess:
    """Fold a game, where its values are finite, into a decision process of states with actions.

    Unless `ordered`, all states count as one component: quicker, and as good where every vertex is near the goals.
    """

    def run(kernel: Any, *arrays: Any) -> Any:
        return best_for(kernel, game.edge_count)(*arrays)

    ends = np.array(goals, dtype=np.uint32)  # of one kind: kernels are compiled for each kind of array
    inside, folded = np.empty(game.vertex_count, dtype=bool), np.empty(game.vertex_count, dtype=np.uint8)
    most = run(_folding.mark_folded, graph_arrays(game), region.level, ends, inside, folded)
    found, component, finished = (
        finished_components(game.first, game.target, inside, folded) if ordered else _as_one(inside)
    )
    near, states = np.empty((2, len(finished)), dtype=np.uint32)
    # Where only the distance counts, states of one kind stand together: their loops are equally long.
    away = region.distance if ordered else 2 * region.distance + game.owner
    run(_components.sort_by, away, finished, np.zeros(int(away.max(initial=0)) + 2, dtype=np.int64), near)
    run(_components.sort_by, component, near, np.zeros(found + 2, dtype=np.int64), states)
    marks = Marks(region.level, component, folded, np.empty(game.vertex_count, dtype=np.uint32))
    # An action begins with an edge, and a folded vertex has one edge into it: there is room enough. What of it is not
    # written to takes no memory.
    room = game.edge_count
    arrays = ProcessArrays(
        row_first=np.zeros(found + 1, dtype=np.int64),
        action_first=np.empty(len(states) + 1, dtype=np.uint32),
        action_cost=np.empty(room),
        leave=np.empty(room),
        outcome_first=np.empty(room + 1, dtype=np.uint32),
        outcome_state=np.empty(room, dtype=np.uint32),
        outcome_chance=np.empty(room),
    )
    action_edge = np.empty(room, dtype=np.uint32)
    actions, outcomes = run(_folding.fill_actions, states, ends, weighted_arrays(game), marks, arrays, action_edge)
    used = arrays._replace(
        action_cost=arrays.action_cost[:actions],
        leave=arrays.leave[:actions],
        outcome_first=arrays.outcome_first[: actions + 1],
        outcome_state=arrays.outcome_state[:outcomes],
        outcome_chance=arrays.outcome_chance[:outcomes],
    )
    rounding = (2 * int(most) + 8) * UNIT
    return DecisionProcess(used, states, folded, action_edge[:actions], rounding, ordered)
