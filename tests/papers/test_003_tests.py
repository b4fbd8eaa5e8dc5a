"""Paper 003, sections 7.4 and 7.5: the optimal test of the running example, and the by-pass example of Figure 7."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import pytest

from helpers.plain_unfoldings import Tour, by_definition, runs_of, sheaf_of, unfolded
from helpers.tour_machines import named, running_example
from outplay import Machine
from outplay.predicate_tours.evidence import Clauses, run_shows_clause
from outplay.predicate_tours.planned_tour import PlannedTour, Reason
from outplay.predicate_tours.predicate_system import Evidence, PredicateSystem, Stage
from outplay.predicate_tours.recognition import Distinguished, forward_recognition
from outplay.predicate_tours.sheaf_graph import Expecting, Prediction
from outplay.predicate_tours.system_model import SystemModel, system_model
from outplay.predicate_tours.tour_planning import plan_tour
from outplay.predicate_tours.unfoldings import determinized_unfolding

THE_TEST = tuple("baaababbabb")


def planned() -> PlannedTour:
    model = running_example()
    found = plan_tour(model, forward_recognition(model))
    assert isinstance(found, PlannedTour)
    return found


def test_the_optimal_test_of_eleven_inputs():
    test = planned()
    assert test.inputs == THE_TEST
    assert test.cost == test.bound == (11,)


def told(name: str, *others: int) -> frozenset[Evidence]:
    (step,) = named(running_example(), name)
    return frozenset(Evidence(Distinguished(step, other)) for other in others)


def test_goals_are_those_of_the_text():
    """7.4: all pairs but those of t3, t4 and t5, and for these the two disjunctions."""
    goals = planned().problem.pursuit.goals
    sure = {one for goal in goals if goal.sure for one in goal.wanted}
    pairs = {"t1": (1, 2), "t2": (1, 2), "t6": (0, 1), "t7": (0, 1), "t8": (0, 2)}
    assert sure == frozenset().union(*(told(name, *others) for name, others in pairs.items()))
    wanted: set[Clauses] = {
        frozenset([told("t3", 0), told("t4", 0), told("t5", 0)]),
        frozenset([told("t3", 2), told("t4", 0, 1), told("t5", 0, 1)]),
    }
    assert {goal.clauses for goal in goals if not goal.sure} == wanted


def test_no_other_test_is_as_short():
    """By the definition of 7.4: every sequence of at most eleven inputs, with all its runs, held against the goals."""
    model = running_example()
    system, annotate = forward_recognition(model), by_definition(model, past=False, future=True, neighbours=False)
    goals = [goal.clauses for goal in planned().problem.pursuit.goals]

    def shows_all(runs: tuple[Tour, ...]) -> bool:
        shown = (frozenset().union(*(system.evidence(one) for one in unfolded(run, annotate))) for run in runs)
        return all(run_shows_clause(evidence, clauses) for evidence in shown for clauses in goals)

    tests = [runs for runs in all_walks(model, 11) if all(run[-1].target == model.root for run in runs)]
    assert len(tests) > 500
    assert [tuple(step.given for step in runs[0]) for runs in tests if shows_all(runs)] == [THE_TEST]


def all_walks(model: SystemModel, length: int) -> Iterator[tuple[Tour, ...]]:
    """The walks of every sequence of inputs that the machine cannot refuse, up to a length."""
    level: list[tuple[Tour, ...]] = [((),)]
    for _ in range(length):
        level = [tuple(extended(model, walks, given)) for walks in level for given in "ab"]
        yield from level


def extended(model: SystemModel, walks: tuple[Tour, ...], given: str) -> Iterator[Tour]:
    """Every state of this machine takes every input."""
    for walk in walks:
        here = walk[-1].target if walk else model.root
        yield from ((*walk, step) for step in model.answers[here, given])


def test_the_test_has_nine_runs():
    """7.4: it corresponds to nine rooted tours of the unfolding."""
    runs = runs_of(running_example(), THE_TEST)
    assert runs is not None
    assert len(runs) == 9


def test_what_the_system_chooses_is_told():
    missing = planned().missing
    assert {one.reason for one in missing} == {Reason.WEAKER}
    pairs = {"t3": (0, 2), "t4": (0, 1), "t5": (0, 1)}
    assert {one.evidence for one in missing} == frozenset().union(*(told(n, *others) for n, others in pairs.items()))


def figure_7() -> SystemModel:
    costs = {(0, "a", "d", 1): 2, (0, "a", "e", 2): 1, (1, "a", "e", 0): 1, (2, "a", "d", 0): 2, (0, "b", "d", 0): 5}
    return system_model(Machine(("s0", "s1", "s2"), tuple(costs)), cost=lambda *step: costs[step])


def shows_d() -> PredicateSystem:
    """The one predicate of Figure 7: the tour shows an output d."""
    wanted = Evidence("d")
    return PredicateSystem("d", (Stage(),), lambda one: frozenset([wanted] * (one.step.shown == "d")), (wanted,))


@pytest.mark.parametrize(("bypasses", "inputs", "cost"), [(True, "aa", 3), (False, "b", 5)])
def test_figure_7_with_and_without_by_passes(bypasses: bool, inputs: str, cost: int):
    found = plan_tour(figure_7(), shows_d(), bypasses=bypasses)
    assert isinstance(found, PlannedTour)
    assert (found.inputs, found.cost) == (tuple(inputs), (cost,))


@pytest.mark.parametrize(("outlook", "cost"), [(Expecting.BEST, 2), (Expecting.MEAN, 3)])
def test_figure_7_with_hope_needs_no_by_passes(outlook: Expecting, cost: int):
    """A d is shown by the first or second a with one half: summed up, the two a cost 1 + 1 at best."""
    prediction = Prediction(outlook, outlook)
    found = plan_tour(figure_7(), shows_d(), prediction=prediction, bypasses=False)
    assert isinstance(found, PlannedTour)
    assert (found.inputs, found.cost) == (("a", "a"), (cost,))


def test_sums_mispredict_as_in_the_text():
    """7.5.2: edges of cost 1 to 4 and 2 in walks e1 e4, e2 e4 and e3 e5, of cost 5, 6 and 5."""
    machine = Machine(
        ("u", "v", "w", "x"),
        ((0, "a", "1", 1), (0, "a", "2", 1), (0, "a", "3", 2), (1, "a", "4", 3), (2, "a", "5", 3), (3, "a", "6", 0)),
    )
    model = system_model(machine, cost=lambda *step: (1, 2, 3, 4, 2, 0)[int(step[2]) - 1])
    graph = determinized_unfolding(model, shows_d())
    first = next(edge for edge in graph.edges if graph.is_entry(edge.source))
    walk = [first, *graph.edges_from[first.target]]
    assert len(walk) == 2

    def both(outlook: Expecting) -> tuple[Fraction, Fraction]:
        prediction = Prediction(cost=outlook, probability=lambda step: Fraction(1))
        summed = sum(prediction.cost_of(model, edge.runs)[0] for edge in walk)
        return Fraction(summed), prediction.cost_of(model, sheaf_of(walk))[0]

    assert both(Expecting.BEST) == (3, 5)
    assert both(Expecting.WORST) == (7, 6)
    assert both(Expecting.MEAN) == (5, Fraction(16, 3))
