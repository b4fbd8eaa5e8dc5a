"""Unfoldings by locations: they stand for the same tests as those of the machine, however states are grouped."""

from __future__ import annotations

from random import Random

from helpers.seeds import seeds
from helpers.tour_machines import random_system_model
from outplay.predicates.strategies.recognition import forward_recognition
from outplay.predicates.touring.planned_tour import PlannedTour
from outplay.predicates.touring.prediction import Prediction
from outplay.predicates.touring.tour_planning import solved
from outplay.predicates.unfolding.location_sheaves import by_locations, metas, refined
from outplay.predicates.unfolding.unfoldings import determinized


@seeds(range(30), quick=4)
def test_grouped_and_refined_a_machine_has_tests_of_the_same_cost(seed: int):
    rng = Random(seed)
    model = random_system_model(rng, states=3)
    graph = determinized(model, forward_recognition(model))
    home = (0, 1, rng.choice((1, 2)))
    grouped = by_locations(graph, home)
    assert {member for edge in metas(grouped) for member in edge.members} == set(graph.edges)
    plain = solved(graph, Prediction(), bypasses=False)
    found = solved(refined(grouped, Prediction()), Prediction(), bypasses=False)
    assert isinstance(plain, PlannedTour)
    assert isinstance(found, PlannedTour)
    assert found.cost == plain.cost


@seeds(range(30), quick=4)
def test_every_walk_of_a_refined_graph_stands_for_runs(seed: int):
    """Whatever arrives at a vertex can go on by every edge that leaves it."""
    model = random_system_model(Random(seed), states=3)
    graph = refined(by_locations(determinized(model, forward_recognition(model)), (0, 1, 1)), Prediction())
    for edge in metas(graph):
        for further in metas(graph):
            if edge.target == further.source:
                onward = {member.source for member in further.members}
                assert all(member.target in onward for member in edge.members)
