"""A graph of sheaves as a machine to look at: vertices say where the system may be, edges what is given and answered.

Behind each state stand the numbers of the states that its future excludes, in braces, and before it those that its past
excludes; other predicates are counted. Parts of a split vertex are numbered.
"""

from __future__ import annotations

from outplay.model.machine import Machine, Step
from outplay.predicates.predicate_system import Annotated, Predicates
from outplay.predicates.strategies.recognition import excluded
from outplay.predicates.unfolding.sheaf_graph import SheafEdge, SheafGraph, SheafVertex


def as_machine(graph: SheafGraph) -> Machine:
    """The graph as a machine whose outputs are all that may be answered; the first entry is its initial state."""
    number = {vertex: place for place, vertex in enumerate(graph.vertices)}
    steps = [_step(number, edge) for edge in graph.edges]
    entries = [number[vertex] for vertex in graph.vertices if graph.is_entry(vertex)]
    names = tuple(vertex_name(graph, vertex) for vertex in graph.vertices)
    return Machine(names, tuple(steps), entries[0] if entries else 0, graph.system.name)


def vertex_name(graph: SheafGraph, vertex: SheafVertex) -> str:
    """The states that a vertex has, with what is excluded there."""
    parts = sorted(_name(graph, one) for one in vertex if one.state >= 0)
    marks = [f" ({-one.state})" for one in vertex if one.state < 0]
    return " or ".join(parts) + "".join(marks)


def _name(graph: SheafGraph, one: Annotated) -> str:
    return _listed(one.past, empty="") + graph.model.names[one.state] + _listed(one.future, empty="{}")


def _listed(predicates: Predicates, *, empty: str) -> str:
    states = excluded(predicates)
    others = len(predicates) - len(states)
    inside = ",".join([*map(str, sorted(states)), *([f"+{others}"] if others else [])])
    return f"{{{inside}}}" if inside else empty


def _step(number: dict[SheafVertex, int], edge: SheafEdge) -> Step:
    return number[edge.source], " ".join(edge.inputs), "|".join(edge.answers), number[edge.target]
