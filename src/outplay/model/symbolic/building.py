"""Symbolic transition systems written in Python.

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

from collections.abc import Iterable, Mapping
from typing import Any

from outplay.errors import ModelError
from outplay.model.expressions.term import TRUE, Term, literal
from outplay.model.label import INPUT, OUTPUT
from outplay.model.symbolic.checking import checked
from outplay.model.symbolic.symbolic_system import Gate, NamedCondition, Switch, SymbolicSystem


def input_gate(name: str, *parameters: Term) -> Gate:
    """A gate at which the tester gives something."""
    return Gate(INPUT, name, parameters)


def output_gate(name: str, *parameters: Term) -> Gate:
    """A gate at which the system shows something."""
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
    """A switch; `do` says what variables become, `parameters` names those of the gate anew."""
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
    """A symbolic transition system, checked. Gates that some switch has need not be listed."""
    listed = tuple(switches)
    return checked(
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
