"""Specifications around another one: something is added, the rest is the model's own.

The knowledge of a tester: a specification whose states are sets of another's, all that fit what was seen. Where a label
leads to several states, nobody sees which, and a strategy must not depend on it. So games are played on sets, as those
of automata are (van den Bos 2020, 2.1): an input is enabled where all states of the set specify it, an output is
possible where one of them shows it, silence leaves those that are quiet, and a goal holds where it holds in all of
them. Every label then leads to one set.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Any, TypeAlias

from outplay.model.label import Label
from outplay.model.offer import Offer, common_offers
from outplay.model.specification import BaseSpecification, Specification, State, state_number
from outplay.model.values import portable_text


class DelegatingSpecification(BaseSpecification):
    """Speaks of the labels, the goals and the named states of another specification."""

    initial: Collection[State]

    def __init__(self, spec: Specification) -> None:
        self.spec = spec
        self.name, self.fingerprint = spec.name, spec.fingerprint
        self.goals, self.initial, self.channels = spec.goals, spec.initial, spec.channels
        self.locations = spec.locations

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

    @property
    def enough_states(self) -> int | None:
        return getattr(self.spec, "enough_states", None)

    def is_state(self, name: str) -> bool:
        return self.spec.is_state(name)


class Wrapped(DelegatingSpecification):
    """Says what another specification says; `own` finds the model's own state behind one of these."""

    def own(self, state: Any) -> State:
        """The state of the specification inside."""
        inside: State = state
        return inside

    def inside(self, state: Any) -> tuple[State, ...]:
        """Return the states of the specification inside that one of these stands for."""
        return (self.own(state),)

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
        return portable_text(place)

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
    """Unwrap a state: the model's own state and the specification that knows it."""
    while isinstance(spec, Wrapped):
        state = spec.own(state)
        spec = spec.spec
    return spec, state


def own_specification(spec: Specification) -> Specification:
    """Unwrap a specification to the model's own."""
    while isinstance(spec, DelegatingSpecification):
        spec = spec.spec
    return spec


def timers_of(spec: Any) -> Specification | None:
    """Return the specification with timers that a wrapped one contains; None where it has none."""
    while isinstance(spec, DelegatingSpecification):
        spec = spec.spec
    found: Specification | None = getattr(spec, "timed", None)
    return found


Members: TypeAlias = tuple[State, ...]


class KnowledgeSpecification(DelegatingSpecification):
    """Another specification made deterministic; states are its states in a tuple, each once.

    >>> from outplay import automaton
    >>> from outplay.model.suspension import SuspensionAutomaton
    >>> lamp = SuspensionAutomaton(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    >>> known = KnowledgeSpecification(lamp)
    >>> known.initial, known.after((0,), Label.parse("?press"))
    (((0,),), [(1,)])
    """

    def __init__(self, spec: Specification) -> None:
        super().__init__(spec)
        self.initial = (self.ordered(spec.initial),)

    def ordered(self, members: Iterable[State]) -> Members:
        """Each once, and in an order that tells equal sets."""
        found = tuple(dict.fromkeys(members))
        return found if len(found) == 1 else tuple(sorted(found, key=self.spec.key))

    def inside(self, state: Any) -> Members:
        """Return the states that fit what was seen."""
        found: Members = state
        return found

    def inputs(self, state: Any) -> list[Offer]:
        return common_offers([self.spec.inputs(member) for member in self.inside(state)])

    def outputs(self, state: Any) -> list[Offer]:
        return list(dict.fromkeys(offer for member in self.inside(state) for offer in self.spec.outputs(member)))

    def quiet(self, state: Any) -> bool:
        return any(self.spec.quiet(one) for one in self.inside(state))

    def after(self, state: Any, label: Label) -> list[Members]:
        reached = [self.spec.after(member, label) for member in self.inside(state)]
        if label.is_input and not all(reached):
            return []  # some state says nothing of it, and then anything may happen
        found = self.ordered(target for targets in reached for target in targets)
        return [found] if found else []

    def holds(self, goal: str, state: Any) -> bool:
        return all(self.spec.holds(goal, member) for member in self.inside(state))

    def weight(self, state: Any, label: Label) -> float:
        shares = [self.spec.weight(member, label) for member in self.inside(state) if self.spec.after(member, label)]
        return sum(shares) / len(shares) if shares else 0.0

    def describe(self, state: Any) -> str:
        return " or ".join(map(self.spec.describe, self.inside(state)))

    def key(self, state: Any) -> str:
        return " or ".join(map(self.spec.key, self.inside(state)))


def own_states(spec: Specification, state: Any) -> Iterator[tuple[Specification, State]]:
    """Unwrap a state that may stand for several: the model's own ones, with the specification that knows them."""
    spec, state = own_state(spec, state)
    if isinstance(spec, KnowledgeSpecification):
        for member in state:
            yield from own_states(spec.spec, member)
    else:
        yield spec, state
