"""The statements of a text of a symbolic transition system, taken one by one into its parts."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from difflib import get_close_matches

from outplay.errors import did_you_mean
from outplay.model.expressions.evaluation import read_assignments
from outplay.model.expressions.reading import ExpressionError, TermReader, Words
from outplay.model.expressions.simplifying import simplify
from outplay.model.expressions.sorts import BOOLEAN, INTEGER, TEXT, Enumeration, Sort, Value, integer_sort
from outplay.model.expressions.term import TRUE, Term, literal, variable
from outplay.model.label import INPUT, OUTPUT
from outplay.model.symbolic.building import checked_system
from outplay.model.symbolic.symbolic_system import Gate, NamedCondition, Switch, SymbolicSystem
from outplay.plurals import counted

_SORTS: dict[str, Sort] = {sort.name: sort for sort in (BOOLEAN, INTEGER, TEXT)}

_NUMBER = re.compile(r"\d+")


class Statements:
    """The declarations so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.initial: str | None = None
        self.initial_offset = 0
        self.sorts: dict[str, Sort] = dict(_SORTS)
        self.constants: dict[str, Term] = {}
        self.variables: dict[str, Sort] = {}
        self.start: dict[str, Value] = {}
        self.gates: dict[str, Gate] = {}
        self.switches: list[Switch] = []
        self.goals: list[NamedCondition] = []
        self.places: dict[str, int] = {}
        """The place of each switch in the text."""
        self._kinds: dict[str, Callable[[Words], None]] = {
            "system": self._system,
            "enumeration": self._enumeration,
            "constant": self._constant,
            "variable": self._variable,
            "input": lambda words: self._gate(words, INPUT),
            "output": lambda words: self._gate(words, OUTPUT),
            "initial": self._initial,
            "switch": self._switch,
            "goal": self._goal,
        }

    @property
    def transitions(self) -> int:
        """The number of transitions declared."""
        return len(self.switches)

    def take(self, words: Words, offset: int) -> None:
        """Take one statement, which stands at an offset of the text."""
        kind = words.take()
        if kind.text not in self._kinds or kind.kind != "name":
            hint = did_you_mean(kind.text[:20], self._kinds)
            raise ExpressionError(f"{kind.text[:20]!r} starts no statement; {hint}", kind.offset)
        self._kinds[kind.text](words)
        if not words.is_done:
            raise words.error(f"{words.shown} after the end of the statement; start each on a line of its own")
        if kind.text == "switch":
            self.places.setdefault(self.switches[-1].name, offset)

    def system(self) -> SymbolicSystem:
        """The system that was declared, checked."""
        if self.initial is None:
            raise ExpressionError("no initial location; write: initial NAME", 0)
        self._refuse_unknown_initial()
        return checked_system(
            SymbolicSystem(
                self.name,
                self.initial,
                self.variables,
                self.start,
                tuple(self.gates.values()),
                tuple(self.switches),
                tuple(self.goals),
            )
        )

    @property
    def _scope(self) -> dict[str, Term]:
        return {**self.constants, **{name: variable(name, sort) for name, sort in self.variables.items()}}

    def _system(self, words: Words) -> None:
        if words.next.kind == "text":
            self.name = str(TermReader(words, {}).expression().value)
        else:
            self.name = words.name("a system")

    def _enumeration(self, words: Words) -> None:
        name = self._fresh(words, "an enumeration", self.sorts)
        words.expect("=")
        members = [self._fresh(words, "a member")]
        while words.take_if(","):
            members.append(self._fresh(words, "a member", members))
        self.sorts[name] = sort = Enumeration(name, tuple(members))
        self.constants.update((member, literal(member, sort)) for member in members)

    def _constant(self, words: Words) -> None:
        name = self._fresh(words, "a constant")
        words.expect("=")
        self.constants[name] = self._literal(words)

    def _literal(self, words: Words) -> Term:
        place = words.next
        term = simplify(TermReader(words, self.constants).expression())
        if not term.is_literal:
            raise ExpressionError(f"{term} is no value", place.offset)
        return term

    def _variable(self, words: Words) -> None:
        name = self._fresh(words, "a variable", self.variables)
        words.expect(":")
        sort = self._sort(words)
        words.expect("=")
        place = words.next
        value = self._literal(words).value
        if not sort.contains(value):
            raise ExpressionError(f"{json.dumps(value)} is no value of {sort}", place.offset)
        self.variables[name], self.start[name] = sort, value

    def _fresh(self, words: Words, what: str, taken: object = ()) -> str:
        place = words.next
        name = words.name(what)
        if name in self.constants or (isinstance(taken, dict | list) and name in taken):
            raise ExpressionError(f"{name} is declared twice; call one otherwise", place.offset)
        return name

    def _sort(self, words: Words) -> Sort:
        place = words.next
        if place.kind == "name" and place.text in self.sorts:
            words.take()
            return self.sorts[place.text]
        if place.kind == "name" and place.text not in self.constants:
            raise words.error(f"no sort {place.text[:40]!r}; {did_you_mean(place.text[:40], self.sorts)}, or low..high")
        low = self._bound(words)
        words.expect(".")
        words.expect(".")
        high = self._bound(words)
        if low > high:
            raise ExpressionError(f"there is no integer in {low}..{high}; write the smaller bound first", place.offset)
        return integer_sort(low, high)

    def _bound(self, words: Words) -> int:
        place = words.next
        sign = -1 if words.take_if("-") else 1
        part = words.take()
        named = self.constants.get(part.text)
        if part.kind == "number":
            return sign * int(part.text)
        if named is None or named.sort.base != INTEGER:
            raise ExpressionError("bounds are integers, as in 0..10", place.offset)
        return sign * int(named.value or 0)

    def _gate(self, words: Words, kind: str) -> None:
        place = words.next
        name = words.name("a gate")
        parameters = []
        if words.take_if("(") and not words.take_if(")"):
            parameters = [self._parameter(words)]
            while words.take_if(","):
                parameters.append(self._parameter(words))
            words.expect(")")
        if kind + name in self.gates:
            raise ExpressionError(f"gate {kind}{name} is declared twice; keep one", place.offset)
        self.gates[kind + name] = Gate(kind, name, tuple(parameters))

    def _parameter(self, words: Words) -> Term:
        name = self._fresh(words, "a parameter")
        words.expect(":")
        return variable(name, self._sort(words))

    def _initial(self, words: Words) -> None:
        if self.initial is not None:
            raise words.error("a second initial location; keep one")
        self.initial_offset = words.next.offset
        self.initial = take_location_name(words)

    def _refuse_unknown_initial(self) -> None:
        """Refuse an initial location that no switch names and that is much like one: it is most likely misspelt."""
        places = {place for switch in self.switches for place in (switch.source, switch.target)}
        name = str(self.initial)[:40]
        alike = get_close_matches(name, sorted(places), n=1, cutoff=0.7) if self.initial not in places else []
        # Names that differ in their numbers alone are as they should be: nothing may be able to leave the initial one.
        if any(_NUMBER.sub("", one) != _NUMBER.sub("", name) for one in alike):
            raise ExpressionError(f"unknown location {name!r}; {did_you_mean(name, places)}", self.initial_offset)

    def _switch(self, words: Words) -> None:
        name = take_location_name(words, "a switch")
        words.expect(":")
        source = take_location_name(words)
        words.expect("->")
        target = take_location_name(words)
        words.expect("on")
        gate, parameters = self._called(words)
        scope = {**self._scope, **{str(one.value): one for one in parameters}}
        guard = TermReader(words, scope).expression() if words.take_if("when") else TRUE
        done = read_assignments(words, scope, self.variables) if words.take_if("do") else {}
        self.switches.append(Switch(name, source, gate, target, parameters, guard, done))

    def _called(self, words: Words) -> tuple[Gate, tuple[Term, ...]]:
        place = words.next
        marks = [words.take().text] if words.next.text in (INPUT, OUTPUT) else [INPUT, OUTPUT]
        name = words.name("a gate")
        found = [self.gates[mark + name] for mark in marks if mark + name in self.gates]
        if len(found) != 1:
            known = {gate.name for gate in self.gates.values()}
            why = f"?{name} or !{name}" if found else f"declare it first; {did_you_mean(name[:40], known)}"
            raise ExpressionError(f"gate {name[:40]}: {why}", place.offset)
        gate = found[0]
        if not words.take_if("("):
            return gate, gate.parameters
        names = [] if words.next.text == ")" else [words.name("a parameter")]
        while words.take_if(","):
            names.append(words.name("a parameter"))
        words.expect(")")
        if len(names) != len(gate.parameters):
            what = f"gate {gate.text} has {counted(len(gate.parameters), 'parameter')}, not {len(names)}"
            raise ExpressionError(what, place.offset)
        return gate, tuple(variable(own, one.sort) for own, one in zip(names, gate.parameters, strict=True))

    def _goal(self, words: Words) -> None:
        name = words.name("a goal")
        place = take_location_name(words) if words.take_if("at") else None
        condition = TermReader(words, self._scope).expression() if words.take_if("when") else TRUE
        self.goals.append(NamedCondition(name, place, condition))


def take_location_name(words: Words, what: str = "a location") -> str:
    """Take the name of a location, which may be a number, from a statement of an `.sts` text."""
    if words.next.kind not in ("name", "number"):
        raise words.error(f"{words.shown} is no name of {what}")
    return words.take().text
