"""Compatibility: which states may a tester be unable to tell apart?

Definition (van den Bos 2020, 3.8): the largest relation in which two states that agree on an input lead to related
states for every input both enable, and for some output both enable. It is symmetric and reflexive, but not transitive.
Computed by striking out pairs until nothing changes: O(n² · labels) a sweep, as many sweeps as the longest chain of
reasons.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.model.label import Label
from outplay.model.suspension import SuspensionAutomaton

NONE = 0xFFFF_FFFF


def compatible(spec: SuspensionAutomaton) -> NDArray[np.uint8]:
    """Return a matrix that is 1 where two states of a suspension automaton, built whole before, are compatible.

    >>> from outplay.model.automaton import automaton
    >>> fork = SuspensionAutomaton(automaton([("p", "!x", "p"), ("p", "!y", "q"), ("q", "!x", "q")]))
    >>> _ = all_states(fork)
    >>> compatible(fork).tolist()
    [[1, 1], [1, 1]]
    """
    count = len(spec.sets)
    labels: dict[Label, int] = {}
    for state in range(count):
        for label in spec.moves(state):
            labels.setdefault(label, len(labels))
    inputs = sorted(number for label, number in labels.items() if label.is_input)
    outputs = sorted(number for label, number in labels.items() if not label.is_input)
    table = np.full((count, len(labels)), NONE, dtype=np.uint32)
    for state in range(count):
        for label, target in spec.moves(state).items():
            table[state, labels[label]] = target
    related = np.ones(count * count, dtype=np.uint8)
    after = [np.ascontiguousarray(table[:, chosen]).reshape(-1) for chosen in (inputs, outputs)]
    run = best_for(strike_out, count * count * max(len(labels), 1))
    while run(after[0], len(inputs), after[1], len(outputs), count, related):
        pass
    return related.reshape(count, count)


def all_states(spec: SuspensionAutomaton, most: int = 1_000_000) -> int:
    """Build the whole suspension automaton and return how many states it has."""
    state = 0
    while state < len(spec.sets) and state < most:
        spec.moves(state)
        state += 1
    return len(spec.sets)


def strike_out(by_input: Any, inputs: int, by_output: Any, outputs: int, count: int, related: Any) -> int:
    """Sweep once over all pairs that are still related; returns how many were struck out. A kernel."""
    struck = 0
    for p in range(count):
        for q in range(p):
            if related[p * count + q] == 0:
                continue
            # Some output of both leads to a pair that is related, and no input of both to one that is not.
            some = leads_to(1, by_output, p * outputs, q * outputs, outputs, count, related)
            if some == 0 or leads_to(0, by_input, p * inputs, q * inputs, inputs, count, related) == 1:
                related[p * count + q] = 0
                related[q * count + p] = 0
                struck += 1
    return struck


def leads_to(value: int, table: Any, one: int, other: int, width: int, count: int, related: Any) -> int:
    """Say whether some label of two rows of a table leads to a pair with this value. A kernel."""
    none = 0xFFFF_FFFF
    for place in range(width):
        p, q = table[one + place], table[other + place]
        if p != none and q != none and related[p * count + q] == value:
            return 1
    return 0
