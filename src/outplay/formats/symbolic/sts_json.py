"""Symbolic transition systems as JSON, in the layout of the tool Lattest; read only.

Guards and assignments are named once and referred to by switches. An expression is a number, a truth value, the name of
a variable or parameter, or an object with `lhs`, `op` and `rhs`. A switch may name several assignments, which happen
at once, and one guard or a list of them.
"""

from __future__ import annotations

from typing import Any

from outplay.errors import ModelError, did_you_mean
from outplay.formats.common.json_document import InvalidDocument, clipped, decode_json, placed_error
from outplay.formats.common.source import LIMITS, ReadLimits, Source
from outplay.model.expressions.reading import SYMBOLS
from outplay.model.expressions.sorts import BOOLEAN, INTEGER, TEXT, Sort
from outplay.model.expressions.term import Term, conjunction, literal, variable
from outplay.model.label import INPUT, OUTPUT
from outplay.model.symbolic.building import SwitchError, checked_system
from outplay.model.symbolic.symbolic_system import Gate, Switch, SymbolicSystem

_SORTS: dict[str, Sort] = {"integer": INTEGER, "int": INTEGER, "boolean": BOOLEAN, "bool": BOOLEAN, "string": TEXT}
_DEEPEST = 100
_START: dict[Sort, Any] = {INTEGER: 0, BOOLEAN: False, TEXT: ""}


def is_symbolic_json(text: str) -> bool:
    """Say whether a JSON text looks like a symbolic transition system in the layout of Lattest."""
    return '"locationVariables"' in text and '"switches"' in text


def read(source: Source, *, name: str | None = None, limits: ReadLimits = LIMITS) -> SymbolicSystem:
    """Read a symbolic transition system from Lattest's JSON; `name` is what it is called (else its path)."""
    document = decode_json(source)
    try:
        if not isinstance(document, dict):
            raise InvalidDocument('one JSON object is needed; start with {"locations": …')
        limits.refuse_edges(source, 1, len(_entries(document, "switches")))
        return _Reading(document).system(name or source.name)
    except InvalidDocument as error:
        raise placed_error(source, error) from None


def _entries(entry: dict[str, Any], *path: str) -> dict[str, Any]:
    value: Any = entry
    for key in path:
        value = value.get(key, {}) if isinstance(value, dict) else None
    if not isinstance(value, dict):
        raise InvalidDocument(f"{path[-1]} is {clipped(value)} and should be an object", *path)
    return value


class _Reading:
    """One document, read part by part."""

    def __init__(self, document: dict[str, Any]) -> None:
        self._document = document
        self._variables = self._sorts("locationVariables")
        self._parameters = self._sorts("parameters")
        names = {**self._variables, **self._parameters}
        self._scope = {key: variable(key, sort) for key, sort in names.items()}

    def system(self, name: str) -> SymbolicSystem:
        """The system, checked."""
        gates = {key: gate for kind in (INPUT, OUTPUT) for key, gate in self._gates(kind).items()}
        switches = tuple(self._switch(key, entry, gates) for key, entry in _entries(self._document, "switches").items())
        start = {**{key: _START[sort] for key, sort in self._variables.items()}, **self._start()}
        initial = self._place(self._document.get("initial_location"), "initial_location")
        made = SymbolicSystem(name, initial, self._variables, start, tuple(gates.values()), switches)
        try:
            return checked_system(made)
        except SwitchError as error:
            raise InvalidDocument(str(error), "switches", error.switch) from None
        except ModelError as error:
            raise InvalidDocument(str(error)) from None

    def _sorts(self, key: str) -> dict[str, Sort]:
        found = {}
        for name, entry in _entries(self._document, key).items():
            kind = entry.get("type") if isinstance(entry, dict) else entry
            if not isinstance(kind, str) or kind.lower() not in _SORTS:
                raise InvalidDocument(
                    f"{name} is of type {clipped(kind)}; known: {', '.join(sorted(_SORTS))}", key, name
                )
            found[name] = _SORTS[kind.lower()]
        return found

    def _start(self) -> dict[str, Any]:
        found = _entries(self._document, "initialValuation")
        for name, value in found.items():
            if name not in self._variables:
                hint = did_you_mean(name[:40], self._variables)
                raise InvalidDocument(f"{clipped(name)} is no variable; {hint}", "initialValuation", name)
            if not self._variables[name].contains(value):
                what = f"{name} starts as {clipped(value)}, which is no value of {self._variables[name]}"
                raise InvalidDocument(what, "initialValuation", name)
        return found

    def _gates(self, kind: str) -> dict[str, Gate]:
        key = "inputGates" if kind == INPUT else "outputGates"
        found = {}
        for name, entry in _entries(self._document, key).items():
            listed = entry.get("parameters", []) if isinstance(entry, dict) else None
            if not isinstance(listed, list) or not all(
                isinstance(one, str) and one in self._parameters for one in listed
            ):
                raise InvalidDocument(f"gate {clipped(name)} has no list of known parameters", key, name)
            found[name] = Gate(kind, name, tuple(self._scope[one] for one in listed))
        return found

    def _switch(self, name: str, entry: Any, gates: dict[str, Gate]) -> Switch:
        if not isinstance(entry, dict):
            raise InvalidDocument(f"switch {clipped(name)} is no object", "switches", name)
        gate = gates.get(str(entry.get("gate")))
        if gate is None:
            raise InvalidDocument(f"switch {name}: no gate {clipped(entry.get('gate'))}", "switches", name, "gate")
        source = self._place(entry.get("init_loc"), "switches", name, "init_loc")
        target = self._place(entry.get("end_loc"), "switches", name, "end_loc")
        guards = entry.get("guard", [])
        named = guards if isinstance(guards, list) else [guards]
        guard = self._built(conjunction, [self._guard(one, name) for one in named], "switches", name, "guard")
        done = dict(self._assignment(one, name) for one in _listed(entry, "assignments", name))
        return Switch(name, source, gate, target, gate.parameters, guard, done)

    def _place(self, value: Any, *path: str) -> str:
        known = self._document.get("locations", [])
        if (
            isinstance(value, bool)
            or not isinstance(value, str | int)
            or not isinstance(known, list)
            or value not in known
        ):
            raise InvalidDocument(f"{clipped(value)} is no location; list it in locations", *path)
        return str(value)

    def _guard(self, key: Any, switch: str) -> Term:
        known = _entries(self._document, "guards")
        if not isinstance(key, str) or key not in known:
            raise InvalidDocument(f"switch {switch}: no guard {clipped(key)}", "switches", switch, "guard")
        return self._term(known[key], ("guards", key))

    def _assignment(self, key: Any, switch: str) -> tuple[str, Term]:
        known = _entries(self._document, "assignments")
        entry = known.get(key) if isinstance(key, str) else None
        if not isinstance(entry, dict) or not isinstance(entry.get("target"), str):
            raise InvalidDocument(f"switch {switch}: no assignment {clipped(key)}", "switches", switch, "assignments")
        return entry["target"], self._term(entry.get("expression"), ("assignments", key, "expression"))

    def _term(self, value: Any, path: tuple[str, ...]) -> Term:
        if len(path) > _DEEPEST:
            raise InvalidDocument(f"nested deeper than {_DEEPEST} levels", *path[:2])
        if isinstance(value, dict):
            left, right = self._term(value.get("lhs"), (*path, "lhs")), self._term(value.get("rhs"), (*path, "rhs"))
            symbol = value.get("op")
            if not isinstance(symbol, str) or symbol not in SYMBOLS:
                raise InvalidDocument(f"no operation {clipped(symbol)}; known: {', '.join(SYMBOLS)}", *path, "op")
            return self._built(SYMBOLS[symbol][1], left, right, *path)
        if isinstance(value, str):
            if value not in self._scope:
                raise InvalidDocument(
                    f"no variable or parameter {clipped(value)}; {did_you_mean(value[:40], self._scope)}", *path
                )
            return self._scope[value]
        return self._built(literal, value, *path)

    def _built(self, build: Any, *given: Any) -> Term:
        arguments = [one for one in given if not isinstance(one, str)]
        path = [one for one in given if isinstance(one, str)]
        try:
            made: Term = build(*arguments)
        except ModelError as error:
            raise InvalidDocument(str(error), *path) from None
        return made


def _listed(entry: dict[str, Any], key: str, switch: str) -> list[Any]:
    value = entry.get(key, [])
    if not isinstance(value, list):
        raise InvalidDocument(f"switch {switch}: {key} is no list", "switches", switch, key)
    return value
