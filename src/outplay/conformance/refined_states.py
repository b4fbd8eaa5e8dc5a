"""Compatible states of large behaviours in which each state shows one thing: classes refined round by round.

Where every state shows exactly one output (or silence), and states that show the same have the same inputs, as in
machines that answer each input, compatible states are equivalent (van den Bos 2020, 3.8): two states are told apart
after n moves when some label leads them to states that are after n - 1. So the rank of a pair is the round of Moore's
refinement (1956) in which the two first are in different classes, and nothing need be kept for each pair: the arrays of
compatibility.py would take 16 GB for 63,000 states.

Time O(rounds · transitions · log), memory O(rounds · states).
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from outplay.conformance._kernels import UNKNOWN, WAIT
from outplay.conformance.compatibility import Compatibility
from outplay.conformance.transition_table import TransitionTable

_NO_PAIRS = np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int16)


class RefinedCompatibility(Compatibility):
    """The compatible states, by the classes of each round; nothing is kept for the pairs."""

    def __init__(self, table: TransitionTable, rounds: Sequence[NDArray[np.int64]]) -> None:
        super().__init__(table, *_NO_PAIRS)
        object.__setattr__(self, "rounds", np.stack(rounds))
        object.__setattr__(self, "final", rounds[-1].tolist())

    rounds: NDArray[np.int64]
    """The class of each state after each round; the last ones are never split."""
    final: list[int]

    @property
    def has_pairs(self) -> bool:
        return False

    def rank_between(self, p: int, q: int) -> int:
        if self.final[p] == self.final[q]:
            return UNKNOWN
        return int((self.rounds[:, p] != self.rounds[:, q]).argmax())

    def move_between(self, p: int, q: int) -> int:
        """A wait where it does as well, else the first input."""
        rank = self.rank_between(p, q)
        if rank < 1:
            return WAIT
        before, one, other = self.rounds[rank - 1], self.table.rows[p], self.table.rows[q]
        apart = [label for label, target in one.items() if before[target] != before[other[label]]]
        return WAIT if apart[-1] >= self.table.inputs else apart[0]

    @property
    def count(self) -> int:
        return sum(size * (size - 1) // 2 for size in Counter(self.final).values())

    def least_rank(self, states: Sequence[int]) -> int:
        among = self.rounds[:, np.array(states, dtype=np.int64)]
        return int((among != among[:, :1]).any(axis=1).argmax())

    def alike_after(self, moved: Mapping[int, int], enough: int) -> int:
        both = Counter((self.final[target], self.final[state]) for state, target in moved.items())
        after = Counter(self.final[target] for target in moved.values())
        pairs = sum(size * (size - 1) // 2 for size in after.values())
        return min(enough, pairs - sum(size * (size - 1) // 2 for size in both.values()))

    def _compatible_pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        members: dict[int, list[int]] = {}
        for state, number in enumerate(self.final):
            members.setdefault(number, []).append(state)
        groups = [group for group in members.values() if len(group) > 1]
        pairs = [(q, p) for group in groups for place, q in enumerate(group) for p in group[:place]]
        high, low = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2).T
        return high, low


def refined_states(table: TransitionTable, *, most: int) -> RefinedCompatibility | None:
    """Find the compatible states of a table by refinement; None where it takes long or states show several things.

    At most this many classes are kept, those of all states for each round.

    >>> from outplay.conformance.transition_table import table_of
    >>> from outplay.model.automaton import automaton
    >>> steps = [("p", "?a", "q"), ("q", "!x", "r"), ("r", "?a", "s"), ("s", "!y", "p")]
    >>> found = refined_states(table_of(automaton(steps)), most=100)
    >>> found.rank_between(0, 2), found.move_between(0, 2)
    (1, 0)
    """
    shown = _shown(table)
    if shown is None:
        return None
    steps = [(table.source[at], table.target[at]) for at in _by_label(table)]
    rounds = [np.unique(shown, return_inverse=True)[1].reshape(-1).astype(np.int64)]
    while (len(rounds) + 1) * table.state_count <= most:
        following = _refined(rounds[-1], steps)
        if following.max(initial=0) == rounds[-1].max(initial=0):
            return RefinedCompatibility(table, rounds)
        rounds.append(following)
    return None


def _shown(table: TransitionTable) -> NDArray[np.int64] | None:
    """The one output of each state; None where some have none or several, or inputs that do not follow from it."""
    is_output = table.label >= table.inputs
    if not np.array_equal(table.source[is_output], np.arange(table.state_count)):
        return None
    shown = table.label[is_output].astype(np.int64)
    inputs: dict[int, frozenset[int]] = {}
    for output, row in zip(shown.tolist(), table.rows, strict=True):
        given = frozenset(row) - {output}
        if inputs.setdefault(output, given) != given:
            return None
    return shown


def _by_label(table: TransitionTable) -> list[NDArray[np.int64]]:
    """The places of the transitions of each label."""
    order = np.argsort(table.label, kind="stable")
    ends = np.searchsorted(table.label[order], np.arange(len(table.labels) + 1))
    return [order[begin:end] for begin, end in itertools.pairwise(ends.tolist())]


def _refined(
    before: NDArray[np.int64], steps: Sequence[tuple[NDArray[np.int32], NDArray[np.int32]]]
) -> NDArray[np.int64]:
    """The classes split by the classes that each label leads to. A class has a label in all its states or in none."""
    found, classes = before.copy(), int(before.max(initial=0)) + 1
    following = len(before)
    for source, target in steps:
        keys = found[source] * classes + before[target]
        _, numbers = np.unique(keys, return_inverse=True)
        found[source] = following + numbers.reshape(-1)
        following += len(source)
    return np.unique(found, return_inverse=True)[1].reshape(-1).astype(np.int64)
