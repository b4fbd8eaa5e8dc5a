"""The figures of one target: forced or not, how much help, how likely, how dear; computed for many targets in turn.

Cheap facts come first and spare the dear ones: whatever is forced within the steps has probability 1, and where the
least cost with every choice the tester's equals the worst cost of a sure win the expected cost is the same number.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.game.goal import NamedSet
from outplay.game.target import Target
from outplay.strategy.attractor import solve_for
from outplay.strategy.expected import expected
from outplay.strategy.forecast import _chance_kernels, _kernels
from outplay.strategy.forecast.columns import Columns
from outplay.strategy.forecast.reach import Reach

EPSILON = 1e-6
MOST_SWEEPS = {True: 20_000, False: 500}
"""How long sweeping is worth a try where every cycle costs something, and where one may go round for nothing."""
SWEPT_UP_TO = {True: 100_000, False: 150}
"""Above so many edges, compiled or not, expected costs are left to the solver that takes a game apart."""


@dataclass(frozen=True)
class Forced:
    """One strategy reaches the target whatever the system does: the cheapest, and the fewest moves at that cost."""

    moves: int | None
    """None where moves that count nothing can go round, so that no round of counting ends."""
    cost: Fraction | None
    """None, like the moves, under input-fair, which bounds neither."""


@dataclass(frozen=True)
class Figures:
    """What is known about one target; None where a number is infinite or no number at all."""

    forced: Forced | None
    jokers: int | None
    probability: float | None
    expected_cost: float | None
    impossible: bool = False
    helps: tuple[int, ...] = ()
    """The edges the system has to take, in turn, on one way to the target that needs as much help as any may."""


NEVER = Figures(None, None, 0.0, None, impossible=True)


class Solver:
    """Computes the figures of one set of vertices after the other, with the same work space."""

    def __init__(self, columns: Columns, reach: Reach | None, steps: int) -> None:
        self.columns, self.reach, self.steps = columns, reach, steps
        self.game = columns.game
        room = self.game.edge_count
        self._left, self._rank, self._choice, self._layer = (columns.work(np.int64) for _ in range(4))
        self._now, self._later = (columns.work(np.uint32, room) for _ in range(2))
        self._is_goal, self._alive, self._met = (columns.work(np.uint8) for _ in range(3))
        self._queue, self._greedy = columns.work(np.uint32), columns.work(np.int64)
        self._floats = [columns.work(np.float64) for _ in range(2)]

    def settled(self, goals: NDArray[np.uint32]) -> Figures | None:
        """The figures where the shared search tells them all, else None."""
        if self.reach is None:
            return None
        nearest = self.reach.to(goals)
        if nearest is None:
            return NEVER
        cost, moves, bends = nearest
        if bends or (moves > self.steps and not self.columns.unit):
            return None
        exact = Fraction(cost, self.game.cost.denominator)
        return Figures(Forced(moves, exact), 0, float(moves <= self.steps), float(exact))

    def figures(self, goals: NDArray[np.uint32]) -> Figures:
        """Solve for one target."""
        found = self.settled(goals)
        if found is not None:
            return found
        columns = self.columns
        given = goals if columns.fast else goals.tolist()
        jokers = self._jokers(given)
        if jokers < 0:
            return NEVER
        for goal in given:
            self._is_goal[goal] = 1
        forced = self._forced(goals) if jokers == 0 else None
        likely = 1.0 if forced and forced.moves is not None and forced.moves <= self.steps else self._likely()
        expected = self._expected(goals, given, forced)
        for goal in given:
            self._is_goal[goal] = 0
        return Figures(forced, jokers, likely, expected, helps=self._helps())

    def _jokers(self, goals: Any) -> int:
        columns = self.columns
        return int(
            columns.run(_kernels.help_needed)(
                *columns.shape[:2],
                *columns.entering,
                columns.moves,
                goals,
                self.game.initial,
                self._left,
                self._rank,
                self._choice,
                self._layer,
                self._now,
                self._later,
            )
        )

    def _helps(self) -> tuple[int, ...]:
        """Walk from the start as the choices say; help is wanted where an edge leads to a layer that needs less."""
        vertex, helps = self.game.initial, []
        while self._layer[vertex] > 0:
            edge = int(self._choice[vertex])
            after = int(self.game.target[edge])
            if self._layer[after] < self._layer[vertex]:
                helps.append(edge)
            vertex = after
        return tuple(helps)

    def _forced(self, goals: NDArray[np.uint32]) -> Forced:
        columns = self.columns
        if columns.unit:
            moves = int(self._rank[self.game.initial])
            return Forced(moves, Fraction(moves))
        if columns.order is None:
            return Forced(None, solve_for(self.game, goals).value(self.game.initial))
        cost, moves = columns.run_whole(_kernels.cheapest_within)(
            *columns.shape,
            columns.moves,
            columns.whole,
            columns.order,
            self._is_goal,
            self.game.initial,
            columns.work_whole(),
            columns.work_whole(),
        )
        return Forced(int(moves), Fraction(int(cost), self.game.cost.denominator))

    def _likely(self) -> float | None:
        columns = self.columns
        if columns.order is None:
            return None
        found = columns.run(_kernels.likely_within)(
            *columns.shape,
            columns.moves,
            columns.chance,
            columns.order,
            self._is_goal,
            self.game.initial,
            self.steps,
            *self._floats[:2],
        )
        return min(float(found), 1.0)

    def _expected(self, goals: NDArray[np.uint32], given: Any, forced: Forced | None) -> float | None:
        """A number within the bounds; None where no strategy arrives with probability 1."""
        nearest = None if self.reach is None else self.reach.to(goals)
        if forced and nearest and forced.cost == Fraction(nearest[0], self.game.cost.denominator):
            return float(forced.cost)
        columns, initial = self.columns, self.game.initial
        shape, sets = columns.shape, (self._alive, self._met, self._queue)
        arrives = columns.run(_chance_kernels.surely_in_the_end)
        kept = arrives(*shape, *columns.entering[::2], given, initial, *sets)
        if kept == 0:
            return None
        if self.game.edge_count <= SWEPT_UP_TO[columns.fast]:
            low, high = columns.run(_chance_kernels.expected_cost)(
                *shape,
                columns.chance,
                columns.price,
                self._queue,
                kept,
                len(given),
                initial,
                self._alive,
                EPSILON,
                MOST_SWEEPS[columns.every_round_costs],
                self._floats[0],
                self._greedy,
                self._floats[1],
            )
            if high < float("inf"):
                return float(low + (high - low) / 2)
        return expected(self.game, Target(NamedSet("target"), self.game, goals), epsilon=EPSILON).value
