"""A symbolic system with fewer data: what is given comes from a range, so that it can be explored and compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from outplay.model.expressions.computing import substitute
from outplay.model.expressions.sorts import INTEGER, Sort, integers
from outplay.model.expressions.term import Term, variable
from outplay.model.label import INPUT
from outplay.model.symbolic.checking import checked
from outplay.model.symbolic.symbolic_system import Gate, Switch, SymbolicSystem


def restricted(system: SymbolicSystem, low: int, high: int) -> SymbolicSystem:
    """The system in which the tester gives integers from a range only; what the system shows is as it was.

    >>> from outplay.model.symbolic.building import input_gate, switch, symbolic_system
    >>> (p,) = (variable("p"),)
    >>> whole = symbolic_system("any", "l", {}, [switch("r", "l", input_gate("a", p), "l", when=p > 0)])
    >>> [str(gate.parameters[0].sort) for gate in restricted(whole, 0, 3).gates]
    ['0..3']
    """
    sort = integers(low, high)
    gates = {gate: _gate(gate, sort) for gate in system.gates}
    switches = tuple(_switch(one, gates[one.gate], sort) for one in system.switches)
    return checked(replace(system, gates=tuple(gates.values()), switches=switches))


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
