"""The symbolic execution graph: symbolic states and the switches between them, breadth first.

Definition (van den Bos 2020, 4.14). A switch leads on where a solver finds its guard satisfiable together with the path
condition, or cannot tell. A state that is the same as an earlier one but for the names of parameters is that one; a
state whose values are all among those of an earlier one of its location is subsumed and not expanded, for what can
follow it can follow that one. Both keep loops from making the graph grow for ever; limits do where that is not enough.

Silence, symbolically: at which locations a system may have nothing to say, for some values that it can have there. A
state is quiescent when no values of parameters meet the guard of any output switch. Over all states that a symbolic
state stands for, that is a question with quantifiers, which van den Bos 2020 (4.7) leaves open; it is asked of the
solver as it stands: are there values that the condition allows, for which there are no parameters?
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from outplay.errors import ModelError
from outplay.model.expressions.evaluation import free_variables, substitute
from outplay.model.expressions.simplifying import conjuncts, simplify
from outplay.model.expressions.term import FALSE, TRUE, Term, apply, conjunction, disjunction, variable
from outplay.model.label import OUTPUT
from outplay.model.symbolic.solving import Finding, PathSolver, Satisfied, Undecided, Unsatisfiable
from outplay.model.symbolic.symbolic_state import (
    SymbolicState,
    canonical_state,
    initial_symbolic_state,
    is_subsumable,
    symbolic_successor,
)
from outplay.model.symbolic.symbolic_system import Switch, SymbolicSystem
from outplay.plurals import counted
from outplay.renderable import Drawn

_COMPARED = 30  # states of a location that a new one is held against
Progress = Callable[[int, int], None]  # states expanded, states known


@dataclass(frozen=True)
class SymbolicLimits:
    """The limits of the search."""

    states: int = 10_000
    depth: int = 100
    seconds: float = 60.0
    milliseconds: int = 1000
    """For one query of the solver."""
    subsumption: bool = True


@dataclass(frozen=True, eq=False)
class SymbolicEdge:
    """A switch from a state to another; where the target is only part of that state's values, it is subsumed."""

    source: int
    switch: Switch
    target: int
    subsumed: bool = False
    doubtful: bool = False
    """The solver could not tell whether it can be taken."""


@dataclass(eq=False)
class ExecutionGraph(Drawn):
    """The states found, the first one first, and the edges of each; what stopped the search, if anything did."""

    system: SymbolicSystem
    states: list[SymbolicState] = field(default_factory=list)
    edges: list[list[SymbolicEdge]] = field(default_factory=list)
    stopped: str | None = None
    queries: int = 0
    merged: int = 0
    subsumed: int = 0

    @property
    def is_complete(self) -> bool:
        return self.stopped is None

    def all_edges(self) -> Iterator[SymbolicEdge]:
        """All edges, in the order they were found."""
        return (edge for row in self.edges for edge in row)

    def __repr__(self) -> str:
        more = "" if self.is_complete else ", not complete"
        switches = counted(sum(map(len, self.edges)), "switch")
        return f"ExecutionGraph({counted(len(self.states), 'state')}, {switches}{more})"


def execution_graph(
    system: SymbolicSystem,
    limits: SymbolicLimits | None = None,
    *,
    enough: Callable[[SymbolicEdge], bool] = lambda edge: False,
    progress: Progress | None = None,
) -> ExecutionGraph:
    """Search the symbolic states of a system breadth first, until `enough` says so of a new edge.

    >>> from outplay.model.expressions.term import variable
    >>> from outplay.model.symbolic.building import input_gate, output_gate, switch, symbolic_system
    >>> x, p = variable("x"), variable("p")
    >>> cell = symbolic_system("cell", "l", {x: 0}, [
    ...     switch("put", "l", input_gate("put", p), "l", do={x: p}),
    ...     switch("get", "l", output_gate("get", p), "l", when=p == x),
    ... ])
    >>> execution_graph(cell)
    ExecutionGraph(2 states, 4 switches)
    """
    return _SymbolicSearch(system, limits or SymbolicLimits(), enough).run(progress)


class _SymbolicSearch:
    def __init__(self, system: SymbolicSystem, limits: SymbolicLimits, enough: Callable[[SymbolicEdge], bool]) -> None:
        self._limits, self._enough = limits, enough
        self.graph = ExecutionGraph(system)
        self._solver = PathSolver(limits.milliseconds)
        self._numbers: dict[tuple[str, tuple[Term, ...], Term], int] = {}
        self._forms: dict[str, list[tuple[int, tuple[Term, ...], Term]]] = {}

    def run(self, progress: Progress | None) -> ExecutionGraph:
        graph, deadline = self.graph, time.monotonic() + self._limits.seconds
        self._add(initial_symbolic_state(graph.system))
        number = 0
        while number < len(graph.states) and graph.stopped is None:
            if time.monotonic() > deadline:
                graph.stopped = f"stopped after {self._limits.seconds:g} s"
            elif graph.states[number].depth >= self._limits.depth:
                graph.stopped = f"stopped at depth {self._limits.depth}"
            elif self._expand(number):
                break
            if progress and number % 64 == 0:
                progress(number, len(graph.states))
            number += 1
        graph.queries = self._solver.queries
        return graph

    def _expand(self, number: int) -> bool:
        graph = self.graph
        state = graph.states[number]
        for switch in graph.system.leaving.get(state.location, ()):
            try:
                edge = self._edge(number, state, switch)
            except ModelError as error:
                graph.stopped = f"stopped at switch {switch.name}: {error}"
                return False
            if edge is not None:
                graph.edges[number].append(edge)
                if self._enough(edge):
                    return True
            if len(graph.states) >= self._limits.states:
                graph.stopped = f"stopped at {counted(len(graph.states), 'symbolic state')}"
                return False
        return False

    def _edge(self, number: int, state: SymbolicState, switch: Switch) -> SymbolicEdge | None:
        after = symbolic_successor(self.graph.system, state, switch)
        found = self._decided(state, after)
        if isinstance(found, Unsatisfiable):
            return None
        target, subsumed = self._place(after)
        return SymbolicEdge(number, switch, target, subsumed, isinstance(found, Undecided))

    def _decided(self, before: SymbolicState, after: SymbolicState) -> Finding:
        """Say whether the path may go on; only what is new needs to be asked."""
        if after.condition is FALSE:
            return Unsatisfiable()
        old = conjuncts(before.condition)
        new = [one for one in conjuncts(after.condition) if all(one is not other for other in old)]
        if not new:
            return Satisfied({})
        return self._solver.check(old, new)

    def _place(self, state: SymbolicState) -> tuple[int, bool]:
        """The number of a state: an earlier one that is the same, or has all its values, or a new one."""
        form = canonical_state(state)
        known = self._numbers.get(form)
        if known is not None:
            self.graph.merged += 1
            return known, False
        wider = self._wider(form) if self._limits.subsumption else None
        if wider is not None:
            self.graph.subsumed += 1
            return wider, True
        return self._add(state), False

    def _add(self, state: SymbolicState) -> int:
        form = canonical_state(state)
        number = self._numbers[form] = len(self.graph.states)
        self._forms.setdefault(state.location, []).append((number, form[1], form[2]))
        self.graph.states.append(state)
        self.graph.edges.append([])
        return number

    def _wider(self, form: tuple[str, tuple[Term, ...], Term]) -> int | None:
        location, terms, condition = form
        for number, others, wide in self._forms.get(location, [])[:_COMPARED]:
            if is_subsumable(terms, others) and self._within(terms, condition, others, wide):
                return number
        return None

    def _within(self, terms: tuple[Term, ...], condition: Term, others: tuple[Term, ...], wide: Term) -> bool:
        """All values of the one are values of the other: for each there are parameters that give it (quantified)."""
        met = free_variables(*others, wide)
        names = {name: variable(f"{name}'", one.sort) for name, one in met.items()}
        equal = [
            apply("=", one, substitute(other, names))
            for one, other in zip(terms, others, strict=True)
            if one is not other or free_variables(one)
        ]
        conclusion = conjunction([*equal, *conjuncts(substitute(wide, names))])
        if conclusion is TRUE:
            return True
        return isinstance(self._solver.escapes(condition, conclusion, list(names.values())), Unsatisfiable)


@dataclass(frozen=True)
class Silence:
    """Locations at which the system may be silent, and those for which the solver could not tell."""

    possible: tuple[str, ...]
    undecided: tuple[str, ...]


def quiescent_states(graph: ExecutionGraph, milliseconds: int = 1000) -> Silence:
    """Return where silence may be observed in the states of a symbolic execution graph.

    >>> from outplay.model.symbolic.building import output_gate, switch, symbolic_system
    >>> from outplay.model.symbolic.execution_graph import execution_graph
    >>> x, p = variable("x"), variable("p")
    >>> clock = symbolic_system("clock", "l", {x: 0}, [switch("t", "l", output_gate("t", p), "m", when=p > x)])
    >>> quiescent_states(execution_graph(clock))
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
