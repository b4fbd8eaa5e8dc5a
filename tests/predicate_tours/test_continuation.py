"""How tests go on after what was observed: the unfolding has the tests that are still safe, and no others."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from random import Random

import pytest

from helpers.plain_unfoldings import Tour, by_definition, edges_on_short_tours, sheaved, unfolded, walks
from helpers.seeds import seeds
from helpers.tour_machines import random_system_model, running_example
from outplay import Machine
from outplay.predicate_tours.continuation import plan_continuation
from outplay.predicate_tours.evidence import run_shows_clause
from outplay.predicate_tours.planned_tour import PlannedTour
from outplay.predicate_tours.predicate_system import Annotated, AnnotatedStep
from outplay.predicate_tours.recognition import any_recognition, backward_recognition, forward_recognition
from outplay.predicate_tours.sheaf_graph import SheafEdge, SheafVertex
from outplay.predicate_tours.strategies import all_transitions
from outplay.predicate_tours.system_model import SystemModel, system_model
from outplay.predicate_tours.tour_planning import plan_tour
from outplay.predicate_tours.unfoldings import Begun, determinized_unfolding
from outplay.strategy.tours.postman_problem import NoTour

KINDS = {
    "forward": (forward_recognition, {"past": False, "future": True, "neighbours": False}),
    "backward": (backward_recognition, {"past": True, "future": False, "neighbours": False}),
    "any": (any_recognition, {"past": True, "future": True, "neighbours": False}),
}
FURTHER = 3

Seen = tuple[tuple[str, str], ...]


def observation(rng: Random, model: SystemModel, length: int) -> Seen:
    """What some run of the machine shows; shorter where it cannot go on."""
    state, seen = model.root, []
    for _ in range(length):
        steps = model.steps_from[state]
        if not steps:
            break
        step = rng.choice(steps)
        seen.append(step.label)
        state = step.target
    return tuple(seen)


def runs_after(model: SystemModel, seen: Seen, inputs: tuple[str, ...]) -> list[Tour] | None:
    """The runs that show what was seen and then take the inputs; None where one refuses them, or does not come home."""
    given = (*(label[0] for label in seen), *inputs)
    for length in range(len(seen), len(given)):
        here = [w for w in walks(model, given[:length], length) if shows(w, seen)]
        takes = {step.source for step in model.steps if step.given == given[length]}
        if any((walk[-1].target if walk else model.root) not in takes for walk in here):
            return None
    runs = [walk for walk in walks(model, given, len(given)) if shows(walk, seen)]
    return runs if runs and all(run[-1].target == model.root for run in runs) else None


def shows(walk: Tour, seen: Seen) -> bool:
    return tuple(step.label for step in walk[: len(seen)]) == seen


def stripped(edge: SheafEdge) -> SheafEdge:
    """An edge without what is said of how much is past."""

    def state(one: Annotated) -> Annotated:
        return one._replace(past=frozenset(said for said in one.past if not isinstance(said, Begun)))

    def vertex(these: SheafVertex) -> SheafVertex:
        return frozenset(map(state, these))

    runs = frozenset(tuple(AnnotatedStep(state(a), step, state(b)) for a, step, b in run) for run in edge.runs)
    return SheafEdge(vertex(edge.source), vertex(edge.target), runs)


@pytest.mark.parametrize("kind", KINDS)
@seeds(range(100), quick=3)
def test_the_unfolding_after_something_has_the_tests_that_are_safe_then(seed: int, kind: str):
    rng = Random(f"{seed} {kind}")
    model = random_system_model(rng, states=2 + seed % 2)
    seen = observation(rng, model, rng.randint(1, 2))
    if not seen:
        pytest.skip("nothing can be observed")
    make, means = KINDS[kind]
    annotate = by_definition(model, **means)
    alphabet = sorted({step.given for step in model.steps})
    wanted = set()
    for more in range(FURTHER + 1):
        for inputs in product(alphabet, repeat=more):
            runs = runs_after(model, seen, inputs)
            wanted |= set(sheaved(tuple(runs), annotate)) if runs else set()
    graph = determinized_unfolding(model, make(model), observed=seen)
    assert set(map(stripped, edges_on_short_tours(graph, len(seen) + FURTHER))) == wanted


def later(found: PlannedTour) -> set[int]:
    """The edges on ways that begin at the root again, which no choice of how to go on shuts out."""
    graph = found.problem.graph
    home = [one for one in graph.vertices if {state.state for state in one} == {0} and not graph.is_entry(one)]
    reached = set(home)
    while home:
        new = {edge.target for edge in graph.edges_from[home.pop()]} - reached
        reached |= new
        home += new
    return {number for number, edge in enumerate(graph.edges) if edge.source in reached}


def holds(edges: Sequence[object], walk: Sequence[object]) -> bool:
    """Whether a walk is part of another one, without gaps."""
    return any(tuple(edges[place : place + len(walk)]) == tuple(walk) for place in range(len(edges)))


@seeds(range(60), quick=1)
def test_a_continuation_is_safe_and_shows_what_it_pursues(seed: int):
    rng = Random(seed)
    model = random_system_model(rng, states=3)
    seen, system = observation(rng, model, 3), forward_recognition(model)
    found = plan_continuation(model, system, seen)
    if isinstance(found, NoTour) or not seen:
        pytest.skip("nothing goes on from there")
    assert found.inputs[: len(seen)] == tuple(label[0] for label in seen)
    runs = runs_after(model, seen, found.inputs[len(seen) :])
    assert runs
    annotate = by_definition(model, **KINDS["forward"][1])
    shown = [{one for part in unfolded(run, annotate) for one in system.evidence(part)} for run in runs]
    taken = {number for number, walk in enumerate(found.problem.edges) if holds(found.edges, walk)}
    met = {goal for goal in found.problem.pursuit.goals if goal.edges & taken}
    assert all(run_shows_clause(evidence, goal.clauses) for evidence in shown for goal in met)
    assert {goal for goal in found.problem.pursuit.goals if goal.edges & later(found)} <= met
    assert found.cost >= max(
        tuple(sum(parts) for parts in zip(*(one.cost for one in run), strict=True)) for run in runs
    )


def test_where_an_answer_has_told_the_states_apart_more_inputs_are_safe():
    """After a/lucky only c is possible, and leads home; before, it might have been refused."""
    steps = (0, "a", "lucky", 1), (0, "a", "stuck", 2), (1, "c", "back", 0), (2, "d", "back", 0)
    model = system_model(Machine(("home", "luck", "pit"), steps))
    assert plan_tour(model, all_transitions(model)).inputs == ()
    found = plan_continuation(model, all_transitions(model), (("a", "lucky"),))
    assert isinstance(found, PlannedTour)
    assert found.inputs == ("a", "c")


def test_too_many_ways_to_read_the_past_are_no_ground_for_a_plan(monkeypatch):
    """What only some of them show must not count."""
    model = running_example()
    monkeypatch.setattr("outplay.predicate_tours.continuation.MOST_RUNS", 1)
    found = plan_continuation(model, forward_recognition(model), (("a", "d"), ("a", "f")))
    assert found == NoTour((), "more than 1 runs show what was observed")


def test_what_the_machine_cannot_have_shown_has_no_continuation():
    model = random_system_model(Random(1), states=2)
    found = plan_continuation(model, forward_recognition(model), (("a", "nothing of it"),))
    assert found == NoTour((), "the machine cannot have shown what was observed")
