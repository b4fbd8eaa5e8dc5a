"""Symbolic transition systems: locations, variables, gates with parameters, and switches with guard and assignment.

Definition (van den Bos 2020, 4.3). A switch leads from a location to another by a gate. It may be taken with all values
of the gate's parameters that meet its guard; the variables then become what its assignment says, all at once. Where a
variable has bounds, a switch is enabled only where what it assigns keeps to them.

A symbolic transition system as text, in the format of `.sts` files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from outplay.model.expressions.computing import fits, write_assignment
from outplay.model.expressions.simplifying import simplify
from outplay.model.expressions.sorts import Enumeration, Sort, Value
from outplay.model.expressions.term import TRUE, Term, conjunction, literal
from outplay.model.label import INPUT
from outplay.plurals import counted
from outplay.showing import Drawn


@dataclass(frozen=True)
class Gate:
    """An input `?` or output `!` with its parameters, which are variables of terms."""

    kind: str
    name: str
    parameters: tuple[Term, ...] = ()

    @property
    def text(self) -> str:
        return f"{self.kind}{self.name}"

    def __str__(self) -> str:
        return " ".join([self.text, *map(str, self.parameters)])


@dataclass(frozen=True)
class Switch:
    """A step from a location to another, by a gate whose parameters it may call by names of its own."""

    name: str
    source: str
    gate: Gate
    target: str
    parameters: tuple[Term, ...]
    guard: Term = TRUE
    assignment: Mapping[str, Term] = field(default_factory=dict)

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class NamedCondition:
    """A goal: at a location, or anywhere, where a condition on the variables holds."""

    name: str
    location: str | None = None
    condition: Term = TRUE


@dataclass(frozen=True, repr=False)
class SymbolicSystem(Drawn):
    """A symbolic transition system. Make one with `symbolic_system`, or from a file; it has been checked."""

    name: str
    initial: str
    variables: Mapping[str, Sort]
    start: Mapping[str, Value]
    """The initial values of the variables."""
    gates: tuple[Gate, ...]
    switches: tuple[Switch, ...]
    goals: tuple[NamedCondition, ...] = ()

    @cached_property
    def locations(self) -> tuple[str, ...]:
        """All locations, the initial one first, the others as they are met."""
        ends = (end for switch in self.switches for end in (switch.source, switch.target))
        return tuple(dict.fromkeys([self.initial, *ends]))

    @cached_property
    def leaving(self) -> dict[str, tuple[Switch, ...]]:
        """The switches of each location."""
        return {place: tuple(one for one in self.switches if one.source == place) for place in self.locations}

    def enabling(self, switch: Switch) -> Term:
        """The guard of a switch, with the bounds that what it assigns keeps to."""
        return self._enabling[switch.name]

    @cached_property
    def _enabling(self) -> dict[str, Term]:
        return {one.name: self._with_bounds(one) for one in self.switches}

    def _with_bounds(self, switch: Switch) -> Term:
        bounds = (fits(term, self.variables[name]) for name, term in switch.assignment.items())
        return simplify(conjunction([switch.guard, *(bound for bound in bounds if bound is not TRUE)]))

    def switch(self, name: str) -> Switch:
        """The switch of a name."""
        return next(one for one in self.switches if one.name == name)

    def __hash__(self) -> int:
        return hash((self.name, self.initial, len(self.switches)))

    def __repr__(self) -> str:
        counts = [(len(self.locations), "location"), (len(self.variables), "variable"), (len(self.switches), "switch")]
        words = [counted(n, word) for n, word in counts]
        return f"SymbolicSystem({self.name!r}, {', '.join(words)})"


def system_text(system: SymbolicSystem) -> Iterator[str]:
    """The lines of a file that is read as this system."""
    yield f"system {literal(system.name)}\n"
    for one in dict.fromkeys(_enumerations(system)):
        yield f"enumeration {one.name} = {', '.join(one.members)}\n"
    for name, sort in system.variables.items():
        yield f"variable {name}: {sort} = {literal(system.start[name], sort)}\n"
    for gate in system.gates:
        yield _gate(gate)
    yield f"initial {system.initial}\n"
    yield from map(_switch, system.switches)
    yield from map(_goal, system.goals)


def _enumerations(system: SymbolicSystem) -> list[Enumeration]:
    sorts = [*system.variables.values(), *(one.sort for gate in system.gates for one in gate.parameters)]
    return [sort for sort in sorts if isinstance(sort, Enumeration)]


def _gate(gate: Gate) -> str:
    named = ", ".join(f"{one}: {one.sort}" for one in gate.parameters)
    return f"{'input' if gate.kind == INPUT else 'output'} {gate.name}{f'({named})' if named else ''}\n"


def _switch(switch: Switch) -> str:
    called = ", ".join(map(str, switch.parameters))
    kind = "" if not called else f"({called})"
    guard = "" if switch.guard is TRUE else f" when {switch.guard}"
    done = f" do {write_assignment(switch.assignment)}" if switch.assignment else ""
    mark = switch.gate.kind
    return f"switch {switch.name}: {switch.source} -> {switch.target} on {mark}{switch.gate.name}{kind}{guard}{done}\n"


def _goal(goal: NamedCondition) -> str:
    place = "" if goal.location is None else f" at {goal.location}"
    condition = "" if goal.condition is TRUE else f" when {goal.condition}"
    return f"goal {goal.name}{place}{condition}\n"
