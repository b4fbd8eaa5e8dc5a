"""One more state: a step may lead to a state that the model does not have, which is like its target but for one thing.

Such a state does what the target does, but one of its transitions is wrong. Whoever takes each transition right after
each step meets them all, so what is suspected are steps with the transition after them: two in a row. There are as many
for each step as its target has transitions, all equally likely. They are worth little beside what one transition alone
may hide, and so decide where that leaves a choice, or once it is cleared.
"""

from __future__ import annotations

import numpy as np

from outplay.strategy.suspicion._kernels import AnsweringRows
from outplay.strategy.suspicion.steps import Floats

EXTRA = 1.0  # how likely an extra state is behind a step, beside a wrong target


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
