"""The rest of each suspicion, and the count of what would have been seen.

A step that may lead astray is a unit, and has a slot for each other state it may lead to. What is left of a suspicion
is the product of the chances, over all times that the step was taken, that nothing was shown.

Orders in which labels may have happened, and under each the other targets that are followed. On a pipe or socket an
output that is seen soon after an input may have been sent before the input arrived. So there are several orders: in
each the model is in a state of its own, some inputs have not arrived, and all that is suspected is followed as if that
order were true. Each order has a weight: all are taken to be equally likely when an input is given, and what is seen
then speaks for those in which it is likely. Orders that come to the same place are one from then on.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from outplay.conformance.transition_table import TransitionTable
from outplay.grouping import grouped
from outplay.model.label import SILENCE
from outplay.strategy.suspicion.behaviour_table import Floats, States, Steps
from outplay.strategy.suspicion.pair_game import PairGame

_COLUMNS = ("unit", "slot", "at", "mass", "shown")


@dataclass(frozen=True)
class TransferFaults:
    """Suspicions that are followed: of which step, which of its suspects, and where the system would be now."""

    unit: States
    slot: States
    at: States
    mass: Floats
    """The probability of each to be as it is followed, and not seen yet."""
    shown: Floats
    """The probability that it would have been seen by now; counted once it is known which order it was."""

    def __len__(self) -> int:
        return len(self.unit)

    def where(self, kept: NDArray[np.bool_] | States | slice) -> TransferFaults:
        """Some of them."""
        return TransferFaults(self.unit[kept], self.slot[kept], self.at[kept], self.mass[kept], self.shown[kept])

    def scaled(self, weight: float) -> TransferFaults:
        return replace(self, mass=self.mass * weight, shown=self.shown * weight)


def _nothing() -> TransferFaults:
    """Nothing is followed."""
    empty = np.zeros(0, dtype=np.int64)
    return TransferFaults(empty, empty, empty, np.zeros(0), np.zeros(0))


def _joined(parts: Sequence[TransferFaults]) -> TransferFaults:
    """Join what several orders follow: what two of them follow to the same place counts as one."""
    if len(parts) == 1:
        return parts[0]
    every = concatenate_followed(*parts)
    if not len(every):
        return every
    wide, high = int(every.slot.max()) + 1, int(every.at.max()) + 2
    places = (every.unit * wide + every.slot) * high + every.at + 1
    keys, first, same = np.unique(places, return_index=True, return_inverse=True)
    mass, shown = (
        np.bincount(same, each, minlength=len(keys)).astype(np.float64) for each in (every.mass, every.shown)
    )
    return replace(every.where(first), mass=mass, shown=shown)


def merge_followed(astray: TransferFaults) -> TransferFaults:
    """Merge suspicions followed in one order of events that have come to the same place.

    The same fault is followed from each time that its step was taken. These are not several faults: it is as likely
    to be seen as by the likeliest of them.
    """
    order = np.lexsort((-astray.mass - astray.shown, astray.at, astray.slot, astray.unit))
    again = np.zeros(len(order), dtype=bool)
    again[1:] = True
    for column in (astray.unit, astray.slot, astray.at):
        again[1:] &= column[order[1:]] == column[order[:-1]]
    return astray.where(np.sort(order[~again])) if again.any() else astray


def concatenate_followed(*parts: TransferFaults) -> TransferFaults:
    """Concatenate the suspicions that are followed in several orders of events."""
    return TransferFaults(*(np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS))


def follow_new(astray: TransferFaults, new: TransferFaults, most: int) -> TransferFaults:
    """Follow new suspicions too; where there are too many, the oldest are dropped."""
    both = concatenate_followed(astray, new)
    both = merge_followed(both) if len(new) and (astray.unit == new.unit[0]).any() else both
    return both.where(slice(-most, None))


@dataclass(frozen=True)
class PossibleOrder:
    """One order: the model's state in it, how many of the inputs given have not arrived, and what is followed."""

    state: int
    behind: int = 0
    weight: float = 1.0
    before: int | None = None
    """The transition taken last, where that is known."""
    astray: TransferFaults = field(default_factory=_nothing)
    done: TransferFaults = field(default_factory=_nothing)
    """The suspicions that are not followed any more, and would have been seen by now."""
    said: dict[int, float] = field(default_factory=dict)
    """Steps taken that are not counted yet, with how likely they were."""


def merge_orders(orders: Sequence[PossibleOrder]) -> PossibleOrder:
    """Merge orders of events that are one from now on; each one's detections count by its weight."""
    if len(orders) == 1:
        return orders[0]
    weight = sum(order.weight for order in orders)
    shares = [order.weight / weight for order in orders]
    said: dict[int, float] = {}
    for order, share in zip(orders, shares, strict=True):
        for step, chance in order.said.items():
            said[step] = said.get(step, 0.0) + share * chance
    befores = {order.before for order in orders}
    return PossibleOrder(
        orders[0].state,
        orders[0].behind,
        weight,
        befores.pop() if len(befores) == 1 else None,
        _joined([merge_followed(order.astray).scaled(share) for order, share in zip(orders, shares, strict=True)]),
        _joined([order.done.scaled(share) for order, share in zip(orders, shares, strict=True)]),
        said,
    )


def merge_equal_orders(orders: Sequence[PossibleOrder]) -> list[PossibleOrder]:
    """Merge the orders of events that have come to the same place, with weights that sum to 1."""
    places = grouped(((order.state, order.behind), order) for order in orders)
    found = [merge_orders(same) for same in places.values()]
    total = sum(order.weight for order in found)
    return [replace(order, weight=order.weight / total) for order in found]


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
            return _nothing()
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
        return replace(order, astray=astray.where(kept), done=_nothing(), said={}, weight=1.0)

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
    """Return the states that owe an output: their next labels are outputs only."""
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
