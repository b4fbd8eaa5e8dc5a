"""Graphs whose edges each stand for all the system may do in answer to the same inputs: sheaves of runs.

Definition (Kapus-Kolar 2007, 3.4 and 3.9). A vertex is a set of annotated states, any of which may be the present one.
An edge is a set of runs, all of the same inputs; a walk through the graph stands for the runs that can be put together
from its edges. Walks from an entry to an exit are the tests: at an entry all states are the root with an empty past, at
an exit the root with an empty future.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

from outplay.errors import UsageError
from outplay.groups import grouped
from outplay.predicates.predicate_system import NOTHING, Annotated, AnnotatedStep, Predicates, PredicateSystem
from outplay.predicates.system_model import SystemModel, reached_by
from outplay.showing import Drawn

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
        """What may be shown to its inputs, in words."""
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
    """Whether more may hold of walks than their vertices say (underestimating.py), or tests are missing."""
    begun: Predicates = NOTHING
    """What holds of every past that has all that was observed behind it; no test ends before."""

    def is_entry(self, vertex: SheafVertex) -> bool:
        """Whether a test may begin there: the root, with an empty past."""
        return all(one.state == self.model.root and one.past == self.system.empty_past for one in vertex)

    def is_exit(self, vertex: SheafVertex) -> bool:
        """Whether a test may end there: the root, with an empty future."""
        future, begun = self.system.empty_future, self.begun
        return all(one.state == self.model.root and one.future == future and begun <= one.past for one in vertex)

    @cached_property
    def edges_from(self) -> dict[SheafVertex, list[SheafEdge]]:
        """The edges of each vertex."""
        return grouped(((edge.source, edge) for edge in self.edges), self.vertices)

    def with_edges(self, edges: Iterable[SheafEdge]) -> SheafGraph:
        """The same graph with other edges, and only the vertices and edges on a way from an entry to an exit."""
        kept = list(edges)
        there = reached_by(filter(self.is_entry, self.vertices), ((one.source, one.target) for one in kept))
        back = reached_by(filter(self.is_exit, self.vertices), ((one.target, one.source) for one in kept))
        both = there & back
        vertices = tuple(vertex for vertex in self.vertices if vertex in both)
        return replace(self, vertices=vertices, edges=tuple(e for e in kept if e.source in both and e.target in both))


def sheaf_of(walk: Sequence[SheafEdge]) -> frozenset[Run]:
    """SH of a walk: all runs put together from the runs of its edges; refused where there are too many."""
    by_end: dict[Annotated | None, list[Run]] = {None: [()]}
    for number, edge in enumerate(walk):
        longer: dict[Annotated | None, list[Run]] = {}
        for run in edge.runs:
            for before in by_end.get(run[0].before if number else None, ()):
                longer.setdefault(run[-1].after, []).append(before + run)
        by_end = longer
        if sum(map(len, by_end.values())) > MOST_RUNS:
            raise UsageError(f"more than {MOST_RUNS:,} runs answer these inputs; plan a shorter stretch")
    return frozenset(run for runs in by_end.values() for run in runs)
