"""The steps that are not tested yet, so that no plan, whatever was learnt wrongly, can pass one over for ever.

Definition: a step is tested when it was taken and an answer has told its target from every suspect that can be told
from it, or when `ATTEMPTS` follow-ups in a row (`FollowUp`) have shown nothing new of it. News is a step that was
never taken before, or a suspect that was never ruled out before.

The progress property: while something is left that is not tested, the plan plays at most `patience` labels in a row
without news; then comes a follow-up. There are finitely many steps and suspects, and a follow-up has a bounded number
of labels, so in the end everything that can be reached is tested.

A follow-up: go to a step that is not tested, take it, and tell its target from one suspect after the other. It goes the
way that takes the fewest tries by what was learnt. No chance is ever learnt to be 0, so what the model says can be
reached stays within reach; and where answers do not come as hoped, it tries again from where it is, until its labels
are used up. So how well it goes depends on what was learnt, but not that it is made, nor that it ends.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from outplay.game.algebra import row_of_each
from outplay.strategy.suspicion._kernels import AnsweringRows
from outplay.strategy.suspicion.behaviour_table import Floats, States, Steps
from outplay.strategy.suspicion.hypotheses import Hypotheses
from outplay.strategy.suspicion.pair_game import PairGame
from outplay.strategy.suspicion.suspects import Suspects

ATTEMPTS = 3
LEAST_PATIENCE, MOST_PATIENCE = 30, 300  # labels in a row that the plan may play without news
FARTHEST = 4  # times as many as it takes to go to the farthest state


class Untested:
    """The steps that are not tested yet, and how long there was no news."""

    def __init__(self, rows: AnsweringRows, initial: int, lost: Floats, steps: Steps, suspects: Suspects) -> None:
        self._rows, self._initial, self._lost, self._steps, self._suspects = rows, initial, lost, steps, suspects
        self._from = row_of_each(rows.first)
        self.source: States = self._from[steps.credited]
        """The beginning of each step."""
        self.taken = np.zeros(len(steps), dtype=bool)
        self._attempts = np.zeros(len(steps), dtype=np.int64)
        self._told = self.news = 0
        """The number of suspects ruled out by now, and of labels that brought news."""
        self.over = list[tuple[int, bool]]()
        """The follow-ups that came to their end in this play: to which step each was, and whether it brought news."""
        self._left: States | None = None
        self._stale = 0
        """The number of labels since the last news, or the last follow-up."""

    @cached_property
    def patience(self) -> int:
        """Return the number of labels in a row that the plan may play without news: the more the farther there is to
        go.
        """
        away = self._distances(self._initial, np.ones(len(self._from)))
        return int(np.clip(FARTHEST * away[np.isfinite(away)].max(), LEAST_PATIENCE, MOST_PATIENCE))

    @property
    def passed_over(self) -> bool:
        """Whether something is left that is not tested, and there was no news for too long."""
        return self._stale >= LEAST_PATIENCE and self._stale >= self.patience and len(self.left) > 0

    @property
    def left(self) -> States:
        """The steps that are not tested."""
        if self._left is None:
            unknown = ~self.taken | (self._suspects.untold > 0)
            self._left = np.flatnonzero(unknown & (self._attempts < ATTEMPTS))
        return self._left

    def took(self, step: int, edge: int) -> None:
        """A label was seen: a step was taken, which ended with a transition, and suspects may have been ruled out."""
        news = self._suspects.told > self._told or not (self.taken[step] and self.taken[edge])
        self._stale = 0 if news else self._stale + 1
        self.news += news
        if news:
            self.taken[[step, edge]], self._told, self._left = True, self._suspects.told, None

    def glimpsed(self, edges: States) -> None:
        """A label was seen, and it is not sure which transition it was: that is an attempt at each."""
        self._attempts[np.isin(self._steps.credited, edges)] += 1
        self._left, self._stale = None, self._stale + 1

    def attempted(self, step: int, *, news: bool) -> None:
        """A follow-up to a step is over."""
        self._attempts[step] = 0 if news else self._attempts[step] + 1
        self._left, self._stale = None, 0
        self.over.append((step, news))

    def attempts(self, step: int) -> int:
        """Count the follow-ups to a step in a row that have shown nothing new of it."""
        return int(self._attempts[step])

    def unknown(self, step: int) -> int:
        """Return how much of a step is not tested: that it was never taken, and suspects that were never ruled out."""
        return int(self._suspects.untold[step]) + (not self.taken[step])

    def begins_with(self, step: int) -> int:
        """The transition that a step begins with."""
        return int(self._steps.credited[step])

    def suspected(self, step: int, alive: Hypotheses) -> States:
        """Return the states of the system by the hypotheses of a step that were never ruled out."""
        found: States = alive.state[(alive.step == step) & self._suspects.open[alive.step, alive.slot]]
        return found

    def nearest(self, state: int) -> int | None:
        """The step tried least of those that are not tested and can be reached from a state, the nearest of several."""
        left = self.left
        away = self._distances(state, self.lengths())[self.source[left]]
        left, away = left[np.isfinite(away)], away[np.isfinite(away)]
        return int(left[np.lexsort((left, away, self._attempts[left]))[0]]) if len(left) else None

    def distances_to(self, state: int) -> Floats:
        """Return the distance from each state to one; infinite where it cannot be reached."""
        return self._distances(state, self.lengths(), backward=True)

    def lengths(self) -> Floats:
        """Return how often each transition has to be tried until it is taken, as far as is known."""
        inputs = self._rows.split[self._from] > np.arange(len(self._from))
        chance: Floats = np.where(inputs, 1 - self._lost[self._from], self._rows.chance)
        return 1 / chance

    def _distances(self, state: int, lengths: Floats, *, backward: bool = False) -> Floats:
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import dijkstra

        states = len(self._rows.first) - 1
        ends = self._from * states + self._rows.target
        order = np.lexsort((lengths, ends))
        kept: NDArray[np.int64] = order[np.unique(ends[order], return_index=True)[1]]  # of several, the shortest
        ways = (lengths[kept], (self._from[kept], self._rows.target[kept]))
        graph = csr_array(ways, shape=(states, states))
        found: Floats = dijkstra(graph.T if backward else graph, indices=state)
        return found


DETOURS = 30  # labels of a follow-up beyond twice the way
LONGEST = 300  # labels of a follow-up


class FollowUp:
    """One attempt at a step that is not tested."""

    def __init__(self, step: int, state: int, initial: int, untested: Untested) -> None:
        self.step, self._untested = step, untested
        self._attempt, self._before = untested.attempts(step), untested.unknown(step)
        self._lengths, self._away = untested.lengths(), untested.distances_to(int(untested.source[step]))
        self._again = float(self._away[initial]) + 1.0
        self._most = self._labels = int(min(DETOURS + 2 * min(self._away[state], self._again), LONGEST))
        self._met = False

    def edge(self, state: int, rows: AnsweringRows, pairs: PairGame, alive: Hypotheses, *, resets: bool) -> int | None:
        """The transition to hope for from a state; None where the follow-up is over, or should start again."""
        low, split, high = int(rows.first[state]), int(rows.split[state]), int(rows.first[state + 1])
        if self._labels <= 0 or low == high:
            return None
        if low == split:
            return low  # an answer is owed
        if self._met:
            return self._telling(state, low, pairs, alive)
        away = self._away[state]
        if away == 0:
            return self._untested.begins_with(self.step)
        if not np.isfinite(away) or (resets and self._again < away):
            return None
        return low + int(np.argmin(self._lengths[low:high] + self._away[rows.target[low:high]]))

    def _telling(self, state: int, low: int, pairs: PairGame, alive: Hypotheses) -> int | None:
        """The move that tells best whether the system is in a state suspected; another one in each attempt."""
        suspected = self._untested.suspected(self.step, alive)
        if not len(suspected):
            return None
        shows = pairs.shows(np.full(len(suspected), state), suspected)
        chosen = suspected[np.argsort(-shows, kind="stable")[self._attempt % len(suspected)]]
        promised = pairs.promises(state, np.array([chosen]), np.ones(1))
        return low + int(promised.argmax()) if promised.max() > 0 else None

    def took(self, step: int, edge: int) -> None:
        """A label was seen that this follow-up went for."""
        self._labels -= 1
        self._met = self._met or self.step in (step, edge)

    def passed(self) -> None:
        """A label was seen, and it is not sure what it means."""
        self._labels -= 1

    @property
    def begun(self) -> bool:
        """Whether a label was seen since it set out."""
        return self._labels < self._most

    def goes_on(self) -> bool:
        """Say whether there is a point in going on from the initial state."""
        return not self._met and self._labels > 0 and np.isfinite(self._again)

    def end(self) -> None:
        """Let it count as an attempt, unless something new was told of its step."""
        self._untested.attempted(self.step, news=self._untested.unknown(self.step) < self._before)
