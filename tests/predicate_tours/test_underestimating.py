"""Unfoldings that say too little: tests from them show all that is said, and their bounds hold for the exact ones."""

from __future__ import annotations

import itertools
from random import Random

import pytest

from helpers.plain_unfoldings import runs_of
from helpers.seeds import seeds
from helpers.tour_machines import random_system_model, running_example
from outplay.cancellation import Deadline
from outplay.errors import UsageError
from outplay.game.reset import RESET
from outplay.predicate_tours.approximation import (
    LargeUnfolding,
    Rounding,
    RoundingUp,
    overestimated_predicates,
    possible_witnesses,
)
from outplay.predicate_tours.evidence import Clauses, Witnesses, run_shows_clause
from outplay.predicate_tours.planned_tour import PlannedTour, Reason
from outplay.predicate_tours.predicate_system import Annotated, AnnotatedStep, Evidence, PredicateSystem, annotated_tour
from outplay.predicate_tours.recognition import (
    any_recognition,
    backward_recognition,
    double_recognition,
    forward_recognition,
    neighbour_recognition,
)
from outplay.predicate_tours.sheaf_graph import Prediction, Vector
from outplay.predicate_tours.system_model import MachineStep, SystemModel
from outplay.predicate_tours.tour_planning import least_test_cost, plan_tour
from outplay.predicate_tours.unfoldings import determinized_unfolding, unfolding
from outplay.strategy.tours.postman_problem import PostmanProblem, postman_problem
from outplay.strategy.tours.tour_bounds import relaxed_tour_bound

KINDS = {
    "forward": forward_recognition,
    "backward": backward_recognition,
    "any": any_recognition,
    "double": double_recognition,
    "neighbours": neighbour_recognition,
}
SINGLE = ("forward", "backward")  # each goal asks for one predicate, in one walk over the machine


def both(model: SystemModel, system: PredicateSystem, width: int) -> tuple[PlannedTour, PlannedTour]:
    """The exact test and the approximation."""
    exact = plan_tour(model, system, bypasses=False)
    rough = plan_tour(model, system, bypasses=False, most=0, width=width)
    assert isinstance(exact, PlannedTour)
    assert isinstance(rough, PlannedTour)
    assert (exact.approximate, rough.approximate) == (False, True)
    return exact, rough


def evidence_of(system: PredicateSystem, run: tuple[MachineStep, ...], root: int) -> frozenset[Evidence]:
    """What one run shows, by the definition."""
    states = annotated_tour(system, run, root)
    steps = zip(states, run, states[1:], strict=False)
    return frozenset().union(*(system.evidence(AnnotatedStep(*one)) for one in steps))


def goals_of(found: PlannedTour) -> list[Clauses]:
    return [goal.clauses for goal in found.problem.pursuit.goals]


def sure(found: PlannedTour) -> set[Evidence]:
    return {one for goal in found.problem.pursuit.goals if goal.sure for one in goal.wanted}


def worst(runs: tuple[tuple[MachineStep, ...], ...]) -> Vector:
    return max(tuple(map(sum, zip(*(step.cost for step in run), strict=True))) for run in runs)


@pytest.mark.parametrize("kind", KINDS)
@seeds(range(40), quick=2)
def test_whatever_happens_all_that_is_said_is_shown(seed: int, kind: str):
    model = random_system_model(Random(f"{seed} {kind}"), states=2 if kind == "neighbours" else 3)
    system = KINDS[kind](model)
    _, rough = both(model, system, width=seed % 3)
    if not rough.inputs:
        pytest.skip("no test shows anything")
    runs = runs_of(model, rough.inputs) if len(rough.inputs) <= 12 else None
    if runs is None or len(runs) > 300:
        pytest.skip("too many runs to look at each")
    assert worst(runs) <= rough.cost
    for run in runs:
        shown = evidence_of(system, run, model.root)
        assert all(run_shows_clause(shown, clauses) for clauses in goals_of(rough))


@pytest.mark.parametrize("kind", KINDS)
@seeds(range(40), quick=2)
def test_it_is_never_cheaper_than_the_exact_test_and_its_bound_is_never_above(seed: int, kind: str):
    model = random_system_model(Random(f"{seed} {kind}"), states=3, deterministic=True)
    system = KINDS[kind](model)
    exact, rough = both(model, system, width=seed % 3)
    assert exact.optimal
    said = [run_shows_clause(evidence_of(system, one_run(exact), model.root), clauses) for clauses in goals_of(rough)]
    assert all(said)  # so that the bound holds for the exact test, too
    assert rough.bound <= exact.cost
    assert sure(rough) <= sure(exact)
    if kind in SINGLE:
        assert sure(rough) == sure(exact)
    if set(goals_of(rough)) == set(goals_of(exact)):
        assert rough.cost >= exact.cost
    assert rough.bound <= rough.cost


def one_run(found: PlannedTour) -> tuple[MachineStep, ...]:
    """The one run of a test of a machine without choices."""
    return tuple(part.step for edge in found.edges for (part,) in edge.runs)


@pytest.mark.parametrize("kind", KINDS)
@seeds(range(40), quick=2)
def test_a_bound_of_a_machine_with_choices_holds_for_every_test_that_shows_as_much(seed: int, kind: str):
    model = random_system_model(Random(f"{seed} {kind}"), states=2)
    system = KINDS[kind](model)
    exact, rough = both(model, system, width=0)
    assert exact.optimal
    witnesses = Witnesses(exact.problem.graph, Prediction())
    if not all(any(witnesses.shows(edge, clauses) for edge in exact.edges) for clauses in goals_of(rough)):
        pytest.skip("the exact test shows other things")
    assert rough.bound <= exact.cost
    if set(goals_of(rough)) == set(goals_of(exact)):
        assert exact.cost <= rough.cost


@pytest.mark.parametrize("kind", KINDS)
@seeds(range(40), quick=2)
def test_no_tour_says_more_of_a_state_than_the_most(seed: int, kind: str):
    model = random_system_model(Random(f"{seed} {kind}"), states=2 if kind == "neighbours" else 3)
    system = KINDS[kind](model)
    most = overestimated_predicates(model, system)
    for vertex in unfolding(model, system).vertices:
        for one in vertex:
            assert one.past <= most[one.state].past
            assert one.future <= most[one.state].future
    parts = {part for edge in unfolding(model, system).edges for (part,) in edge.runs}
    shown = [(one, part.step) for part in parts for one in system.evidence(part)]
    for (_, step), steps in zip(shown, possible_witnesses(model, system, [[one] for one, _ in shown]), strict=True):
        assert step in steps


def test_with_room_enough_nothing_is_rounded():
    model = running_example()
    for make in KINDS.values():
        wide = determinized_unfolding(model, make(model), width=1_000)
        assert set(wide.edges) == set(determinized_unfolding(model, make(model)).edges)


def test_what_brings_nothing_new_is_rounded_down():
    rounding, there = Rounding(1, forward=False), Annotated(0, future=frozenset("z"))

    def settled(added: str) -> str:
        return "".join(sorted(rounding.settled(there._replace(future=frozenset("z" + added)), there, 7).future))

    assert [settled(one) for one in ("ab", "bc", "abc", "c", "b", "ab")] == ["abz", "bcz", "abz", "z", "z", "abz"]


def test_rules_that_are_not_monotone_are_not_underestimated():
    model = running_example()
    plain = forward_recognition(model)
    system = PredicateSystem("odd", plain.stages, plain.evidence, plain.wanted, monotone=False)
    with pytest.raises(UsageError, match="not monotone"):
        determinized_unfolding(model, system, width=1)


@pytest.mark.parametrize("kind", SINGLE)
@seeds(range(60), quick=2)
def test_what_says_too_much_bounds_the_exact_test_from_below(seed: int, kind: str):
    model = random_system_model(Random(f"{seed} {kind}"), states=4, deterministic=True)
    exact = plan_tour(model, KINDS[kind](model))
    assert isinstance(exact, PlannedTour)
    assert exact.optimal
    bounds = [least_test_cost(exact.problem, width=width) for width in (1, 2, 4, 1_000)]
    assert all(bound is not None and bound <= exact.cost for bound in bounds)
    relaxed = relaxed_tour_bound(problem(exact))[1:]
    assert bounds[-1] == relaxed  # with room enough nothing is rounded


def problem(found: PlannedTour) -> PostmanProblem:
    problem = found.problem
    return postman_problem(problem.network, [goal.edges for goal in problem.pursuit.goals], problem.choices, start=0)


def test_what_lacks_nothing_is_rounded_up():
    rounding, there = RoundingUp(2, forward=True), Annotated(0, past=frozenset("z"))

    def settled(added: str) -> str:
        return "".join(sorted(rounding.settled(there._replace(past=frozenset("z" + added)), there, 7).past))

    assert [settled(one) for one in ("ab", "", "a", "bc", "b", "abc")] == ["abz", "z", "abz", "abcz", "abz", "abcz"]


def test_wider_unfoldings_are_tried_as_long_as_there_are_few_vertices():
    model = random_system_model(Random(1), states=6, deterministic=True)
    system = forward_recognition(model)
    vertices = len(determinized_unfolding(model, system).vertices)
    narrow = plan_tour(model, system, most=0, width=0)
    wide = plan_tour(model, system, most=vertices - 1, width=0)
    exact = plan_tour(model, system)
    assert len({len(one.problem.graph.vertices) for one in (narrow, wide, exact)}) == 3
    assert exact.bound <= exact.cost <= wide.cost < narrow.cost
    assert wide.bound <= exact.cost


def test_the_time_limit_is_that_of_the_unfolding_too(monkeypatch):
    """By a clock that goes on by one each time it is read."""
    readings = iter(range(10**9))

    def clock() -> float:
        return float(next(readings))

    monkeypatch.setattr("outplay.predicate_tours.tour_planning.deadline", lambda seconds: Deadline(seconds, clock))
    monkeypatch.setattr("outplay.predicate_tours.tour_planning._LEAST", 10_000.0)
    model = running_example()
    found = plan_tour(model, forward_recognition(model), time_limit=4)
    assert isinstance(found, PlannedTour)
    assert found.approximate
    assert found.inputs
    with pytest.raises(LargeUnfolding, match="vertices were unfolded in the time there was"):
        determinized_unfolding(model, forward_recognition(model), until=Deadline(next(readings) + 2.0, clock))


def test_whenever_time_is_up_a_test_is_told_with_a_bound_or_that_there_is_none(monkeypatch):
    model, readings = random_system_model(Random(1), states=4, deterministic=True), itertools.count()
    system = forward_recognition(model)
    least, kinds = plan_tour(model, system).cost, set[str]()
    monkeypatch.setattr(
        "outplay.predicate_tours.tour_planning.deadline",
        lambda seconds: Deadline(next(readings) + seconds, lambda: float(next(readings))),
    )
    monkeypatch.setattr("outplay.predicate_tours.tour_planning._LEAST", 0.0)
    for limit in (0, 40, 120, 400, 1_200, 100_000):
        found = plan_tour(model, system, time_limit=limit)
        if isinstance(found, PlannedTour):
            assert found.checked <= found.bound <= least <= found.cost
            kinds.add("approximate" if found.approximate else "exact")
        else:
            assert "in the time there was" in found.why
            kinds.add("none")
    assert kinds >= {"none", "exact"}


def test_what_was_not_seen_is_told_as_such():
    model = running_example()
    found = plan_tour(model, forward_recognition(model), most=0, width=0)
    assert isinstance(found, PlannedTour)
    reasons = {one.reason for one in found.missing}
    assert reasons <= {Reason.UNSEEN, Reason.LEFT_OUT, Reason.NO_TOUR}
    assert {one.evidence for one in found.missing} == set(found.problem.graph.system.wanted) - sure(found)
    assert RESET not in found.inputs
