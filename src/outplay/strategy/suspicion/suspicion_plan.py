"""The plan for where to go next: the one that meets the most suspicion for each label.

A plan gives inputs, waits and starts again, up to a horizon, and may end at any time. Wanted is the plan with the
largest ratio of suspicion met to labels used, both expected: the largest price of a label at which some plan is still
worth its labels. It is found by raising the price to the ratio of the best plan at the last price (Dinkelbach 1967),
from one decision to the next, where it changes little.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from outplay.compiling import COMPILE_FROM_EDGES, best_for
from outplay.game.algebra import ranges
from outplay.strategy.suspicion._kernels import AnsweringRows, PlanValues, Terms, best_plans, nearest
from outplay.strategy.suspicion.pooled_estimates import RaceOdds
from outplay.strategy.suspicion.steps import Floats, States

HORIZON = 32
ROUNDS = 2  # prices tried for a decision
AROUND = 2000  # states that a plan looks at
_LEAST = 1e-9


class SuspicionPlan:
    """The best plans from where the play is."""

    def __init__(self, rows: AnsweringRows, races: RaceOdds, initial: int, silence: int) -> None:
        self._rows, self._races, self._initial, self._silence = rows, races, initial, silence
        states = len(rows.first) - 1
        self._now, self._then = PlanValues(*np.zeros((3, states))), PlanValues(*np.zeros((3, states)))
        self._mark, self._found = np.zeros(states, dtype=np.int64), np.zeros(states, dtype=np.int64)
        self._all = np.arange(states) if states <= AROUND else None
        self._looked = np.zeros(0, dtype=np.int64)
        self._reward, self._work = np.zeros(len(rows.label)), 0
        self.price = 1.0

    def worth(self, state: int, suspicion: Callable[[States | slice], Floats], *, fresh: bool) -> Floats:
        """Return the worth of each move, beside the best: the inputs in their order, waiting, and starting again."""
        rows, states = self._rows, self._around(state)
        edges = self._edges(states)
        reward = self._reward
        reward[edges] = suspicion(edges)
        self._work += len(reward[edges])
        # So much work is worth compiling; but each plan is made in a moment, in which no signal need be heard.
        kernel = best_for(best_plans, min(self._work, COMPILE_FROM_EDGES))
        for _ in range(ROUNDS):
            terms = Terms(self.price, self._initial, HORIZON, self._silence)
            kernel(states, rows, reward, self._races.lost, terms, self._now, self._then)
            worth, met, labels = self._moves(state, reward, fresh)
            best = int(np.argmax(worth))
            self.price = max(met[best] / max(labels[best], 1.0), _LEAST)
        return worth

    def _moves(self, state: int, reward: Floats, fresh: bool) -> tuple[Floats, Floats, Floats]:
        """For each move what it is worth, what is met by it and after it, and in how many labels."""
        rows = self._rows
        low, split, high = int(rows.first[state]), int(rows.split[state]), int(rows.first[state + 1])
        chance, race = rows.chance[split:high], float(self._races.lost[state])
        found = []
        for ahead, label in ((self._now.worth, -self.price), (self._now.met, 0.0), (self._now.labels, 1.0)):
            counted = 0.0 if label == 1.0 else 1.0
            each = counted * reward[low:high] + ahead[rows.target[low:high]] + label
            wait = float((chance * each[split - low :]).sum())
            give = (1 - race) * each[: split - low] + race * wait
            found.append(np.concatenate([give, [wait, ahead[self._initial] + label]]))
        worth, met, labels = found
        if split + 1 == high and rows.target[split] == state and rows.label[split] == self._silence:
            self._then_something_else(reward[split], worth, met, labels)
        if split == high:
            worth[-2] = -np.inf  # nothing can come of waiting
        if fresh or low == split < high:
            worth[-1] = -np.inf  # it has just been started, or an answer is owed
        return worth, met, labels

    def _then_something_else(self, reward: float, worth: Floats, met: Floats, labels: Floats) -> None:
        """Silence that lasts is waited for once: after it comes the best of the other moves, or nothing."""
        others = np.delete(np.arange(len(worth)), -2)
        best = int(others[np.argmax(worth[others])])
        ahead = (worth[best], met[best], labels[best]) if worth[best] > 0 else (0.0, 0.0, 0.0)
        worth[-2], met[-2], labels[-2] = ahead[0] + reward - self.price, ahead[1] + reward, ahead[2] + 1.0

    def _around(self, state: int) -> States:
        """The states a plan looks at: all, or those around here and around the start; what lies beyond is an end."""
        if self._all is not None:
            return self._all
        for array in (*self._now, *self._then):
            array[self._looked] = 0.0
        kernel, rows = best_for(nearest, 10 * AROUND), self._rows
        here = self._found[: kernel(state, rows, AROUND, self._mark, self._found)].copy()
        start = self._found[: kernel(self._initial, rows, AROUND // 4, self._mark, self._found)]
        self._looked = np.unique(np.concatenate([here, start]))
        return self._looked

    def _edges(self, states: States) -> States | slice:
        """The transitions of some states."""
        if states is self._all:
            return slice(None)
        return ranges(self._rows.first, states)[0]
