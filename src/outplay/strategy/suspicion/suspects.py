"""The possible faults: each transition may say something else, or lead to another state than the model says.

- **said**: an answer may be another than the model says, or be missing; found where the answer is due.
- **led**: a transition may lead to state h in place of q; found later, by an answer that h gives and q forbids.
- **more**: a state may say something that the model does not list; found by waiting there.

Each transition is as likely to be wrong as any other, in one way as in another. `left` is how much of a suspicion is
left, from 1 down: an answer that rules it out leaves a little (what is wrong may show only now and then where the
system chooses), losing it from sight a lot. What is being pursued lies with the hypotheses, and comes back from there.

Two steps in a row and what they may show: an answer that comes twice, and a state that the model does not have. An
answer may come twice: a fault of one question, found by whoever waits right behind its answer. That a state says more
than the model lists is a suspicion of the state (`suspects.WrongAnswers`), which fades whenever it was silent. A
message that is sent twice is a matter of the question that it answers, so each question is suspected by itself: where
nothing but silence may follow an answer that was owed, to wait once shows it. Elsewhere more may come anyway, and play
waits for that. To come back later for the wait takes longer than to wait now.

One more state: a step may lead to a state that the model does not have, which is like its target but for one thing:
it does what the target does, but one of its transitions is wrong. Whoever takes each transition right after each step
meets them all, so what is suspected are steps with the transition after them. There are as many for each step as its
target has transitions, all equally likely. They are worth little beside what one transition alone may hide, and so
decide where that leaves a choice, or once it is cleared.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from outplay.game.algebra import row_of_each
from outplay.strategy.suspicion._kernels import AnsweringRows
from outplay.strategy.suspicion.behaviour_table import Floats, States, Steps
from outplay.strategy.suspicion.pair_game import PairGame

CLEARED = 0.1  # is left of a suspicion that an answer ruled out
LOST = 0.8  # is left of one that was lost from sight
UNHEARD = 0.5  # is left of the suspicion that a state says more, for each time that it did not
MORE = 0.6  # how likely that is, beside a wrong answer
AT_ONCE = 0.5  # share of the states that the next answer would tell, however many they are
_CELLS = 1_000_000  # suspects of all transitions together, kept at most
_FEWEST = 8


class Suspects:
    """The states to which each step may lead instead, how likely that is and how soon it would show."""

    def __init__(self, steps: Steps, pairs: PairGame, rng: np.random.Generator) -> None:
        self.state = pairs.suspected(steps, max(_CELLS // max(len(steps), 1), _FEWEST), rng)
        self.shows = pairs.shows(steps.target[:, None], self.state)
        self.prior = _priors(self.shows, steps.passing) * steps.suspected[:, None]
        self.left = (self.prior > 0).astype(np.float64)
        self.open: NDArray[np.bool_] = self.prior > 0
        """The steps that were never ruled out by an answer."""
        self.untold: States = self.open.sum(axis=1)
        """The number of suspects of each step."""
        self.told = 0
        """The number of suspects ruled out by now."""
        self.urgency: Floats = np.ones(self.left.shape)
        """The weight of each while it is pursued, more the oftener it was lost from sight."""
        self._steps = steps
        self._met: Floats = (self.left * self.prior * self.shows).sum(axis=1)
        self.met: Floats = np.bincount(steps.credited, self._met * steps.share).astype(np.float64)
        """The suspicion that is met by taking each transition: Σ prior · left · W."""

    def settle(self, steps: States, slots: States, left: Floats) -> None:
        """So much is left of some suspicions."""
        self.left[steps, slots] = left
        changed = steps[:1] if (steps == steps[:1]).all() else np.unique(steps)
        met = (self.left[changed] * self.prior[changed] * self.shows[changed]).sum(axis=1)
        credit = (met - self._met[changed]) * self._steps.share[changed]
        np.add.at(self.met, self._steps.credited[changed], credit)
        self._met[changed] = met

    def rule_out(self, steps: States, slots: States) -> None:
        """An answer has told some suspicions from the truth."""
        fresh = self.open[steps, slots]
        self.open[steps, slots] = False
        np.subtract.at(self.untold, steps[fresh], 1)
        self.told += int(fresh.sum())

    def lose(self, edge: int) -> None:
        """Count what is met by a transition as met, and as lost from sight at once."""
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


class WrongAnswers:
    """The rest of the suspicion that answers are wrong, and that states say more."""

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


TWICE = 0.8  # how likely it is that an answer comes twice, beside a wrong answer
EXTRA = 1.0  # how likely an extra state is behind a step, beside a wrong target


class Doubled:
    """The rest of the suspicion that answers come twice."""

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
    """The transitions that were taken right after each step."""

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
