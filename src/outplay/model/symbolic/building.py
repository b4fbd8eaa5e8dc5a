"""Building symbolic transition systems in Python, checked: names used once, sorts that fit.

An error names the switch and the term.

>>> from outplay.model.expressions.term import between, variables
>>> x, p = variables("x p")
>>> in_x, out_x, done = input_gate("inX", p), output_gate("outX", p), output_gate("done")
>>> adder = symbolic_system("adder", "l0", {x: 0}, [
...     switch("r0", "l0", in_x, "l1", when=between(1, p, 10), do={x: x + p}),
...     switch("r1", "l1", out_x, "l0", when=p == x),
...     switch("r2", "l0", done, "l2", when=x > 15),
... ])
>>> adder
SymbolicSystem('adder', 3 locations, 1 variable, 3 switches)
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from outplay.errors import ModelError, did_you_mean
from outplay.model.expressions.evaluation import free_variables, substitute
from outplay.model.expressions.reading import KEYWORDS
from outplay.model.expressions.sorts import BOOLEAN, INTEGER, Sort, integer_sort
from outplay.model.expressions.term import TRUE, Term, literal, variable
from outplay.model.label import INPUT, OUTPUT
from outplay.model.symbolic.symbolic_system import Gate, NamedCondition, Switch, SymbolicSystem

_NAME = re.compile(r"[^\W\d]\w*(?:[.][^\W\d]\w*)*")
_PLACE = re.compile(r"[\w.']+")


class SwitchError(ModelError):
    """Something is wrong with one switch, `switch` by name."""

    def __init__(self, switch: str, what: str) -> None:
        super().__init__(f"switch {switch}: {what}")
        self.switch, self.what = switch, what


def checked_system(system: SymbolicSystem) -> SymbolicSystem:
    """Check a symbolic system and put its assignments in the order of the variables, or raise a ModelError."""
    _check_names(system)
    _check_start(system)
    gates = {(one.kind, one.name): one for one in system.gates}
    for gate in system.gates:
        _check_gate(gate, system.variables, gates)
    for name in _twice(switch.name for switch in system.switches):
        raise SwitchError(name, "there are two of this name; call one otherwise")
    for switch in system.switches:
        _check_switch(switch, system, gates)
    for goal in system.goals:
        try:
            _check_condition(goal.condition, system.variables)
        except ModelError as error:
            raise ModelError(f"goal {goal.name}: {error}") from None
        if goal.location is not None and goal.location not in system.locations:
            raise ModelError(f"goal {goal.name}: no location {goal.location!r}")
    return replace(system, switches=tuple(_in_order(switch, system.variables) for switch in system.switches))


def _check_names(system: SymbolicSystem) -> None:
    parameters = [str(one.value) for gate in system.gates for one in gate.parameters]
    for what, names in (
        ("variable", system.variables),
        ("parameter", parameters),
        ("gate", (gate.name for gate in system.gates)),
        ("goal", (goal.name for goal in system.goals)),
    ):
        for name in names:
            if not _NAME.fullmatch(name) or name in KEYWORDS:
                raise ModelError(f"{name[:40]!r} is no name for a {what}; use letters, digits and _")
    for place in system.locations:
        if not _PLACE.fullmatch(place):
            raise ModelError(f"{place[:40]!r} is no name for a location; use letters, digits and _")


def _check_start(system: SymbolicSystem) -> None:
    for name, sort in system.variables.items():
        if name not in system.start:
            raise ModelError(f"variable {name} has no value at the start; give one")
        if not sort.contains(system.start[name]):
            raise ModelError(f"variable {name} starts as {system.start[name]!r}, which is no value of {sort}")


def _check_gate(gate: Gate, variables: Mapping[str, Sort], gates: Mapping[tuple[str, str], Gate]) -> None:
    if gates[gate.kind, gate.name] is not gate and gates[gate.kind, gate.name] != gate:
        raise ModelError(f"gate {gate.text} is declared twice, with other parameters; keep one")
    _check_parameters(f"gate {gate.text}", gate.parameters, variables)


def _check_parameters(where: str, parameters: tuple[Term, ...], variables: Mapping[str, Sort]) -> None:
    for one in parameters:
        if not one.is_variable:
            raise ModelError(f"{where}: the parameter {one} is no variable; name it, and put the term into the guard")
        if one.value in variables:
            raise ModelError(f"{where}: {one} is a variable and a parameter; call one otherwise")
    for name in _twice(map(str, parameters)):
        raise ModelError(f"{where}: the parameter {name} twice; call one otherwise")


def _check_switch(switch: Switch, system: SymbolicSystem, gates: Mapping[tuple[str, str], Gate]) -> None:
    if (switch.gate.kind, switch.gate.name) not in gates:
        raise SwitchError(switch.name, f"no gate {switch.gate.text}; declare it")
    expected = [one.sort for one in switch.gate.parameters]
    if [one.sort for one in switch.parameters] != expected:
        given = ", ".join(f"{one}: {one.sort}" for one in switch.parameters) or "none"
        wanted = ", ".join(map(str, expected)) or "none"
        raise SwitchError(switch.name, f"gate {switch.gate.text} has parameters of sorts {wanted}, not {given}")
    known = {**system.variables, **{str(one.value): one.sort for one in switch.parameters}}
    try:
        _check_parameters(f"gate {switch.gate.text}", switch.parameters, system.variables)
        _check_condition(switch.guard, known)
        for name, term in switch.assignment.items():
            _check_assigned(name, term, system.variables, known)
    except ModelError as error:
        raise SwitchError(switch.name, str(error)) from None


def _check_assigned(name: str, term: Term, variables: Mapping[str, Sort], known: Mapping[str, Sort]) -> None:
    if name not in variables:
        raise ModelError(f"{name} := {term}: no variable {name}; {did_you_mean(name, variables)}")
    if term.sort.base != variables[name].base:
        raise ModelError(f"{name} := {term}: {name} is of sort {variables[name]}, {term} is of sort {term.sort.base}")
    _check_free(f"{name} := {term}", term, known)


def _check_condition(condition: Term, known: Mapping[str, Sort]) -> None:
    if condition.sort.base != BOOLEAN:
        raise ModelError(f"{condition} is of sort {condition.sort.base}, and a guard is a condition")
    _check_free(str(condition), condition, known)


def _check_free(where: str, term: Term, known: Mapping[str, Sort]) -> None:
    for name, found in free_variables(term).items():
        if name not in known:
            raise ModelError(f"{where}: no variable or parameter {name}; {did_you_mean(name, known)}")
        if found.sort != known[name]:
            raise ModelError(f"{where}: {name} is of sort {found.sort} here and {known[name]} where it is declared")


def _in_order(switch: Switch, variables: Mapping[str, Sort]) -> Switch:
    return replace(
        switch, assignment={name: switch.assignment[name] for name in variables if name in switch.assignment}
    )


def _twice(names: Iterable[str]) -> list[str]:
    listed = list(names)
    return [name for place, name in enumerate(listed) if name in listed[:place]]


def input_gate(name: str, *parameters: Term) -> Gate:
    """Make a gate of a symbolic system at which the tester gives something."""
    return Gate(INPUT, name, parameters)


def output_gate(name: str, *parameters: Term) -> Gate:
    """Make a gate of a symbolic system at which the system shows something."""
    return Gate(OUTPUT, name, parameters)


def switch(
    name: str,
    source: str,
    gate: Gate,
    target: str,
    *,
    when: Term = TRUE,
    do: Mapping[Term, Any] | None = None,
    parameters: Iterable[Term] | None = None,
) -> Switch:
    """Make a switch of a symbolic system; `do` assigns variables, `parameters` names those of the gate anew."""
    named = gate.parameters if parameters is None else tuple(parameters)
    return Switch(
        name, source, gate, target, named, when, {str(key): _lifted(key, to) for key, to in (do or {}).items()}
    )


def symbolic_system(
    name: str,
    initial: str,
    variables: Mapping[Term, Any],
    switches: Iterable[Switch],
    *,
    goals: Iterable[NamedCondition] = (),
    gates: Iterable[Gate] = (),
) -> SymbolicSystem:
    """Make a checked symbolic transition system; gates that some switch has need not be listed."""
    listed = tuple(switches)
    return checked_system(
        SymbolicSystem(
            name,
            initial,
            {str(key): key.sort for key in variables},
            {str(key): value for key, value in variables.items()},
            tuple(dict.fromkeys([*gates, *(one.gate for one in listed)])),
            listed,
            tuple(goals),
        )
    )


def _lifted(key: Term, value: Any) -> Term:
    if isinstance(value, Term):
        return value
    try:
        return literal(value, key.sort)
    except ModelError:
        return literal(value)  # of another sort or out of bounds, which is told with the name of the switch


def restricted(system: SymbolicSystem, low: int, high: int) -> SymbolicSystem:
    """Restrict the integers that the tester may give a symbolic system to a range; outputs stay as they are.

    >>> p = variable("p")
    >>> whole = symbolic_system("any", "l", {}, [switch("r", "l", input_gate("a", p), "l", when=p > 0)])
    >>> [str(gate.parameters[0].sort) for gate in restricted(whole, 0, 3).gates]
    ['0..3']
    """
    sort = integer_sort(low, high)
    gates = {gate: _gate(gate, sort) for gate in system.gates}
    switches = tuple(_switch(one, gates[one.gate], sort) for one in system.switches)
    return checked_system(replace(system, gates=tuple(gates.values()), switches=switches))


def _narrow(one: Term, sort: Sort) -> Term:
    return variable(str(one.value), sort) if one.sort == INTEGER else one


def _gate(gate: Gate, sort: Sort) -> Gate:
    return (
        replace(gate, parameters=tuple(_narrow(one, sort) for one in gate.parameters)) if gate.kind == INPUT else gate
    )


def _switch(switch: Switch, gate: Gate, sort: Sort) -> Switch:
    if gate.kind != INPUT:
        return switch
    names: Mapping[str, Term] = {str(one.value): _narrow(one, sort) for one in switch.parameters}
    done = {name: substitute(term, names) for name, term in switch.assignment.items()}
    own = tuple(names.values())
    return replace(switch, gate=gate, parameters=own, guard=substitute(switch.guard, names), assignment=done)
