"""The ready strategies: each test does what its strategy says, and the plainest is the postman's tour."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from helpers.restrictions import broken_restriction
from helpers.seeds import seeds
from helpers.tour_machines import random_system_model, running_example
from outplay import Machine
from outplay.errors import UsageError
from outplay.game.reset import RESET
from outplay.predicate_tours.planned_tour import PlannedTour
from outplay.predicate_tours.sheaf_graph import sheaf_machine
from outplay.predicate_tours.strategies import STRATEGIES, StepPair, fault_driven_strategy, strategy_named
from outplay.predicate_tours.system_model import MachineStep, SystemModel, system_model
from outplay.predicate_tours.tour_planning import plan_tour
from outplay.predicate_tours.unfoldings import determinized_unfolding, unfolding
from outplay.strategy.tours.postman import postman
from outplay.strategy.tours.postman_problem import Tour
from outplay.strategy.tours.tour_network import network_of


def plan(model: SystemModel, name: str) -> PlannedTour:
    found = plan_tour(model, strategy_named(name).make(model), bypasses=False)
    assert isinstance(found, PlannedTour)
    return found


def steps_of(found: PlannedTour) -> list[MachineStep]:
    """The steps of the one run of a test of a deterministic machine."""
    return [part.step for edge in found.edges for run in edge.runs for part in run]


def wanted_and_sure(found: PlannedTour) -> set[object]:
    return {one.subject for goal in found.problem.pursuit.goals if goal.sure for one in goal.wanted}


@seeds(range(40), quick=8)
def test_all_transitions_of_a_deterministic_machine_are_the_postmans_tour(seed: int):
    model = random_system_model(Random(seed), states=2 + seed % 5, deterministic=True)
    found = plan(model, "transitions")
    network = network_of(len(model.names), [(step.source, step.target, step.cost) for step in model.steps])
    tour = postman(network, start=model.root)
    assert isinstance(tour, Tour)
    assert found.cost == tour.cost
    assert set(steps_of(found)) == set(model.steps)


@seeds(range(20), quick=3)
def test_states_and_pairs_are_met(seed: int):
    model = random_system_model(Random(seed), states=3, deterministic=True)
    visited = plan(model, "states")
    assert wanted_and_sure(visited) == {step.target for step in model.steps}
    assert {step.target for step in steps_of(visited)} == {step.target for step in model.steps}
    paired = plan(model, "pairs")
    met = {
        StepPair(*pair) for walk in paired.walks for pair in pairwise(p.step for e in walk for r in e.runs for p in r)
    }
    assert (
        met
        >= wanted_and_sure(paired)
        == {StepPair(before, step) for before in model.steps for step in model.steps if before.target == step.source}
    )


def shows(machine: Machine, inputs: tuple[str, ...]) -> set[tuple[str, ...]]:
    """All outputs with which a machine may answer inputs from its start."""
    found: set[tuple[int, tuple[str, ...]]] = {(machine.initial, ())}
    for given in inputs:
        found = {
            (target, (*before, shown))
            for state, before in found
            for source, x, shown, target in machine.steps
            if (source, x) == (state, given)
        }
    return {outputs for _, outputs in found}


@seeds(range(12), quick=1)
def test_faulty_machines_are_caught_by_the_tests_that_say_so(seed: int):
    rng = Random(seed)
    own = [(s, x, rng.choice("xy"), rng.randrange(2)) for s in range(2) for x in "ab"]
    right = Machine(("s0", "s1"), tuple(own))
    model = system_model(right, reset=1)
    wrong = []
    for number in range(4):
        source, given, shown, target = own[number]
        changed = (source, given, shown, 1 - target) if number < 3 else (source, given, "z", target)
        wrong.append(Machine(right.names, (*own[:number], changed, *own[number + 1 :])))
    found = plan_tour(model, fault_driven_strategy(model, wrong), bypasses=False)
    assert isinstance(found, PlannedTour)
    caught = {n for n, machine in enumerate(wrong) if any(differs(right, machine, test) for test in found.tests)}
    said = {subject[1] for subject in wanted_and_sure(found)}  # type: ignore[index]
    assert said <= caught
    equal = {n for n, machine in enumerate(wrong) if not any(differs(right, machine, test) for test in words(5))}
    assert said.isdisjoint(equal)
    assert said | equal == set(range(4))


def differs(right: Machine, wrong: Machine, inputs: tuple[str, ...]) -> bool:
    return shows(right, inputs).isdisjoint(shows(wrong, inputs))


def words(length: int) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = [()]
    for _ in range(length):
        found += [(*word, x) for word in found for x in "ab"]
    return list(dict.fromkeys(word for word in found if len(word) <= length))


def test_with_resets_every_transition_can_be_met():
    """The second state is a trap: no tour without a reset comes back from it."""
    trap = Machine(("s0", "s1"), ((0, "a", "x", 0), (0, "b", "x", 1), (1, "a", "y", 1)))
    assert len(plan(system_model(trap), "transitions").missing) == 2
    found = plan(system_model(trap, reset=5), "transitions")
    assert not found.missing
    assert found.inputs == ("a", "b", "a", RESET)
    assert found.tests == (("a", "b", "a"),)
    assert found.cost == (8,)


@pytest.mark.parametrize("name", sorted(set(STRATEGIES) - {"faults"}))
def test_every_strategy_plans_a_test_for_the_running_example(name: str):
    model = running_example()
    found = plan(model, name)
    assert found.optimal
    assert found.problem.pursuit.goals
    system = found.problem.graph.system
    assert all(map(system.in_words, system.wanted))
    assert broken_restriction(unfolding(model, strategy_named(name).make(model)), Random(0)) is None


def test_an_unknown_strategy_is_refused_with_a_hint():
    with pytest.raises(UsageError, match="forward"):
        strategy_named("foward")


def test_a_graph_of_sheaves_is_drawn(tmp_path):
    model = running_example()
    system = strategy_named("forward").make(model)
    machine = sheaf_machine(determinized_unfolding(model, system))
    assert (len(machine.names), len(machine.steps)) == (11, 23)
    assert "s1{2} or s2{0,1}" in machine.names
    assert (machine.names.index("s0{1,2}"), "a", "d|e", machine.names.index("s1{2} or s2{0,1}")) in machine.steps
    assert "<svg" in determinized_unfolding(model, system).draw(tmp_path / "graph.svg").read_text()


def test_more_faults_than_can_be_followed_at_once_are_refused(monkeypatch):
    monkeypatch.setattr("outplay.predicate_tours.strategies.MOST_FAULTS", 15)
    model = running_example()  # 8 transitions, 3 states
    with pytest.raises(UsageError, match="16 systems have one transition to a wrong state, and at most 15"):
        strategy_named("faults").make(model)
