"""The knowledge of a tester about a symbolic system, with data as terms: which labels lead where, for all values at
once.

Knowledge (`model.knowledge`) is a tuple of states that fit what was seen. Its *control* is what is kept as it is: the
locations, and the variables with few values that are never computed from data. The other variables are *data*; those of
the i-th member are called by their name with i primes. A step is a set of switches that one label takes at once, under
a condition over data and parameters: these are enabled, and the others by the same gate are not. So, whatever the data,
each label takes exactly one step.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from outplay.model.expressions.evaluation import free_variables, substitute
from outplay.model.expressions.quantifier_elimination import eliminate_exists
from outplay.model.expressions.simplifying import negated, simplify
from outplay.model.expressions.sorts import Sort, Value
from outplay.model.expressions.term import (
    FALSE,
    TRUE,
    Term,
    apply,
    conjunction,
    disjunction,
    literals,
    variable,
)
from outplay.model.label import INPUT, OUTPUT
from outplay.model.specification import State
from outplay.model.symbolic.interpretation import SymbolicSpecification
from outplay.model.symbolic.symbolic_system import Gate, Switch, SymbolicSystem
from outplay.model.wrapping import KnowledgeSpecification

Place: TypeAlias = tuple[str, tuple[Value, ...]]
"""A location, with the values of the variables that are control."""
Control: TypeAlias = tuple[Place, ...]

_FEW = 64  # values of a variable that may be control
_MOST_STEPS = 100  # sets of switches by one gate
_MOST_MEMBERS = 3  # states that may fit what was seen, before they are too many


class RegionsTooComplex(Exception):
    """Some knowledge is too much, or its guards too hard, to be put into regions; says why and what to do."""


@dataclass(frozen=True, eq=False)
class KnowledgeStep:
    """Labels of a gate, or silence, under a condition on data and parameters: where they lead."""

    gate: Gate | None
    """None for silence."""
    condition: Term
    control: Control
    terms: Mapping[str, Term]
    """The terms of the new data, over the old data and the parameters."""

    @property
    def parameters(self) -> tuple[Term, ...]:
        return () if self.gate is None else self.gate.parameters


@dataclass(frozen=True, eq=False)
class _Option:
    """An option of one member: a switch, its condition, and its target."""

    member: int
    condition: Term
    place: Place
    terms: tuple[Term, ...]


class DataKnowledge(KnowledgeSpecification):
    """The knowledge of a symbolic system, whose members come in the order in which steps make them."""

    def __init__(self, spec: SymbolicSpecification) -> None:
        self.system = spec.system
        self.control_names = _control(spec.system)
        self.data = {name: sort for name, sort in spec.system.variables.items() if name not in self.control_names}
        self._steps: dict[Control, list[KnowledgeStep]] = {}
        super().__init__(spec)
        self.start = self.ordered(spec.initial)

    def ordered(self, members: Iterable[State]) -> tuple[State, ...]:
        return tuple(sorted(dict.fromkeys(members), key=lambda member: _by_place(self._place(member))))

    @cached_property
    def _at(self) -> tuple[list[int], list[int]]:
        names = list(self.system.variables)
        return [names.index(name) for name in self.control_names], [names.index(name) for name in self.data]

    def _place(self, state: Any) -> Place:
        return state[0], tuple(state[1][at] for at in self._at[0])

    def control(self, members: Sequence[Any]) -> Control:
        """Return the control part of some knowledge."""
        return tuple(map(self._place, members))

    def values(self, members: Sequence[Any]) -> dict[str, Value]:
        """The data of some knowledge."""
        found: dict[str, Value] = {}
        for number, member in enumerate(members):
            found.update(
                (_of_member(name, number), member[1][at]) for name, at in zip(self.data, self._at[1], strict=True)
            )
        return found

    def sorts(self, control: Control) -> dict[str, Sort]:
        """The sorts of the data of all members."""
        return {_of_member(name, number): sort for number in range(len(control)) for name, sort in self.data.items()}

    def marks(self, control: Control) -> list[Term]:
        """Conditions on the data that goals ask about."""
        found = []
        for goal in self.system.goals:
            at = [self._read(number, place) for number, place in enumerate(control)]
            parts = [substitute(goal.condition, names) for names in at]
            if all(goal.location in (None, place[0]) for place in control):
                found.append(simplify(conjunction(parts)))
        return [one for one in found if not one.is_literal]

    def steps(self, control: Control) -> list[KnowledgeStep]:
        """All steps, by all gates; silence too, where it tells members apart."""
        if len(control) > _MOST_MEMBERS:
            where = " or ".join(location for location, _ in control)
            raise RegionsTooComplex(f"too many states may fit what was seen ({where}); let fewer guards overlap")
        if control not in self._steps:
            options = {gate: self._options(control, gate) for gate in self.system.gates}
            found = [step for gate in options for step in self._by_gate(gate, options[gate], len(control))]
            self._steps[control] = found + (self._silences(control, options) if len(control) > 1 else [])
        return self._steps[control]

    def _read(self, number: int, place: Place) -> dict[str, Term]:
        """Terms for the variables of a member: values of its control, names of its data."""
        known = literals(dict(zip(self.control_names, place[1], strict=True)), self.system.variables)
        return {**known, **{name: variable(_of_member(name, number), sort) for name, sort in self.data.items()}}

    def _options(self, control: Control, gate: Gate) -> list[_Option]:
        found = list[_Option]()
        for number, place in enumerate(control):
            for switch in self.system.leaving.get(place[0], ()):
                if switch.gate == gate:
                    found += self._option(number, self._read(number, place), switch, gate)
        return found

    def _option(self, number: int, names: dict[str, Term], switch: Switch, gate: Gate) -> Iterator[_Option]:
        own = {str(one.value): other for one, other in zip(switch.parameters, gate.parameters, strict=True)}
        read = {**names, **own}
        condition = simplify(substitute(self.system.enabling(switch), read))
        if condition is FALSE:
            return
        after = {
            name: simplify(substitute(switch.assignment[name], read)) if name in switch.assignment else names[name]
            for name in self.system.variables
        }
        values = tuple(after[name].value for name in self.control_names)
        yield _Option(number, condition, (switch.target, values), tuple(after[name] for name in self.data))

    def _by_gate(self, gate: Gate, options: list[_Option], members: int) -> Iterator[KnowledgeStep]:
        for condition, taken in _subsets(options):
            if taken and (gate.kind != INPUT or len({one.member for one in taken}) == members):
                yield from (self._step(gate, more, kept) for more, kept in _distinct(condition, taken))

    def _step(self, gate: Gate | None, condition: Term, kept: list[_Option]) -> KnowledgeStep:
        kept = sorted(kept, key=lambda one: _by_place(one.place))
        terms = {
            _of_member(name, number): term
            for number, one in enumerate(kept)
            for name, term in zip(self.data, one.terms, strict=True)
        }
        return KnowledgeStep(gate, condition, tuple(one.place for one in kept), terms)

    def _silences(self, control: Control, options: Mapping[Gate, list[_Option]]) -> list[KnowledgeStep]:
        """Silence leaves the members that have nothing to say."""
        quiet = []
        for number, place in enumerate(control):
            speaks = [
                (gate, one.condition)
                for gate, some in options.items()
                for one in some
                if gate.kind == OUTPUT and one.member == number
            ]
            said = [eliminate_exists(gate.parameters, condition) for gate, condition in speaks]
            known = [one for one in said if one is not None]
            if len(known) < len(said):
                raise RegionsTooComplex(
                    f"when {place[0]} is silent cannot be told by its guards; bound what they multiply"
                )
            names = self._read(number, place)
            terms = tuple(names[name] for name in self.data)
            quiet.append(_Option(number, simplify(negated(simplify(disjunction(known)))), place, terms))
        return [self._step(None, condition, taken) for condition, taken in _subsets(quiet) if taken]


def _of_member(name: str, number: int) -> str:
    """A variable of the member with a number."""
    return name + "'" * number


def _by_place(place: Place) -> tuple[str, ...]:
    return (place[0], *map(repr, place[1]))


def _control(system: SymbolicSystem) -> tuple[str, ...]:
    """The variables with few values that are never computed from others than such."""
    kept = {name for name, sort in system.variables.items() if len(sort.values() or range(_FEW + 1)) <= _FEW}
    while True:
        fed = {
            name
            for switch in system.switches
            for name, term in switch.assignment.items()
            if name in kept and not free_variables(term).keys() <= kept
        }
        if not fed:
            return tuple(name for name in system.variables if name in kept)
        kept -= fed


def _subsets(options: Sequence[_Option]) -> list[tuple[Term, list[_Option]]]:
    """Return the options that are taken at once, and their condition."""
    found: list[tuple[Term, list[_Option]]] = [(TRUE, [])]
    for one in options:
        yes = [(simplify(condition & one.condition), [*taken, one]) for condition, taken in found]
        no = [(simplify(condition & negated(one.condition)), taken) for condition, taken in found]
        found = [pair for pair in (*yes, *no) if pair[0] is not FALSE]
        if len(found) > _MOST_STEPS:
            raise RegionsTooComplex("too many switches may answer one label; let fewer guards overlap")
    return found


def _distinct(condition: Term, taken: list[_Option]) -> Iterator[tuple[Term, list[_Option]]]:
    """Members that lead to the same place, as one where their data are equal."""
    found: list[tuple[Term, list[_Option]]] = [(condition, [])]
    for one in taken:
        made = []
        for known, kept in found:
            made += [pair for pair in _joined(known, kept, one) if pair[0] is not FALSE]
        found = made
    yield from found


def _joined(known: Term, kept: list[_Option], one: _Option) -> Iterator[tuple[Term, list[_Option]]]:
    for other in kept:
        if other.place == one.place:
            pairs = zip(other.terms, one.terms, strict=True)
            equal = simplify(conjunction(apply("=", a, b) for a, b in pairs if a is not b))
            yield simplify(known & equal), kept
            known = simplify(known & negated(equal))
            if known is FALSE:
                return
    yield known, [*kept, one]
