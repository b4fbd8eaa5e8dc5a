"""Suites by counting states: a trace is followed until an implementation of n states must have come round in it.

Definition (van den Bos 2020, 2.41 to 2.43, with the state counting of Petrenko and Yevtushenko that it is taken from):
put the states of the specification into blocks of pairwise incompatible ones. Of a block some r states are certainly
reachable, and implementations that pass have r different states for them. Follow each trace from these states on until
it has met states of one block n - r + 1 times: then the implementation, with at most n states, was twice in the same
one while the specification was in states of this block. Were they different, then the experiment that tells them
apart, made in both, has failed; were they the same, then a shorter trace shows whatever is wrong behind. So the suite
is n-complete, and always finite.

With blocks of one state it is the unconditional suite U(S, n) of Definition 2.43. Where all states are incompatible and
certainly reachable one block holds them all, and the suite is access · at most n - r + 1 labels · identification, as
the HSI method makes it for machines.

Ways to states that no conforming implementation can avoid. Definition (van den Bos 2020, 2.7.2, after Simao and
Petrenko 2014): a state is *certainly reachable* when every conforming implementation has a state for it. By a *fixed*
trace that is so where each of its outputs is the only one allowed: all conforming implementations have this very trace.
By an *adaptive* access the tester takes what comes and still gets there: it gives inputs, or waits where whatever is
shown leads on. All conforming implementations have one of its traces, though not all the same one; in a fair execution
each of them is tried, so a suite that goes on after all of them guarantees as much.

Breadth first from the initial state, O(transitions); adaptively once from each state backwards.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from outplay.conformance.compatibility import Compatibility
from outplay.grouping import grouped
from outplay.suite.complete.normal_form import NormalForm
from outplay.suite.complete.suite_tree import Obligation

Rows: TypeAlias = Sequence[dict[int, int]]
Access: TypeAlias = dict[int, int]  # an input to give, or WAITING, in each state on the way
WAITING = -1
"""The move of an adaptive access that takes whatever is shown."""


def _fixed_access(rows: Rows, inputs: int, start: int) -> dict[int, tuple[int, int]]:
    """For each state but the first that has a fixed trace: the state before it on a shortest one, and the label.

    >>> _fixed_access([{0: 1}, {1: 2, 2: 0}, {1: 0}], 1, 0)
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
    """Return the move in each state until a target is surely reached: an input or WAITING; None where none is sure.

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


def certain_accesses(rows: Rows, inputs: int, start: int, *, adaptive: bool = False) -> dict[int, Access]:
    """Return the states that are certainly reachable, the nearest first, each with the strategy that gets there."""
    before = _fixed_access(rows, inputs, start)
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


def starting_obligations(suite: Traversal, start: int, targets: Collection[int]) -> tuple[Obligation, ...]:
    """Return the obligations of a suite to go to each of some states and begin there."""
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


UNCOUNTED = -1
Identify = Callable[[int], Sequence[Obligation]]


def incompatible_blocks(found: Compatibility, states: Collection[int], reachable: Collection[int]) -> list[list[int]]:
    """Divide states into blocks of pairwise incompatible ones; the certainly reachable share a block."""
    blocks: list[list[int]] = []
    for state in [*(one for one in reachable if one in states), *(one for one in states if one not in reachable)]:
        free = (block for block in blocks if not any(found.compatible(state, other) for other in block))
        block = next(free, None)
        if block is None:
            blocks.append([state])
        else:
            block.append(state)
    return blocks


class Counting:
    """A suite by counting states; states in no block are not counted, and in resting ones nothing can be seen."""

    def __init__(
        self,
        form: NormalForm,
        most_states: int,
        blocks: Sequence[Collection[int]],
        access: dict[int, Access],
        identify: Identify,
        *,
        resting: Collection[int] = (),
    ) -> None:
        self.form, self.rows, self.inputs = form, form.rows, form.table.inputs
        self.access, self.identify, self.resting = access, identify, frozenset(resting)
        self.block = [UNCOUNTED] * len(form.rows)
        for number, block in enumerate(blocks):
            for state in block:
                self.block[state] = number
        sure = [sum(state in access for state in block) for block in blocks]
        self.full = tuple(max(most_states - count + 1, 0) for count in sure)
        self._visits: dict[tuple[int, tuple[int, ...]], Visit] = {}

    def obligations(self) -> tuple[Obligation, ...]:
        """All that is to be done from the initial state on."""
        counted = [state for state in self.access if self.block[state] != UNCOUNTED]
        return starting_obligations(self, self.form.table.initial, counted)

    def begin(self, state: int) -> tuple[Obligation, ...]:
        """Identify a state that was reached by its access, and follow all traces from there."""
        going = (self.visit(state, self.full),) if all(self.full) else ()
        return (*going, *self.identify(state))

    def refuting(self, state: int) -> dict[int, tuple[Obligation, ...]]:
        """Nothing: what no state forbids has its place."""
        return {}

    def arrive(self, state: int, left: tuple[int, ...]) -> tuple[Obligation, ...]:
        """Identify a state that a trace leads to, and go on where no block has been met often enough."""
        block = self.block[state]
        if block != UNCOUNTED:
            left = (*left[:block], left[block] - 1, *left[block + 1 :])
        going = (self.visit(state, left),) if all(left) else ()
        return (*going, *self.identify(state))

    def visit(self, state: int, left: tuple[int, ...]) -> Visit:
        """The obligation of following all traces from a state."""
        return self._visits.setdefault((state, left), Visit(self, state, left))


@dataclass(frozen=True)
class Visit:
    """Watch, and follow every label, until a block has been met as often as is left for it."""

    suite: Counting
    state: int
    left: tuple[int, ...]

    @property
    def watches(self) -> bool:
        return self.state not in self.suite.resting

    def moves(self) -> dict[int, tuple[Obligation, ...]]:
        """Each label that is specified, but for the silence of a resting state."""
        row = self.suite.rows[self.state]
        steps = ((label, target) for label, target in row.items() if self.watches or label < self.suite.inputs)
        return {label: self.suite.arrive(target, self.left) for label, target in steps}

    def within(self, other: Obligation) -> bool:
        """Less is done where less is left."""
        return (
            isinstance(other, Visit)
            and (other.suite, other.state) == (self.suite, self.state)
            and all(mine <= theirs for mine, theirs in zip(self.left, other.left, strict=True))
        )
