"""Validity and compatibility: which states can a tester tell apart, in how many moves, and how?

Definition (van den Bos 2020, 3.8 and Lemma 3.10): two states are compatible when some implementation conforms to both:
the largest relation in which two states lead to related states by every input that both have, and by some output that
both have. It is symmetric and reflexive, but not transitive. Seen as a game on pairs of states (Algorithms 1 and 2) the
tester gives inputs that both states have, or waits, and wins where they have no output in common; the system shows
outputs that both have. Incompatible pairs are those from which the tester wins; their *rank* is the number of moves
until then that is enough and needed, inputs being taken first (Lemma 3.7), and their *move* the first of them. Where a
wait does as well as an input it is preferred, since nothing can cross it.

Time O(pairs + transitions of pairs), memory linear in the pairs, each unordered pair kept once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.conformance._kernels import (
    WAIT,
    LabelledRows,
    PairRanks,
    alike_after,
    blocked,
    first_moves,
    invalid,
    least_rank,
    spread,
)
from outplay.conformance.transition_table import TransitionTable, table_of
from outplay.game.algebra import row_starts
from outplay.model.label import Label

_FEW = 40  # states; with fewer a loop is faster than handing arrays over
_BITS = 62  # of a word, so that no number is negative


@dataclass(frozen=True, eq=False)
class Compatibility:
    """The compatible states of a table, and how the others are told apart."""

    table: TransitionTable
    rank: NDArray[np.int32]
    """For the pair of p and q < p, at p(p-1)/2 + q: the moves until the states are told apart; -1: never for sure."""
    move: NDArray[np.int16]
    """The number of the input to give there, or -1 to wait."""

    def number(self, p: int, q: int) -> int:
        """The place of a pair of different states."""
        return p * (p - 1) // 2 + q if p > q else q * (q - 1) // 2 + p

    @property
    def has_pairs(self) -> bool:
        """Whether ranks and moves are kept for each pair."""
        return True

    def compatible(self, p: int, q: int) -> bool:
        """Say whether some implementation conforms to both states."""
        return p == q or self.rank_between(p, q) < 0

    def rank_of(self, p: int, q: int) -> int | None:
        """After how many moves two states have no output in common; None for compatible ones."""
        return None if self.compatible(p, q) else self.rank_between(p, q)

    def move_of(self, p: int, q: int) -> Label | None:
        """The input to give first to tell two incompatible states apart; None to wait."""
        label = self.move_between(p, q)
        return None if label == WAIT else self.table.labels[label]

    def rank_between(self, p: int, q: int) -> int:
        """The rank of two different states; -1 for compatible ones."""
        return int(self.rank[self.number(p, q)])

    def move_between(self, p: int, q: int) -> int:
        """The move that tells two incompatible states apart, by its number."""
        return int(self.move[self.number(p, q)])

    @property
    def count(self) -> int:
        """The number of unordered pairs of different states that are compatible."""
        return int((self.rank < 0).sum())

    def least_rank(self, states: Sequence[int]) -> int:
        """The least rank of two of these states, in ascending order, of which not all are compatible."""
        if len(states) < _FEW:  # many small sets are asked for
            return int(least_rank(self.rank.data, states, len(self.rank)))
        kernel = best_for(least_rank, len(self.rank) + len(states) ** 2)
        return int(kernel(self.rank, np.array(states, dtype=np.int64), len(self.rank)))

    def alike_after(self, moved: Mapping[int, int], enough: int) -> int:
        """Count the pairs of incompatible states that move to compatible ones, up to a limit."""
        kernel = best_for(alike_after, len(self.rank) + len(moved) ** 2)
        states, targets = (np.array(list(ends), dtype=np.int64) for ends in (moved.keys(), moved.values()))
        return int(kernel(self.rank, states, targets, enough))

    @cached_property
    def compatible_pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The pairs of different compatible states as two arrays, the larger state of each in the first."""
        return self._compatible_pairs()

    def _compatible_pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return pairs_at(np.flatnonzero(self.rank < 0))

    def pairs(self) -> Iterator[tuple[int, int]]:
        """The pairs of different compatible states, each once with the smaller state first."""
        high, low = self.compatible_pairs
        yield from zip(low.tolist(), high.tolist(), strict=True)


def pairs_at(numbers: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs of states by their places in a table of compatibility, the larger state of each first."""
    high = ((1 + np.sqrt(1 + 8 * numbers.astype(np.float64))) // 2).astype(np.int64)
    high += (high + 1) * high // 2 <= numbers  # roots are rounded
    high -= high * (high - 1) // 2 > numbers
    return high, numbers - high * (high - 1) // 2


def compatible_states(model: Any) -> Compatibility:
    """Find out which states of a model's behaviour are compatible.

    >>> from outplay.model.automaton import automaton
    >>> fork = compatible_states(automaton([("p", "!x", "p"), ("p", "!y", "q"), ("q", "!x", "q"), ("q", "!z", "p")]))
    >>> fork.compatible(0, 1), fork.count
    (True, 1)
    >>> told = compatible_states(automaton([("p", "?a", "q"), ("q", "?a", "r"), ("r", "!x", "r")]))
    >>> told.rank_of(0, 1), told.move_of(0, 1)
    (1, ?a)
    """
    table = model if isinstance(model, TransitionTable) else table_of(model)
    count = table.state_count
    pairs = count * (count - 1) // 2
    ranks = PairRanks(
        np.empty(pairs, dtype=np.int32), np.full(pairs, WAIT, dtype=np.int16), np.zeros(pairs, dtype=np.int16)
    )
    masks = _masks(table)
    work = pairs + len(table.target)
    left = best_for(blocked, work)(masks.reshape(-1), masks.shape[1], count, ranks)
    queue = np.empty(left, dtype=np.int64)
    found = best_for(first_moves, work)(_forwards(table), table.inputs, ranks, queue)
    best_for(spread, work)(_backwards(table), table.inputs, ranks, queue, found)
    return Compatibility(table, ranks.rank, ranks.move)


@dataclass(frozen=True, eq=False)
class Validity:
    """From which states of an automaton the tester can force that nothing more is shown."""

    rank: NDArray[np.int32]
    """The moves until then; -1 for a valid state, from which it cannot."""
    move: NDArray[np.int16]
    """The number of the input to give, or -1 to wait."""


def valid_states(table: TransitionTable) -> Validity:
    """Find the valid states of an automaton that may have states without outputs (van den Bos 2020, Algorithm 2)."""
    count = table.state_count
    ranks = PairRanks(*(np.empty(count, dtype=kind) for kind in (np.int32, np.int16, np.int32)))
    queue = np.empty(count, dtype=np.int64)
    run = best_for(invalid, count + len(table.target))
    run(_forwards(table), _backwards(table), table.inputs, ranks, queue)
    return Validity(ranks.rank, ranks.move)


def _masks(table: TransitionTable) -> NDArray[np.int64]:
    """The outputs of each state as bits."""
    outputs = len(table.labels) - table.inputs
    masks = np.zeros((table.state_count, max(-(-outputs // _BITS), 1)), dtype=np.int64)
    shown = table.label >= table.inputs
    number = table.label[shown].astype(np.int64) - table.inputs
    np.bitwise_or.at(masks, (table.source[shown], number // _BITS), np.int64(1) << (number % _BITS))
    return masks


def _forwards(table: TransitionTable) -> LabelledRows:
    return LabelledRows(table.first, table.label, table.target)


def _backwards(table: TransitionTable) -> LabelledRows:
    """Transitions in rows of their targets, by label."""
    order = np.lexsort((table.label, table.target))
    first = row_starts(table.target, table.state_count).astype(np.int64)
    return LabelledRows(first, table.label[order], table.source[order])
