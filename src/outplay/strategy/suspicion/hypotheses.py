"""The live hypotheses: "this step has led to h", followed beside the true state while playing.

An answer that h would not give rules one out; where h meets the true state, or can show nothing any more, it is lost
from sight. They fade with each label, so that what cannot be pursued from here is let go.

The longer nothing was found, the more they count beside what is met on the way: a fault that shows soon had been found
by then, so what is left hides behind long tests, whose worth the game on pairs discounts the most. That is so where the
system has one answer at a time; where it chooses, a long test may come to nothing, and patience does not pay.

What a move promises is summed up over all of them, as if each could be pursued by itself from the next label on. So one
that takes long can be put off for others label by label until it is lost, and the next time again. Each time that
happens it counts more the next time, until it is worth more than what puts it off; that too where the system has one
answer at a time, for where it chooses, to be lost is often chance.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from outplay.strategy.suspicion.behaviour_table import Floats, States
from outplay.strategy.suspicion.pair_game import PairGame
from outplay.strategy.suspicion.suspects import CLEARED, LOST, Suspects

FADES = 0.98
FORGOTTEN = 0.3
HASTY = 100  # labels in which patience does not grow
PATIENCE_GROWS = 250  # labels in which it grows by 1
MOST_PATIENCE = 5.0
URGENT = 3.0  # times as much one counts in its pursuit, for each time that it was lost from sight
MOST_URGENT = 1000.0


class Hypotheses:
    """The hypotheses on what may have gone wrong in this play, each with the state in which the system would be now."""

    def __init__(
        self, suspects: Suspects, pairs: PairGame, follow: Callable[[int, States], States], *, chooses: bool
    ) -> None:
        self._suspects, self._pairs, self._follow = suspects, pairs, follow
        self._chooses = chooses
        """Whether the system has several answers somewhere."""
        nothing = np.zeros(0, dtype=np.int64)
        self.step, self.slot, self.state = nothing, nothing, nothing
        self.weight, self._began, self._age = np.zeros(0), np.zeros(0), np.zeros(0)
        self._labels = 0
        """That were followed so far, in all plays."""

    def __len__(self) -> int:
        return len(self.state)

    @property
    def patience(self) -> float:
        """Return the weight that they have by now, at first 1."""
        grown = 0.0 if self._chooses else max(self._labels - HASTY, 0) / PATIENCE_GROWS
        return min(1.0 + grown, MOST_PATIENCE)

    def promises(self, state: int) -> Floats:
        """Return what each move from the model's state promises of them: the inputs in their order, then waiting."""
        return self.patience * self._pairs.promises(state, self.state, self.weight)

    def saw(self, label: int, after: int, *, answer: bool) -> None:
        """Follow a label to the model's state after it."""
        self._labels += 1
        after_each = self._follow(label, self.state)
        stuck = after_each < 0
        faded = self._age < FORGOTTEN
        lost = (after_each == after) | self._pairs.alike(after, after_each) | faded
        ruled_out = stuck if answer else np.zeros_like(stuck)
        lost = (lost | stuck) & ~ruled_out
        if ruled_out.any():
            self._settle(ruled_out, CLEARED)
            self._suspects.rule_out(self.step[ruled_out], self.slot[ruled_out])
        if lost.any():
            self._settle(lost, LOST)
        if not self._chooses:
            self._hurry(ruled_out, lost)
        keep = ~(ruled_out | lost)
        self.step, self.slot, self.state = self.step[keep], self.slot[keep], after_each[keep]
        self.weight, self._began, self._age = self.weight[keep] * FADES, self._began[keep], self._age[keep] * FADES

    def _settle(self, which: NDArray[np.bool_], left: float) -> None:
        self._suspects.settle(self.step[which], self.slot[which], self._began[which] * left)

    def _hurry(self, ruled_out: NDArray[np.bool_], lost: NDArray[np.bool_]) -> None:
        """Let what was lost from sight count more in its next pursuit, what was ruled out as much as at first."""
        urgency = self._suspects.urgency
        urgency[self.step[ruled_out], self.slot[ruled_out]] = 1.0
        cells = self.step[lost], self.slot[lost]
        urgency[cells] = np.minimum(urgency[cells] * URGENT, MOST_URGENT)

    def took(self, step: int, doubt: float) -> None:
        """A step was taken: whatever is left of its suspects is pursued from now on, the more in doubt the more."""
        suspects = self._suspects
        slots = suspects.pursued(step)
        if not len(slots):
            return
        left: Floats = suspects.left[step, slots]
        steps = np.full(len(slots), step)
        self.step = np.concatenate([self.step, steps])
        self.slot = np.concatenate([self.slot, slots])
        self.state = np.concatenate([self.state, suspects.state[step, slots]])
        weight = doubt * left * suspects.prior[step, slots] * suspects.urgency[step, slots]
        self.weight = np.concatenate([self.weight, weight])
        self._age = np.concatenate([self._age, np.ones(len(slots))])
        self._began = np.concatenate([self._began, left])
        suspects.settle(steps, slots, np.zeros(len(slots)))

    def end(self) -> None:
        """The play ends: all come back as they were, for nothing was learnt of them.

        Else a suspicion that is never worth its labels when it comes up would fade, play by play, without a try.
        """
        if len(self):
            self._suspects.settle(self.step, self.slot, self._began)
        self.step, self.slot, self.state = self.step[:0], self.slot[:0], self.state[:0]
        self.weight, self._began, self._age = self.weight[:0], self._began[:0], self._age[:0]
