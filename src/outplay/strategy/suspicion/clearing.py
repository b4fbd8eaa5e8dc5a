"""How much is cleared: the chance that a single fault would have been found by what was played so far, estimated.

Definition: a fault is drawn, an answer or a target with equal chance, then a step (a transition, or a question with its
answer), then what is wrong with it: the answer is another one or does not come, or the step leads to another state h
than the model's q, of those that can be told from q. The number told is how likely the plays so far had shown it.

- An answer is cleared when it was given: had it been another, that would have been seen.
- Of a target, what if the step had led to h? The plays are followed with the system there in place of where it was.
  Wherever the tester waited, h would have shown something that the model forbids with a chance that is known from the
  answers so far; else it showed what was seen. If it cannot have, the play would have gone another way from there,
  and shown it as likely as the game on pairs says. An input that it does not specify it ignores. It is lost from sight
  where it meets the true state and where the play ends. What is left
  of the suspicion is the product of the chances, over all times that the step was taken, that nothing was shown.

Where answers of the system are a matter of chance, so is this, for one that was not cleared once may be another time.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from outplay.conformance.transition_table import TransitionTable
from outplay.model.label import SILENCE
from outplay.strategy.suspicion.cleared import Cleared
from outplay.strategy.suspicion.lookup import NOWHERE, Lookup
from outplay.strategy.suspicion.pairs import PairGame
from outplay.strategy.suspicion.rows import Learnt, rows_of
from outplay.strategy.suspicion.steps import Floats, States, Steps

OUTSIDE = -1
CELLS = 1_000_000  # suspects of all steps together, kept at most; of more a sample is drawn
MOST_ALIVE = 20_000  # that are followed at a time; older ones are lost from sight
GONE = 1e-3  # what is left by then is not followed any more


class Clearing:
    """Watches plays, on the table of a model, for the faults that they would have shown.

    >>> from outplay import automaton
    >>> from outplay.conformance.transition_table import table_of
    >>> from outplay.model.label import Label
    >>> from outplay.strategy.suspicion.pairs import solved_pairs
    >>> lamp = table_of(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    >>> clearing = Clearing(lamp, solved_pairs(rows_of(lamp)))
    >>> for label in map(lamp.labels.index, map(Label.parse, ("?press", "!light"))):
    ...     clearing.saw(label)
    >>> clearing.cleared.share  # it may go on lighting: nobody has waited
    0.75
    >>> clearing.saw(lamp.labels.index(SILENCE))
    >>> clearing.cleared.share
    1.0
    """

    def __init__(self, table: TransitionTable, pairs: PairGame, *, cells: int = CELLS) -> None:
        rows = rows_of(table)
        self.table, self.pairs, self._rows = table, pairs, rows
        self._silence = table.labels.index(SILENCE) if SILENCE in table.labels else -1
        self.learnt = Learnt(rows, self._silence)
        self._lookup, self.steps = Lookup(rows, len(table.labels)), Steps(rows)
        said = rows.label[self.steps.edge]
        suspected = self.steps.suspected & (said != self._silence)
        self.answers: NDArray[np.bool_] = suspected & (said >= table.inputs)
        """Which steps are answers that may be wrong."""
        self.given = np.zeros(len(self.steps), dtype=bool)
        """Which of them were given."""
        self.unit = np.where(suspected, np.cumsum(suspected) - 1, -1)
        self.step = np.flatnonzero(suspected)
        self.suspect = _suspects(table.state_count, self.steps.target[self.step], cells)
        shows = pairs.shows(self.steps.target[self.step][:, None], self.suspect)
        self.left: Floats = (shows > 0).astype(np.float64)
        """For each step that may lead astray, and each state, how likely that would not have been seen."""
        self.possible = self.left.sum(axis=1)
        self._alive: tuple[States, States, States] = (np.zeros(0, dtype=np.int64),) * 3
        self.waited = True
        """Whether the next answer is waited for; else it came while something else was meant."""
        self.state = table.initial
        self._before: int | None = None

    def begin(self) -> None:
        """A play begins in the initial state."""
        self.place(self.table.initial)

    def place(self, state: int) -> None:
        """The play is in another state than was followed, or outside of what is known."""
        self._alive = (self._alive[0][:0],) * 3
        self.state, self._before = state, None

    def saw(self, label: int) -> None:
        """A label happened."""
        state = self.state
        edge = None if state == OUTSIDE else self._lookup.edge(state, label)
        if edge is None:
            self.place(OUTSIDE)
            return
        after, answer = int(self._rows.target[edge]), label >= self.table.inputs
        self._follow(label, state, after, answer)
        step = self.steps.number(self._before, edge, state)
        self.given[step] = True
        self._take(int(self.unit[step]))
        self.learnt.saw(state, edge, given=False)
        self.state, self._before = after, edge

    def _follow(self, label: int, state: int, after: int, answer: bool) -> None:
        """Let all that is suspected show what it would have shown."""
        unit, slot, at = self._alive
        if not len(unit):
            return
        there = self._lookup.following(label, at)
        if answer:
            places, which = np.unique(at, return_inverse=True)
            parted = self._lookup.following(label, places) == NOWHERE
            waited = self.waited or label == self._silence or self._rows.first[state] == self._rows.split[state]
            shown = self._shown(state, places, parted, bool(waited))
            np.multiply.at(self.left, (unit, slot), 1.0 - shown[which])
        else:
            there = np.where(there == NOWHERE, at, there)
        kept = (there != NOWHERE) & (there != after) & (self.left[unit, slot] > GONE)
        self._alive = unit[kept], slot[kept], there[kept]

    def _shown(self, state: int, suspected: States, parted: NDArray[np.bool_], waited: bool) -> Floats:
        """How likely each of some states shows what the model forbids in a state: now or, where it parted, later on.

        Its silence is seen only by those who wait.
        """
        rows = self._rows
        here = slice(rows.split[state], rows.first[state + 1])
        leads = np.full(len(self.table.labels), NOWHERE)
        leads[rows.label[here]] = rows.target[here]
        width = rows.first[suspected + 1] - rows.split[suspected]
        owner = np.repeat(np.arange(len(suspected)), width)
        edges = np.arange(len(owner)) + np.repeat(rows.split[suspected] - np.cumsum(width) + width, width)
        after = leads[rows.label[edges]]
        later, forbidden = self.pairs.shows(after, rows.target[edges]), after == NOWHERE
        if not waited:
            hushed = rows.label[edges] == self._silence
            later, forbidden = np.where(hushed, self.pairs.shows(state, suspected[owner]), later), forbidden & ~hushed
        wrong = rows.chance[edges] * np.where(forbidden, 1.0, np.where(parted[owner], later, 0.0))
        found = np.bincount(owner, wrong, minlength=len(suspected)).astype(np.float64)
        return np.minimum(found, 1.0)

    def _take(self, unit: int) -> None:
        """A step was taken: from now on it may have led astray."""
        if unit < 0:
            return
        slots = np.flatnonzero(self.left[unit] > GONE)
        new = np.full(len(slots), unit), slots, self.suspect[unit, slots]
        merged = [np.concatenate([old, more])[-MOST_ALIVE:] for old, more in zip(self._alive, new, strict=True)]
        if len(self._alive[0]) and len(slots):  # it may be followed already from when it was taken before
            merged = [*np.unique(np.stack(merged), axis=1)] if (self._alive[0] == unit).any() else merged
        self._alive = merged[0], merged[1], merged[2]

    @property
    def cleared(self) -> Cleared:
        """What the plays so far have cleared."""
        return Cleared(self)


def _suspects(states: int, target: States, cells: int) -> States:
    """The states to which each step may lead instead: all, or as many as there is room for."""
    most = max(cells // max(len(target), 1), 1)
    if states <= most:
        return np.broadcast_to(np.arange(states), (len(target), states))
    return np.random.default_rng(0).integers(states, size=(len(target), most))
