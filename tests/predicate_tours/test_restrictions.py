"""Which shortcuts are safe: the optional restrictions are seen, and a broken one is found."""

from __future__ import annotations

from random import Random

import pytest

from helpers.restrictions import broken_restriction
from helpers.tour_machines import random_system_model, running_example
from outplay.predicate_tours.predicate_system import AnnotatedStep, Evidence, Predicates, PredicateSystem, Stage
from outplay.predicate_tours.recognition import (
    any_recognition,
    backward_recognition,
    double_recognition,
    excluded_by_future,
    excluded_states,
    forward_recognition,
    neighbour_recognition,
)
from outplay.predicate_tours.unfoldings import unfolding

READY = [any_recognition, backward_recognition, double_recognition, forward_recognition, neighbour_recognition]


@pytest.mark.parametrize("make", READY)
def test_strategies_of_recognition_may_be_underestimated_and_joined(make):
    for seed in range(3):
        model = random_system_model(Random(seed), states=3)
        assert broken_restriction(unfolding(model, make(model)), Random(seed)) is None
        assert make(model).concatenates


def few_excluded(one: AnnotatedStep) -> Predicates:
    return frozenset(["few"]) if len(excluded_states(one.before.future)) < 2 else frozenset()


def few_after(one: AnnotatedStep) -> Predicates:
    return frozenset(["few after"]) if len(excluded_states(one.after.future)) < 2 else frozenset()


def evidence_of_few(one: AnnotatedStep) -> frozenset[Evidence]:
    return frozenset([Evidence("few")]) if few_excluded(one) else frozenset()


@pytest.mark.parametrize(
    ("restriction", "stages", "evidence"),
    [
        (7, (), evidence_of_few),
        (12, (Stage(forward=few_excluded),), lambda one: frozenset()),
        (13, (Stage(backward=few_after),), lambda one: frozenset()),
    ],
)
def test_a_rule_that_counts_what_is_missing_is_found(restriction: int, stages, evidence):
    model = running_example()
    system = PredicateSystem("few", (Stage(backward=excluded_by_future(model)), *stages), evidence, ())
    broken = broken_restriction(unfolding(model, system), Random(0))
    assert broken is not None
    assert broken.restriction == restriction


def test_what_holds_of_the_empty_walk_forbids_to_join_tests():
    stage = Stage(past_at_start=frozenset(["fresh"]))
    assert not PredicateSystem("fresh", (stage,), lambda one: frozenset(), ()).concatenates
    stage = Stage(future_at_end=frozenset(["last"]))
    assert not PredicateSystem("last", (stage,), lambda one: frozenset(), ()).concatenates
