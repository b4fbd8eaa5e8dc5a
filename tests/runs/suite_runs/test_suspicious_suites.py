"""Suites and suspicions: the order of tests, going on after a test that passed, and what a suite clears."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import pytest

from helpers.automata import random_steps
from helpers.seeds import seeds
from outplay import Simulated, Suite, automaton, replay, run, specification
from outplay.runs.suite_runs.suite_plays import SuspiciousOrder, expected_play
from outplay.suite.from_tester import case_from_tester
from outplay.suite.suite import Stream, case_of
from outplay.tester.known_behaviour import KnownBehaviour
from outplay.tester.suspicion_tester import SuspicionTester
from outplay.tester.tester import ByTrace, Give, Stop, Wait

# After ?b the system is in another state, which shows only when ?a is given again.
RIGHT = automaton(
    [("s", "?a", "a"), ("a", "!x", "s"), ("s", "?b", "b"), ("b", "!y", "t"), ("t", "?a", "c"), ("c", "!z", "s")]
)
ASTRAY = automaton([("s", "?a", "a"), ("a", "!x", "s"), ("s", "?b", "b"), ("b", "!y", "s")])
A = case_of([("0", "?a", "1"), ("1", "!x", "pass"), ("1", "delta", "fail")], name="a")
AA = case_of(
    [("0", "?a", "1"), ("1", "!x", "2"), ("1", "delta", "fail"), ("2", "?a", "3"), ("3", "!x", "pass"),
     ("3", "delta", "fail")],
    name="aa",
)  # fmt: skip
B = case_of([("0", "?b", "1"), ("1", "!y", "pass"), ("1", "delta", "fail")], name="b")


def suspecting(model, seed=0) -> SuspicionTester:
    return SuspicionTester(KnownBehaviour(specification(model)), Random(seed), restarts=False)


def given(outcome, play):
    return [str(event.label) for event in outcome.trace.events if event.play == play and event.kind == "input"]


def played(*tests, system=RIGHT, **more):
    return run(Suite(tests=tests), Simulated(system, Random(1)), model=RIGHT, **more)


def test_the_test_that_meets_the_most_suspicion_for_each_label_is_next():
    """By definition: the sum over its transitions of the suspicion that is met there, by its labels and the start."""
    suspicious = suspecting(RIGHT)
    order = SuspiciousOrder([A, AA, B], suspicious)
    first = next(iter(order))
    table, player = suspicious.known.table, suspicious.player
    labels = [str(label) for label in table.labels]
    met = player.met(slice(None))

    def ratio(*words):
        state, found, total = table.initial, set(), Fraction(1)
        for word in words:
            edge = next(
                edge for edge in range(table.first[state], table.first[state + 1]) if labels[table.label[edge]] == word
            )
            found, state, total = found | {edge}, table.target[edge], total + 1
        return sum(met[edge] for edge in found) / float(total)

    ratios = {"a": ratio("?a", "!x"), "aa": ratio("?a", "!x", "?a", "!x"), "b": ratio("?b", "!y")}
    assert ratios["aa"] < ratios["a"]
    assert first.name == max(ratios, key=ratios.__getitem__)
    left = [ratios[test.name] for test in (A, AA, B) if test is not first]
    assert order.ratios().tolist() == pytest.approx(left)


def test_what_was_seen_makes_other_tests_more_urgent():
    tests = [case_of([("0", "?b", "1"), ("1", "!y", "pass"), ("1", "delta", "fail")], name=f"b{n}") for n in range(3)]
    names = [test.name for test in played(*tests, A, tester="suspicion").tests]
    assert names.index("a") < 2
    assert [test.name for test in played(*tests, A).tests] == ["b0", "b1", "b2", "a"]


@seeds(range(200), quick=15)
def test_a_course_is_what_plays_of_a_test_take_on_the_average(seed):
    """By enumeration: all ways through the test, each with the product of the chances of its answers."""
    rng = Random(seed)
    names, steps = random_steps(rng, least=2, most=5)
    model = automaton([(names[0], "?a", names[1]), *steps], initial=names[0])
    suspicious = suspecting(model, seed)
    table, races = suspicious.known.table, suspicious.player.races
    rows = suspicious.player.learnt.rows

    def decide(trace):
        state = table.initial
        for label in trace:
            state = table.moves(state)[table.labels.index(label)]
        inputs = [number for number in table.moves(state) if number < table.inputs]
        drawn = Random(f"{seed} {trace}")
        if len(trace) == 4:
            return Stop()
        return Give(table.labels[drawn.choice(inputs)]) if inputs and drawn.random() < 0.5 else Wait()

    case = case_from_tester(ByTrace(decide), suspicious.known.behaviour.spec)
    expected, labels = dict[int, float](), 0.0

    def walk(place, state, chance):
        nonlocal labels
        gives = case.given(place) is not None
        for edge in range(table.first[state], table.first[state + 1]):
            target = case.moves(place).get(table.labels[table.label[edge]])
            if target is None:
                continue
            if table.label[edge] < table.inputs:
                likely = 1 - races.lost[state]
            else:
                likely = rows.chance[edge] * (races.lost[state] if gives else 1)
            if chance * likely > 1e-6:
                expected[edge] = expected.get(edge, 0.0) + chance * likely
                labels += chance * likely
                walk(target, int(table.target[edge]), chance * likely)

    walk(case.initial, table.initial, 1.0)
    course = expected_play(case, suspicious)
    assert course.labels == pytest.approx(labels)
    found = dict(zip(course.edges.tolist(), course.probability.tolist(), strict=True))
    assert found == pytest.approx({edge: min(1.0, visits) for edge, visits in expected.items()})


@pytest.mark.parametrize("window", [1, 3, 64])
def test_every_test_is_played_once_and_the_verdict_is_the_same(window, monkeypatch):
    monkeypatch.setattr(SuspiciousOrder.__init__, "__defaults__", (window,))
    tests = [
        case_of([("0", f"?{'ab'[n % 2]}", "1"), ("1", f"!{'xy'[n % 2]}", "pass"), ("1", "delta", "fail")], name=f"{n}")
        for n in range(9)
    ]
    ordered, plain = played(*tests, tester="suspicion"), played(*tests)
    assert sorted(test.name for test in ordered.tests) == [test.name for test in plain.tests]
    assert ordered.verdict == plain.verdict
    assert [test.plays for test in ordered.tests] == [1] * 9
    if window == 1:
        assert [test.name for test in ordered.tests] == [test.name for test in plain.tests]


def test_of_a_long_stream_only_the_next_tests_are_kept():
    made = []

    def tests():
        for number in range(50):
            made.append(number)
            yield A

    order = iter(SuspiciousOrder(Stream(tests), suspecting(RIGHT), window=4))
    next(order)
    next(order)
    assert len(made) == 5
    assert sum(1 for _ in order) == 48


def test_going_on_after_a_test_finds_what_the_suite_passes(tmp_path):
    assert played(A, B, system=ASTRAY).verdict.name == "pass"
    found = played(A, B, system=ASTRAY, extra_steps=10)
    assert found.verdict.name == "fail"
    assert [test.verdict.name for test in found.tests][-1] == "fail"
    kept = found.keep_failure(tmp_path)
    assert replay(RIGHT, kept, Simulated(ASTRAY, Random(5))).reproduced
    assert played(A, B, extra_steps=10).verdict.name == "pass"


def test_a_test_goes_on_from_where_it_ended_and_only_after_it_passed():
    found = played(B, extra_steps=4, plays=1)
    assert given(found, 1)[:1] == ["?b"]
    assert len(given(found, 1)) > 1
    never = case_of([("0", "?b", "1"), ("1", "!y", "inconclusive"), ("1", "delta", "pass")], name="never")
    assert [given(played(never, extra_steps=4, plays=2), play) for play in (1, 2)] == [["?b"], ["?b"]]


@pytest.mark.parametrize("join", [False, True])
def test_what_is_cleared_is_told_and_the_more_the_longer_tests_go_on(join):
    alone = played(A, AA, B, until_cleared=1.0, join=join)
    further = played(A, AA, B, extra_steps=20, join=join)
    assert 0 < alone.suspected.cleared.share < further.suspected.cleared.share
    assert "would have been noticed with about" in str(alone)
    assert played(A, AA, B).suspected is None


def test_a_suite_ends_where_enough_is_cleared_and_says_so():
    found = played(*[A, AA, B] * 5, until_cleared=0.1)
    assert len(found.tests) < 15
    assert found.verdict.why == "1 test passed, and enough is cleared"
    assert played(*[A, AA, B] * 5, until_cleared=1.0).verdict.why == "all 15 tests passed"
