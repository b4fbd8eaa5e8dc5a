"""Paper 003, section 7.6: how the running example's test goes on after `b a` was answered by `f d`."""

from __future__ import annotations

from itertools import product

from helpers.plain_unfoldings import by_definition, runs_of, unfolded
from helpers.tour_machines import named, remembering_beginnings, running_example
from outplay.predicate_tours.continuation import graph_after_past, past_edges, plan_continuation
from outplay.predicate_tours.evidence import run_shows_clause
from outplay.predicate_tours.planned_tour import PlannedTour
from outplay.predicate_tours.recognition import forward_recognition
from outplay.predicate_tours.sheaf_graph import SheafGraph
from outplay.predicate_tours.system_model import SystemModel
from outplay.predicate_tours.unfoldings import determinized_unfolding, unfolding

OBSERVED = (("b", "f"), ("a", "d"))
THE_TEST = tuple("baaababbabb")


def without_t5() -> SystemModel:
    model = running_example()
    return model.without(named(model, "t5"))


def figure_9() -> SheafGraph:
    model = without_t5()
    return determinized_unfolding(model, remembering_beginnings(forward_recognition(model)))


def test_sizes_of_figures_8_and_9():
    model = without_t5()
    free = unfolding(model, remembering_beginnings(forward_recognition(model)))
    assert (len(free.vertices), len(free.edges)) == (10, 23)
    assert (len(figure_9().vertices), len(figure_9().edges)) == (14, 28)


def test_the_past_has_two_readings():
    """e'24 and e'25: the next input is b or a; each stands for t1 t3 and t1 t4."""
    found = past_edges(figure_9(), OBSERVED)
    assert len(found) == 2
    runs = {tuple(named(without_t5(), "t1", name)) for name in ("t3", "t4")}
    assert all({tuple(part.step for part in run) for run in edge.runs} == runs for edge in found)


def test_all_other_beginnings_go():
    """e'26 to e'30 are deleted, and of the three starts those with no past."""
    before, after = figure_9(), graph_after_past(figure_9(), OBSERVED)
    begin = [edge for edge in before.edges if before.is_entry(edge.source)]
    assert len(begin) == 5
    assert [edge.past for edge in after.edges if after.is_entry(edge.source)] == [True, True]
    assert sum(map(after.is_entry, after.vertices)) == 1


def test_the_best_continuation_is_the_rest_of_the_same_test():
    model = without_t5()
    found = plan_continuation(model, forward_recognition(model), OBSERVED)
    assert isinstance(found, PlannedTour)
    assert found.inputs == THE_TEST
    assert found.optimal
    assert found.edges[0].past


def test_no_other_continuation_is_as_short():
    model = without_t5()
    found = plan_continuation(model, forward_recognition(model), OBSERVED)
    assert isinstance(found, PlannedTour)
    system, annotate = forward_recognition(model), by_definition(model, past=False, future=True, neighbours=False)
    goals = [goal.clauses for goal in found.problem.pursuit.goals]

    def shows_all(inputs: tuple[str, ...]) -> bool:
        runs = runs_of(model, inputs) or ()
        seen = [run for run in runs if tuple(step.label for step in run[:2]) == OBSERVED]
        shown = (frozenset().union(*(system.evidence(one) for one in unfolded(run, annotate))) for run in seen)
        return bool(seen) and all(run_shows_clause(evidence, clauses) for evidence in shown for clauses in goals)

    rests = (rest for length in range(10) for rest in product("ab", repeat=length))
    assert [rest for rest in rests if shows_all(("b", "a", *rest))] == [THE_TEST[2:]]
