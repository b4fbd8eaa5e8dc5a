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

from outplay.strategy.suspicion.steps import Floats, States

_COLUMNS = ("unit", "slot", "at", "mass", "shown")


@dataclass(frozen=True)
class Astray:
    """Suspicions that are followed: of which step, which of its suspects, and where the system would be now."""

    unit: States
    slot: States
    at: States
    mass: Floats
    """How likely each is to be as it is followed, and not seen yet."""
    shown: Floats
    """How likely it would have been seen by now; counted once it is known which order it was."""

    def __len__(self) -> int:
        return len(self.unit)

    def where(self, kept: NDArray[np.bool_] | States) -> Astray:
        """Some of them."""
        return Astray(self.unit[kept], self.slot[kept], self.at[kept], self.mass[kept], self.shown[kept])

    def scaled(self, weight: float) -> Astray:
        return replace(self, mass=self.mass * weight, shown=self.shown * weight)


def nothing() -> Astray:
    """Nothing is followed."""
    empty = np.zeros(0, dtype=np.int64)
    return Astray(empty, empty, empty, np.zeros(0), np.zeros(0))


def joined(parts: Sequence[Astray]) -> Astray:
    """All of them, what is followed twice to the same place as one."""
    if len(parts) == 1:
        return parts[0]
    unit, slot, at, mass, shown = (np.concatenate([getattr(part, name) for part in parts]) for name in _COLUMNS)
    if not len(unit):
        return parts[0]
    wide, high = int(slot.max()) + 1, int(at.max()) + 2
    keys, first, same = np.unique((unit * wide + slot) * high + at + 1, return_index=True, return_inverse=True)
    sums = [np.bincount(same, each, minlength=len(keys)).astype(np.float64) for each in (mass, shown)]
    return Astray(unit[first], slot[first], at[first], sums[0], sums[1])


def with_new(astray: Astray, new: Astray, most: int) -> Astray:
    """What is followed, and what is from now on; a step that is followed already from before is followed once."""
    if len(astray) and len(new) and (astray.unit == new.unit[0]).any():
        both = joined([astray, new])
        return replace(both, mass=np.minimum(both.mass, 1.0))
    parts = [np.concatenate([getattr(one, name) for one in (astray, new)])[-most:] for name in _COLUMNS]
    return Astray(*parts)


@dataclass(frozen=True)
class PossibleOrder:
    """One order: the model's state in it, how many of the inputs given have not arrived, and what is followed."""

    state: int
    behind: int = 0
    weight: float = 1.0
    before: int | None = None
    """The transition taken last, where that is known."""
    astray: Astray = field(default_factory=nothing)
    done: Astray = field(default_factory=nothing)
    """What is not followed any more, and would have been seen by now."""
    said: dict[int, float] = field(default_factory=dict)
    """Steps taken that are not counted yet, with how likely they were."""


def merged(orders: Sequence[PossibleOrder]) -> PossibleOrder:
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
        joined([order.astray.scaled(share) for order, share in zip(orders, shares, strict=True)]),
        joined([order.done.scaled(share) for order, share in zip(orders, shares, strict=True)]),
        said,
    )


def distinct(orders: Sequence[PossibleOrder]) -> list[PossibleOrder]:
    """The orders, those that have come to the same place as one, with weights that sum to 1."""
    places: dict[tuple[int, int], list[PossibleOrder]] = {}
    for order in orders:
        places.setdefault((order.state, order.behind), []).append(order)
    found = [merged(same) for same in places.values()]
    total = sum(order.weight for order in found)
    return [replace(order, weight=order.weight / total) for order in found]
