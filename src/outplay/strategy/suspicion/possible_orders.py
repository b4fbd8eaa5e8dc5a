"""Orders in which labels may have happened, and under each the other targets that are followed.

On a pipe or socket an output that is seen soon after an input may have been sent before the input arrived. So there are
several orders: in each the model is in a state of its own, some inputs have not arrived, and all that is suspected is
followed as if that order were true. Each order has a weight: all are taken to be equally likely when an input is given,
and what is seen then speaks for those in which it is likely. Orders that come to the same place are one from then on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from outplay.groups import grouped
from outplay.strategy.suspicion.steps import Floats, States

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


def nothing() -> TransferFaults:
    """Nothing is followed."""
    empty = np.zeros(0, dtype=np.int64)
    return TransferFaults(empty, empty, empty, np.zeros(0), np.zeros(0))


def joined(parts: Sequence[TransferFaults]) -> TransferFaults:
    """Join what several orders follow: what two of them follow to the same place counts as one."""
    if len(parts) == 1:
        return parts[0]
    every = together(*parts)
    if not len(every):
        return every
    wide, high = int(every.slot.max()) + 1, int(every.at.max()) + 2
    places = (every.unit * wide + every.slot) * high + every.at + 1
    keys, first, same = np.unique(places, return_index=True, return_inverse=True)
    mass, shown = (
        np.bincount(same, each, minlength=len(keys)).astype(np.float64) for each in (every.mass, every.shown)
    )
    return replace(every.where(first), mass=mass, shown=shown)


def once(astray: TransferFaults) -> TransferFaults:
    """Join what is followed in one order and has come to the same place.

    The same fault is followed from each time that its step was taken. These are not several faults: it is as likely
    to be seen as by the likeliest of them.
    """
    order = np.lexsort((-astray.mass - astray.shown, astray.at, astray.slot, astray.unit))
    again = np.zeros(len(order), dtype=bool)
    again[1:] = True
    for column in (astray.unit, astray.slot, astray.at):
        again[1:] &= column[order[1:]] == column[order[:-1]]
    return astray.where(np.sort(order[~again])) if again.any() else astray


def together(*parts: TransferFaults) -> TransferFaults:
    """All of them, one after the other."""
    return TransferFaults(*(np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS))


def with_new(astray: TransferFaults, new: TransferFaults, most: int) -> TransferFaults:
    """Follow new ones too; where there are too many, the oldest are lost from sight."""
    both = together(astray, new)
    both = once(both) if len(new) and (astray.unit == new.unit[0]).any() else both
    return both.where(slice(-most, None))


@dataclass(frozen=True)
class PossibleOrder:
    """One order: the model's state in it, how many of the inputs given have not arrived, and what is followed."""

    state: int
    behind: int = 0
    weight: float = 1.0
    before: int | None = None
    """The transition taken last, where that is known."""
    astray: TransferFaults = field(default_factory=nothing)
    done: TransferFaults = field(default_factory=nothing)
    """The suspicions that are not followed any more, and would have been seen by now."""
    said: dict[int, float] = field(default_factory=dict)
    """Steps taken that are not counted yet, with how likely they were."""


def joined_order(orders: Sequence[PossibleOrder]) -> PossibleOrder:
    """Orders that are one from now on; what each has shown counts by its weight."""
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
        joined([once(order.astray).scaled(share) for order, share in zip(orders, shares, strict=True)]),
        joined([order.done.scaled(share) for order, share in zip(orders, shares, strict=True)]),
        said,
    )


def joined_by_place(orders: Sequence[PossibleOrder]) -> list[PossibleOrder]:
    """The orders, those that have come to the same place as one, with weights that sum to 1."""
    places = grouped(((order.state, order.behind), order) for order in orders)
    found = [joined_order(same) for same in places.values()]
    total = sum(order.weight for order in found)
    return [replace(order, weight=order.weight / total) for order in found]
