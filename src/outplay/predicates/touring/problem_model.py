"""The problem model: a graph with one root in which the test of least cost is a postman's tour.

Kapus-Kolar 2007, 5, 7.5.2 and 7.6.2: the sheaf graph, a root of its own, and edges of no cost from the root to every
entry and from every exit to the root. Each edge costs what is predicted of its runs, and is a witness of the goals it
is predicted to show. A tour through the root that passes a witness of every goal is a generalized rural postman's, or
with alternatives a generalized generalized one's. Passing from the root to the graph again puts one test behind
another. Where that is not safe it costs more than anything else, so that the tour does so only if there is no other
way. Where a test goes on, each entry has only edges for the past, one of which is a goal, too.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import groupby

from outplay.predicates.predicate_system import AnnotatedStep, Evidence
from outplay.predicates.touring.prediction import Prediction, Vector
from outplay.predicates.touring.witnessing import Pursuit, Witnesses
from outplay.predicates.unfolding.sheaf_graph import SheafGraph, SheafVertex
from outplay.predicates.unfolding.unfolding_limits import look_at
from outplay.searching import nearest_first
from outplay.strategy.deadline import NEVER, Deadline
from outplay.strategy.tours.errand import NoTour, Tour
from outplay.strategy.tours.network import Network, network_of
from outplay.strategy.tours.postman import postman

ROOT = 0


@dataclass(frozen=True)
class ProblemModel:
    """A sheaf graph made ready for the postman, and what he is asked for."""

    graph: SheafGraph
    prediction: Prediction
    until: Deadline = field(default=NEVER, compare=False, repr=False)
    """Until when the goals are looked for; `LargeUnfolding` where that takes longer."""

    @cached_property
    def pursuit(self) -> Pursuit:
        """The goals, and what is hopeless."""
        return Witnesses(self.graph, self.prediction, self.until).pursuit()

    @cached_property
    def costs(self) -> list[Vector]:
        """The predicted cost of each edge."""
        return [self.prediction.cost_of(self.graph.model, edge.runs) for edge in self.graph.edges]

    @cached_property
    def past(self) -> frozenset[int]:
        """The edges that stand for what was observed; none where a test is to begin."""
        return frozenset(number for number, edge in enumerate(self.graph.edges) if edge.past)

    @property
    def joins(self) -> bool:
        """Whether the tour may put tests one after the other."""
        return self.graph.system.concatenates and not self.past

    @cached_property
    def network(self) -> Network:
        """The root is vertex 0; the edges of the graph come first, then those from and to the root."""
        number = {vertex: place for place, vertex in enumerate(self.graph.vertices, 1)}
        free = self.graph.model.nothing
        within = zip(self.graph.edges, self.costs, strict=True)
        edges = [(number[edge.source], number[edge.target], (Fraction(0), *cost)) for edge, cost in within]
        enter = (Fraction(0 if self.joins else 1), *free)
        edges += [(ROOT, number[one], enter) for one in self.graph.vertices if self.graph.is_entry(one)]
        edges += [(number[one], ROOT, (Fraction(0), *free)) for one in self.graph.vertices if self._leaves(one)]
        return network_of(1 + len(number), edges)

    def steps_of(self, edge: int) -> set[AnnotatedStep]:
        """All annotated steps of the runs of an edge."""
        return {part for run in self.graph.edges[edge].runs for part in run}

    def _leaves(self, vertex: SheafVertex) -> bool:
        """A test that goes on does not end where it began."""
        return self.graph.is_exit(vertex) and not (self.past and self.graph.is_entry(vertex))

    def solve(self, until: Deadline = NEVER) -> Tour | NoTour:
        """The postman's tour; its cost begins with how often it enters the graph where that is not safe."""
        goals, choices = [goal.edges for goal in self.pursuit.goals], self.choices
        if not self.past:
            return self._postman(goals, choices, until)
        goals.append(self.past)
        begun = [part | {len(goals) - 1} for choice in choices for part in self._one_past(choice)]
        found = self._postman(goals, begun, until)
        if isinstance(found, NoTour) or found.cost[0] == 1:
            return found
        kept = self._kept(found, goals)
        return self._postman(goals, [part & kept for part in begun], until)

    def stretches(self, tour: Tour) -> list[list[int]]:
        """The parts of a tour within the graph, as numbers of its edges."""
        return [list(part) for within, part in groupby(tour.walk, len(self.graph.edges).__gt__) if within]

    def _postman(self, goals: list[frozenset[int]], choices: list[frozenset[int]], until: Deadline) -> Tour | NoTour:
        return postman(self.network, goals, choices, start=ROOT, time_limit=until.left)

    def _kept(self, tour: Tour, goals: list[frozenset[int]]) -> frozenset[int]:
        """Where there is no way to meet all goals with the one past there was: those of the best stretch of a tour.

        What is met on the way from the root back to it can be met after that, too.
        """
        again = self._reached([one for one in self.graph.vertices if self._home(one) and not self.graph.is_entry(one)])
        stretches = self.stretches(tour)
        met = [{number for number, goal in enumerate(goals) if not goal.isdisjoint(part)} for part in stretches]
        late = {number for number, goal in enumerate(goals) if not goal.isdisjoint(again)}
        return frozenset(late | max(met, key=lambda one: (len(one - late), len(one))))

    def _home(self, vertex: SheafVertex) -> bool:
        return all(one.state == self.graph.model.root for one in vertex)

    def _reached(self, vertices: list[SheafVertex]) -> set[int]:
        """The edges on ways from some vertices."""
        met = nearest_first(vertices, lambda vertex: (edge.target for edge in self.graph.edges_from[vertex]))
        return {number for number, edge in enumerate(self.graph.edges) if edge.source in met}

    def _one_past(self, choice: frozenset[int]) -> list[frozenset[int]]:
        """There was one past: of what only the past shows, as much as one reading of it does."""
        edges = {number: self.pursuit.goals[number].edges for number in choice}
        only = {number for number in choice if edges[number] <= self.past}
        shown = {frozenset(number for number in only if past in edges[number]) for past in self.past}
        most = max(map(len, shown))
        return [choice - only | one for one in sorted(shown, key=sorted) if len(one) == most]

    @cached_property
    def choices(self) -> list[frozenset[int]]:
        """Which goals are enough: all, or those of an alternative of which as little as possible is hopeless."""
        goals, hopeless = self.pursuit.goals, set(self.pursuit.hopeless)
        alternatives = self.graph.system.alternatives or (frozenset(self.graph.system.wanted),)
        least = min(len(hopeless & one) for one in alternatives)

        def goals_for(wanted: frozenset[Evidence]) -> frozenset[int]:
            return frozenset(number for number, goal in enumerate(goals) if not wanted.isdisjoint(goal.wanted))

        return [
            needed(self.pursuit, goals_for(one), self.until) for one in alternatives if len(hopeless & one) == least
        ]


def needed(pursuit: Pursuit, asked: Iterable[int], until: Deadline = NEVER) -> frozenset[int]:
    """Without goals that another one of them brings with it, because all witnesses of that one are its own."""
    first: dict[frozenset[int], int] = {}
    for number in sorted(asked):
        first.setdefault(pursuit.goals[number].edges, number)
    kept: dict[int, list[frozenset[int]]] = {}
    for done, edges in enumerate(sorted(first, key=lambda one: (len(one), first[one]))):
        look_at(until, done)
        # One with all its witnesses among these is found at the first of its own.
        if not any(rival <= edges for edge in edges for rival in kept.get(edge, ())):
            kept.setdefault(min(edges, default=-1), []).append(edges)
    return frozenset(first[edges] for same in kept.values() for edges in same)
