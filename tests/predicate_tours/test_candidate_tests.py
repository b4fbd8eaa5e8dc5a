"""Tests put together from candidates: a part of the exact unfolding, and right whatever the rules are."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

import pytest

from helpers.plain_unfoldings import edges_on_short_tours, runs_of
from helpers.seeds import seeds
from helpers.tour_machines import random_system_model, running_example
from outplay.errors import UsageError
from outplay.predicate_tours.candidate_tests import classical_candidates, unfold_candidates
from outplay.predicate_tours.planned_tour import PlannedTour, Reason
from outplay.predicate_tours.recognition import any_recognition, forward_recognition
from outplay.predicate_tours.system_model import SystemModel
from outplay.predicate_tours.tour_planning import plan_tour
from outplay.predicate_tours.unfoldings import determinized_unfolding

KINDS = {"forward": forward_recognition, "any": any_recognition}
LENGTH = 4


def short_tests(model: SystemModel) -> list[tuple[str, ...]]:
    """All tests up to a length."""
    alphabet = sorted({step.given for step in model.steps})
    words = (word for length in range(1, LENGTH + 1) for word in product(alphabet, repeat=length))
    return [word for word in words if runs_of(model, word) is not None]


@pytest.mark.parametrize("kind", KINDS)
@seeds(range(60), quick=4)
def test_with_all_tests_of_a_length_as_candidates_it_is_the_exact_unfolding_so_far(seed: int, kind: str):
    model = random_system_model(Random(f"{seed} {kind}"), states=2 + seed % 2)
    graph = unfold_candidates(model, KINDS[kind](model), short_tests(model))
    exact = determinized_unfolding(model, KINDS[kind](model))
    assert set(graph.edges) == edges_on_short_tours(exact, LENGTH)
    assert set(graph.vertices) <= set(exact.vertices)


@pytest.mark.parametrize("deterministic", [True, False])
@seeds(range(60), quick=4)
def test_classical_candidates_are_tests_and_meet_every_input_that_tests_can_give(seed: int, deterministic: bool):
    model = random_system_model(Random(seed), states=3, deterministic=deterministic)
    tests = list(classical_candidates(model))
    assert all(runs_of(model, test) is not None for test in tests)
    given = {edge.runs for edge in unfold_candidates(model, forward_recognition(model), tests).edges}
    met = {part.step for runs in given for (part,) in runs}
    exact = {
        part.step for edge in determinized_unfolding(model, forward_recognition(model)).edges for (part,) in edge.runs
    }
    assert met == exact


@seeds(range(40), quick=2)
def test_what_is_put_together_shows_no_more_and_costs_no_less_than_the_exact_test(seed: int):
    model = random_system_model(Random(seed), states=3, deterministic=True)
    system = forward_recognition(model)
    exact = plan_tour(model, system)
    found = plan_tour(model, system, candidates=classical_candidates(model))
    assert isinstance(exact, PlannedTour)
    assert isinstance(found, PlannedTour)
    assert found.approximate
    goals = {goal.clauses for goal in found.problem.pursuit.goals}
    assert goals == {goal.clauses for goal in exact.problem.pursuit.goals}
    assert found.bound <= exact.cost <= found.cost
    assert not found.inputs or runs_of(model, found.inputs) is not None


def test_where_rules_are_not_monotone_too_large_an_unfolding_is_approximated_by_candidates():
    model = running_example()
    odd = replace(forward_recognition(model), monotone=False)
    found = plan_tour(model, odd, most=5)
    assert isinstance(found, PlannedTour)
    assert found.approximate
    assert found.bound == (0,)
    assert {one.reason for one in found.missing} <= {Reason.UNSEEN}
    for test in found.tests:
        assert runs_of(model, test) is not None


@pytest.mark.parametrize(
    ("test", "complaint"),
    [(["a"], "it may not lead back to s0"), (["c"], "c may be refused, or is not safe")],
)
def test_candidates_that_are_no_tests_are_refused(test: list[str], complaint: str):
    model = running_example()
    with pytest.raises(UsageError, match=complaint):
        plan_tour(model, forward_recognition(model), candidates=[test])
