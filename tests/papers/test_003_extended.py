"""Paper 003, section 8: the running example as an extended machine, its unfolding, the splits, and the same test."""

from __future__ import annotations

from collections import Counter

import networkx as nx

from helpers.figure_11 import figure_11
from helpers.places import ROOT
from helpers.tour_machines import remembering_beginnings
from outplay import read_model
from outplay.model.extended_machine import ExtendedMachine
from outplay.predicates.strategies.recognition import forward_recognition
from outplay.predicates.system_model import SystemModel, system_model
from outplay.predicates.tour_playing.continuation import after_past
from outplay.predicates.touring.planned_tour import PlannedTour
from outplay.predicates.touring.prediction import Prediction
from outplay.predicates.touring.tour_planning import plan_tour, solved
from outplay.predicates.unfolding.location_sheaves import (
    by_locations,
    metas,
    refined,
    split_edges,
    split_vertices,
)
from outplay.predicates.unfolding.sheaf_graph import SheafGraph
from outplay.predicates.unfolding.unfoldings import determinized

THE_TEST = tuple("baaababbabb")


def extended() -> ExtendedMachine:
    found = read_model(ROOT / "examples" / "tours" / "running.efsm")
    assert isinstance(found, ExtendedMachine)
    return found


def model() -> SystemModel:
    return system_model(extended().machine)


def figure_6() -> SheafGraph:
    return determinized(model(), forward_recognition(model()))


def figure_12() -> SheafGraph:
    return by_locations(figure_6(), extended().home)


def sizes(graph: SheafGraph) -> tuple[int, int]:
    return len(graph.vertices), len(graph.edges)


def test_the_extended_machine_stands_for_the_machine_of_figure_1():
    assert extended().home == (0, 1, 1)
    assert len(extended().machine.steps) == 8
    found = plan_tour(model(), forward_recognition(model()))
    assert isinstance(found, PlannedTour)
    assert found.inputs == THE_TEST


def test_the_unfolding_has_the_size_of_figure_12():
    assert sizes(figure_12()) == (9, 19)
    assert Counter(len(edge.members) for edge in metas(figure_12())) == {1: 17, 3: 2}


def test_figure_11_step_by_step_makes_figure_12():
    """Some vertices and edges that it makes lie on no tour; labels may hold members that no test meets, too."""
    made = figure_11(model(), forward_recognition(model()), extended().home, lambda one: one.state not in one.future)
    assert sizes(made) == (11, 23)
    wanted = figure_12()
    pruned = made.with_edges(made.edges)
    assert set(pruned.vertices) == set(wanted.vertices)
    found = {(edge.source, edge.target): edge.members for edge in metas(pruned)}
    assert found.keys() == {(edge.source, edge.target) for edge in wanted.edges}
    assert all(edge.members <= found[edge.source, edge.target] for edge in metas(wanted))


def test_splitting_gives_figures_13_and_15():
    parted = split_edges(figure_12(), Prediction())
    assert sizes(parted) == (9, 21)
    assert Counter(len(edge.members) for edge in metas(parted)) == {1: 20, 3: 1}
    whole = split_vertices(parted)
    assert sizes(whole) == (11, 23)
    assert Counter(len(edge.members) for edge in metas(whole)) == {1: 20, 3: 3}
    assert nx.is_isomorphic(as_networkx(whole), as_networkx(figure_6()), edge_match=lambda one, other: one == other)


def as_networkx(graph: SheafGraph) -> nx.MultiDiGraph:
    found = nx.MultiDiGraph()
    found.add_nodes_from(graph.vertices)
    found.add_edges_from((edge.source, edge.target, {"inputs": edge.inputs}) for edge in graph.edges)
    return found


def test_the_extended_machine_has_the_same_test():
    found = solved(refined(figure_12(), Prediction()), Prediction())
    assert isinstance(found, PlannedTour)
    assert found.cost == found.bound == (11,)
    assert found.inputs == THE_TEST


def test_the_continuation_is_the_same_too():
    """8.3: after b a / f d, from the graph of Figure 17."""
    first = model()
    less = first.without([step for step in first.steps if step.shown == "e" and step.source == 0])
    graph = after_past(determinized(less, remembering_beginnings(forward_recognition(less))), (("b", "f"), ("a", "d")))
    found = solved(refined(by_locations(graph, extended().home), Prediction()), Prediction())
    assert isinstance(found, PlannedTour)
    assert found.inputs == THE_TEST
