"""Sheaf graphs: what the system may do in answer to the same inputs, as a graph, and as a machine to be drawn.

Graphs whose edges each stand for all the system may do in answer to the same inputs: sheaves of runs. Definition
(Kapus-Kolar 2007, 3.4 and 3.9). A vertex is a set of annotated states, any of which may be the present one. An edge is
a set of runs, all of the same inputs; a walk through the graph stands for the runs that can be put together from its
edges. Walks from an entry to an exit are the tests: at an entry all states are the root with an empty past, at an exit
the root with an empty future.

A graph of sheaves as a machine to look at: vertices say where the system may be, edges what is given and answered.
Behind each state stand the numbers of the states that its future excludes, in braces, and before it those that its past
excludes; other predicates are counted. Parts of a split vertex are numbered.

Predictions for a sheaf of runs: what the one that happens will cost, and what it will show. Definition (Kapus-Kolar
2007, 7.2): a cost prediction is a value between the least and the greatest cost of the runs, a witnessing prediction a
set between what all of them show and what any of them shows. By default both expect the worst, which is right whatever
the system does. `MEAN` weighs runs by their probability: the mean cost, and what is shown with at least the probability
`sure_from`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import TypeAlias

from outplay.grouping import grouped
from outplay.model.machine import Machine, Step
from outplay.predicate_tours.predicate_system import NOTHING, Annotated, AnnotatedStep, Predicates, PredicateSystem
from outplay.predicate_tours.recognition import excluded_states
from outplay.predicate_tours.system_model import MachineStep, SystemModel, reachable_places
from outplay.renderable import Drawn

SheafVertex: TypeAlias = frozenset[Annotated]
Run: TypeAlias = tuple[AnnotatedStep, ...]

MOST_RUNS = 10_000


@dataclass(frozen=True)
class SheafEdge:
    """All runs by which the system may answer some inputs; `past` marks what has been observed already."""

    source: SheafVertex
    target: SheafVertex
    runs: frozenset[Run]
    past: bool = False

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        run = next(iter(self.runs))
        return tuple(part.step.given for part in run)

    @property
    def answers(self) -> list[str]:
        """Return the possible answers to its inputs, in words."""
        return sorted({" ".join(part.step.shown for part in run) for run in self.runs})

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.source, self.target, self.runs, self.past))


@dataclass(frozen=True)
class SheafGraph(Drawn):
    """A graph of sheaves for one model and one predicate system; every edge lies on a way from an entry to an exit."""

    model: SystemModel
    system: PredicateSystem
    vertices: tuple[SheafVertex, ...]
    edges: tuple[SheafEdge, ...]
    rounded: bool = False
    """Whether more may hold of walks than their vertices say (approximation.py), or tests are missing."""
    begun: Predicates = NOTHING
    """The predicates that hold of every past with all that was observed behind it; no test ends before."""

    def is_entry(self, vertex: SheafVertex) -> bool:
        """Say whether a test may begin there: the root, with an empty past."""
        return all(one.state == self.model.root and one.past == self.system.empty_past for one in vertex)

    def is_exit(self, vertex: SheafVertex) -> bool:
        """Say whether a test may end there: the root, with an empty future."""
        future, begun = self.system.empty_future, self.begun
        return all(one.state == self.model.root and one.future == future and begun <= one.past for one in vertex)

    @cached_property
    def edges_from(self) -> dict[SheafVertex, list[SheafEdge]]:
        """The edges of each vertex."""
        return grouped(((edge.source, edge) for edge in self.edges), self.vertices)

    def with_edges(self, edges: Iterable[SheafEdge]) -> SheafGraph:
        """The same graph with other edges, and only the vertices and edges on a way from an entry to an exit."""
        kept = list(edges)
        there = reachable_places(filter(self.is_entry, self.vertices), ((one.source, one.target) for one in kept))
        back = reachable_places(filter(self.is_exit, self.vertices), ((one.target, one.source) for one in kept))
        both = there & back
        vertices = tuple(vertex for vertex in self.vertices if vertex in both)
        return replace(self, vertices=vertices, edges=tuple(e for e in kept if e.source in both and e.target in both))


def sheaf_machine(graph: SheafGraph) -> Machine:
    """Return a sheaf graph as a machine to be drawn, whose outputs are all that may be answered."""
    number = {vertex: place for place, vertex in enumerate(graph.vertices)}
    steps = [_step(number, edge) for edge in graph.edges]
    entries = [number[vertex] for vertex in graph.vertices if graph.is_entry(vertex)]
    names = tuple(_vertex_name(graph, vertex) for vertex in graph.vertices)
    return Machine(names, tuple(steps), entries[0] if entries else 0, graph.system.name)


def _vertex_name(graph: SheafGraph, vertex: SheafVertex) -> str:
    """The states that a vertex has, with what is excluded there."""
    parts = sorted(_name(graph, one) for one in vertex if one.state >= 0)
    marks = [f" ({-one.state})" for one in vertex if one.state < 0]
    return " or ".join(parts) + "".join(marks)


def _name(graph: SheafGraph, one: Annotated) -> str:
    return _listed(one.past, empty="") + graph.model.names[one.state] + _listed(one.future, empty="{}")


def _listed(predicates: Predicates, *, empty: str) -> str:
    states = excluded_states(predicates)
    others = len(predicates) - len(states)
    inside = ",".join([*map(str, sorted(states)), *([f"+{others}"] if others else [])])
    return f"{{{inside}}}" if inside else empty


def _step(number: dict[SheafVertex, int], edge: SheafEdge) -> Step:
    return number[edge.source], " ".join(edge.inputs), "|".join(edge.answers), number[edge.target]


Vector: TypeAlias = tuple[Fraction, ...]


class Expecting(Enum):
    """The runs to reckon with."""

    WORST = "worst"
    BEST = "best"
    MEAN = "mean"


@dataclass(frozen=True)
class Prediction:
    """The rule by which costs and evidence of a sheaf are predicted."""

    cost: Expecting = Expecting.WORST
    evidence: Expecting = Expecting.WORST
    probability: Callable[[MachineStep], Fraction] | None = None
    """The probability of a step where its input is given; all answers are equally likely by default."""
    sure_from: Fraction = Fraction(1, 2)
    """With which probability evidence is reckoned with, where it is expected."""

    def cost_of(self, model: SystemModel, runs: Collection[Run]) -> Vector:
        """The cost that is predicted for a sheaf."""
        costs = {run: _cost(run) for run in runs}
        if self.cost is Expecting.WORST:
            return max(costs.values())
        if self.cost is Expecting.BEST:
            return min(costs.values())
        weights = self._weights(model, runs)
        means = zip(*([weights[run] * part for part in cost] for run, cost in costs.items()), strict=True)
        return tuple(sum(column, Fraction(0)) for column in means)

    def shown(self, model: SystemModel, runs: Collection[Run], shows: Iterable[bool]) -> bool:
        """Say whether something is predicted to be shown, from whether each of the runs shows it."""
        if self.evidence is Expecting.WORST:
            return all(shows)
        if self.evidence is Expecting.BEST:
            return any(shows)
        weights = self._weights(model, runs)
        weights_shown = (weights[run] for run, shown in zip(runs, shows, strict=True) if shown)
        return sum(weights_shown, Fraction(0)) >= self.sure_from

    def _weights(self, model: SystemModel, runs: Collection[Run]) -> dict[Run, Fraction]:
        """Return the probability of each run; they sum to 1, or all are 0 where none of them can happen."""
        given = self.probability or (lambda step: Fraction(1, len(model.answers[step.source, step.given])))
        found = {run: prod((given(part.step) for part in run), start=Fraction(1)) for run in runs}
        total = sum(found.values(), Fraction(0))
        return {run: weight / total if total else weight for run, weight in found.items()}


def cost_vector_text(vector: Vector) -> str:
    """Write the cost vector of a tour for people: its parts in order."""
    return " ".join(map(str, vector))


def _cost(run: Run) -> Vector:
    return tuple(Fraction(sum(parts)) for parts in zip(*(part.step.cost for part in run), strict=True))
