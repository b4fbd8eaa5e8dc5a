"""The rest of each suspicion, and the count of what would have been seen.

A step that may lead astray is a unit, and has a slot for each other state it may lead to. What is left of a suspicion
is the product of the chances, over all times that the step was taken, that nothing was shown.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from outplay.conformance.transition_table import TransitionTable
from outplay.model.label import SILENCE
from outplay.strategy.suspicion.pairs import PairGame
from outplay.strategy.suspicion.possible_orders import PossibleOrder, TransferFaults, nothing
from outplay.strategy.suspicion.steps import Floats, States, Steps

SURE = 1 - 1e-9
UNSURE = 0.01  # is left at least of what some order would not have shown: how likely each is, is a guess
GONE = 1e-3  # what is left by then is not followed any more


class Outstanding:
    """The answers that were given, and for each step and other target how likely it would not have been seen."""

    def __init__(self, table: TransitionTable, steps: Steps, pairs: PairGame, cells: int) -> None:
        suspected = steps.suspected
        self.answers: NDArray[np.bool_] = suspected & (table.label[steps.edge] >= table.inputs)
        """The steps that are answers which may be wrong."""
        self.given = np.zeros(len(steps))
        """The probability that each of them was given."""
        self._unit = np.where(suspected, np.cumsum(suspected) - 1, -1)
        self.step = np.flatnonzero(suspected)
        self.suspect = _suspects(table.state_count, steps.target[self.step], cells)
        shows = pairs.shows(steps.target[self.step][:, None], self.suspect)
        owes = owing(table)
        at_once = owes[self.suspect] & ~owes[steps.target[self.step]][:, None]
        self.left: Floats = ((shows > 0) & ~at_once).astype(np.float64)
        """For each step that may lead astray, and each state, how likely that would not have been seen.

        A state that owes an answer is the moment between a question and its answer. Whoever is there in place of a
        state that may stay silent shows it at once, without any test, so it is no suspect: to count it would make the
        number too large.
        """
        self.possible = self.left.sum(axis=1)
        self._sure, self._unsure = self.left.copy(), np.ones(self.left.shape)

    def copied(self) -> Outstanding:
        """The same, which is counted by itself from now on."""
        made = copy(self)
        made.given, made.left = self.given.copy(), self.left.copy()
        made._sure, made._unsure = self._sure.copy(), self._unsure.copy()
        return made

    def led_astray(self, step: int, after: int) -> TransferFaults:
        """All that may be from now on, where a step was taken to a state."""
        unit = int(self._unit[step])
        if unit < 0:
            return nothing()
        slots = np.flatnonzero(self.left[unit] > GONE)
        slots = slots[self.suspect[unit, slots] != after]
        count = len(slots)
        return TransferFaults(np.full(count, unit), slots, self.suspect[unit, slots], np.ones(count), np.zeros(count))

    def settle(self, order: PossibleOrder) -> PossibleOrder:
        """It is known now what happened, or nothing more will be: count what would have been seen."""
        for step, chance in order.said.items():
            self.given[step] = max(self.given[step], chance)
        for part in (order.astray, order.done):
            self._count(part.where(part.shown > 0))
        astray = order.astray
        unseen = np.maximum(1.0 - astray.shown, GONE)
        astray = replace(astray, mass=np.minimum(astray.mass / unseen, 1.0), shown=np.zeros(len(astray)))
        kept = (astray.mass > GONE) & (self.left[astray.unit, astray.slot] > GONE)
        return replace(order, astray=astray.where(kept), done=nothing(), said={}, weight=1.0)

    def _count(self, seen: TransferFaults) -> None:
        """Chances of a system multiply, whenever a step is taken; of orders that are not sure the best one counts.

        How likely they are is guessed, and a guess does not grow better by being made again.
        """
        cells, sure = (seen.unit, seen.slot), seen.mass + seen.shown > SURE
        left = 1.0 - np.minimum(seen.shown, 1.0)
        guessed = np.maximum(left[~sure], UNSURE)
        np.multiply.at(self._sure, (seen.unit[sure], seen.slot[sure]), left[sure])
        np.minimum.at(self._unsure, (seen.unit[~sure], seen.slot[~sure]), guessed)
        self.left[cells] = self._sure[cells] * self._unsure[cells]


def owing(table: TransitionTable) -> NDArray[np.bool_]:
    """Return the states that have an output as their next label, and nothing else."""
    said = np.array([label.is_output and label != SILENCE for label in table.labels], dtype=bool)[table.label]
    speaks = np.bincount(table.source[said], minlength=table.state_count)
    others = np.bincount(table.source[~said], minlength=table.state_count)
    owes: NDArray[np.bool_] = (speaks > 0) & (others == 0)
    return owes


def _suspects(states: int, target: States, cells: int) -> States:
    """The states to which each step may lead instead: all, or as many as there is room for."""
    most = max(cells // max(len(target), 1), 1)
    if states <= most:
        return np.broadcast_to(np.arange(states), (len(target), states))
    return np.random.default_rng(0).integers(states, size=(len(target), most))
