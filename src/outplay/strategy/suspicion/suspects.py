"""What may be wrong: each transition may say something else, or lead to another state than the model says.

- **said**: an answer may be another than the model says, or be missing; found where the answer is due.
- **led**: a transition may lead to state h in place of q; found later, by an answer that h gives and q forbids.
- **more**: a state may say something that the model does not list; found by waiting there.

Each transition is as likely to be wrong as any other, in one way as in another. `left` is how much of a suspicion is
left, from 1 down: an answer that rules it out leaves a little (what is wrong may show only now and then where the
system chooses), losing it from sight a lot. What is being pursued lies with the hypotheses, and comes back from there.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from outplay.game.algebra import row_of_each
from outplay.strategy.suspicion._kernels import AnsweringRows
from outplay.strategy.suspicion.pairs import PairGame
from outplay.strategy.suspicion.steps import Floats, States, Steps

CLEARED = 0.1  # is left of a suspicion that an answer ruled out
LOST = 0.8  # is left of one that was lost from sight
UNHEARD = 0.5  # is left of the suspicion that a state says more, for each time that it did not
MORE = 0.6  # how likely that is, beside a wrong answer
AT_ONCE = 0.5  # share of the states that the next answer would tell, however many they are
_CELLS = 4_000_000  # suspects of all transitions together, kept at most
_FEWEST = 8


class Suspects:
    """The states to which each step may lead instead, how likely that is and how soon it would show."""

    def __init__(self, steps: Steps, pairs: PairGame, rng: np.random.Generator) -> None:
        self.state = pairs.suspected(steps, max(_CELLS // max(len(steps), 1), _FEWEST), rng)
        self.shows = pairs.shows(steps.target[:, None], self.state)
        self.prior = _priors(self.shows, steps.passing) * steps.suspected[:, None]
        self.left = (self.prior > 0).astype(np.float64)
        self.urgency: Floats = np.ones(self.left.shape)
        """How much each counts while it is pursued, more the oftener it was lost from sight."""
        self._steps = steps
        self._met: Floats = (self.left * self.prior * self.shows).sum(axis=1)
        self.met: Floats = np.bincount(steps.credited, self._met * steps.share).astype(np.float64)
        """The suspicion that is met by taking each transition: Σ prior · left · W."""

    def settle(self, steps: States, slots: States, left: Floats) -> None:
        """So much is left of some suspicions."""
        self.left[steps, slots] = left
        changed = np.unique(steps)
        met = (self.left[changed] * self.prior[changed] * self.shows[changed]).sum(axis=1)
        credit = (met - self._met[changed]) * self._steps.share[changed]
        np.add.at(self.met, self._steps.credited[changed], credit)
        self._met[changed] = met

    def lose(self, edge: int) -> None:
        """What is met by a transition was met, and lost from sight at once."""
        steps = np.flatnonzero(self._steps.credited == edge)
        which, slots = np.nonzero(self.left[steps])
        self.settle(steps[which], slots, self.left[steps[which], slots] * LOST)

    def pursued(self, step: int) -> States:
        """The slots of a step that are still suspected."""
        return np.flatnonzero(self.left[step] > 0)


def _priors(shows: Floats, passing: NDArray[np.bool_]) -> Floats:
    """Half for the states that the next answer tells, half for those that have to be pursued; each half in equal parts.

    Else in a system of many answers nearly all would be of the first kind, which a single answer rules out.
    """
    at_once = shows >= shows.max(initial=0.0) * 0.999
    later = (shows > 0) & ~at_once & ~passing[:, None]
    soon, pursued = at_once.sum(axis=1, keepdims=True), later.sum(axis=1, keepdims=True)
    made: Floats = np.where(at_once, AT_ONCE / np.maximum(soon, 1), 0.0)
    return made + np.where(later, (1 - AT_ONCE) / np.maximum(pursued, 1), 0.0)


class Unsaid:
    """What is left of the suspicion that answers are wrong, and that states say more."""

    def __init__(self, rows: AnsweringRows, silence: int) -> None:
        self._rows = rows
        self._source = row_of_each(rows.first)
        self._answers = np.arange(len(rows.label)) >= rows.split[self._source]
        self.said = (self._answers & (rows.label != silence)).astype(np.float64)  # silence is wrong where more is said
        self.more = np.ones(len(rows.first) - 1)

    def heard(self, state: int, edge: int) -> None:
        """The system answered as the model says."""
        alone = self._rows.first[state + 1] - self._rows.split[state] == 1
        self.said[edge] *= CLEARED if alone else UNHEARD
        self.more[state] *= UNHEARD

    def met(self, edges: States | slice) -> Floats:
        """The suspicion that is met by each of some transitions."""
        answers = self._answers[edges]
        met: Floats = self.said[edges] + np.where(answers, MORE * self.more[self._source[edges]], 0.0)
        return met
