"""Walks that take every transition which the tester is sure to take, each as early as can be.

A move is sure where the specification leaves the system no choice: an input where it can only be silent, or the one
output that must come. A walk goes on to the nearest transition that no walk has taken, and starts again where there is
none, or where it has become long. Such walks find a wrong output at once, and of transitions that lead astray most, as
what comes next is another state's; the system is reset rarely, so they do so with few labels. O(transitions · states).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from outplay.compiling import best_for
from outplay.conformance.transition_table import NOWHERE, TransitionTable
from outplay.model.label import SILENCE
from outplay.suite.covering._kernels import SureRows, WalkSearch, missed_targets, open_walk
from outplay.tester.tester import Labels

_LONGEST = 250
_COMPARED = 300


def sure_moves(table: TransitionTable, state: int) -> dict[int, int]:
    """Return the labels surely taken in a state where the tester wants them, with the states they lead to."""
    row = table.moves(state)
    inputs = {label: target for label, target in row.items() if label < table.inputs}
    shown = {label: target for label, target in row.items() if label >= table.inputs}
    if len(shown) != 1:
        return inputs if not shown else {}
    return {**inputs, **shown} if table.labels[next(iter(shown))] == SILENCE else shown


def sure_walks(table: TransitionTable, *, longest: int = _LONGEST) -> list[Labels]:
    """Find traces from the initial state that together take all sure transitions which sure moves can reach.

    Silence in which nothing changes is none of them.

    >>> from outplay.conformance.transition_table import table_of
    >>> from outplay.model.automaton import automaton
    >>> lamp = automaton([("off", "?press", "on"), ("on", "!light", "off"), ("off", "?hit", "off")])
    >>> sure_walks(table_of(lamp))
    [(?hit, ?press, !light)]
    """
    rows = _sure_rows(table)
    search = WalkSearch(*(np.zeros(table.state_count + 1, dtype=np.int64) for _ in range(4)))
    taken = np.zeros(longest + table.state_count + 1, dtype=np.int64)
    walks, stamp = list[Labels](), 0
    walk = best_for(open_walk, len(rows.target))
    while count := walk(rows, search, table.initial, longest, taken, stamp):
        stamp += count + 1
        walks.append(tuple(table.labels[label] for label in rows.label[taken[:count]].tolist()))
    return walks


def _sure_rows(table: TransitionTable) -> SureRows:
    """The sure moves in rows; silence in which nothing changes is not to be taken."""
    moves = [sure_moves(table, state) for state in range(table.state_count)]
    first = np.cumsum([0, *map(len, moves)], dtype=np.int64)
    flat = [(source, *step) for source, row in enumerate(moves) for step in row.items()]
    source, label, target = np.array(flat, dtype=np.int64).reshape(-1, 3).T.copy()
    nothing = (label == table.numbers.get(SILENCE, NOWHERE)) & (source == target)
    left = np.bincount(source[~nothing], minlength=table.state_count).astype(np.int64)
    return SureRows(first, label, target, (~nothing).astype(np.int64), left)


def missed_target_counts(table: TransitionTable, walks: Sequence[Labels]) -> dict[tuple[int, int], int]:
    """Count for each transition that walks take how many wrong targets the rest of no walk would show.

    A wrong target is shown where it lacks the next label; it is missed where it comes to the right state after all, or
    the walk ends. Of many states some are looked at.
    """
    rows, numbers = table.rows, table.numbers
    nothing = np.zeros(0, dtype=np.int64)
    steps = SureRows(table.first, table.label, table.target, nothing, nothing)
    others = np.arange(0, table.state_count, -(-table.state_count // _COMPARED), dtype=np.int64)
    kernel = best_for(missed_targets, sum(map(len, walks)) * len(others))
    found: dict[tuple[int, int], int] = {}
    for walk in walks:
        labels = np.array([numbers[label] for label in walk], dtype=np.int64)
        missed = np.zeros(len(labels), dtype=np.int64)
        kernel(steps, others, labels, table.initial, np.zeros_like(others), missed)
        state = table.initial
        for label, count in zip(labels.tolist(), missed.tolist(), strict=True):
            found[state, label] = min(count, found.get((state, label), count))
            state = rows[state][label]
    return found
