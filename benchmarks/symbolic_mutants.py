"""Mutants of a symbolic system: one thing changed in each, as an implementer may get it wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from outplay.errors import ModelError
from outplay.model.expressions.simplifying import negated
from outplay.model.expressions.sorts import INTEGER, OPERATIONS
from outplay.model.expressions.term import TRUE, Term, apply, literal
from outplay.model.label import OUTPUT
from outplay.model.symbolic.building import checked_system
from outplay.model.symbolic.symbolic_system import Switch, SymbolicSystem

_NEAR = {"<": ("<=",), "<=": ("<",), ">": (">=",), ">=": (">",), "=": ("!=",), "!=": ("=",)}


def mutants(system: SymbolicSystem) -> Iterator[tuple[str, SymbolicSystem]]:
    """Each mutant with what was changed: another guard, an assignment lost or added, another target, an output lost."""
    for what, place, switch in changes(system):
        mutant = with_switch(system, place, switch)
        if mutant is not None:
            yield what, mutant


def changes(system: SymbolicSystem) -> Iterator[tuple[str, int, Switch | None]]:
    """What may be changed: in words, the place of a switch, and what takes its place (None: nothing)."""
    for place, switch in enumerate(system.switches):
        for what, changed in _changed(system, switch):
            yield f"{switch.name}: {what}", place, changed


def with_switch(system: SymbolicSystem, place: int, switch: Switch | None) -> SymbolicSystem | None:
    """The system with one switch changed; None where it no longer fits its sort, so that it is no mutant."""
    switches = list(system.switches)
    switches[place : place + 1] = [] if switch is None else [switch]
    try:
        return checked_system(replace(system, switches=tuple(switches)))
    except ModelError:
        return None


def _changed(system: SymbolicSystem, switch: Switch) -> Iterator[tuple[str, Switch | None]]:
    for guard in _other_terms(switch.guard):
        yield f"guard {guard}", replace(switch, guard=guard)
    if switch.guard is not TRUE:
        yield "no guard", replace(switch, guard=TRUE)
        yield "guard negated", replace(switch, guard=negated(switch.guard))
    for name in switch.assignment:
        left = {other: term for other, term in switch.assignment.items() if other != name}
        yield f"{name} not assigned", replace(switch, assignment=left)
        for term in _other_terms(switch.assignment[name]):
            yield f"{name} := {term}", replace(switch, assignment={**switch.assignment, name: term})
    for name, sort in system.variables.items():
        if name not in switch.assignment and sort.contains(system.start[name]):
            added = {**switch.assignment, name: literal(system.start[name], sort)}
            yield f"{name} reset", replace(switch, assignment=added)
    for other in system.locations:
        if other not in (switch.target, switch.source):
            yield f"to {other}", replace(switch, target=other)
    if switch.gate.kind == OUTPUT:
        yield "never shown", None


def _other_terms(term: Term) -> Iterator[Term]:
    """The term with one comparison or one number in it changed."""
    for near in _NEAR.get(term.operation, ()):
        if OPERATIONS[near].result([one.sort.base for one in term.arguments]) is not None:
            yield apply(near, *term.arguments)
    if term.is_literal and term.sort == INTEGER:
        yield literal(int(term.value or 0) + 1)
        yield literal(int(term.value or 0) - 1)
    for place, argument in enumerate(term.arguments):
        for other in _other_terms(argument):
            yield apply(term.operation, *term.arguments[:place], other, *term.arguments[place + 1 :])
