"""The labels carried through uncertain states: the dearest run to each, and what all runs to it have shown.

Of two walks to the same vertex one is needless where the other costs no more and has shown no less in every state.
Costs are whole numbers that compare as the vectors do, what is shown is bits; see stretches.py for what they are for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from heapq import heappop, heappush
from math import lcm
from operator import and_, or_
from typing import NamedTuple, TypeAlias

from outplay.predicate_tours.evidence import Clauses, Witnesses, run_shows_clause
from outplay.predicate_tours.predicate_system import Annotated
from outplay.predicate_tours.sheaf_graph import Run, SheafEdge, SheafVertex, Vector

MOST_WALKS = 4_000
"""This many walks through uncertain states are looked at, in all and for each piece of evidence."""

Walk: TypeAlias = tuple[SheafEdge, ...]


@dataclass(frozen=True)
class Stretch:
    """A walk kept whole: what its dearest run costs, and which goals all its runs show, by number."""

    walk: Walk
    cost: Vector
    shown: frozenset[int]


class StretchLabel(NamedTuple):
    """For each state of a vertex, in a fixed order: the dearest run to it, and the goals (bits) all runs have shown."""

    costs: tuple[int, ...]
    shown: tuple[int, ...]

    def no_worse(self, other: StretchLabel) -> bool:
        """Say whether in every state this costs no more and has shown no less than another label of the same vertex."""
        for mine, theirs in zip(self.shown, other.shown, strict=True):  # most differ here, and most time goes here
            if theirs & ~mine:
                return False
        return all(mine <= theirs for mine, theirs in zip(self.costs, other.costs, strict=True))

    @property
    def dearest(self) -> int:
        return max(self.costs)

    @property
    def surely(self) -> int:
        """The goals that all runs have shown."""
        return reduce(and_, self.shown)


class WholeWalk(NamedTuple):
    """The prediction for a walk as a whole: the cost of its dearest run, and the goals that all runs show."""

    cost: int
    shown: int


class StretchLabels:
    """The labels carried through walks, for some goals; costs are whole numbers that compare as the vectors do."""

    def __init__(self, witnesses: Witnesses, goals: Sequence[Clauses], below: Vector | None) -> None:
        self._witnesses, self._goals, self._order = witnesses, goals, {}
        for vertex in witnesses.graph.vertices:
            self._order[vertex] = {state: place for place, state in enumerate(sorted(vertex, key=repr))}
        runs = [run for edge in witnesses.graph.edges for run in edge.runs]
        parts = [Fraction(part) for run in runs for step in run for part in step.step.cost] + [*(below or ())]
        self._unit = lcm(*(part.denominator for part in parts))
        longest = max((len(run) for run in runs), default=1) * (MOST_WALKS + len(runs) + 1)
        self._base = 1 + int(max(parts, default=Fraction(0)) * self._unit) * longest
        self._moves: dict[SheafEdge, list[tuple[int, int, int, int]]] = {}
        self._alone: dict[SheafEdge, WholeWalk] = {}
        self._below = None if below is None else self._joined(below)

    def _joined(self, cost: Iterable[int | Fraction]) -> int:
        return reduce(lambda high, part: high * self._base + int(part * self._unit), cost, 0)

    def stretch(self, walk: Walk, whole: WholeWalk) -> Stretch:
        """A walk with what is predicted of it in numbers that others read."""
        return Stretch(walk, self._vector(whole.cost), _numbers(whole.shown))

    def _vector(self, cost: int) -> Vector:
        parts = []
        for _ in self._witnesses.graph.model.nothing:
            cost, part = divmod(cost, self._base)
            parts.append(Fraction(part, self._unit))
        return tuple(reversed(parts))

    def first(self, vertex: SheafVertex) -> StretchLabel:
        return StretchLabel((0,) * len(vertex), (0,) * len(vertex))

    def after(self, label: StretchLabel, edge: SheafEdge) -> StretchLabel:
        """Carry a label over an edge: the dearest run to each state, and what all runs to it have shown."""
        costs, shown = [-1] * len(edge.target), [-1] * len(edge.target)
        for before, after, cost, evidence in self._moves_of(edge):
            costs[after] = max(costs[after], label.costs[before] + cost)
            shown[after] &= label.shown[before] | evidence
        return StretchLabel(tuple(costs), tuple(shown))

    def whole(self, walk: Walk) -> WholeWalk:
        """The dearest run of a walk, and what all its runs show."""
        label = self.first(walk[0].source)
        for edge in walk:
            label = self.after(label, edge)
        return WholeWalk(label.dearest, label.surely)

    def helps(self, walk: Walk, whole: WholeWalk) -> bool:
        """Say whether a walk as a whole is cheaper or shows more than its edges one by one."""
        apart = [self._edge(edge) for edge in walk]
        return whole.cost < sum(one.cost for one in apart) or bool(
            whole.shown & ~reduce(or_, (one.shown for one in apart))
        )

    def promises(self, start: SheafVertex, end: SheafVertex, label: StretchLabel) -> bool:
        """Say whether a test with such a walk in it may cost little enough."""
        if self._below is None:
            return True
        there = max(self._there.get(state, 0) for state in start)
        back = max(label.costs[place] + self._back.get(state, 0) for state, place in self._order[end].items())
        return there + back < self._below

    @cached_property
    def _there(self) -> dict[Annotated, int]:
        """The least that runs cost from where a test begins to each state."""
        graph = self._witnesses.graph
        return _least(_states(filter(graph.is_entry, graph.vertices)), self._ways(forward=True))

    @cached_property
    def _back(self) -> dict[Annotated, int]:
        """The least that runs cost from each state to where a test ends."""
        graph = self._witnesses.graph
        return _least(_states(filter(graph.is_exit, graph.vertices)), self._ways(forward=False))

    def _ways(self, *, forward: bool) -> dict[Annotated, list[tuple[Annotated, int]]]:
        ways: dict[Annotated, list[tuple[Annotated, int]]] = {}
        for edge in self._witnesses.graph.edges:
            for run in edge.runs:
                ends = (run[0].before, run[-1].after) if forward else (run[-1].after, run[0].before)
                ways.setdefault(ends[0], []).append((ends[1], self._cost(run)))
        return ways

    def _cost(self, run: Run) -> int:
        return sum(self._joined(part.step.cost) for part in run)

    def _edge(self, edge: SheafEdge) -> WholeWalk:
        if edge not in self._alone:
            self._alone[edge] = self.whole((edge,))
        return self._alone[edge]

    def _moves_of(self, edge: SheafEdge) -> list[tuple[int, int, int, int]]:
        if edge not in self._moves:
            before, after, moves = self._order[edge.source], self._order[edge.target], []
            for run in edge.runs:
                evidence = self._witnesses.evidence(run)
                shown = sum(1 << number for number, goal in enumerate(self._goals) if run_shows_clause(evidence, goal))
                moves.append((before[run[0].before], after[run[-1].after], self._cost(run), shown))
            self._moves[edge] = moves
        return self._moves[edge]


def _least(
    starts: Iterable[Annotated], ways: Mapping[Annotated, Iterable[tuple[Annotated, int]]]
) -> dict[Annotated, int]:
    """The least cost from some states to each (Dijkstra 1959)."""
    least: dict[Annotated, int] = {}
    queue = [(0, number, state) for number, state in enumerate(starts)]
    made = len(queue)
    while queue:
        cost, _, state = heappop(queue)
        if state not in least:
            least[state] = cost
            for other, more in ways.get(state, ()):
                made += 1
                heappush(queue, (cost + more, made, other))
    return least


def _states(vertices: Iterable[SheafVertex]) -> Iterable[Annotated]:
    return dict.fromkeys(state for vertex in vertices for state in sorted(vertex, key=repr))


def _numbers(shown: int) -> frozenset[int]:
    return frozenset(number for number in range(shown.bit_length()) if shown >> number & 1)
