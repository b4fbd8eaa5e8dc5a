"""Specifications around another one: something is added, the rest is the model's own."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from outplay.model.label import Label
from outplay.model.offer import Offer
from outplay.model.specification import BaseSpecification, Specification, State, state_number
from outplay.model.values.values import portable


class DelegatingSpecification(BaseSpecification):
    """Speaks of the labels, the goals and the named states of another specification."""

    initial: Collection[State]

    def __init__(self, spec: Specification) -> None:
        self.spec = spec
        self.name, self.fingerprint = spec.name, spec.fingerprint
        self.goals, self.initial, self.channels = spec.goals, spec.initial, spec.channels

    @property
    def alphabet(self) -> Collection[Label]:
        return self.spec.alphabet

    @property
    def output_gates(self) -> Collection[str]:
        return self.spec.output_gates

    @property
    def input_gates(self) -> Collection[str]:
        return self.spec.input_gates

    @property
    def null_gates(self) -> Collection[str]:
        return self.spec.null_gates

    def is_state(self, name: str) -> bool:
        return self.spec.is_state(name)


class Wrapped(DelegatingSpecification):
    """Says what another specification says; `own` finds the model's own state behind one of these."""

    def own(self, state: Any) -> State:
        """The state of the specification inside."""
        inside: State = state
        return inside

    def inputs(self, state: Any) -> Collection[Offer]:
        return self.spec.inputs(self.own(state))

    def outputs(self, state: Any) -> Collection[Offer]:
        return self.spec.outputs(self.own(state))

    def quiet(self, state: Any) -> bool:
        return self.spec.quiet(self.own(state))

    def after(self, state: Any, label: Label) -> Collection[State]:
        return self.spec.after(self.own(state), label)

    def offer(self, state: Any, label: Label) -> Offer:
        return self.spec.offer(self.own(state), label)

    def written(self, state: Any, label: Label) -> Label:
        return self.spec.written(self.own(state), label)

    def holds(self, goal: str, state: Any) -> bool:
        return self.spec.holds(goal, self.own(state))

    def weight(self, state: Any, label: Label) -> float:
        return self.spec.weight(self.own(state), label)

    def describe(self, state: Any) -> str:
        return self.spec.describe(self.own(state))

    def key(self, state: Any) -> str:
        return self.spec.key(self.own(state))


class WithObserver(Wrapped):
    """States are pairs: one of the model, and the place of an observer that follows the play beside it."""

    def own(self, state: Any) -> State:
        inside: State = state[0]
        return inside

    def place_key(self, place: Any) -> str:
        """Write the place of the observer, the same in every process and run."""
        return portable(place)

    def key(self, state: Any) -> str:
        return f"{super().key(state)} beside {self.place_key(state[1])}"


class NumberedSpecification(Wrapped):
    """The states of another specification as numbers, in the order they are met; `s3` names state 3."""

    def __init__(self, spec: Specification) -> None:
        super().__init__(spec)
        self.states: list[State] = []
        self._numbers: dict[State, int] = {}
        self.initial = self._numbered(spec.initial)

    def own(self, state: Any) -> State:
        return self.states[state_number(state)]

    def number_of(self, state: State) -> int | None:
        """The number of a state that was met; None for others."""
        return self._numbers.get(state)

    def after(self, state: Any, label: Label) -> tuple[int, ...]:
        return self._numbered(super().after(state, label))

    def is_state(self, name: str) -> bool:
        number = name[1:]
        return super().is_state(name) or (name[:1] == "s" and number.isdigit() and int(number) < len(self.states))

    def holds(self, goal: str, state: Any) -> bool:
        return super().holds(goal, state) if goal in self.goals or super().is_state(goal) else goal == f"s{state}"

    def _numbered(self, states: Collection[State]) -> tuple[int, ...]:
        found = []
        for state in states:
            found.append(self._numbers.setdefault(state, len(self.states)))
            if found[-1] == len(self.states):
                self.states.append(state)
        return tuple(found)


def own_state(spec: Specification, state: State) -> tuple[Specification, State]:
    """The model's own state, whatever is wrapped around it, and the specification that knows it."""
    while isinstance(spec, Wrapped):
        state = spec.own(state)
        spec = spec.spec
    return spec, state


def timers_of(spec: Any) -> Specification | None:
    """A specification with its timers, whatever is around it; None where it has none."""
    while isinstance(spec, DelegatingSpecification):
        spec = spec.spec
    found: Specification | None = getattr(spec, "timed", None)
    return found
