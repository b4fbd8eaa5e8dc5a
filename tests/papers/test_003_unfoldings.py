"""Paper 003, sections 3 to 7: exclusion sets, the sizes of the unfoldings, Table 1 cell by cell."""

from __future__ import annotations

import pytest

from helpers.plain_unfoldings import sheaf_of
from helpers.tour_machines import named, running_example
from outplay.predicate_tours.predicate_system import Annotated, annotated_tour
from outplay.predicate_tours.recognition import (
    Neighbour,
    excluded_states,
    forward_recognition,
    longer_future,
    longer_past,
    neighbour_recognition,
)
from outplay.predicate_tours.unfoldings import determinized_unfolding, unfolding

TABLE_1 = {
    "p": ["", "0", "01", "01", "02", "12", "12", "0", "02", "12"],
    "p'": ["12", "0", "0", "01", "2", "2", "12", "01", "2", ""],
    "p-1": ["", "0", "01", "012", "012", "012", "012", "012", "02", "012"],
    "p'-1": ["", "012", "01", "02", "012", "12", "02", "012", "012", "12"],
    "p+1": ["01", "012", "012", "012", "012", "012", "02", "012", "012", ""],
    "p'+1": ["01", "02", "012", "12", "02", "012", "012", "12", "0", ""],
}


def cell(row: str, at: Annotated) -> str:
    """What a cell of Table 1 says: the numbers of the states for which the predicate holds."""
    if len(row) < 3:
        found = excluded_states(at.past if row == "p" else at.future)
    else:
        place = int(row[-2:])
        predicates = at.past if place < 0 else at.future
        by_past = "'" not in row
        here = [one for one in predicates if isinstance(one, Neighbour)]
        found = frozenset(one.state for one in here if one.place == place and one.past == by_past)
    return "".join(map(str, sorted(found)))


def table_tour() -> list[Annotated]:
    model = running_example()
    tour = named(model, "t3", "t6", "t7", "t8", "t2", "t1", "t4", "t8", "t2")
    return annotated_tour(neighbour_recognition(model), tour, model.root)


@pytest.mark.parametrize("row", TABLE_1)
def test_table_1_cell_by_cell(row: str):
    assert [cell(row, at) for at in table_tour()] == TABLE_1[row]


def test_classes_of_the_tour_in_table_1():
    tour = table_tour()

    def classes(*rows: str) -> int:
        return len({(at.state, *(cell(row, at) for row in rows)) for at in tour})

    assert [classes(), classes("p"), classes("p", "p'"), classes("p", "p'", "p-1", "p'-1")] == [3, 6, 9, 10]


def test_exclusion_sets_of_the_text():
    model = running_example()
    forwards, backwards = longer_future(model), longer_past(model)
    nothing: frozenset[int] = frozenset()
    assert forwards(("b", "f"), forwards(("a", "d"), nothing)) == {2}
    assert backwards(("a", "d"), backwards(("b", "f"), nothing)) == {0}


def test_sizes_of_figures_3_and_6():
    model = running_example()
    system = forward_recognition(model)
    free, tests = unfolding(model, system), determinized_unfolding(model, system)
    assert (len(free.vertices), len(free.edges)) == (7, 18)
    assert (len(tests.vertices), len(tests.edges)) == (11, 23)


def test_figure_3_has_the_vertices_that_the_text_names():
    model = running_example()
    graph = unfolding(model, forward_recognition(model))
    found = {
        (one.state, "".join(map(str, sorted(excluded_states(one.future)))))
        for vertex in graph.vertices
        for one in vertex
    }
    assert found == {(0, ""), (0, "2"), (0, "12"), (1, "2"), (1, "0"), (2, "0"), (2, "01")}


def test_the_test_a_b_b_stands_for_its_three_runs():
    """4.2: the walk e'19 e'21 e'13 of Figure 6 is a sheaf of the tours t3 t2 t1, t4 t8 t2 and t5 t8 t2."""
    model = running_example()
    graph = determinized_unfolding(model, forward_recognition(model))
    walks = [[edge] for vertex in graph.vertices if graph.is_entry(vertex) for edge in graph.edges_from[vertex]]
    for _ in range(2):
        walks = [[*walk, edge] for walk in walks for edge in graph.edges_from[walk[-1].target]]
    found = [w for w in walks if graph.is_exit(w[-1].target) and [e.inputs for e in w] == [("a",), ("b",), ("b",)]]
    assert len(found) == 1
    runs = {tuple(part.step for part in run) for run in sheaf_of(found[0])}
    wanted = [("t3", "t2", "t1"), ("t4", "t8", "t2"), ("t5", "t8", "t2")]
    assert runs == {tuple(named(model, *names)) for names in wanted}
