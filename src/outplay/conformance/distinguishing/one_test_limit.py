"""A bound on what one test can do: no test for all states tells more pairs apart.

Whatever a test does first, it gives an input or waits. What that move makes alike, and with an input those that lack
it, is lost for good (van den Bos 2020, 3.34), and the pairs that are left stand where the move leads them, where the
test has to go on. So the least that must be lost is found by looking at all first moves, then at all second ones, and
so on for a limited number of moves; each look deeper raises the bound. Moves that change nothing need no look.

Where a pair may show several outputs, it is lost when it is lost after one of them; then only the output with the
greatest loss is counted, so that no pair is counted twice.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.conformance.compatibility import Compatibility, pairs_at
from outplay.conformance.transition_table import NOWHERE

_WORK, _STEP = 30_000_000, 500  # pairs that are moved before the search ends, each step counted as some more


class _OpenPairs(NamedTuple):
    """Places where incompatible states have come to, the larger place first, and how many pairs came there."""

    high: NDArray[np.int64]
    low: NDArray[np.int64]
    weight: NDArray[np.int64]


class _Move(NamedTuple):
    """The loss of a move at once, and what it leaves open, apart for each label."""

    lost: int
    left: tuple[tuple[int, _OpenPairs], ...]
    """For each label the pairs lost by it (of which `lost` is the sum, or the most) and those that are open after."""
    shared: bool
    """Whether a pair may go on by several labels."""


def fewest_missed(found: Compatibility, *, work: int = _WORK, known: int | None = None) -> int:
    """Return a number of pairs of incompatible states that every one test leaves: not distinguished, or left out.

    The search ends where the number is that of a `known` test, as there is nothing more to prove.

    >>> from outplay.conformance.compatibility import compatible_states
    >>> from outplay.model.automaton import automaton
    >>> steps = [("1", "!y", "2"), ("2", "!x", "2"), ("3", "!y", "2"), ("1", "?a", "1"), ("2", "?a", "1")]
    >>> steps += [("3", "?a", "2"), ("1", "?b", "2"), ("2", "?b", "3"), ("3", "?b", "3")]
    >>> fewest_missed(compatible_states(automaton(steps)))
    1
    """
    return _BoundSearch(found, work, known).bound


class _BoundSearch:
    def __init__(self, found: Compatibility, work: int, known: int | None) -> None:
        self.rank, self.targets, self.inputs = found.rank, found.table.targets, found.table.inputs
        self.labels, self.work, self.bound = len(found.table.labels), work, 0
        numbers = np.flatnonzero(found.rank >= 0)
        start = self._open(numbers, np.ones(len(numbers), dtype=np.int64))
        for moves in range(1, found.table.state_count):
            self.bound = max(self.bound, self._least(start, moves, len(numbers) + 1))
            if self.work < 0 or self.bound == known:
                break

    def _least(self, pairs: _OpenPairs, moves: int, enough: int) -> int:
        """The fewest pairs that are lost within this many moves; what is not below `enough` need not be exact."""
        if not moves or not len(pairs.weight) or self.work < 0:
            return 0
        best = enough
        for move in sorted(self._moves(pairs), key=lambda move: move.lost):
            if move.lost >= best:
                break
            best = min(best, self._after(move, moves - 1, best))
            if best == 0:
                break
        return best

    def _after(self, move: _Move, moves: int, enough: int) -> int:
        """Return the loss of a move and after it."""
        if move.shared:
            return max(lost + self._least(pairs, moves, enough - lost) for lost, pairs in move.left)
        total = move.lost
        for _, pairs in move.left:
            if total >= enough:
                break
            total += self._least(pairs, moves, enough - total)
        return total

    def _moves(self, pairs: _OpenPairs) -> Iterator[_Move]:
        """All moves that change something."""
        for label in range(self.inputs):
            lost, left, going = self._step(pairs, label)
            lost += int(pairs.weight[~going].sum())
            if lost or not _same(pairs, left):
                yield _Move(lost, ((lost, left),), False)
        waits = [self._step(pairs, label) for label in range(self.inputs, self.labels)]
        seen = np.sum([going for _, _, going in waits], axis=0)
        shared = bool((seen > 1).any())
        branches = tuple((lost, left) for lost, left, going in waits if going.any())
        lost = (max if shared else sum)([lost for lost, _ in branches] or [0])
        if not (len(branches) == 1 and lost == 0 and _same(pairs, branches[0][1])):
            yield _Move(lost, branches, shared)

    def _step(self, pairs: _OpenPairs, label: int) -> tuple[int, _OpenPairs, NDArray[np.bool_]]:
        """Return what a label loses among the pairs that have it, what it leaves open, and which pairs have it."""
        self.work -= _STEP + len(pairs.weight)
        column = self.targets[label].astype(np.int64)
        one, other = column[pairs.high], column[pairs.low]
        going = (one != NOWHERE) & (other != NOWHERE)
        high, low = np.maximum(one, other), np.minimum(one, other)
        numbers = np.where(going & (high != low), high * (high - 1) // 2 + low, 0)
        apart = going & (high != low)
        apart &= self.rank[numbers] >= 0
        lost = int(pairs.weight[going & ~apart].sum())
        return lost, self._open(numbers[apart], pairs.weight[apart]), going

    def _open(self, numbers: NDArray[np.int64], count: NDArray[np.int64]) -> _OpenPairs:
        """The pairs with these numbers, those that met counted together."""
        unique, place = np.unique(numbers, return_inverse=True)
        counts = np.bincount(place, weights=count, minlength=len(unique)).astype(np.int64)
        return _OpenPairs(*pairs_at(unique), counts)


def _same(pairs: _OpenPairs, left: _OpenPairs) -> bool:
    return all(np.array_equal(one, other) for one, other in zip(pairs, left, strict=True))
