"""The postman problem of a test: the goals, the stretches that are kept whole, and the graph with one root.

The goals of a tour, and the stretches that are kept whole to meet them: what all edges and stretches show. Goals come
first from the edges one by one (evidence.py). What no edge surely shows may be shown by a stretch (stretches.py), which
is then its witness. Once the goals are known, so is which other stretches cost less or show more than their edges.

The problem model: a graph with one root in which the test of least cost is a postman's tour. Kapus-Kolar 2007, 5, 7.5.2
and 7.6.2: the sheaf graph, a root of its own, and edges of no cost from the root to every entry and from every exit to
the root. Each edge costs what is predicted of its runs, and is a witness of the goals it is predicted to show. A tour
through the root that passes a witness of every goal is a generalized rural postman's, or with alternatives a
generalized generalized one's. Passing from the root to the graph again puts one test behind another. Where that is not
safe it costs more than anything else, so that the tour does so only if there is no other way. Where a test goes on,
each entry has only edges for the past, one of which is a goal, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import groupby

from outplay.breadth_first_search import nearest_first
from outplay.cancellation import NEVER, Deadline
from outplay.predicate_tours.approximation import check_deadline
from outplay.predicate_tours.evidence import Clauses, Pursued, Pursuit, Witnessed, Witnesses, single_evidence
from outplay.predicate_tours.predicate_system import Evidence
from outplay.predicate_tours.sheaf_graph import Expecting, Prediction, SheafGraph, SheafVertex, Vector
from outplay.predicate_tours.stretch_labels import Stretch, Walk
from outplay.predicate_tours.stretches import UncertainStretches
from outplay.strategy.tours.postman import postman
from outplay.strategy.tours.postman_problem import NoTour, Tour
from outplay.strategy.tours.tour_network import Network, network_of

_SHARE = 0.5  # of the time, for evidence that no edge shows


@dataclass(frozen=True)
class TourGoals:
    """The goals of a tour, and the stretches beside the edges of its graph."""

    pursuit: Pursuit
    stretches: tuple[Stretch, ...] = ()
    complete: bool = True
    """Whether no other stretch makes a cheaper test; where not, only other bounds hold."""


def _tour_goals(witnesses: Witnesses, until: Deadline, *, bypasses: bool) -> TourGoals:
    """Find out which goals edges and stretches show, with a stretch for each that no edge shows."""
    if not bypasses or witnesses.graph.model.deterministic:
        return TourGoals(witnesses.pursuit())
    if not _exact(witnesses):
        return TourGoals(witnesses.pursuit(), complete=False)
    edges = witnesses.sure_edges()
    unsure = [one for one, found in edges.items() if not found]
    walks, unseen = _shown_by_stretches(witnesses, unsure, until.share(_SHARE))
    goals = [_plain(one, found) for one, found in edges.items() if found or one in walks]
    weaker, hopeless, late = witnesses.weaker_goals([one for one in unsure if one not in walks])
    pursuit = Pursuit((*goals, *weaker), hopeless, unseen | late)
    stretches = UncertainStretches(witnesses).whole(_wanted(pursuit), walks.values())
    return replace(_with_stretches(pursuit, stretches, len(witnesses.graph.edges)), complete=False)


def _all_stretches(known: TourGoals, witnesses: Witnesses, until: Deadline, *, below: Vector | None) -> TourGoals:
    """The outlook with all stretches that a test of lower cost may have, as far as there is time and space."""
    if known.complete or not _exact(witnesses):
        return known
    search, wanted = UncertainStretches(witnesses, until), _wanted(known.pursuit)
    stretches = search.best(wanted, [one.walk for one in known.stretches], below)
    exact = all(len(clause) == 1 for clauses in wanted for clause in clauses)
    edges = len(witnesses.graph.edges)
    return replace(_with_stretches(known.pursuit, stretches, edges), complete=search.complete and exact)


def expects_worst(prediction: Prediction) -> bool:
    """Say whether a tour predicts the worst that may happen, in costs and in evidence."""
    return prediction.cost is prediction.evidence is Expecting.WORST


def _exact(witnesses: Witnesses) -> bool:
    """Say whether stretches can be predicted as a whole: of the worst runs, between vertices that name their states."""
    plain = all(run[0].before in edge.source for edge in witnesses.graph.edges for run in edge.runs)
    return plain and expects_worst(witnesses.prediction)


def _wanted(pursuit: Pursuit) -> list[Clauses]:
    return [part.clauses for goal in pursuit.goals for part in goal.parts]


def _shown_by_stretches(
    witnesses: Witnesses, unsure: Sequence[Evidence], until: Deadline
) -> tuple[dict[Evidence, Walk], frozenset[Evidence]]:
    """A stretch for each piece of evidence that one surely shows, and those that were given up."""
    mentioned = witnesses.mentioned(frozenset(one.subject for one in unsure))
    walks, given_up = dict[Evidence, Walk](), set[Evidence]()
    for one in unsure:
        if one.subject in mentioned:
            search = UncertainStretches(witnesses, until)
            walk = search.showing(one)
            if walk is not None:
                walks[one] = walk
            elif not search.complete:
                given_up.add(one)
    return walks, frozenset(given_up)


def _plain(wanted: Evidence, edges: Sequence[int]) -> Pursued:
    clauses: Clauses = single_evidence(wanted)
    return Pursued(clauses, (Witnessed(clauses, frozenset(edges)),), (wanted,))


def _with_stretches(pursuit: Pursuit, stretches: Sequence[Stretch], edges: int) -> TourGoals:
    """The goals with the stretches among the witnesses of their parts, numbered behind the edges."""
    found, number = [], 0
    for goal in pursuit.goals:
        parts = []
        for part in goal.parts:
            plain = (one for one in part.edges if one < edges)
            more = (edges + place for place, stretch in enumerate(stretches) if number in stretch.shown)
            parts.append(replace(part, edges=frozenset(plain).union(more)))
            number += 1
        found.append(replace(goal, parts=tuple(parts)))
    return TourGoals(replace(pursuit, goals=tuple(found)), tuple(stretches))


ROOT = 0


@dataclass(frozen=True)
class ProblemModel:
    """A sheaf graph made ready for the postman, and what he is asked for."""

    graph: SheafGraph
    prediction: Prediction
    until: Deadline = field(default=NEVER, compare=False, repr=False)
    """Until when the goals are looked for; `LargeUnfolding` where that takes longer."""
    bypasses: bool = False
    """Whether stretches through uncertain states are predicted as a whole, too."""
    given: TourGoals | None = field(default=None, compare=False, repr=False)
    """The outlook, where it is known already."""

    @cached_property
    def outlook(self) -> TourGoals:
        """The goals, and the stretches that are kept whole."""
        return self.given or _tour_goals(self._witnesses, self.until, bypasses=self.bypasses)

    @property
    def _witnesses(self) -> Witnesses:
        return Witnesses(self.graph, self.prediction, self.until)

    def completed(self, until: Deadline, *, below: Vector | None) -> ProblemModel:
        """The problem with all stretches that a test which costs less than `below` may have, as far as found."""
        return replace(self, given=_all_stretches(self.outlook, self._witnesses, until, below=below))

    @property
    def pursuit(self) -> Pursuit:
        """The goals, and what is hopeless."""
        return self.outlook.pursuit

    @cached_property
    def edges(self) -> list[Walk]:
        """Return what the postman walks on, by number: the edges of the graph, then the stretches."""
        return [*((edge,) for edge in self.graph.edges), *(one.walk for one in self.outlook.stretches)]

    @cached_property
    def costs(self) -> list[Vector]:
        """The predicted cost of each edge, then of each stretch."""
        plain = [self.prediction.cost_of(self.graph.model, edge.runs) for edge in self.graph.edges]
        return [*plain, *(one.cost for one in self.outlook.stretches)]

    @cached_property
    def past(self) -> frozenset[int]:
        """The edges that stand for what was observed; none where a test is to begin."""
        return frozenset(number for number, walk in enumerate(self.edges) if walk[0].past)

    @cached_property
    def targets(self) -> list[Witnessed]:
        """The parts of all goals, by number: what the postman is asked for."""
        return [part for goal in self.pursuit.goals for part in goal.parts]

    @property
    def joins(self) -> bool:
        """Whether the tour may put tests one after the other."""
        return self.graph.system.concatenates and not self.past

    @cached_property
    def network(self) -> Network:
        """The root is vertex 0; the edges of the graph come first, then those from and to the root."""
        number = {vertex: place for place, vertex in enumerate(self.graph.vertices, 1)}
        free = self.graph.model.nothing
        within = zip(self.edges, self.costs, strict=True)
        edges = [(number[walk[0].source], number[walk[-1].target], (Fraction(0), *cost)) for walk, cost in within]
        enter = (Fraction(0 if self.joins else 1), *free)
        edges += [(ROOT, number[one], enter) for one in self.graph.vertices if self.graph.is_entry(one)]
        edges += [(number[one], ROOT, (Fraction(0), *free)) for one in self.graph.vertices if self._leaves(one)]
        return network_of(1 + len(number), edges)

    def _leaves(self, vertex: SheafVertex) -> bool:
        """A test that goes on does not end where it began."""
        return self.graph.is_exit(vertex) and not (self.past and self.graph.is_entry(vertex))

    def solve(self, until: Deadline = NEVER) -> Tour | NoTour:
        """The postman's tour; its cost begins with how often it enters the graph where that is not safe."""
        goals, choices = [target.edges for target in self.targets], self.choices
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
        return [list(part) for within, part in groupby(tour.walk, len(self.edges).__gt__) if within]

    def _postman(self, goals: list[frozenset[int]], choices: list[frozenset[int]], until: Deadline) -> Tour | NoTour:
        return postman(self.network, goals, choices, start=ROOT, time_limit=until.left)

    def _kept(self, tour: Tour, goals: list[frozenset[int]]) -> frozenset[int]:
        """Keep the goals of the best stretch of a tour, where no way meets all goals with the one past there was.

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
        return {number for number, walk in enumerate(self.edges) if walk[0].source in met}

    def _one_past(self, choice: frozenset[int]) -> list[frozenset[int]]:
        """There was one past: of what only the past shows, as much as one reading of it does."""
        edges = {number: self.targets[number].edges for number in choice}
        only = {number for number in choice if edges[number] <= self.past}
        shown = {frozenset(number for number in only if past in edges[number]) for past in self.past}
        most = max(map(len, shown))
        return [choice - only | one for one in sorted(shown, key=sorted) if len(one) == most]

    @cached_property
    def choices(self) -> list[frozenset[int]]:
        """Return the goals that are enough: all, or those of an alternative of which as little as possible is
        hopeless.
        """
        hopeless = set(self.pursuit.hopeless)
        alternatives = self.graph.system.alternatives or (frozenset(self.graph.system.wanted),)
        least = min(len(hopeless & one) for one in alternatives)
        owners = [goal for goal in self.pursuit.goals for _ in goal.parts]

        def targets_for(wanted: frozenset[Evidence]) -> list[int]:
            return [number for number, goal in enumerate(owners) if not wanted.isdisjoint(goal.wanted)]

        return [
            needed_targets(self.targets, targets_for(one), self.until)
            for one in alternatives
            if len(hopeless & one) == least
        ]


def needed_targets(targets: Sequence[Witnessed], asked: Iterable[int], until: Deadline = NEVER) -> frozenset[int]:
    """Return the targets of a tour that no other target brings with it, as all witnesses of that one are its own."""
    first: dict[frozenset[int], int] = {}
    for number in sorted(asked):
        first.setdefault(targets[number].edges, number)
    kept: dict[int, list[frozenset[int]]] = {}
    for done, edges in enumerate(sorted(first, key=lambda one: (len(one), first[one]))):
        check_deadline(until, done)
        # One with all its witnesses among these is found at the first of its own.
        if not any(rival <= edges for edge in edges for rival in kept.get(edge, ())):
            kept.setdefault(min(edges, default=-1), []).append(edges)
    return frozenset(first[edges] for same in kept.values() for edges in same)
