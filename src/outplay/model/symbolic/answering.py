"""Extended machines as symbolic systems, and back: an answer to an input is an input followed by an output.

A step `a / d when g do x := t` becomes a switch `?a` with the guard and the assignment, to a location of its own, and
from there a switch `!d`. Back, every input switch must lead to a location that has output switches only; what both do
becomes one step. Gates with parameters have no place in an extended machine.
"""

from __future__ import annotations

from outplay.errors import ModelError
from outplay.model.expressions.computing import substitute
from outplay.model.expressions.term import TRUE, Term, conjunction
from outplay.model.extended_machine import ExtendedMachine, ExtendedStep
from outplay.model.label import INPUT, OUTPUT
from outplay.model.symbolic.checking import checked
from outplay.model.symbolic.symbolic_system import Gate, Switch, SymbolicSystem


def symbolic_of(machine: ExtendedMachine) -> SymbolicSystem:
    """The symbolic system of an extended machine."""
    gates: dict[tuple[str, str], Gate] = {}
    switches = list[Switch]()

    def gate(kind: str, name: str) -> Gate:
        return gates.setdefault((kind, name), Gate(kind, name))

    for step in machine.steps:
        middle = f"{step.source}.{step.name}"
        given = gate(INPUT, step.given)
        switches.append(Switch(step.name, step.source, given, middle, (), step.guard, step.assignment))
        switches.append(Switch(f"{step.name}.out", middle, gate(OUTPUT, step.shown), step.target, ()))
    start = dict(machine.start)
    return checked(
        SymbolicSystem(machine.name, machine.initial, machine.variables, start, tuple(gates.values()), tuple(switches))
    )


def machine_of_symbolic(system: SymbolicSystem) -> ExtendedMachine:
    """The extended machine of a symbolic system that answers every input by one output at once."""
    if any(gate.parameters for gate in system.gates):
        raise ModelError(f"{system.name}: gates with parameters have no place in an extended machine")
    steps = []
    for switch in system.switches:
        if switch.gate.kind == INPUT:
            steps += [_step(switch, answer) for answer in _answers(system, switch)]
    inner = {switch.target for switch in system.switches if switch.gate.kind == INPUT}
    free = [one for one in system.switches if one.gate.kind == OUTPUT and one.source not in inner]
    if free or system.initial in inner:
        what = free[0].name if free else system.initial
        raise ModelError(f"{system.name}: {what} gives an output that no input has asked for")
    return ExtendedMachine(system.initial, tuple(steps), system.variables, dict(system.start), system.name)


def _answers(system: SymbolicSystem, switch: Switch) -> tuple[Switch, ...]:
    found = system.leaving.get(switch.target, ())
    if not found or any(one.gate.kind != OUTPUT for one in found):
        raise ModelError(
            f"{system.name}: after {switch.name} not every step is an output; an input is answered at once"
        )
    return found


def _step(switch: Switch, answer: Switch) -> ExtendedStep:
    """One step for an input and its answer."""
    before = dict(switch.assignment)
    guards = [one for one in (switch.guard, substitute(answer.guard, before)) if one is not TRUE]
    later: dict[str, Term] = {name: substitute(term, before) for name, term in answer.assignment.items()}
    name = switch.name if answer.name == f"{switch.name}.out" else f"{switch.name}.{answer.name}"
    ends = switch.source, switch.gate.name, answer.gate.name, answer.target
    return ExtendedStep(name, *ends, conjunction(guards), before | later)
