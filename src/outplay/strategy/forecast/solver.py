"""The values of one goal: forced or not, how much help, how likely, how dear; computed for many goals in turn.

Cheap facts come first and spare the dear ones: whatever is forced within the steps has probability 1, and where the
least cost with every choice the tester's equals the worst cost of a sure win the expected cost is the same number.

The search that all goals share: outwards from the start, as if every choice were the tester's.
It finds to each vertex a path of least cost, among those of fewest moves, among those with fewest bends, a bend being a
system vertex with a choice. No strategy has a lower worst cost, nor fewer moves at that cost. A path without bends
is a strategy: what lies at its end is forced, at exactly these figures, and no goal there needs solving at all. In
a deterministic model these are all. Bound: O(E log V) for all goals together.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.game.algebra import choice_points
from outplay.game.goals.goal import NamedSet
from outplay.game.goals.target import Target
from outplay.game.graph import SYSTEM, Game
from outplay.strategy.attractor import solve_attractor
from outplay.strategy.chance.reduction._reachability import cut_levels
from outplay.strategy.expected import expected
from outplay.strategy.forecast import _kernels
from outplay.strategy.forecast.entries import NEVER, Forced, GoalValues
from outplay.strategy.forecast.forecast_arrays import Workspace
from outplay.strategy.jokers._kernels import joker_sets
from outplay.strategy.number_format import float_or_fraction

EPSILON = 1e-6
Length = tuple[int, int, int]


class GoalSolver:
    """Computes the values of one set of vertices after the other, with the same work space."""

    def __init__(self, space: Workspace, paths: ShortestPaths | None, steps: int) -> None:
        self.space, self.paths, self.steps = space, paths, steps
        self.game = space.game

    def settled(self, goals: NDArray[np.uint32]) -> GoalValues | None:
        """The values where the shared search tells them all, else None."""
        if self.paths is None:
            return None
        nearest = self.paths.to(goals)
        if nearest is None:
            return NEVER
        cost, moves, bends = nearest
        if bends or (moves > self.steps and not self.space.unit):
            return None
        exact = Fraction(cost, self.game.cost.denominator)
        return GoalValues(Forced(moves, exact), 0, float(moves <= self.steps), float(exact))

    def values(self, goals: NDArray[np.uint32]) -> GoalValues:
        """Solve for one goal."""
        found = self.settled(goals)
        if found is not None:
            return found
        space = self.space
        given = space.given(goals)
        count = int(space.run(joker_sets)(space.graph, given, space.sets, self.game.initial))
        jokers = int(space.sets.jokers[self.game.initial])
        if jokers < 0:
            return NEVER
        for goal in given:
            space.is_goal[goal] = 1
        forced = self._forced(goals) if jokers == 0 else None
        chance = 1.0 if forced and forced.moves is not None and forced.moves <= self.steps else self._chance_within()
        expected = self._expected(goals, given, forced)
        for goal in given:
            space.is_goal[goal] = 0
        return GoalValues(forced, jokers, chance, expected, helps=self._helping_edges(count))

    def _forced(self, goals: NDArray[np.uint32]) -> Forced:
        space, initial = self.space, self.game.initial
        if space.unit:
            moves = int(space.sets.rank[initial])
            return Forced(moves, Fraction(moves))
        if space.order is None:
            return Forced(None, solve_attractor(self.game, goals).value(initial))
        within = space.run_whole(_kernels.cheapest_within)
        cost, moves = within(space.graph, space.whole, space.order, space.is_goal, initial, *space.worst)
        return Forced(int(moves), Fraction(int(cost), self.game.cost.denominator))

    def _chance_within(self) -> float | None:
        space, initial = self.space, self.game.initial
        if space.order is None:
            return None
        within = space.run(_kernels.chance_within)
        found = within(space.graph, space.chance, space.order, space.is_goal, initial, self.steps, *space.odds)
        return min(float(found), 1.0)

    def _expected(self, goals: NDArray[np.uint32], given: Any, forced: Forced | None) -> float | Fraction | None:
        """A number within the bounds; None where no strategy arrives with probability 1."""
        nearest = None if self.paths is None else self.paths.to(goals)
        if forced and nearest and forced.cost == Fraction(nearest[0], self.game.cost.denominator):
            return float(forced.cost)
        space, initial = self.space, self.game.initial
        space.run(cut_levels)(space.graph, given, space.cut, initial)
        if space.cut.level[initial] >= 0:
            return None
        found = expected(self.game, Target(NamedSet("target"), self.game, goals), epsilon=EPSILON).value_of(initial)
        return None if found is None else float_or_fraction(found)

    def _helping_edges(self, count: int) -> tuple[int, ...]:
        """Walk from the start down the joker sets; help is wanted where an edge leads to a lower set.

        Every step leads to a vertex that was settled earlier, so the walk ends: the tester's by the fewest moves, the
        system's to the first, which lies in a lower set where a joker is played and in the same set elsewhere.
        """
        sets, first, target = self.space.sets, *self.space.rows
        vertex, helps = self.game.initial, []
        place = self.space.places(sets.order[: sets.starts[count]]) if sets.jokers[vertex] > 0 else []
        while (jokers := sets.jokers[vertex]) > 0:
            inside = [e for e in range(first[vertex], first[vertex + 1]) if 0 <= sets.jokers[target[e]] <= jokers]
            if self.game.owner[vertex] == SYSTEM:
                edge = min(inside, key=lambda e: place[target[e]])
            else:
                edge = min(inside, key=lambda e: (sets.rank[target[e]] + self.space.graph.moves[e], place[target[e]]))
            vertex = target[edge]
            if sets.jokers[vertex] < jokers:
                helps.append(edge)
        return tuple(helps)


@dataclass(frozen=True)
class ShortestPaths:
    """For each vertex the least (cost, moves, bends) from the start, None where no way leads; costs are scaled."""

    nearest: list[Length | None]

    def to(self, vertices: NDArray[np.uint32]) -> Length | None:
        """The least length to any of some vertices."""
        found = (self.nearest[vertex] for vertex in vertices.tolist())
        return min((length for length in found if length is not None), default=None)


def shortest_game_paths(game: Game) -> ShortestPaths:
    """Search a game for the shortest paths outwards from the initial vertex.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("g", "tester").vertex("h", "tester")
    >>> game = builder.edge("s", "c").edge("c", "g").edge("c", "h", cost=5).edge("s", "h", cost=9).build()
    >>> shortest_game_paths(game).nearest
    [(0, 0, 0), (1, 1, 0), (2, 2, 1), (6, 2, 1)]
    """
    first, target, moves = game.first.tolist(), game.target.tolist(), game.moves.tolist()
    table = game.cost.scaled()
    cost = [table[row] for row in game.cost.index.tolist()]
    bends = choice_points(game).astype(int).tolist()
    nearest: list[Length | None] = [None] * game.vertex_count
    queue: list[tuple[int, int, int, int]] = [(0, 0, 0, game.initial)]
    while queue:
        paid, moved, bent, vertex = heapq.heappop(queue)
        if nearest[vertex] is not None:
            continue
        nearest[vertex] = (paid, moved, bent)
        bent += bends[vertex]
        for edge in range(first[vertex], first[vertex + 1]):
            if nearest[target[edge]] is None:
                heapq.heappush(queue, (paid + cost[edge], moved + moves[edge], bent, target[edge]))
    return ShortestPaths(nearest)
