"""The unfolding of an extended machine as Figure 11 of Kapus-Kolar 2007 has it, for one stage without predicates on the
past: made from locations, trying every set of states that a vertex may stand for. A second method, for small machines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, product

from outplay.predicates.predicate_system import Annotated, AnnotatedStep, PredicateSystem
from outplay.predicates.system_model import SystemModel
from outplay.predicates.unfolding.location_sheaves import abstraction, meta_edge
from outplay.predicates.unfolding.sheaf_graph import SheafEdge, SheafGraph, SheafVertex

Feasible = Callable[[Annotated], bool]


def figure_11(model: SystemModel, system: PredicateSystem, home: Sequence[int], feasible: Feasible) -> SheafGraph:
    """dunf□ before anything is deleted that lies on no tour."""
    first = frozenset([Annotated(model.root)])
    there = _closed(first, lambda vertex: _forwards(model, _meant(vertex, home, feasible)), home, forward=True)
    known = [member for _, _, members in there for member in members]
    back = _closed(first, lambda vertex: _backwards(system, known, _meant(vertex, home, feasible)), home, forward=False)
    vertices = dict.fromkeys(end for source, target, _ in back for end in (source, target))
    edges = tuple(meta_edge(source, target, members) for source, target, members in back)
    return SheafGraph(model, system, tuple(vertices), edges)


Group = tuple[SheafVertex, SheafVertex, set[SheafEdge]]


def _closed(
    first: SheafVertex, edges_of: Callable[[SheafVertex], list[SheafEdge]], home: Sequence[int], *, forward: bool
) -> list[Group]:
    """Lines 8 to 24 and 31 to 42: from what is open on, edges grouped by the abstractions of their ends."""
    found: list[Group] = []
    reached = [first]
    for vertex in reached:  # grows on the way
        groups: dict[SheafVertex, set[SheafEdge]] = {}
        for edge in edges_of(vertex):
            groups.setdefault(abstraction(edge.target if forward else edge.source, home), set()).add(edge)
        for far, members in groups.items():
            found.append((vertex, far, members) if forward else (far, vertex, members))
            if far not in reached:
                reached.append(far)
    return found


def _meant(vertex: SheafVertex, home: Sequence[int], feasible: Feasible) -> Iterator[SheafVertex]:
    """All sets of states whose abstraction a vertex is."""
    choices = []
    for one in vertex:
        states = [one._replace(state=state) for state in range(len(home)) if home[state] == one.state]
        possible = [state for state in states if feasible(state)]
        choices.append([chosen for size in range(1, len(possible) + 1) for chosen in combinations(possible, size)])
    for sets in product(*choices):
        yield frozenset(state for chosen in sets for state in chosen)


def _forwards(model: SystemModel, meant: Iterator[SheafVertex]) -> list[SheafEdge]:
    found = []
    for vertex in meant:
        for given in {step.given for step in model.steps}:
            members = [(one, model.answers.get((one.state, given), [])) for one in vertex]
            if all(steps for _, steps in members):
                runs = {(AnnotatedStep(one, step, Annotated(step.target)),) for one, steps in members for step in steps}
                found.append(SheafEdge(vertex, frozenset(run[0].after for run in runs), frozenset(runs)))
    return found


def _backwards(system: PredicateSystem, known: list[SheafEdge], meant: Iterator[SheafVertex]) -> list[SheafEdge]:
    (stage,) = system.stages
    assert stage.backward is not None
    found = []
    for vertex in meant:
        bare = frozenset(one._replace(future=frozenset()) for one in vertex)
        for edge in known:
            if edge.target != bare:
                continue
            runs = set()
            for (part,) in edge.runs:
                for after in vertex:
                    if after.state == part.after.state:
                        future = stage.backward(AnnotatedStep(part.before, part.step, after))
                        runs.add((AnnotatedStep(part.before._replace(future=future), part.step, after),))
            found.append(SheafEdge(frozenset(run[0].before for run in runs), vertex, frozenset(runs)))
    return found
