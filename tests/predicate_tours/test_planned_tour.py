"""The planned test is the cheapest: held against every test up to a length, straight from the definitions."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from helpers.plain_unfoldings import Tour, by_definition, plain_tests, sheaved, tours, unfolded
from helpers.seeds import seeds
from helpers.tour_machines import random_system_model
from outplay import Machine
from outplay.predicate_tours.evidence import Witnesses, run_shows_clause
from outplay.predicate_tours.planned_tour import PlannedTour, Reason
from outplay.predicate_tours.predicate_system import AnnotatedStep, Evidence, PredicateSystem
from outplay.predicate_tours.recognition import (
    any_recognition,
    backward_recognition,
    double_recognition,
    forward_recognition,
)
from outplay.predicate_tours.sheaf_graph import Prediction, SheafEdge, Vector
from outplay.predicate_tours.system_model import SystemModel, system_model
from outplay.predicate_tours.tour_planning import plan_tour, projected_cost_bound

KINDS = {
    "forward": (forward_recognition, {"past": False, "future": True, "neighbours": False}),
    "backward": (backward_recognition, {"past": True, "future": False, "neighbours": False}),
    "any": (any_recognition, {"past": True, "future": True, "neighbours": False}),
    "double": (double_recognition, {"past": True, "future": True, "neighbours": False}),
}
LONGEST = 6


def plan(model: SystemModel, system: PredicateSystem, *, bypasses: bool) -> PlannedTour:
    found = plan_tour(model, system, bypasses=bypasses)
    assert isinstance(found, PlannedTour)
    return found


def cost_of(tour: Tour) -> Vector:
    return tuple(Fraction(sum(parts)) for parts in zip(*(step.cost for step in tour), strict=True))


@pytest.mark.parametrize("kind", KINDS)
@seeds(range(30), quick=3)
def test_no_tour_of_a_deterministic_machine_is_cheaper(seed: int, kind: str):
    model = random_system_model(Random(f"{seed} {kind}"), states=2, deterministic=True)
    make, means = KINDS[kind]
    system, annotate = make(model), by_definition(model, **means)
    found = plan(model, system, bypasses=True)
    goals = [goal.clauses for goal in found.problem.pursuit.goals]

    def meets(tour: Tour) -> bool:
        shown = frozenset().union(*(system.evidence(one) for one in unfolded(tour, annotate)))
        return all(run_shows_clause(shown, clauses) for clauses in goals)

    best = min((cost_of(tour) for tour in tours(model, LONGEST) if meets(tour)), default=None)
    assert found.optimal
    if goals and len(found.inputs) <= LONGEST:
        assert best == found.cost
    else:
        assert best is None or best >= found.cost


@pytest.mark.parametrize("kind", KINDS)
@seeds(range(30), quick=3)
def test_no_test_of_a_nondeterministic_machine_is_predicted_to_be_cheaper(seed: int, kind: str):
    model = random_system_model(Random(f"{seed} {kind}"), states=2)
    make, means = KINDS[kind]
    system, annotate = make(model), by_definition(model, **means)
    found = plan(model, system, bypasses=False)
    goals = [goal.clauses for goal in found.problem.pursuit.goals]
    witnesses = Witnesses(found.problem.graph, Prediction())

    def predicted(runs: tuple[Tour, ...]) -> Vector | None:
        edges = sheaved(runs, annotate)
        if not all(any(witnesses.shows(edge, clauses) for edge in edges) for clauses in goals):
            return None
        costs = [Prediction().cost_of(model, edge.runs) for edge in edges]
        return tuple(map(sum, zip(*costs, strict=True)))

    best = min((cost for runs in plain_tests(model, 5) if (cost := predicted(runs)) is not None), default=None)
    assert found.optimal
    if goals and len(found.inputs) <= 5:
        assert best == found.cost
    else:
        assert best is None or best >= found.cost


def random_run(rng: Random, walk: tuple[SheafEdge, ...]) -> list[AnnotatedStep]:
    """One of the runs that a walk stands for."""
    parts: list[AnnotatedStep] = []
    for edge in walk:
        fitting = sorted((run for run in edge.runs if not parts or run[0].before == parts[-1].after), key=repr)
        parts += rng.choice(fitting)
    return parts


@seeds(range(4, 30), quick=3)
def test_whatever_the_system_answers_all_goals_are_shown_at_no_more_than_the_cost(seed: int):
    model = random_system_model(Random(seed), states=3)
    system = forward_recognition(model)
    found, plain = plan(model, system, bypasses=True), plan(model, system, bypasses=False)
    for walk in found.walks:
        assert found.problem.graph.is_entry(walk[0].source)
        assert found.problem.graph.is_exit(walk[-1].target)
    for _ in range(20):
        run = [part for walk in found.walks for part in random_run(Random(seed), walk)]
        shown = frozenset().union(*map(system.evidence, run))
        assert all(run_shows_clause(shown, goal.clauses) for goal in found.problem.pursuit.goals)
        assert not run or cost_of(tuple(part.step for part in run)) <= found.cost
    sure = {one for goal in found.problem.pursuit.goals if goal.sure for one in goal.wanted}
    assert sure >= {one for goal in plain.problem.pursuit.goals if goal.sure for one in goal.wanted}
    if found.problem.pursuit.goals == plain.problem.pursuit.goals:
        assert found.cost <= plain.cost


def test_every_wanted_thing_is_a_goal_or_has_a_reason():
    met = set[Reason]()
    for seed in range(20):
        model = random_system_model(Random(seed), states=2, outputs="xy")
        found = plan(model, any_recognition(model), bypasses=False)
        sure = {one for goal in found.problem.pursuit.goals if goal.sure for one in goal.wanted}
        reasons = {one.evidence: one.reason for one in found.missing}
        assert sure.isdisjoint(reasons)
        assert sure | set(reasons) == set(found.problem.graph.system.wanted)
        met |= set(reasons.values())
    assert met >= {Reason.LEFT_OUT, Reason.NO_TOUR, Reason.CHOICE, Reason.WEAKER}


def test_each_alternative_is_enough():
    """Either both presses, or the dear wait alone."""
    costs = {(0, "press", "on", 1): 1, (1, "press", "off", 0): 1, (0, "wait", "dark", 0): 5}
    model = system_model(Machine(("off", "on"), tuple(costs)), cost=lambda *step: costs[step])
    evidence = {step: Evidence(step) for step in model.steps}
    press, unpress, wait = evidence.values()

    def system(*alternatives: set[Evidence]) -> PredicateSystem:
        sets = tuple(map(frozenset, alternatives))
        plain = forward_recognition(model).stages
        return PredicateSystem(
            "either", plain, lambda one: frozenset([evidence[one.step]]), (press, unpress, wait), sets
        )

    assert plan(model, system({press, unpress}, {wait}), bypasses=True).inputs == ("press", "press")
    assert plan(model, system({wait}), bypasses=True).inputs == ("wait",)
    hopeless = Evidence("nobody knows")
    sets = (frozenset([wait]), frozenset([press, hopeless]))
    wanted = (press, unpress, wait, hopeless)
    either = PredicateSystem("either", (), lambda one: frozenset([evidence[one.step]]), wanted, sets)
    assert plan(model, either, bypasses=True).inputs == ("wait",)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("deterministic", [True, False])
@seeds(range(20), quick=2)
def test_the_steps_alone_cost_no_more_than_the_test(seed: int, kind: str, deterministic: bool):
    model = random_system_model(Random(f"{seed} {kind}"), states=3 if deterministic else 2, deterministic=deterministic)
    found = plan(model, KINDS[kind][0](model), bypasses=not deterministic)
    bound = projected_cost_bound(found.problem)
    assert found.optimal
    assert bound is not None
    assert bound <= found.cost


def test_out_of_time_the_steps_alone_are_a_bound():
    model = random_system_model(Random(1), states=6, deterministic=True)
    found = plan_tour(model, forward_recognition(model), time_limit=0)
    assert isinstance(found, PlannedTour)
    assert (0, 0) < found.bound <= found.cost
