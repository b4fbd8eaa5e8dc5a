"""Unfoldings of extended machines: walks grouped by locations, as the machine itself groups its states.

Definition (Kapus-Kolar 2007, 3.10 and 8.2): the abstraction of a vertex names locations in place of states. The
determinized unfolding of an extended machine has the abstractions of the vertices of that of its machine, and between
two of them one edge whose members are all edges between vertices with these abstractions (dunf*, Figure 12). Such a
graph is smaller and as symmetric as the extended machine, but it has walks that stand for no run, and its edges promise
only what all members do. `refined` mends both: edges are split so that members cost the same and show the same of what
is needed, and vertices so that what arrives at them can go on by every edge (Figure 14).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from outplay.groups import grouped
from outplay.predicates.predicate_system import Annotated
from outplay.predicates.touring.prediction import Prediction
from outplay.predicates.touring.problem_model import ProblemModel
from outplay.predicates.unfolding.sheaf_graph import SheafEdge, SheafGraph, SheafVertex


@dataclass(frozen=True)
class MetaEdge(SheafEdge):
    """Edges of an unfolding, taken together; its runs are those of all members."""

    members: frozenset[SheafEdge] = frozenset()

    def __hash__(self) -> int:
        return self._hash


def by_locations(graph: SheafGraph, home: Sequence[int]) -> SheafGraph:
    """dunf*: the graph with the first state of its location in the place of each state."""
    between = grouped(
        ((abstraction(edge.source, home), abstraction(edge.target, home), edge.past), edge) for edge in graph.edges
    )
    vertices = dict.fromkeys(abstraction(vertex, home) for vertex in graph.vertices)
    edges = tuple(meta_edge(*ends[:2], members) for ends, members in between.items())
    return replace(graph, vertices=tuple(vertices), edges=edges)


def abstraction(vertex: SheafVertex, home: Sequence[int]) -> SheafVertex:
    """sa: locations in place of states."""
    return frozenset(one._replace(state=home[one.state]) for one in vertex)


def meta_edge(source: SheafVertex, target: SheafVertex, members: Iterable[SheafEdge]) -> MetaEdge:
    """One edge for several."""
    known = frozenset(members)
    runs = frozenset().union(*(one.runs for one in known))
    return MetaEdge(source, target, runs, any(one.past for one in known), known)


def refined(graph: SheafGraph, prediction: Prediction) -> SheafGraph:
    """The graph with edges and vertices split until each walk stands for runs and each edge shows what it can."""
    return split_vertices(split_edges(graph, prediction))


def split_edges(graph: SheafGraph, prediction: Prediction) -> SheafGraph:
    """Split edges by inputs, by costs, and by what their members show of the goals that a tour needs."""
    members = tuple(dict.fromkeys(one for edge in metas(graph) for one in edge.members))
    problem = ProblemModel(replace(graph, edges=members), prediction)
    place = {one: number for number, one in enumerate(members)}
    shown: dict[SheafEdge, set[int]] = {one: set() for one in members}
    for number in frozenset().union(*problem.choices):
        for witness in problem.pursuit.goals[number].edges:
            shown[members[witness]].add(number)
    edges = list[MetaEdge]()
    for edge in metas(graph):
        alike = grouped(
            ((one.inputs, prediction.cost_of(graph.model, one.runs), frozenset(shown[one])), one)
            for one in sorted(edge.members, key=place.__getitem__)
        )
        edges += [meta_edge(edge.source, edge.target, part) for part in alike.values()]
    return replace(graph, edges=tuple(edges))


def split_vertices(graph: SheafGraph) -> SheafGraph:
    """Split vertices until no walk stands for no run."""
    edges, vertices, parts = list(metas(graph)), list(graph.vertices), 0
    while (vertex := _problematic(vertices, edges)) is not None:
        edges, new = _split(vertex, edges, parts)
        parts += len(new)
        place = vertices.index(vertex)
        vertices[place : place + 1] = new
    found = replace(graph, vertices=tuple(vertices))
    return found.with_edges(edges)


def _problematic(vertices: list[SheafVertex], edges: list[MetaEdge]) -> SheafVertex | None:
    """A vertex to which some member comes that cannot go on by every edge."""
    for vertex in vertices:
        leaving = [edge for edge in edges if edge.source == vertex]
        arriving = {one for edge in edges if edge.target == vertex for one in edge.members}
        if any(len(_onward(one, leaving)) < len(leaving) for one in arriving):
            return vertex
    return None


def _onward(member: SheafEdge, leaving: list[MetaEdge]) -> frozenset[MetaEdge]:
    """The edges by which a member can go on."""
    return frozenset(edge for edge in leaving if any(one.source == member.target for one in edge.members))


def _split(vertex: SheafVertex, edges: list[MetaEdge], parts: int) -> tuple[list[MetaEdge], list[SheafVertex]]:
    """Figure 14: a vertex for each set of edges by which something that arrives can go on."""
    arriving = [edge for edge in edges if edge.target == vertex]
    leaving = [edge for edge in edges if edge.source == vertex]
    onward = {one: _onward(one, leaving) for edge in arriving for one in edge.members}
    sets = list(dict.fromkeys(onward[one] for edge in arriving for one in sorted(edge.members, key=repr)))
    made = {one: split_part(vertex, parts + number) for number, one in enumerate(sets)}
    kept = [edge for edge in edges if vertex not in (edge.source, edge.target)]
    ready = [edge for edge in arriving if edge not in leaving]
    for onwards, part in made.items():
        kept += [replace(edge, source=part) for edge in leaving if edge in onwards and edge not in arriving]
        ready += [replace(edge, source=part) for edge in leaving if edge in onwards and edge in arriving]
    for edge in ready:
        for onwards, part in made.items():
            fitting = [one for one in edge.members if onward[one] == onwards]
            if fitting:
                kept.append(meta_edge(edge.source, part, fitting))
    return kept, list(made.values())


def split_part(vertex: SheafVertex, number: int) -> SheafVertex:
    """A part of a vertex that is split, marked so that parts are told apart; no test begins or ends at one."""
    return vertex | {Annotated(-1 - number, frozenset(["part"]))}


def metas(graph: SheafGraph) -> list[MetaEdge]:
    """The edges of a graph of meta-edges."""
    return [edge for edge in graph.edges if isinstance(edge, MetaEdge)]
