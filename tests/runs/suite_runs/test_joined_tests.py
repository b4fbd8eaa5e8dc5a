"""Tests joined without a reset: fewer resets, the same systems fail, and what is judged is the whole play."""

from __future__ import annotations

from random import Random

import pytest

from helpers.places import shared_data
from helpers.seeds import seeds
from outplay import Simulated, Suite, automaton, judge, read_model, run
from outplay.conformance.refinement import check
from outplay.model.kinds import specification
from outplay.suite.identifying import identifying_cases, identifying_test
from outplay.suite.suite import CaseError, case_of, checked_case


def random_rows(rng: Random, states: int) -> dict:
    """A machine with two inputs and two outputs, all of whose states can be reached: what it answers, where it goes."""
    while True:
        rows = {(state, given): (rng.randrange(2), rng.randrange(states)) for state in range(states) for given in "ab"}
        seen = {0}
        for _ in range(states):
            seen |= {target for (state, _), (_, target) in rows.items() if state in seen}
        if len(seen) == states:
            return rows


def mutated(rng: Random, rows: dict) -> dict:
    place = rng.choice(list(rows))
    shown, target = rows[place]
    changed = (1 - shown, target) if rng.random() < 0.3 else (shown, rng.randrange(len(rows) // 2))
    return rows | {place: changed}


def as_automaton(rows: dict):
    made = []
    for (state, given), (shown, target) in rows.items():
        made += [(f"s{state}", f"?{given}", f"m{state}{given}"), (f"m{state}{given}", f"!{shown}", f"s{target}")]
    return automaton(made, initial="s0", name="machine")


def suite_of(spec, *, fair: bool = True) -> Suite:
    return Suite(tests=tuple(identifying_cases(identifying_test(spec))), fair=fair)


def played(suite, spec, system, *, join):
    return run(suite, Simulated(system, Random(0)), model=spec, plays=1, join=join)


@pytest.mark.parametrize("seed", range(8))
def test_what_fails_with_resets_fails_joined_and_what_fails_joined_does_not_conform(seed):
    rng = Random(seed)
    rows = random_rows(rng, rng.randint(2, 5))
    spec = specification(as_automaton(rows))
    suite = suite_of(spec)
    right = [played(suite, spec, as_automaton(rows), join=join) for join in (False, True)]
    assert [outcome.verdict.name for outcome in right] == ["pass", "pass"]
    assert right[1].tally.plays + right[1].ledger.joined == right[0].tally.plays
    for _ in range(2):
        mutant = as_automaton(mutated(rng, rows))
        apart, joined = [played(suite, spec, mutant, join=join).verdict.name for join in (False, True)]
        assert joined == "fail" or apart == "pass"
        assert joined == "pass" or not check(spec, specification(mutant)).conforms


@pytest.mark.long
@seeds(range(8, 300))
def test_more_of_what_fails_with_resets_fails_joined(seed):
    test_what_fails_with_resets_fails_joined_and_what_fails_joined_does_not_conform(seed)


UNREACHED = {(0, "a"): (0, 1), (0, "b"): (1, 2), (1, "a"): (1, 1), (1, "b"): (1, 0), (2, "a"): (0, 2), (2, "b"): (1, 1)}
MORE = UNREACHED | {(0, "a"): (0, 3), (3, "a"): (1, 1), (3, "b"): (0, 2)}


def test_a_system_with_more_states_than_the_specification_may_fail_only_after_resets():
    """The limit of what is said about joining: no test of the suite tells its fourth state from another."""
    spec, system = specification(as_automaton(UNREACHED)), as_automaton(MORE)
    assert played(suite_of(spec), spec, system, join=False).verdict.name == "fail"
    assert played(suite_of(spec), spec, system, join=True).verdict.name == "pass"


def test_a_guarantee_joins_only_after_transitions_that_have_passed_their_tests():
    spec = specification(as_automaton(UNREACHED))
    machine = as_automaton(UNREACHED)
    careless, careful = [played(suite_of(spec, fair=fair), spec, machine, join=True) for fair in (False, True)]
    assert careless.ledger.joined > careful.ledger.joined > 0


DOOR = automaton([("shut", "?open", "o"), ("o", "!opened", "open"), ("open", "?close", "c"), ("c", "!shut", "shut")])
ROUND = [
    *[("t0", "?open", "t1"), ("t1", "!opened", "t2"), ("t2", "?close", "t3"), ("t3", "!shut", "pass")],
    *[("t1", "delta", "fail"), ("t3", "delta", "fail")],
]


def test_goals_are_reached_one_after_the_other_in_one_play_that_is_judged_as_a_whole():
    tests = [case_of(ROUND, name=f"{number}") for number in range(3)]
    found = run(Suite(tests=tests), Simulated(DOOR, Random(0)), model=specification(DOOR), join=True)
    assert (found.verdict.name, found.tally.plays, found.ledger.joined) == ("pass", 1, 2)
    assert [str(event) for event in found.trace.events].count("reset") == 1
    assert {event.play for event in found.trace.events} == {1}
    assert judge(DOOR, found.trace).name == "pass"
    assert "  joined: 2 times a test began without a reset" in str(found)


class Worn(Simulated):
    """Is stuck when it is opened for the third time since it was reset."""

    opened = 0

    def reset(self):
        self.opened = 0
        super().reset()

    def give(self, label):
        self.opened += str(label) == "?open"
        return None if self.opened == 3 and str(label) == "?open" else super().give(label)


def test_a_failure_in_a_joined_test_is_the_failure_of_its_whole_play():
    tests = [case_of(ROUND, name=f"{number}") for number in range(4)]
    found = run(Suite(tests=tests), Worn(DOOR, Random(0)), model=specification(DOOR), join=True)
    assert (found.verdict.name, found.failing_play) == ("fail", 1)
    assert [test.verdict.name for test in found.tests] == ["pass", "pass", "fail"]
    kept = [str(event) for event in found.failure().events]
    assert kept[:5] == ["reset", "?open", "!opened", "?close", "!shut"]
    assert len(kept) == 11
    assert judge(DOOR, found.failure()).name == "fail"
    apart = run(Suite(tests=tests), Worn(DOOR, Random(0)), model=specification(DOOR))
    assert apart.verdict.name == "pass"


def test_a_test_says_how_it_begins_and_is_begun_on_the_way_there():
    spec = specification(DOOR)
    suite = suite_of(spec)
    assert [(test.name, test.access) for test in suite.tests][:3] == [
        ("shut", None),
        ("shut --?open--> o", 0),
        ("open --?close--> c", 2),
    ]
    found = played(suite, spec, DOOR, join=True)
    apart = played(suite, spec, DOOR, join=False)
    assert found.tally.plays < apart.tally.plays
    assert found.tally.inputs < apart.tally.inputs


def test_an_access_that_runs_into_a_choice_is_refused():
    with pytest.raises(CaseError, match="access is 5, but only 4 labels before there is a choice: make it 4"):
        checked_case(case_of(ROUND).automaton, access=5)
    assert [str(label) for label, _ in checked_case(case_of(ROUND).automaton, access=2).access_path] == [
        "?open",
        "!opened",
    ]


@pytest.mark.parametrize(
    ("name", "apart", "joined"),
    [
        ("car_alarm.dot", 14, 12),
        pytest.param("TCP_Linux_Client.dot", 242, 225, marks=pytest.mark.long),
        pytest.param("mosquitto__two_client_will_retain.dot", 267, 243, marks=pytest.mark.long),
    ],
)
def test_machines_of_others_need_fewer_resets(name, apart, joined):
    path = shared_data("mealy", name)
    if not path.exists():
        pytest.skip("the shared data is not here")
    machine = read_model(path)
    spec = specification(machine)
    found = [played(suite_of(spec), spec, machine, join=join) for join in (False, True)]
    assert [outcome.verdict.name for outcome in found] == ["pass", "pass"]
    assert [outcome.tally.plays for outcome in found] == [apart, joined]
