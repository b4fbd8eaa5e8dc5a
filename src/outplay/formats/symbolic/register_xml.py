"""Register automata as XML, in the layout of the tool RALib; read only.

A transition of an input names its parameters, one of an output gives their values: registers, constants or numbers.
Guards compare registers, parameters and constants; assignments happen one after the other.

A value `__fresh__` of an output (FreshMap) is one that was not seen before. A symbolic system remembers no more than
its registers, so the value has to differ from every register that surely holds one that was seen, on whichever way the
location is reached. Values that are in no register any more may come again: that is never a false Fail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from xml.parsers import expat

from outplay.errors import FormatError, ModelError
from outplay.formats.common.source import LIMITS, ReadLimits, Source
from outplay.model.expressions.evaluation import simultaneous_assignments
from outplay.model.expressions.reading import read_term
from outplay.model.expressions.sorts import BOOLEAN, INTEGER, TEXT, Sort
from outplay.model.expressions.term import TRUE, Term, apply, conjunction, literal, variable
from outplay.model.label import INPUT, OUTPUT
from outplay.model.symbolic.building import SwitchError, checked_system
from outplay.model.symbolic.symbolic_system import Gate, Switch, SymbolicSystem
from outplay.plurals import counted

_DEEPEST = 50
_MOST = 1_000_000  # elements


@dataclass
class Element:
    """An element: its name, attributes and children, the text directly in it, and where it starts."""

    name: str
    attributes: dict[str, str]
    line: int
    column: int
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "".join(self.pieces).strip()

    def first(self, name: str) -> Element | None:
        """The first child of a name."""
        return next((child for child in self.children if child.name == name), None)

    def all(self, *path: str) -> Iterator[Element]:
        """The elements at a path of names below this one."""
        found = [self]
        for name in path:
            found = [child for one in found for child in one.children if child.name == name]
        return iter(found)


def _read_elements(source: Source, root: str) -> Element:
    """The root element of a document, which must have this name."""
    reading = _Elements(source)
    reading.read()
    if reading.root is None or reading.root.name != root:
        raise source.error(1, 1, f"no <{root}> document; give a file of that kind")
    return reading.root


class _Elements:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._open: list[Element] = []
        self._count = 0
        self.root: Element | None = None
        # Encoded text is read as what it was decoded to, whatever its first line says.
        self._parser = expat.ParserCreate("utf-8")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.CharacterDataHandler = self._text
        self._parser.StartDoctypeDeclHandler = self._doctype

    def read(self) -> None:
        try:
            self._parser.Parse(self._source.text.encode("utf-8"), True)
        except expat.ExpatError as error:
            what = f"no XML: {expat.errors.messages[error.code]}; mend it there"
            raise self._source.error(error.lineno, error.offset + 1, what) from None
        except UnicodeEncodeError:
            raise self._source.error(1, 1, "holds half a character; write it whole") from None

    def _here(self) -> tuple[int, int]:
        return self._parser.CurrentLineNumber, self._parser.CurrentColumnNumber + 1

    def _wrong(self, what: str) -> FormatError:
        return self._source.error(*self._here(), what)

    def _start(self, name: str, attributes: dict[str, str]) -> None:
        made = Element(name, attributes, *self._here())
        self._count += 1
        if len(self._open) >= _DEEPEST or self._count > _MOST:
            raise self._wrong(f"more than {_DEEPEST} levels or {_MOST:,} elements; make it smaller")
        if self._open:
            self._open[-1].children.append(made)
        else:
            self.root = made
        self._open.append(made)

    def _end(self, name: str) -> None:
        self._open.pop()

    def _text(self, text: str) -> None:
        if self._open:
            self._open[-1].pieces.append(text)

    def _doctype(self, *_: object) -> None:
        raise self._wrong("a document type is not read; leave <!DOCTYPE …> out")


_FRESH = "__fresh__"
_SORTS: dict[str, Sort] = {"int": INTEGER, "integer": INTEGER, "boolean": BOOLEAN, "string": TEXT}


def read(source: Source, *, name: str | None = None, limits: ReadLimits = LIMITS) -> SymbolicSystem:
    """Read a register automaton from RALib's XML as a symbolic transition system, with a name (else its path)."""
    root = _read_elements(source, "register-automaton")
    return _Automaton(source, root).system(name or source.name, limits)


class _Automaton:
    """One document, read part by part."""

    def __init__(self, source: Source, root: Element) -> None:
        self._source, self._root = source, root
        self._constants = {self._name(one): self._value(one) for one in root.all("constants", "constant")}
        self._start = {self._name(one): self._value(one) for one in root.all("globals", "variable")}
        self._variables = {name: term.sort for name, term in self._start.items()}
        self._registers = {name: variable(name, sort) for name, sort in self._variables.items()}
        self._holding = self._sure_to_hold()

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
            return checked_system(made)
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
        return Switch(f"t{number}", ends[0], gate, ends[1], own, condition, simultaneous_assignments(steps))

    def _parameters(self, element: Element, gate: Gate, given: list[str]) -> tuple[dict[str, Term], list[Term]]:
        """The parameters an input names, or the values that an output gives to those of its gate."""
        if gate.kind == INPUT:
            names = {one: variable(self._unused(one), gate.parameters[k].sort) for k, one in enumerate(given)}
            return names, []
        scope, named, parts = {**self._constants, **self._registers}, dict[str, Term](), list[Term]()
        for one, text in zip(gate.parameters, given, strict=True):
            if text.startswith(_FRESH):
                parts += self._unlike(element, one, [*named.values()])
                named[text] = one
            else:
                parts.append(self._built(element, partial(apply, "=", one, self._term(element, text, scope))))
        return named, parts

    def _unlike(self, element: Element, parameter: Term, fresh: list[Term]) -> list[Term]:
        """That a fresh value is none of those seen before, as far as registers and the same output hold them."""
        held = [self._registers[name] for name in sorted(self._holding.get(self._attribute(element, "from"), ()))]
        alike = [one for one in (*held, *fresh) if one.sort.base == parameter.sort.base]
        return [self._built(element, partial(apply, "!=", parameter, one)) for one in alike]

    def _sure_to_hold(self) -> dict[str, frozenset[str]]:
        """For each location the registers that hold a value which was seen, on whichever way it is reached."""
        every = frozenset(self._registers)
        transitions = list(self._root.all("transitions", "transition"))
        found = {one.attributes.get("from", ""): every for one in transitions}
        found[self._initial()] = frozenset()
        while True:
            before = dict(found)
            for one in transitions:
                source, target = one.attributes.get("from", ""), one.attributes.get("to", "")
                held = set(found.get(source, every))
                for step in one.all("assignments", "assign"):
                    text = step.text.strip()
                    seen = text in held if text in self._registers else text not in self._constants and _is_name(text)
                    (held.add if seen else held.discard)(step.attributes.get("to", ""))
                found[target] = found.get(target, every) & held
            if found == before:
                return found

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


def _is_name(text: str) -> bool:
    return text.isidentifier() and text not in ("true", "false")
