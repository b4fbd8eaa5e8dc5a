"""Sets of states as bits of a number, with what telling them apart asks of them.

For some ten thousand states the operations on whole sets are faster on Python's long numbers than on sets or arrays.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from outplay.conformance.compatibility import Compatibility
from outplay.model.label import Label

Bits: TypeAlias = int
_DENSE = 8  # a set with more than every eighth state is read digit by digit
_SMALL = 12  # up to so many states loops are faster than arrays


class StateSets:
    """The states of a table, the labels between them, and which of them are compatible."""

    def __init__(self, found: Compatibility) -> None:
        self.found, self.table = found, found.table
        self.count, self.inputs = found.table.state_count, found.table.inputs
        self.one = [1 << state for state in range(self.count)]
        self.all: Bits = (1 << self.count) - 1
        self.rows = [found.table.moves(state) for state in range(self.count)]
        self.numbers = {label: number for number, label in enumerate(found.table.labels)}
        self.related = _related(found)
        self.bytes = [row.tobytes() for row in self.related]
        self.near = _packed(self.related)
        """For each state those compatible with it, itself included."""

    def members(self, bits: Bits) -> list[int]:
        """The states of a set, in order."""
        if bits.bit_count() * _DENSE > bits.bit_length():
            return [state for state, digit in enumerate(bin(bits)[:1:-1]) if digit == "1"]
        found = []
        while bits:
            lowest = bits & -bits
            found.append(lowest.bit_length() - 1)
            bits ^= lowest
        return found

    def compatible(self, bits: Bits) -> bool:
        """Say whether all states of a set are compatible with each other, so that nothing is left to find out."""
        return all(not bits & ~self.near[state] for state in self.members(bits))

    def steps(self, bits: Bits) -> dict[int, tuple[Bits, Bits]]:
        """For each label of a set, inputs first: the states that have it, and where it leads them."""
        enabled: dict[int, Bits] = {}
        after: dict[int, Bits] = {}
        for state in self.members(bits):
            for label, target in self.rows[state].items():
                enabled[label] = enabled.get(label, 0) | self.one[state]
                after[label] = after.get(label, 0) | self.one[target]
        return {label: (enabled[label], after[label]) for label in sorted(enabled)}

    def after(self, bits: Bits, label: Label) -> Bits:
        """Where a label leads the states of a set."""
        reached, number = 0, self.numbers[label]
        for state in self.members(bits):
            target = self.rows[state].get(number)
            if target is not None:
                reached |= self.one[target]
        return reached

    def loss(self, bits: Bits, label: int, members: list[int] | None = None) -> int:
        """How many pairs of incompatible states a label makes compatible, or leaves out by an input that one lacks.

        A label that loses none is injective for the set (van den Bos 2020, 3.34).
        """
        members = self.members(bits) if members is None else members
        moving = [state for state in members if label in self.rows[state]]
        targets = [self.rows[state][label] for state in moving]
        alike = self._alike_before_and_after(moving, targets)
        if label >= self.inputs or len(moving) == len(members):
            return alike
        missing = bits & ~sum(self.one[state] for state in moving)
        for state in self.members(missing):
            beside = bits & ~self.near[state]
            alike += (beside & ~missing).bit_count() + (beside & missing & (self.one[state] - 1)).bit_count()
        return alike

    def _alike_before_and_after(self, states: list[int], targets: list[int]) -> int:
        """How many pairs of states are incompatible while their targets are compatible."""
        if len(states) > _SMALL:
            after, before = (self.related[np.ix_(chosen, chosen)] for chosen in (targets, states))
            return int(np.count_nonzero(after & ~before)) // 2
        count = 0
        for place, state in enumerate(states):
            near, ours = self.bytes[targets[place]], self.bytes[state]
            for other in range(place):
                count += near[targets[other]] and not ours[states[other]]
        return count


def _related(found: Compatibility) -> NDArray[np.bool_]:
    """Where two states are compatible, itself with itself included."""
    count = found.table.state_count
    related = np.eye(count, dtype=bool)
    for p in range(1, count):
        start = p * (p - 1) // 2
        related[p, :p] = found.rank[start : start + p] < 0
    return related | related.T


def _packed(related: NDArray[np.bool_]) -> list[Bits]:
    rows = np.packbits(related, axis=1, bitorder="little")
    return [int.from_bytes(row.tobytes(), "little") for row in rows]
