"""Planning a test: bounds that are soon found, and the tour of least cost in the unfolding or in smaller ones.

Bounds from below that are found sooner than that of the whole problem, or where it is too large. Projected: each run of
a test is a walk of the machine itself, and it takes for each goal one of the steps that can be witnesses of it. So
where the worst is expected, or the machine makes no choices, a test costs at least as much as the postman's tour that
takes such steps, which is a flow of least cost where each goal has one step only. Of an unfolding that says too little
not all witnesses are known; then all steps count that could be witnesses at the very most.

Overestimated: in a smaller unfolding that says more of tests than holds (approximation.py) every test has a walk
that costs as much and shows no less, so what the walk of least cost costs relaxed is a bound. For machines without
choices only: of the others a by-pass edge may cost less than its parts.

Planning a test: the tour of least cost is looked for in the unfolding, or where it is too large, in smaller ones.
Definition: see planned_tour.py. Where the unfolding is too large, predicates are underestimated if that is safe, and
else only some tests are looked at: the test shows what is said, but a cheaper one may do so too.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from outplay.cancellation import NEVER, Deadline, deadline
from outplay.garbage_collection import uncollected
from outplay.predicate_tours.approximation import (
    WIDTH,
    LargeUnfolding,
    check_deadline,
    possible_witnesses,
    steps_showing,
)
from outplay.predicate_tours.candidate_tests import classical_candidates, unfold_candidates
from outplay.predicate_tours.planned_tour import PlannedTour
from outplay.predicate_tours.predicate_system import Evidence, PredicateSystem
from outplay.predicate_tours.sheaf_graph import Prediction, SheafGraph, Vector
from outplay.predicate_tours.system_model import MachineStep, SystemModel
from outplay.predicate_tours.tour_problem import ROOT, ProblemModel, expects_worst, needed_targets
from outplay.predicate_tours.unfoldings import determinized_unfolding, overestimated_unfolding
from outplay.strategy.tours.postman import postman
from outplay.strategy.tours.postman_problem import NoTour, Tour, postman_problem
from outplay.strategy.tours.tour_bounds import relaxed_tour_bound
from outplay.strategy.tours.tour_network import network_of

_BOUND_WIDTH = 16


def projected_cost_bound(problem: ProblemModel, until: Deadline = NEVER) -> Vector | None:
    """Return the least cost of the steps that all goals of a test need; None with a choice of goals, or hope."""
    model = problem.graph.model
    if problem.graph.rounded and not problem.graph.system.monotone:
        return None
    if len(problem.choices) > 1 or problem.past or not (expects_worst(problem.prediction) or model.deterministic):
        return None
    place = {step: number for number, step in enumerate(model.steps)}
    try:
        goals = {frozenset(map(place.__getitem__, steps)) for steps in _witnesses(problem, until)}
    except LargeUnfolding:
        return None
    network = network_of(len(model.names), [(step.source, step.target, step.cost) for step in model.steps])
    found = postman(network, sorted(goals, key=sorted), start=model.root, time_limit=until.left)
    return found.checked if isinstance(found, Tour) else None


def _witnesses(problem: ProblemModel, until: Deadline) -> list[frozenset[MachineStep]]:
    """For each goal the steps of which a run takes one: those that show some of it."""
    graph = problem.graph
    wanted = [frozenset().union(*problem.targets[number].clauses) for number in problem.choices[0]]
    if graph.rounded:
        return possible_witnesses(graph.model, graph.system, wanted, until)
    parts = dict.fromkeys(part for edge in graph.edges for run in edge.runs for part in run)
    shown: dict[Hashable, list[tuple[Evidence, MachineStep]]] = {}
    for done, part in enumerate(parts):
        check_deadline(until, done)
        for one in graph.system.evidence(part):
            shown.setdefault(one.subject, []).append((one, part.step))
    return [steps_showing(choice, shown) for choice in wanted]


def least_test_cost(problem: ProblemModel, until: Deadline = NEVER, width: int = _BOUND_WIDTH) -> Vector | None:
    """Return the least cost of a test that shows what a problem pursues; None where nothing is known."""
    model, system = problem.graph.model, problem.graph.system
    if not model.deterministic or not system.monotone or len(problem.choices) > 1 or problem.past:
        return None
    wanted = {problem.targets[number].clauses for number in problem.choices[0]}
    try:
        more = ProblemModel(overestimated_unfolding(model, system, width=width, until=until), problem.prediction, until)
        asked = [number for number, target in enumerate(more.targets) if target.clauses in wanted]
        asked = sorted(needed_targets(more.targets, asked, until))
    except LargeUnfolding:
        return None
    goals = [more.targets[number].edges for number in asked]
    return relaxed_tour_bound(postman_problem(more.network, goals, start=ROOT), until)[1:]


MOST_EXACT = 5_000
"""This many vertices can be toured in a minute or so; larger unfoldings are underestimated where that is safe."""
_WIDER = 4
_SEEING = 0.7  # the part of the time for finding out what tests show
_FIRST = 0.5  # the part of it for a first tour, where stretches that make it cheaper are looked for after it
_LEAST = 2.0  # seconds for a first test, so that of small machines there is one whatever the time
_BOUND = 10.0  # seconds for a bound where there is no limit


@uncollected()
def plan_tour(
    model: SystemModel,
    system: PredicateSystem,
    *,
    prediction: Prediction | None = None,
    bypasses: bool = True,
    most: int = MOST_EXACT,
    width: int = WIDTH,
    candidates: Iterable[Sequence[str]] | None = None,
    time_limit: float | None = None,
) -> PlannedTour | NoTour:
    """Plan the test of least predicted cost that meets a testing strategy.

    Where the unfolding has more than `most` vertices, or takes more than half of the time, it is made smaller by
    underestimating: first `width` annotations wide, then wider, as long as there are few enough vertices and time.
    Where that is not safe, the test is put together from those of a simpler method, or from `candidates` if any are
    given. `time_limit` is for all of it, in seconds; where nothing was found by then, that is said.

    >>> from outplay.model.machine import Machine
    >>> from outplay.predicate_tours.recognition import forward_recognition
    >>> from outplay.predicate_tours.system_model import system_model
    >>> steps = (0, "press", "on", 1), (1, "press", "off", 0), (0, "wait", "dark", 0), (1, "wait", "light", 1)
    >>> lamp = system_model(Machine(("off", "on"), steps))
    >>> test = plan_tour(lamp, forward_recognition(lamp))
    >>> " ".join(test.inputs), test.optimal
    ('wait press wait press wait', True)
    """
    until, expected = deadline(time_limit), prediction or Prediction()
    try:
        if candidates is not None:
            graph = unfold_candidates(model, system, candidates)
        else:
            graph = determinized_unfolding(model, system, most=most, until=until.share(0.5))
        return cheapest_test_in(graph, expected, bypasses=bypasses, until=until)
    except LargeUnfolding as large:
        if candidates is not None:
            return NoTour((), str(large))
    return _Approximation(model, system, expected, bypasses, most, width).found(until)


def cheapest_test_in(
    graph: SheafGraph, prediction: Prediction, *, bypasses: bool = True, until: Deadline = NEVER
) -> PlannedTour | NoTour:
    """Find the test of least predicted cost in a sheaf graph, with the best bound."""
    found = _toured(graph, prediction, bypasses, until)
    return found if isinstance(found, NoTour) else _bounded(found, until)


def _toured(graph: SheafGraph, prediction: Prediction, bypasses: bool, until: Deadline) -> PlannedTour | NoTour:
    """The test with the bound that its graph proves, which is none where predicates are underestimated."""
    problem = ProblemModel(graph, prediction, until.share(_SEEING), bypasses)
    found = _planned(problem, problem.solve(until.share(_FIRST)))
    if isinstance(found, NoTour) or problem.outlook.complete or graph.rounded:
        return found
    found = _bounded(found, until.share(_FIRST))
    if found.optimal:
        return found
    further = problem.completed(until.share(_SEEING), below=found.cost if found.is_one_test else None)
    if further.outlook.stretches == problem.outlook.stretches and not further.outlook.complete:
        return found
    better = _planned(further, further.solve(until))
    return found if isinstance(better, NoTour) else better


def _planned(problem: ProblemModel, found: Tour | NoTour) -> PlannedTour | NoTour:
    if isinstance(found, NoTour):
        return found
    # The first column counts how often the tour enters the graph, which is no cost of the test.
    cost, bounds = found.cost[1:], (found.bound[1:], found.checked[1:])
    if problem.graph.rounded or not problem.outlook.complete:
        bounds = (problem.graph.model.nothing,) * 2
    walks = tuple(tuple(edge for number in part for edge in problem.edges[number]) for part in problem.stretches(found))
    return PlannedTour(problem, walks, cost, *bounds)


def _bounded(planned: PlannedTour, until: Deadline) -> PlannedTour:
    """The test with the bound of the steps alone, or of an unfolding that says too much, if one of them is better."""
    found, until = planned, (until.within(_BOUND) if until.left is None else until).not_before(_LEAST)
    for bound in (projected_cost_bound, least_test_cost) if planned.approximate else (projected_cost_bound,):
        least = None if found.cost == found.bound else bound(found.problem, until)
        if least is not None:
            least = min(found.cost, least)
            found = replace(found, bound=max(found.bound, least), checked=max(found.checked, least))
    return found


@dataclass(frozen=True)
class _Approximation:
    """A search where there are too many tests to look at all of them."""

    model: SystemModel
    system: PredicateSystem
    prediction: Prediction
    bypasses: bool
    most: int
    width: int

    def found(self, until: Deadline) -> PlannedTour | NoTour:
        """The best test that is found by then."""
        until = until.not_before(_LEAST)
        try:
            if not self.system.monotone:
                tests = classical_candidates(self.model)
                graph = unfold_candidates(self.model, self.system, tests, until=until.share(0.5))
                return cheapest_test_in(graph, self.prediction, bypasses=self.bypasses, until=until)
            found = self._widened(until.share(0.7))
        except LargeUnfolding as large:
            return NoTour((), str(large))
        return found if isinstance(found, NoTour) else _bounded(found, until)

    def _widened(self, until: Deadline) -> PlannedTour | NoTour:
        """The best test of unfoldings that say too little, each of which says more than the one before.

        Begins with a small width; `LargeUnfolding` where there is no time for that.
        """
        width, vertices = self.width, 0
        first = determinized_unfolding(self.model, self.system, width=width, until=until)
        found = _toured(first, self.prediction, self.bypasses, until.share(0.5))
        while not until.passed and isinstance(found, PlannedTour):
            width = max(width, 1) * _WIDER
            try:
                graph = determinized_unfolding(
                    self.model, self.system, most=self.most, width=width, until=until.share(0.5)
                )
                if len(graph.vertices) == vertices:
                    break
                vertices = len(graph.vertices)
                wider = _toured(graph, self.prediction, self.bypasses, until)
            except LargeUnfolding:
                break
            found = max(found, wider, key=_worth) if isinstance(wider, PlannedTour) else found
        return found


def _worth(planned: PlannedTour) -> tuple[int, tuple[Fraction, ...]]:
    """More goals are better, and then lower costs."""
    return -len(planned.problem.pursuit.hopeless), tuple(-part for part in planned.cost)
