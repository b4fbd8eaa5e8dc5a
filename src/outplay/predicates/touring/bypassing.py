"""By-pass edges: stretches of a test kept whole, where predictions step by step are worse than of the whole.

Kapus-Kolar 2007, 7.5.2: costs and evidence are predicted edge by edge, but the dearest answers to two inputs may never
come together, and one of two steps may be sure to show what neither is sure to show. A by-pass edge stands for the
sheaf of a whole walk, so that what is predicted of it is right. Once all runs have come to the same annotated state
nothing is lost any more, so only walks whose inner vertices have several states can help; they are tried up to a length
and kept where they cost less or show more than their edges.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, takewhile
from typing import TypeAlias

from outplay.predicates.predicate_system import Evidence
from outplay.predicates.touring.prediction import Prediction, Vector
from outplay.predicates.touring.witnessing import Witnesses
from outplay.predicates.unfolding.sheaf_graph import SheafEdge, SheafGraph, SheafVertex, sheaf_of
from outplay.strategy.deadline import Deadline

LONGEST = 4
MOST_TRIED = 2_000

Stretch: TypeAlias = tuple[SheafEdge, ...]


def with_bypasses(graph: SheafGraph, prediction: Prediction, *, until: Deadline) -> SheafGraph:
    """The graph with all by-pass edges that help, among short walks, tried until time is up."""
    search = _Pieces(Witnesses(graph, prediction))
    tried = islice(_walks(graph, LONGEST), MOST_TRIED)
    timely = takewhile(lambda walk: not until.passed, tried)
    found = [edge for walk in timely if (edge := search.helpful(walk)) is not None]
    return graph.with_edges((*graph.edges, *dict.fromkeys(found)))


def bypass(walk: Sequence[SheafEdge]) -> SheafEdge:
    """One edge for a whole walk; what begins with the past is past itself."""
    return SheafEdge(walk[0].source, walk[-1].target, sheaf_of(walk), past=walk[0].past)


class _Pieces:
    """What is predicted of walks, kept in pieces as they are best kept."""

    def __init__(self, witnesses: Witnesses) -> None:
        self.witnesses = witnesses
        self.known: dict[Stretch, tuple[Vector, frozenset[Evidence]]] = {}

    def helpful(self, walk: Stretch) -> SheafEdge | None:
        """A by-pass edge, if it is cheaper or shows more than the walk in two pieces, wherever it is cut."""
        edge = bypass(walk)
        cost, shown = self.predicted(edge)
        pieces = [(self.best(walk[:cut]), self.best(walk[cut:])) for cut in range(1, len(walk))]
        cheapest = min(tuple(a + b for a, b in zip(one[0], other[0], strict=True)) for one, other in pieces)
        most = frozenset().union(*(one[1] | other[1] for one, other in pieces))
        self.known[walk] = min(cost, cheapest), shown | most
        return edge if cost < cheapest or not shown <= most else None

    def best(self, walk: Stretch) -> tuple[Vector, frozenset[Evidence]]:
        if walk not in self.known:
            self.known[walk] = self.predicted(walk[0] if len(walk) == 1 else bypass(walk))
        return self.known[walk]

    def predicted(self, edge: SheafEdge) -> tuple[Vector, frozenset[Evidence]]:
        cost = self.witnesses.prediction.cost_of(self.witnesses.graph.model, edge.runs)
        return cost, frozenset(self.witnesses.surely_shown(edge))


def _walks(graph: SheafGraph, longest: int) -> Iterator[Stretch]:
    """All walks of two or more edges on which the state is never known on the way, short ones first."""
    walks: list[Stretch] = [(edge,) for edge in graph.edges if _unknown(edge.target)]
    for _ in range(longest - 1):
        walks = [(*walk, edge) for walk in walks for edge in graph.edges_from[walk[-1].target]]
        yield from walks
        walks = [walk for walk in walks if _unknown(walk[-1].target)]


def _unknown(vertex: SheafVertex) -> bool:
    return len(vertex) > 1
