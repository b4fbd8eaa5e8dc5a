"""What two steps in a row may show: an answer that comes twice, and a state that the model does not have.

An answer may come twice: a fault of one question, found by whoever waits right behind its answer. That a state says
more than the model lists is a suspicion of the state (`suspects.Unsaid`), which fades whenever it was silent. A message
that is sent twice is a matter of the question that it answers, so each question is suspected by itself: where nothing
but silence may follow an answer that was owed, to wait once shows it. Elsewhere more may come anyway, and play waits
for that. To come back later for the wait takes longer than to wait now.

One more state: a step may lead to a state that the model does not have, which is like its target but for one thing:
it does what the target does, but one of its transitions is wrong. Whoever takes each transition right after each step
meets them all, so what is suspected are steps with the transition after them. There are as many for each step as its
target has transitions, all equally likely. They are worth little beside what one transition alone may hide, and so
decide where that leaves a choice, or once it is cleared.
"""

from __future__ import annotations

import numpy as np

from outplay.strategy.suspicion._kernels import AnsweringRows
from outplay.strategy.suspicion.steps import Floats, Steps
from outplay.strategy.suspicion.suspects import CLEARED

TWICE = 0.8  # how likely it is that an answer comes twice, beside a wrong answer
EXTRA = 1.0  # how likely an extra state is behind a step, beside a wrong target


class Doubled:
    """What is left of the suspicion that answers come twice."""

    def __init__(self, rows: AnsweringRows, steps: Steps, silence: int) -> None:
        answers = rows.first[1:] - rows.split
        says = rows.label[np.minimum(rows.split, len(rows.label) - 1)] if len(rows.label) else rows.split
        quiet = (answers == 1) & (says == silence)
        answered = np.arange(len(steps)) >= len(rows.label)
        self.left: Floats = np.where(answered & quiet[steps.target], 1.0, 0.0)
        """Of each step."""
        self._last: int | None = None
        self._doubt = 0.0

    def begin(self) -> None:
        """A play begins, or goes on from somewhere else."""
        self._last = None

    def took(self, step: int, doubt: float, *, silent: bool) -> None:
        """A step was taken, of which there was so much doubt; or the system was `silent`."""
        if silent and self._last is not None:
            self.left[self._last] *= CLEARED
        self._last, self._doubt = None if silent else step, doubt

    def met(self) -> float:
        """The suspicion that is met by waiting now."""
        return 0.0 if self._last is None else TWICE * self._doubt * float(self.left[self._last])


class ExtraStates:
    """Which transitions were taken right after which steps."""

    def __init__(self, rows: AnsweringRows) -> None:
        self._rows = rows
        self._seen: set[tuple[int, int]] = set()
        self._before: int | None = None

    def begin(self) -> None:
        """A play begins, or goes on from somewhere else."""
        self._before = None

    def took(self, step: int, edge: int) -> None:
        """A step was taken, which ended with a transition."""
        if self._before is not None:
            self._seen.add((self._before, edge))
        self._before = step

    def met(self, state: int) -> Floats:
        """The suspicion that each transition of a state meets if it is taken now."""
        low, high = int(self._rows.first[state]), int(self._rows.first[state + 1])
        before = self._before
        if before is None:
            return np.zeros(high - low)
        fresh = [(before, edge) not in self._seen for edge in range(low, high)]
        return np.array(fresh) * (EXTRA / max(high - low, 1))
