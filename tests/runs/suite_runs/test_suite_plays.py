"""Suites played: tests tried again, branches seen or concluded not to come, and what is left open."""

from __future__ import annotations

import gc
import re
import tracemalloc
from random import Random

import pytest

from outplay import Simulated, Suite, automaton, run
from outplay.model.suspension import SuspensionAutomaton
from outplay.runs.run_budget import Fairness
from outplay.suite.suite import Stream, case_of

LAMP = automaton([("off", "?press", "on"), ("on", "!light", "bright"), ("on", "!dim", "dark")], name="lamp")
BOTH = case_of(
    [("t0", "?press", "t1"), ("t1", "!light", "pass"), ("t1", "!dim", "pass"), ("t1", "delta", "fail")], name="both"
)
LIGHT = case_of(
    [("t0", "?press", "t1"), ("t1", "!light", "pass"), ("t1", "!dim", "inconclusive"), ("t1", "delta", "fail")],
    name="light",
)
ONLY_DIM = automaton([("off", "?press", "on"), ("on", "!dim", "dark")], name="lamp")


def fair(*tests, **more) -> Suite:
    return Suite(tests=tests, fair=True, **more)


def played(suite, system=LAMP, *, seed=0, plays=100, **more):
    return run(suite, Simulated(system, Random(seed)), model=SuspensionAutomaton(LAMP), plays=plays, **more)


def test_a_fair_test_goes_on_until_every_branch_was_seen():
    found = played(fair(BOTH))
    assert (found.verdict.name, found.verdict.why) == ("pass", "1 test passed")
    assert found.tests[0].plays > 1
    assert found.ledger.json()["branches"] == {"seen": 3, "excluded": 0, "open": 0, "refuted": 0}
    assert played(Suite(tests=(BOTH,))).tests[0].plays == 1


def test_what_never_comes_is_concluded_with_a_stated_confidence():
    found = played(fair(BOTH), ONLY_DIM)
    needed = Fairness().tries(1, 2)
    assert found.tests[0].plays == needed
    assert found.verdict.why.startswith("1 test passed, with confidence 0.9")
    assert "1 output of chance 0.2 cannot come" in found.verdict.why
    assert str(found).splitlines()[:2] == [
        f"✓ Pass: {found.verdict.why} (seed 0)",
        f"  cannot come: both: !light after ?press ({needed} of {needed} tries)",
    ]
    told = found.ledger.json()
    assert told["excluded"] == [
        {"test": "both", "after": ["?press"], "label": "!light", "tries": needed, "needed": needed}
    ]
    assert 0.95 <= told["confidence"] < 1


def test_a_test_whose_way_cannot_come_is_done_in_a_fair_suite_and_inconclusive_in_another():
    found = played(fair(LIGHT), ONLY_DIM)
    assert (found.verdict.name, found.tests[0].verdict.why) == ("pass", "what leads to its end cannot come")
    other = played(Suite(tests=(LIGHT,)), ONLY_DIM)
    assert other.verdict.why == "light did not reach its pass end in 100 plays"
    assert other.ledger.json()["open"][0]["tries"] == 100


def test_too_few_plays_leave_branches_open_and_say_which():
    found = played(fair(LIGHT, BOTH), ONLY_DIM, plays=5)
    assert found.verdict.name == "inconclusive"
    assert found.verdict.why == "light is open after 5 plays: !light after ?press (5 of 17 tries) and 1 more"
    assert "  open: light: !light after ?press (5 of 17 tries); both: !light after ?press (10 of" in str(found)


def test_tests_that_share_a_prefix_share_what_was_tried_after_it():
    found = played(fair(LIGHT, BOTH), ONLY_DIM)
    assert [test.plays for test in found.tests] == [Fairness().tries(1), Fairness().tries(1, 2) - Fairness().tries(1)]


def test_one_try_is_enough_for_a_system_that_always_does_the_same():
    found = played(fair(LIGHT, BOTH), ONLY_DIM, chance=1.0)
    assert [test.plays for test in found.tests] == [1, 1]
    assert "with confidence 1 that 1 output of chance 1 cannot come" in found.verdict.why


class Turning(Simulated):
    """Is dim for so many plays, and then shines."""

    def __init__(self, plays: int) -> None:
        self.left, self.other = plays + 1, Simulated(LAMP, Random(3))  # making it resets it once
        super().__init__(ONLY_DIM, Random(0))

    def reset(self) -> None:
        self.left -= 1
        (super() if self.left >= 0 else self.other).reset()

    def give(self, label):
        return (super() if self.left >= 0 else self.other).give(label)

    def observe(self, timeout):
        return (super() if self.left >= 0 else self.other).observe(timeout)


def test_a_conclusion_that_turns_out_wrong_is_taken_back_and_told():
    again = case_of(
        [("t0", "?press", "t1"), ("t1", "!light", "pass"), ("t1", "!dim", "inconclusive"), ("t1", "delta", "fail")],
        name="again",
    )
    found = run(fair(LIGHT, again, BOTH), Turning(17), model=SuspensionAutomaton(LAMP), plays=100)
    assert found.verdict.why == "!light was thought not to come and did: lower --chance, or raise --confidence"
    assert found.ledger.json()["branches"]["refuted"] == 1
    assert re.search(r"came after all: \w+: !light after \?press", str(found))


def test_what_is_forbidden_fails_whatever_is_open():
    smoke = automaton([("off", "?press", "on"), ("on", "!smoke", "off"), ("on", "!dim", "off")], name="lamp")
    assert played(fair(LIGHT, BOTH), smoke).verdict.name == "fail"


def many(count: int) -> Suite:
    def made():
        for number in range(count):
            if not number % 50:
                gc.collect()  # or what is left lying about would decide
            yield case_of([("t0", "?press", "t1"), ("t1", "!dim", "pass"), ("t1", "delta", "fail")], name=f"{number}")

    return Suite(tests=Stream(made))


def peak(count: int) -> int:
    tracemalloc.start()
    try:
        outcome = played(many(count), ONLY_DIM)
        assert (outcome.verdict.name, outcome.ledger.tests) == ("pass", count)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_playing_needs_no_memory_for_the_tests(monkeypatch):
    monkeypatch.setattr("outplay.runs.kept_plays.MOST_EVENTS", 100)
    monkeypatch.setattr("outplay.runs.suite_runs.suite_plays.MOST_RESULTS", 10)
    monkeypatch.setattr("outplay.runs.kept_plays.MOST_PLAYS", 10)
    monkeypatch.setattr("outplay.runs.kept_plays.MOST_POINTS", 10)
    peak(20)
    few, lots = peak(100), peak(220)
    assert lots < few + 120 * 200, "more than a few bytes are kept of each test that passed"


@pytest.mark.long
@pytest.mark.timeout(1_800)
def test_thousands_of_tests_are_played_in_bounded_memory():
    assert peak(20_000) < 50 << 20


def test_of_many_events_the_failing_play_is_kept_whole(monkeypatch):
    monkeypatch.setattr("outplay.runs.kept_plays.MOST_EVENTS", 5)
    tests = [case_of([("t0", "?press", "t1"), ("t1", "!dim", "pass"), ("t1", "delta", "fail")], name="dim")] * 20
    worn = automaton([("off", "?press", "on"), ("on", "!dim", "dark"), ("on", "!smoke", "dark")], name="lamp")
    found = run(Suite(tests=tests), Simulated(worn, Random(4)), model=SuspensionAutomaton(LAMP), plays=100)
    assert found.verdict.name == "fail"
    assert len(found.trace.events) < 20
    assert [str(event) for event in found.failure().events] == ["reset", "?press", "!smoke"]
