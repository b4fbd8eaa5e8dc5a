"""Stretches: parts of a test between two moments at which the state is known, predicted as a whole.

Kapus-Kolar 2007, 7.5.2, calls them by-pass edges. Costs and evidence are predicted edge by edge, but the dearest
answers to two inputs may never come together, and one of two steps may be sure to show what neither is sure to show.
Once all runs have come to the same annotated state nothing is lost any more: the runs before and after it combine
freely, so worst costs add up, and what a test surely shows is what one of its stretches surely shows.

Within a stretch each state that is possible carries the cost of the dearest run to it, and what all runs to it have
shown. Of two walks to the same vertex one is dropped only where the other costs no more and has shown no less in every
state. As costs are at least 0 this ends (Dickson's lemma), but the number of walks may be exponential: `complete` says
whether all were looked at. Whether a single piece of evidence can surely be shown needs only the states that may have
missed it, and is decided by itself.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from heapq import heappop, heappush
from typing import NamedTuple

from outplay.cancellation import NEVER, Deadline
from outplay.predicate_tours.evidence import Clauses, Witnesses, run_shows_clause, single_evidence
from outplay.predicate_tours.predicate_system import Annotated, Evidence
from outplay.predicate_tours.sheaf_graph import SheafEdge, SheafGraph, SheafVertex, Vector
from outplay.predicate_tours.stretch_labels import (
    MOST_WALKS,
    Stretch,
    StretchLabel,
    StretchLabels,
    Walk,
    WholeWalk,
)

_LOOKING = 64


class _Visit(NamedTuple):
    """A node of the search for one piece of evidence: a vertex, and the states to which some run has missed it."""

    vertex: SheafVertex
    missed: frozenset[Annotated]


class UncertainStretches:
    """The stretches of a graph whose inner vertices have several states."""

    def __init__(self, witnesses: Witnesses, until: Deadline = NEVER) -> None:
        self._witnesses, self._until = witnesses, until
        self.complete = True
        """Whether nothing was left out so far for want of time or space."""

    @property
    def _graph(self) -> SheafGraph:
        return self._witnesses.graph

    @cached_property
    def _starts(self) -> list[SheafVertex]:
        """Known states and entries from which the next state may be uncertain, or already is."""
        graph = self._graph
        return [one for one in graph.vertices if (graph.is_entry(one) or not _uncertain(one)) and self._leads_in(one)]

    def _leads_in(self, vertex: SheafVertex) -> bool:
        return any(_uncertain(edge.target) for edge in self._graph.edges_from[vertex])

    def _ends(self, vertex: SheafVertex) -> bool:
        return not _uncertain(vertex) or self._graph.is_exit(vertex)

    def showing(self, evidence: Evidence) -> Walk | None:
        """A shortest stretch on which every run shows some evidence; None where there is none, or none was found."""
        clauses = single_evidence(evidence)
        queue = deque(_Visit(vertex, vertex) for vertex in self._starts)
        came: dict[_Visit, tuple[_Visit, SheafEdge] | None] = dict.fromkeys(queue)
        while queue:
            visit = queue.popleft()
            for edge in self._graph.edges_from[visit.vertex]:
                found = _Visit(edge.target, self._missed(edge, visit.missed, clauses))
                if found in came:
                    continue
                came[found] = visit, edge
                if not found.missed and self._ends(found.vertex):
                    return _walk_to(found, came)
                if _uncertain(found.vertex):
                    queue.append(found)
            if self._out_of_bounds(len(came)):
                return None
        return None

    def _missed(self, edge: SheafEdge, missed: frozenset[Annotated], clauses: Clauses) -> frozenset[Annotated]:
        return frozenset(
            run[-1].after
            for run in edge.runs
            if run[0].before in missed and not run_shows_clause(self._witnesses.evidence(run), clauses)
        )

    def _out_of_bounds(self, done: int) -> bool:
        over = done >= MOST_WALKS or (done % _LOOKING == 0 and self._until.passed)
        self.complete = self.complete and not over
        return over

    def whole(self, goals: Sequence[Clauses], walks: Iterable[Walk]) -> list[Stretch]:
        """Some walks as stretches."""
        predicted = StretchLabels(self._witnesses, goals, None)
        return [predicted.stretch(walk, predicted.whole(walk)) for walk in dict.fromkeys(walks)]

    def best(self, goals: Sequence[Clauses], known: Iterable[Walk] = (), below: Vector | None = None) -> list[Stretch]:
        """The stretches that cost less or show more of the goals than their edges one by one, as far as found.

        Stretches that are known already are among them. Only tests that cost less than `below` are of interest.
        """
        predicted, whole = StretchLabels(self._witnesses, goals, below), dict[Walk, WholeWalk]()
        for walk in known:
            whole[walk] = predicted.whole(walk)
        made = 0
        for start in self._starts:
            for walk, found in self._walks(start, predicted, made):
                made += 1
                if found is not None and predicted.helps(walk, found):
                    whole[walk] = found
            if not self.complete:
                break
        return [predicted.stretch(walk, whole[walk]) for walk in _best(whole)]

    def _walks(
        self, start: SheafVertex, predicted: StretchLabels, made: int
    ) -> Iterator[tuple[Walk, WholeWalk | None]]:
        """Every walk that is looked at, with what is predicted of it where it is a stretch; cheap ones first."""
        kept: dict[SheafVertex, list[StretchLabel]] = {}
        queue: list[tuple[int, int, int, Walk, StretchLabel]] = [(0, 0, made, (), predicted.first(start))]
        while queue:
            *_, walk, label = heappop(queue)
            here = walk[-1].target if walk else start
            if walk and not any(label is one for one in kept[here]):
                continue  # a better one came
            if len(walk) > 1 and self._ends(here):
                yield walk, WholeWalk(label.dearest, label.surely)
            if walk and not _uncertain(here):
                continue
            for edge in self._graph.edges_from[here]:
                made += 1
                if self._out_of_bounds(made):
                    return
                yield walk, None
                longer = predicted.after(label, edge)
                if (walk or _uncertain(edge.target)) and predicted.promises(start, edge.target, longer):
                    rivals = kept.setdefault(edge.target, [])
                    if not any(rival.no_worse(longer) for rival in rivals):
                        rivals[:] = [*(rival for rival in rivals if not longer.no_worse(rival)), longer]
                        heappush(queue, (longer.dearest, len(walk) + 1, made, (*walk, edge), longer))


def _best(whole: Mapping[Walk, WholeWalk]) -> list[Walk]:
    """Without walks beside which another one from and to the same vertices costs no more and shows no less."""
    kept: dict[tuple[SheafVertex, SheafVertex], list[Walk]] = {}
    for walk in sorted(whole, key=lambda one: (whole[one].cost, -whole[one].shown.bit_count(), len(one))):
        rivals = kept.setdefault((walk[0].source, walk[-1].target), [])
        if not any(not whole[walk].shown & ~whole[rival].shown for rival in rivals):
            rivals.append(walk)
    return [walk for walks in kept.values() for walk in walks]


def _uncertain(vertex: SheafVertex) -> bool:
    """Say whether several annotated states are possible."""
    return len(vertex) > 1


def _walk_to(visit: _Visit, came: dict[_Visit, tuple[_Visit, SheafEdge] | None]) -> Walk:
    edges: list[SheafEdge] = []
    while (before := came[visit]) is not None:
        visit, edge = before
        edges.append(edge)
    return tuple(reversed(edges))
