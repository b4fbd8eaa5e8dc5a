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
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from outplay.conformance.compatibility import Compatibility
from outplay.suite.complete.access import Access, starting
from outplay.suite.complete.normal_form import NormalForm
from outplay.suite.complete.suite_tree import Obligation

UNCOUNTED = -1
Identify = Callable[[int], Sequence[Obligation]]


def blocks_of(found: Compatibility, states: Collection[int], reachable: Collection[int]) -> list[list[int]]:
    """States in blocks of pairwise incompatible ones, the certainly reachable first, so that they share a block."""
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
        return starting(self, self.form.table.initial, counted)

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
