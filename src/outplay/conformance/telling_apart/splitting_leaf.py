"""The leaves of a splitting graph while it is built: what their labels lose, and the ways to split them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from outplay.conformance.telling_apart.state_sets import States, StateSets


class Split(NamedTuple):
    """A way to split a leaf: what it loses, how long its witness is, and how it goes on after each label."""

    loss: int
    depth: int
    given: bool
    after: dict[int, int]
    """For each label the set that was split before like which this one is split; -1 where the label is enough."""

    @property
    def cost(self) -> tuple[int, int, bool]:
        return self.loss, self.depth, self.given


class Leaf:
    """What is known of a leaf that could not be split yet, so that it is found out once."""

    def __init__(self, states: StateSets, members: States) -> None:
        self.members, self.steps, self._states = members, states.steps(members), states
        self.outputs = [label for label in self.steps if label >= states.inputs]
        self.inputs = [label for label in self.steps if label < states.inputs]

    @cached_property
    def clean_inputs(self) -> list[int]:
        return [label for label in self.inputs if not self._loses(label)]

    @cached_property
    def clean_outputs(self) -> bool:
        return not any(map(self._loses, self.outputs))

    def _loses(self, label: int) -> bool:
        return self._states.loses(self.members, label, self.steps[label])

    @cached_property
    def _apart(self) -> int:
        return self._states.apart(self.members)

    def loss(self, label: int) -> int:
        return self._states.loss(self.members, label, self.steps[label], self._apart)


def largest(sets: Iterable[States]) -> list[States]:
    """The sets that are part of no other one: those others hold all that could have shown a trace."""
    kept: list[States] = []
    holding: dict[int, list[States]] = {}
    for states in sorted(set(sets), key=lambda states: (-len(states), sorted(states, reverse=True))):
        if not any(states <= other for other in holding.get(next(iter(states)), ())):
            kept.append(states)
            for state in states:
                holding.setdefault(state, []).append(states)
    return kept
