"""Ways to states that no conforming implementation can avoid.

Definition (van den Bos 2020, 2.7.2, after Simao and Petrenko 2014): a state is *certainly reachable* when every
conforming implementation has a state for it. By a *fixed* trace that is so where each of its outputs is the only one
allowed: all conforming implementations have this very trace. By an *adaptive* access the tester takes what comes and
still gets there: it gives inputs, or waits where whatever is shown leads on. All conforming implementations have one of
its traces, though not all the same one; in a fair execution each of them is tried, so a suite that goes on after all
of them guarantees as much.

Breadth first from the initial state, O(transitions); adaptively once from each state backwards.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from outplay.groups import grouped
from outplay.suite.complete.suite_tree import Obligation

Rows: TypeAlias = Sequence[dict[int, int]]
Access: TypeAlias = dict[int, int]  # an input to give, or WAITING, in each state on the way
WAITING = -1
"""The move of an adaptive access that takes whatever is shown."""


def fixed_access(rows: Rows, inputs: int, start: int) -> dict[int, tuple[int, int]]:
    """For each state but the first that has a fixed trace: the state before it on a shortest one, and the label.

    >>> fixed_access([{0: 1}, {1: 2, 2: 0}, {1: 0}], 1, 0)
    {1: (0, 0)}
    """
    found: dict[int, tuple[int, int]] = {}
    queue = [start]
    for state in queue:  # grows on the way
        alone = sum(label >= inputs for label in rows[state]) == 1
        for label, target in rows[state].items():
            if (label < inputs or alone) and target != start and target not in found:
                found[target] = (state, label)
                queue.append(target)
    return found


def adaptive_access(rows: Rows, inputs: int, start: int, target: int) -> dict[int, int] | None:
    """Return the move in each state until the target is surely reached: an input, or WAITING; None where nothing is
    sure.

    >>> adaptive_access([{1: 1, 2: 2}, {1: 3}, {0: 3}, {1: 3}], 1, 0, 3)
    {1: -1, 2: 0, 0: -1}
    """
    into = grouped((reached, (state, label)) for state, row in enumerate(rows) for label, reached in row.items())
    open_outputs = [sum(label >= inputs for label in row) for row in rows]
    chosen: dict[int, int] = {}
    queue = [target]
    for reached in queue:  # grows on the way
        for state, label in into.get(reached, ()):
            open_outputs[state] -= label >= inputs
            if state == target or state in chosen:
                continue
            if label < inputs:
                chosen[state] = label
            elif open_outputs[state] == 0:
                chosen[state] = WAITING
            else:
                continue
            queue.append(state)
    return chosen if start in chosen else None


def accesses(rows: Rows, inputs: int, start: int, *, adaptive: bool = False) -> dict[int, Access]:
    """The states that are certainly reachable, the nearest first, each with what to do on the way there."""
    before = fixed_access(rows, inputs, start)
    found: dict[int, Access] = {start: {}}
    for target in before:
        moves, state = dict[int, int](), target
        while state != start:
            state, label = before[state]
            moves[state] = label if label < inputs else WAITING
        found[target] = moves
    for target in range(len(rows)) if adaptive else ():
        if target not in found and (chosen := adaptive_access(rows, inputs, start, target)) is not None:
            found[target] = chosen
    return found


class Traversal(Protocol):
    """The tests from each state of an automaton on, once it is reached."""

    @property
    def rows(self) -> Rows:
        """Return the targets of the labels of each state."""

    @property
    def inputs(self) -> int:
        """Labels below this number are inputs."""

    @property
    def access(self) -> dict[int, Access]:
        """Return how states are surely reached."""

    def begin(self, state: int) -> Collection[Obligation]:
        """All that is to be done in a state that was reached by its access."""

    def refuting(self, state: int) -> Mapping[int, Collection[Obligation]]:
        """Return the tests after outputs that the automaton has no room for, though no state forbids them."""


def starting(suite: Traversal, start: int, targets: Collection[int]) -> tuple[Obligation, ...]:
    """Go to each of some states, and begin there."""
    approaches = (Approach(suite, target, start) for target in targets if target != start)
    return (*suite.begin(start), *approaches)


@dataclass(frozen=True)
class Approach:
    """On the way to a state."""

    suite: Traversal
    target: int
    state: int

    @property
    def watches(self) -> bool:
        return self.suite.access[self.target][self.state] == WAITING

    def moves(self) -> dict[int, Collection[Obligation]]:
        """One step on, and where it is the last, what is to be done there."""
        suite, move = self.suite, self.suite.access[self.target][self.state]
        row = suite.rows[self.state]
        labels = [label for label in row if label >= suite.inputs] if move == WAITING else [move]
        found: dict[int, Collection[Obligation]] = dict(suite.refuting(self.state)) if move == WAITING else {}
        for label in labels:
            after = row[label]
            found[label] = suite.begin(after) if after == self.target else (Approach(suite, self.target, after),)
        return found

    def within(self, other: Obligation) -> bool:
        """Say so only where it is certain."""
        return False
