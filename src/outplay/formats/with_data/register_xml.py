"""Register automata as XML, in the layout of the tool RALib; read only.

A transition of an input names its parameters, one of an output gives their values: registers, constants or numbers.
Guards compare registers, parameters and constants; assignments happen one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from outplay.errors import FormatError, ModelError
from outplay.formats.texts.source import LIMITS, ReadLimits, Source
from outplay.formats.texts.xml_elements import Element, read_elements
from outplay.model.expressions.assigning import in_turn
from outplay.model.expressions.reading import read_term
from outplay.model.expressions.sorts import BOOLEAN, INTEGER, TEXT, Sort
from outplay.model.expressions.term import TRUE, Term, apply, conjunction, literal, variable
from outplay.model.label import INPUT, OUTPUT
from outplay.model.symbolic.checking import SwitchError, checked
from outplay.model.symbolic.symbolic_system import Gate, Switch, SymbolicSystem
from outplay.plurals import counted

_SORTS: dict[str, Sort] = {"int": INTEGER, "integer": INTEGER, "boolean": BOOLEAN, "string": TEXT}


def read(source: Source, *, name: str | None = None, limits: ReadLimits = LIMITS) -> SymbolicSystem:
    """Read a register automaton as a symbolic transition system; `name` is what it is called (else its path)."""
    root = read_elements(source, "register-automaton")
    return _Automaton(source, root).system(name or source.name, limits)


class _Automaton:
    """One document, read part by part."""

    def __init__(self, source: Source, root: Element) -> None:
        self._source, self._root = source, root
        self._constants = {self._name(one): self._value(one) for one in root.all("constants", "constant")}
        self._start = {self._name(one): self._value(one) for one in root.all("globals", "variable")}
        self._variables = {name: term.sort for name, term in self._start.items()}
        self._registers = {name: variable(name, sort) for name, sort in self._variables.items()}

    def system(self, name: str, limits: ReadLimits) -> SymbolicSystem:
        """The system, checked."""
        gates = {gate.name: gate for gate in [*self._gates("inputs", INPUT), *self._gates("outputs", OUTPUT)]}
        transitions = list(self._root.all("transitions", "transition"))
        limits.refuse_edges(self._source, 1, len(transitions))
        switches = tuple(self._switch(number, one, gates) for number, one in enumerate(transitions))
        made = SymbolicSystem(
            name,
            self._initial(),
            self._variables,
            {key: term.value for key, term in self._start.items()},
            tuple(gates.values()),
            switches,
        )
        try:
            return checked(made)
        except SwitchError as error:
            raise self._wrong(transitions[int(error.switch.removeprefix("t"))], str(error)) from None
        except ModelError as error:
            raise self._wrong(self._root, str(error)) from None

    def _wrong(self, element: Element, what: str) -> FormatError:
        return self._source.error(element.line, element.column, what)

    def _attribute(self, element: Element, key: str) -> str:
        value = element.attributes.get(key, "").strip()
        if not value:
            raise self._wrong(element, f'<{element.name}> has no {key}; write {key}="…"')
        return value

    def _name(self, element: Element) -> str:
        return self._attribute(element, "name")

    def _sort(self, element: Element) -> Sort:
        kind = element.attributes.get("type", "int")
        if kind not in _SORTS:
            raise self._wrong(element, f"no type {kind[:40]!r}; known: {', '.join(_SORTS)}")
        return _SORTS[kind]

    def _value(self, element: Element) -> Term:
        sort = self._sort(element)
        if sort == TEXT:
            return literal(element.text)
        found = self._term(element, element.text, {})
        if not found.is_literal or found.sort.base != sort:
            raise self._wrong(element, f"{element.text[:40]!r} is no value of {sort}")
        return found

    def _gates(self, key: str, kind: str) -> list[Gate]:
        return [self._gate(one, kind) for one in self._root.all("alphabet", key, "symbol")]

    def _gate(self, element: Element, kind: str) -> Gate:
        parameters = [
            variable(self._unused(one.attributes.get("name") or f"p{place}"), self._sort(one))
            for place, one in enumerate(element.all("param"))
        ]
        return Gate(kind, self._name(element), tuple(parameters))

    def _unused(self, name: str) -> str:
        """A name for a parameter that no register has."""
        while name in self._variables:
            name += "_"
        return name

    def _initial(self) -> str:
        marked = [one for one in self._root.all("locations", "location") if one.attributes.get("initial") == "true"]
        if len(marked) != 1:
            raise self._wrong(self._root, f'{len(marked)} initial locations; mark one with initial="true"')
        return self._name(marked[0])

    def _switch(self, number: int, element: Element, gates: Mapping[str, Gate]) -> Switch:
        gate = gates.get(self._attribute(element, "symbol"))
        if gate is None:
            raise self._wrong(element, f"no symbol {self._attribute(element, 'symbol')[:40]!r} in the alphabet")
        given = [one.strip() for one in element.attributes.get("params", "").split(",") if one.strip()]
        if gate.kind == INPUT and not given:
            given = [str(one) for one in gate.parameters]
        if len(given) != len(gate.parameters):
            raise self._wrong(
                element, f"{gate.text} has {counted(len(gate.parameters), 'parameter')}, not {len(given)}"
            )
        named, equations = self._parameters(element, gate, given)
        scope = {**self._constants, **self._registers, **named}
        guard = element.first("guard")
        condition = self._term(guard, guard.text, scope) if guard is not None and guard.text else TRUE
        steps = [self._assigned(one, scope) for one in element.all("assignments", "assign")]
        ends = self._attribute(element, "from"), self._attribute(element, "to")
        own = tuple(named.values()) if gate.kind == INPUT else gate.parameters
        condition = self._built(
            element, lambda: conjunction([part for part in (condition, *equations) if part is not TRUE])
        )
        return Switch(f"t{number}", ends[0], gate, ends[1], own, condition, in_turn(steps))

    def _parameters(self, element: Element, gate: Gate, given: list[str]) -> tuple[dict[str, Term], list[Term]]:
        """The parameters an input names, or the values that an output gives to those of its gate."""
        if gate.kind == INPUT:
            names = {one: variable(self._unused(one), gate.parameters[k].sort) for k, one in enumerate(given)}
            return names, []
        scope = {**self._constants, **self._registers}
        terms = [self._term(element, one, scope) for one in given]
        pairs = zip(gate.parameters, terms, strict=True)
        return {}, [self._built(element, partial(apply, "=", one, term)) for one, term in pairs]

    def _assigned(self, element: Element, scope: Mapping[str, Term]) -> tuple[str, Term]:
        to = self._attribute(element, "to")
        if to not in self._registers:
            raise self._wrong(element, f"no register {to[:40]!r}; declare it in <globals>")
        term = self._term(element, element.text, scope)
        if term.sort.base != self._variables[to].base:
            raise self._wrong(element, f"{to} := {term}: {to} is of sort {self._variables[to]}, not {term.sort.base}")
        return to, term

    def _term(self, element: Element, text: str, scope: Mapping[str, Term]) -> Term:
        return self._built(element, lambda: read_term(text, scope))

    def _built(self, element: Element, build: Callable[[], Term]) -> Term:
        try:
            made: Term = build()
        except ModelError as error:
            raise self._wrong(element, str(error)) from None
        return made
