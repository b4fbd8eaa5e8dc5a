"""Unfoldings are what their definitions say: the union of the unfoldings of all tours, and of all tests."""

from __future__ import annotations

from random import Random

import pytest

from helpers.plain_unfoldings import by_definition, edges_on_short_tours, plain_tests, sheaved, tours, unfolded
from helpers.seeds import seeds
from helpers.tour_machines import random_system_model, running_example
from outplay.errors import UsageError
from outplay.predicate_tours.predicate_system import Annotated, PredicateSystem, Stage
from outplay.predicate_tours.recognition import (
    any_recognition,
    backward_recognition,
    double_recognition,
    excluded_by_future,
    forward_recognition,
    neighbour_recognition,
)
from outplay.predicate_tours.sheaf_graph import SheafEdge, SheafGraph
from outplay.predicate_tours.unfoldings import determinized_unfolding, unfolding

KINDS = {
    "forward": (forward_recognition, {"past": False, "future": True, "neighbours": False}),
    "backward": (backward_recognition, {"past": True, "future": False, "neighbours": False}),
    "any": (any_recognition, {"past": True, "future": True, "neighbours": False}),
    "double": (double_recognition, {"past": True, "future": True, "neighbours": False}),
    "neighbours": (neighbour_recognition, {"past": True, "future": True, "neighbours": True}),
}
LENGTH = 4


@pytest.mark.parametrize("kind", KINDS)
@seeds(range(60), quick=6)
def test_unfoldings_are_the_unions_that_define_them(seed: int, kind: str):
    model = random_system_model(Random(f"{seed} {kind}"), states=2 if kind == "neighbours" else 2 + seed % 2)
    make, means = KINDS[kind]
    annotate = by_definition(model, **means)
    free, tested = unfolding(model, make(model)), determinized_unfolding(model, make(model))
    wanted = {one for tour in tours(model, LENGTH) for one in unfolded(tour, annotate)}
    assert {next(iter(edge.runs))[0] for edge in edges_on_short_tours(free, LENGTH)} == wanted
    sheaves = {edge for runs in plain_tests(model, LENGTH) for edge in sheaved(runs, annotate)}
    assert edges_on_short_tours(tested, LENGTH) == sheaves
    for graph in (free, tested):
        check_every_edge_lies_between_its_vertices(graph)


def check_every_edge_lies_between_its_vertices(graph: SheafGraph) -> None:
    assert len(set(graph.edges)) == len(graph.edges)
    assert {end for edge in graph.edges for end in (edge.source, edge.target)} <= set(graph.vertices)
    assert graph.with_edges(graph.edges) == graph  # nothing lies off the ways from an entry to an exit


def test_runs_of_an_edge_lead_from_all_its_states_to_all_its_states():
    model = running_example()
    for edge in determinized_unfolding(model, forward_recognition(model)).edges:
        assert {run[0].before for run in edge.runs} == edge.source
        assert {run[-1].after for run in edge.runs} == edge.target


def test_an_edge_is_itself_only_with_its_past():
    here = frozenset([Annotated(0)])
    assert SheafEdge(here, here, frozenset()) != SheafEdge(here, here, frozenset(), past=True)


def test_too_large_an_unfolding_is_refused_with_advice():
    model = running_example()
    with pytest.raises(UsageError, match="more than 5 vertices; ask for less"):
        determinized_unfolding(model, forward_recognition(model), most=5)


def test_a_stage_that_repeats_another_is_refused():
    """Both stages say the same of the future, so that vertices that differ would become one."""
    model = running_example()
    stages = (Stage(backward=excluded_by_future(model)), Stage(backward=lambda one: frozenset([0, 1, 2])))
    system = PredicateSystem("twice", stages, lambda one: frozenset(), ())
    with pytest.raises(UsageError, match="predicates of its own"):
        unfolding(model, system)
