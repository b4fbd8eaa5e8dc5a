"""A symbolic transition system as text, in the format of `.sts` files."""

from __future__ import annotations

from collections.abc import Iterator

from outplay.model.expressions.assigning import write_assignment
from outplay.model.expressions.sorts import Enumeration
from outplay.model.expressions.term import TRUE, literal
from outplay.model.label import INPUT
from outplay.model.symbolic.symbolic_system import Gate, NamedCondition, Switch, SymbolicSystem


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
