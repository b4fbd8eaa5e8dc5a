"""Silence, symbolically: at which locations a system may have nothing to say, for some values that it can have there.

A state is quiescent when no values of parameters meet the guard of any output switch. Over all states that a symbolic
state stands for, that is a question with quantifiers, which van den Bos 2020 (4.7) leaves open; it is asked of the
solver as it stands: are there values that the condition allows, for which there are no parameters?
"""

from __future__ import annotations

from dataclasses import dataclass

from outplay.model.expressions.computing import substitute
from outplay.model.expressions.simplifying import simplify
from outplay.model.expressions.term import FALSE, TRUE, Term, disjunction, variable
from outplay.model.label import OUTPUT
from outplay.model.symbolic.execution.execution_graph import ExecutionGraph
from outplay.model.symbolic.execution.symbolic_state import SymbolicState
from outplay.model.symbolic.solving.finding import Finding, Satisfied, Undecided, Unsatisfiable
from outplay.model.symbolic.solving.path_solver import PathSolver
from outplay.model.symbolic.symbolic_system import SymbolicSystem


@dataclass(frozen=True)
class Silence:
    """Locations at which the system may be silent, and those for which the solver could not tell."""

    possible: tuple[str, ...]
    undecided: tuple[str, ...]


def silence_in(graph: ExecutionGraph, milliseconds: int = 1000) -> Silence:
    """Where silence may be observed, in the states of a graph.

    >>> from outplay.model.symbolic.building import output_gate, switch, symbolic_system
    >>> from outplay.model.symbolic.execution.execution_graph import execution_graph
    >>> x, p = variable("x"), variable("p")
    >>> clock = symbolic_system("clock", "l", {x: 0}, [switch("t", "l", output_gate("t", p), "m", when=p > x)])
    >>> silence_in(execution_graph(clock))
    Silence(possible=('m',), undecided=())
    """
    found: dict[str, set[type]] = {}
    solver = PathSolver(milliseconds)
    for state in graph.states:
        kinds = found.setdefault(state.location, set())
        if Satisfied not in kinds:
            kinds.add(type(_asked(graph.system, state, solver)))
    possible = tuple(place for place, kinds in found.items() if Satisfied in kinds)
    left = (place for place, kinds in found.items() if Undecided in kinds and Satisfied not in kinds)
    return Silence(possible, tuple(left))


def _asked(system: SymbolicSystem, state: SymbolicState, solver: PathSolver) -> Finding:
    guards, chosen = list[Term](), list[Term]()
    for switch in system.leaving.get(state.location, ()):
        if switch.gate.kind == OUTPUT:
            own = {str(one.value): variable(f"{one.value}@{switch.name}", one.sort) for one in switch.parameters}
            guards.append(substitute(system.enabling(switch), {**state.terms, **own}))
            chosen += own.values()
    speaks = simplify(disjunction(guards))
    if speaks is FALSE:
        return Satisfied({})
    if speaks is TRUE:
        return Unsatisfiable()
    return solver.escapes(state.condition, speaks, chosen)
