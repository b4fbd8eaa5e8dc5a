"""Tours with resets played live: the system is started again where no way leads on, and only there."""

from __future__ import annotations

from random import Random

import pytest

from helpers.seeds import seeds
from outplay import Machine, Simulated, run, specification
from outplay.errors import UsageError
from outplay.game.reset import RESET, ResettableSpecification
from outplay.play.adapters.line_system import Resetting
from outplay.play.plan import Plan
from outplay.predicate_tours.adaptive_tour import AdaptiveTour, TourMemory
from outplay.predicate_tours.recognition import forward_recognition
from outplay.predicate_tours.strategies import all_transitions
from outplay.predicate_tours.system_model import system_model
from outplay.predicate_tours.tour_planning import plan_tour

NAMES = ("home", "luck", "pit")
PIT = Machine(
    NAMES,
    ((0, "a", "lucky", 1), (0, "a", "stuck", 2), (1, "b", "back", 0), (2, "c", "deeper", 2), (0, "b", "none", 0)),
)
"""Nothing leads out of the pit, and whether one falls into it is the system's choice."""


def played(tester: AdaptiveTour, machine: Machine, seed: int) -> tuple[TourMemory, list[str]]:
    """One play against a simulation; what the tester remembered at its end, and the labels that were seen."""
    plan = Plan(ResettableSpecification(specification(machine)), tester)
    outcome = run(plan, Resetting(Simulated(machine, Random(seed))), plays=1, steps=500)
    assert outcome.verdict.name == "pass", outcome.verdict
    (memory,) = tester._ended  # of this one play
    return memory, [str(event.label) for event in outcome.trace.events if event.label is not None]


def test_a_system_that_fell_into_a_pit_is_started_again_and_a_lucky_one_is_not():
    model = system_model(PIT, reset=5)
    found = {}
    for seed in range(20):
        tester = AdaptiveTour(model, all_transitions)
        memory, labels = played(tester, PIT, seed)
        first = next(label for label in labels if label in ("!lucky", "!stuck"))
        found.setdefault(first, []).append(labels)
        assert len(tester.account(memory).shown) >= 3
    assert set(found) == {"!lucky", "!stuck"}
    assert all("?reset" not in labels and "!back" in labels for labels in found["!lucky"])
    assert all("!deeper" in labels for labels in found["!stuck"])


def test_the_reset_that_would_end_a_play_is_left_to_the_next_one():
    steps = (0, "a", "x", 1), (0, "b", "x", 2)
    machine = Machine(("s", "left", "right"), steps)
    tester = AdaptiveTour(system_model(machine, reset=5), all_transitions)
    assert tester.plan.cost == (12,)
    memory, labels = played(tester, machine, 0)
    assert labels.count("?reset") == 1
    assert memory.rest == (RESET,)
    assert tester.account(memory).paid == (12,)
    assert len(tester.account(memory).shown) == 2


@seeds(range(60), quick=2)
def test_whatever_the_system_answers_all_that_was_pursued_is_shown(seed: int):
    """Machines of which much cannot be left again, or is entered only by a choice of the system."""
    rng = Random(seed)
    count = rng.randint(2, 4)
    steps = {
        (state, given, rng.choice("xy"), rng.randrange(state, count))
        for state in range(count)
        for given in "ab"
        for _ in range(rng.choice((0, 1, 1, 2)))
    }
    machine = Machine(tuple(f"s{state}" for state in range(count)), tuple(sorted(steps)))
    if not any(step[0] == 0 for step in steps):
        pytest.skip("nothing can be done at all")
    model = system_model(machine, reset=rng.randint(1, 5))
    for strategy in (all_transitions, forward_recognition):
        if not plan_tour(model, strategy(model)).inputs:
            assert strategy is forward_recognition, "a transition can always be met"
            continue
        tester = AdaptiveTour(model, strategy)
        sure = {one for goal in tester.plan.problem.pursuit.goals if goal.sure for one in goal.wanted}
        memory, labels = played(tester, machine, seed)
        assert sure <= set(tester.account(memory).shown)
        assert labels.count("?reset") == sum(given == RESET for given, _ in memory.observed)


def test_what_was_seen_before_a_reset_rules_out_choices_after_it():
    tester = AdaptiveTour(system_model(PIT, reset=1), all_transitions, deterministic=True)
    stuck = Machine(NAMES, tuple(step for step in PIT.steps if step[2] != "lucky"))
    _, labels = played(tester, stuck, 0)
    assert labels.count("!stuck") == 1  # that it will not be lucky is known by then
    assert "!deeper" in labels


def test_the_budget_counts_resets():
    steps = (0, "a", "x", 1), (0, "b", "x", 2), (0, "c", "x", 3)
    machine = Machine(("s", "left", "right", "up"), steps)
    tester = AdaptiveTour(system_model(machine, reset=5), all_transitions, budget=6)
    plan = Plan(ResettableSpecification(specification(machine)), tester)
    run(plan, Resetting(Simulated(machine, Random(0))), plays=1, steps=500)
    (memory,) = tester._ended
    assert [given == RESET for given, _ in memory.observed] == [False, True]


def test_without_resets_the_refusal_says_how_to_allow_them():
    machine = Machine(("s", "t"), ((0, "a", "x", 1),))
    with pytest.raises(UsageError, match=r"leads back shows what is wanted; allow .* --reset-cost"):
        AdaptiveTour(system_model(machine), all_transitions)
    assert AdaptiveTour(system_model(machine, reset=1), all_transitions).plan.inputs == ("a", RESET)


def test_a_machine_with_a_reset_of_its_own_is_told_to_rename_it():
    machine = Machine(("s", "t"), ((0, "reset", "x", 1),))
    with pytest.raises(UsageError, match=r"has an input \?reset of its own: rename it, or allow no resets"):
        AdaptiveTour(system_model(machine, reset=1), all_transitions)
