"""Models as GraphWalker has them, explored with their data: larger and larger parts, as graphs for a postman.

The shortest walks that take every edge of models as GraphWalker has them, with a bound below which there are none.
Walks are explored with their data, breadth first and up to a number of spots, then a postman's tour is found that takes
each edge of the models at some spot (the generalized rural postman of Kapus-Kolar 2007). It may start again, as seldom
as can be. What it takes can be executed. Where all spots were explored, the tour's own bound holds for all walks. Where
not, as where something counts without end, the bound is that of the models without their data, which allows more walks.
Edges that no explored walk takes are told.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from outplay.cancellation import Deadline, deadline
from outplay.errors import UsageError
from outplay.game.exploring.breadth_first import Progress
from outplay.grouping import grouped
from outplay.model.walk_models import WalkModels, WalkPosition, WalkSpecification
from outplay.model.walk_stop import Choices, GoalChoice, generator_goals, goal_choice, stop_condition_goals
from outplay.plurals import counted
from outplay.strategy.tours.postman import postman
from outplay.strategy.tours.postman_problem import Tour
from outplay.strategy.tours.tour_network import Cost, Network, network_of
from outplay.suite.covering.walk_tests import TraceTester
from outplay.suite.from_tester import case_from_tester
from outplay.suite.methods import SECONDS, Subject
from outplay.suite.suite import Stream, Suite, TestCase

FEW = 25
MORE = 2  # larger parts that are tried when all edges are there


def _explored_parts(models: WalkModels, most: int) -> list[ExploredWalks]:
    """Larger and larger parts: until all spots or all edges are there, and then some more."""
    parts, count, more = [ExploredWalks(models, min(FEW, most))], FEW, MORE
    while not parts[-1].complete and count < most and more:
        count = min(2 * count, most)
        parts.append(ExploredWalks(models, count))
        more -= len(parts[-1].taken) == len(models.edges)
    return parts


class ExploredWalks:
    """The spots that walks come to, this many of them at most, and the steps between them."""

    def __init__(self, models: WalkModels, most: int) -> None:
        self.spots: dict[WalkPosition, int] = {models.initial: 0}
        self.arcs: list[tuple[int, int, int]] = []
        self.complete = True
        for number, spot in enumerate(queue := [models.initial]):
            for edge, after in models.steps(spot):
                if after not in self.spots and len(self.spots) >= most:
                    self.complete = False
                    continue
                if after not in self.spots:
                    self.spots[after] = len(self.spots)
                    queue.append(after)
                self.arcs.append((number, self.spots[after], edge))

    @cached_property
    def taken(self) -> dict[int, list[int]]:
        """For each edge of the models that is taken somewhere the arcs that take it."""
        return grouped((edge, arc) for arc, (_, _, edge) in enumerate(self.arcs))

    @cached_property
    def network(self) -> Network:
        """The arcs at one step each, with restarts, which cost more than any steps."""
        return _restartable(len(self.spots), [(source, target) for source, target, _ in self.arcs])

    def walks(self, tour: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        """The walks of a tour, as edges of the models."""
        walks: list[list[int]] = [[]]
        for arc in tour:
            if arc >= len(self.arcs):
                walks.append([])
            else:
                walks[-1].append(self.arcs[arc][2])
        return tuple(tuple(walk) for walk in walks if walk)


def _restartable(count: int, ends: list[tuple[int, int]]) -> Network:
    """Edges of one step each, with restarts, which cost more than any steps."""
    network = network_of(count, [(source, target, (0, 1)) for source, target in ends])
    return network.with_resets(0, cost=[1, 0])


MOST = 20_000
OWN = "own"


@dataclass(frozen=True)
class CoveringWalks:
    """Walks that take every edge that can be taken, how many there are at least, and how many steps at least."""

    models: WalkModels
    walks: tuple[tuple[int, ...], ...]
    """Edges of the models, each walk from the start."""
    bound: tuple[int, int]
    """No walks that do the same start again less often or, starting again as often, have fewer steps."""
    out_of_reach: tuple[int, ...]
    complete: bool
    """Whether all spots were explored; else out of reach means not met so far."""
    wanted: Choices | None = None
    """The goals of the walks, if not every edge."""

    @property
    def steps(self) -> int:
        return sum(map(len, self.walks))

    @property
    def restarts(self) -> int:
        return max(len(self.walks) - 1, 0)

    @property
    def gap(self) -> Fraction:
        """Return the number of steps that may be too many; of the restarts, where those may be too many."""
        if self.restarts > self.bound[0]:
            return Fraction(self.restarts - self.bound[0], self.restarts)
        return Fraction(self.steps - self.bound[1], self.steps) if self.steps else Fraction(0)

    @cached_property
    def requirements(self) -> dict[str, bool]:
        """Each requirement, and whether the walks meet it."""
        met = {one for walk in self.walks for one in self.models.requirements_of(walk)}
        return {one: one in met for one in self.models.requirements}

    def json(self) -> dict[str, Any]:
        """The figures, and what is out of reach, by name."""
        edges = self.models.edges
        return {
            "edges": len(edges) - len(self.out_of_reach),
            "walks": [[edges[edge].name for edge in walk] for walk in self.walks],
            "steps": self.steps,
            "bound": {"restarts": self.bound[0], "steps": self.bound[1]},
            "gap": float(self.gap),
            "complete": self.complete,
            "out_of_reach": [f"{self.models.names[edges[edge].model]}: {edges[edge].id}" for edge in self.out_of_reach],
            "requirements": self.requirements,
            "generators": list(dict.fromkeys(filter(None, self.models.generators))),
        }

    def lines(self) -> list[str]:
        taken = len(self.models.edges) - len(self.out_of_reach)
        proven = "and no walk is shorter" if not self.gap else f"at least {self.bound[1]:,} are needed"
        again = f", starting {counted(len(self.walks), 'time')}" if self.restarts else ""
        done = f"take all {counted(taken, 'edge')} of the models" if self.wanted is None else "do what is asked for"
        listed = [f"{counted(self.steps, 'step')} {done}{again}, {proven}"]
        if self.out_of_reach and self.wanted is None:
            names = ", ".join(self.models.edges[edge].name for edge in self.out_of_reach[:8])
            listed.append(f"{'never' if self.complete else 'not so far'} taken, whatever is walked: {names}")
        missed = [one for one, met in self.requirements.items() if not met]
        if self.requirements:
            listed.append(f"{len(self.requirements) - len(missed)} of {len(self.requirements)} requirements are met")
        if missed:
            listed.append(f"not met: {', '.join(missed[:8])}")
        return listed

    def cases(self, spec: WalkSpecification) -> Iterator[TestCase]:
        """Each walk as a test case."""
        for number, walk in enumerate(self.walks):
            tester = TraceTester(tuple(spec.labels[edge] for edge in walk))
            yield case_from_tester(tester, spec, outputs=(), name=f"walk {number + 1}")


def walk_suite(
    subject: Subject, *, until: str | None = None, time_limit: float = SECONDS, progress: Progress | None = None
) -> Suite:
    """Make the suite of covering walks of a GraphWalker model; `until` or `own` conditions say when they are done."""
    spec = subject.bare()
    if not isinstance(spec, WalkSpecification):
        raise UsageError("--method walk is for GraphWalker models; for others use --method edges")
    models = spec.models
    wanted = None if until is None else generator_goals(models) if until == OWN else stop_condition_goals(models, until)
    found = covering_walks(models, wanted, most=min(subject.limits.states, MOST), seconds=time_limit)
    guarantee = "every edge of the models that can be taken is taken" if wanted is None else f"walked until {until}"
    tests = Stream(lambda: found.cases(spec))
    return Suite(tests=tests, guarantee=guarantee, count=len(found.walks), remarks=found)


def covering_walks(
    models: WalkModels, wanted: Choices | None = None, *, most: int = MOST, seconds: float = SECONDS
) -> CoveringWalks:
    """Find walks that meet all goals of one of the sets wanted, else that take every edge that can be taken.

    At most this many spots are explored, and this many seconds spent on solving. Larger parts have shorter walks and
    take longer, so it begins with the smallest part that has all edges.
    """
    until = deadline(seconds)
    parts = _explored_parts(models, most)
    explored = parts[-1]
    asked = _asked(models, explored, wanted)
    bare = _bare(models, asked, until.share(0.5))
    best: tuple[Cost, Cost, tuple[tuple[int, ...], ...]] | None = None
    for part in (part for part in parts if len(part.taken) == len(explored.taken)):
        if best is not None and (best[0] <= bare.bound or until.passed):
            break
        tour = _solved(part.network, part.taken, asked, until if part.complete else until.share(0.5))
        low = max(tour.bound, bare.bound) if part.complete else bare.bound
        if best is None or tour.cost < best[0] or low > best[1]:
            known = best if best is not None and best[0] <= tour.cost else (tour.cost, low, part.walks(tour.walk))
            best = known[0], low, known[2]
    assert best is not None
    missing = tuple(edge for edge in range(len(models.edges)) if edge not in explored.taken)
    restarts, steps = map(int, min(best[0], best[1]))
    return CoveringWalks(models, best[2], (restarts, steps), missing, explored.complete, wanted)


def _asked(models: WalkModels, explored: ExploredWalks, wanted: Choices | None) -> Choices:
    """The sets of goals that can be met: of what is wanted, else of all edges that can be taken."""
    if wanted is None:
        return [goal_choice(frozenset({edge}) for edge in explored.taken)]
    reach = explored.taken.keys()
    met = [
        GoalChoice(frozenset(goal for goal in one.goals if not goal.isdisjoint(reach)), one.needed) for one in wanted
    ]
    possible = [choice for choice in met if len(choice.goals) >= choice.needed]
    if possible:
        return possible
    fewest = min(wanted, key=lambda choice: choice.needed)
    lacking = {name for goal in fewest.goals if goal.isdisjoint(reach) for name in _names(models, goal)}
    raise UsageError(f"no walk gets that far: none takes {', '.join(sorted(lacking)[:8]) or 'what is asked for'}")


def _names(models: WalkModels, goal: frozenset[int]) -> list[str]:
    return [models.edges[edge].name for edge in goal]


def _solved(network: Network, arcs: Mapping[int, Sequence[int]], asked: Choices, until: Deadline) -> Tour:
    """The shortest tour that meets all goals of a set, each by an arc that takes one of its edges."""
    goals = list(dict.fromkeys(goal for choice in asked for goal in sorted(choice.goals, key=sorted)))
    number = {goal: place for place, goal in enumerate(goals)}
    taking = [[arc for edge in sorted(goal) for arc in arcs.get(edge, ())] for goal in goals]
    choices, needed = [[number[goal] for goal in one.goals] for one in asked], [one.needed for one in asked]
    found = postman(network, taking, choices, needed=needed, start=0, closed=False, time_limit=until.left)
    assert isinstance(found, Tour), "what was explored can be reached, and restarted from"
    return found


def _bare(models: WalkModels, asked: Choices, until: Deadline) -> Tour:
    """The tour of the models without data: nothing that can be executed is shorter."""
    first = None if models.start_vertex is None else models.places[models.start_vertex]
    others = sorted(set(models.places) - {first})
    places = {first: 0} | {place: number + 1 for number, place in enumerate(others)}
    ends, arcs = list[tuple[int, int]](), dict[int, list[int]]()
    for number, edge in enumerate(models.edges):
        begins = first is None and models.start_edge == number
        if begins or edge.source is not None:
            source = 0 if edge.source is None or begins else places[models.places[edge.source]]
            arcs[number] = [len(ends)]
            ends.append((source, places[models.places[edge.target]]))
    return _solved(_restartable(len(places), ends), arcs, asked, until)
