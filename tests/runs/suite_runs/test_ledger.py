"""Fair execution: when something that never came is taken for impossible, and how often that is wrong."""

from __future__ import annotations

from random import Random

import pytest

from helpers.seeds import seeds
from outplay.errors import UsageError
from outplay.model.label import Label
from outplay.runs.run_budget import Fairness
from outplay.runs.suite_runs.ledger import Ledger
from outplay.suite.suite import TestCase, case_of
from outplay.tester.tester import End

A, X, Y = map(Label.parse, ("?a", "!x", "!y"))


@seeds(range(100))
def test_enough_tries_are_the_least_for_which_the_doubt_is_small_enough(seed):
    rng = Random(seed)
    rule = Fairness(rng.choice([0.01, 0.2, 0.5, rng.random() or 1.0]), rng.choice([0.0, 0.5, 0.95, 0.999]))
    place, outputs = rng.randint(1, 50), rng.randint(1, 5)
    allowed = (1 - rule.confidence) / (place * (place + 1))
    tries = rule.tries(place, outputs)
    assert outputs * rule.doubt(tries) <= allowed * (1 + 1e-9)
    assert tries == 1 or outputs * rule.doubt(tries - 1) > allowed * (1 - 1e-9)


def test_the_doubts_of_all_places_add_up_to_what_was_allowed():
    rule = Fairness(0.1, 0.9)
    assert sum(rule.doubt(rule.tries(place)) for place in range(1, 5000)) <= 0.1


@pytest.mark.parametrize(("chance", "confidence"), [(0, 0.5), (1.5, 0.5), (0.5, 1), (0.5, -0.1), (float("nan"), 0.5)])
def test_what_is_no_chance_or_confidence_is_refused(chance, confidence):
    with pytest.raises(UsageError, match="it is a number"):
        Fairness(chance, confidence)


def choice(number: int) -> TestCase:
    """A test after whose input the system shows one of two outputs, of which one is waited for."""
    rows = [("t0", f"?a {number}", "t1"), ("t1", "!x", "inconclusive"), ("t1", "!y", "pass"), ("t1", "delta", "fail")]
    return case_of(rows, name=f"choice {number}")


def simulated(rule: Fairness, rng: Random, tests: int) -> bool:
    """Play a suite against a system that shows the rarer output just often enough; was anything concluded wrongly?"""
    ledger = Ledger(rule)
    for number in range(tests):
        case = choice(number)
        ledger.begin(case)
        while ledger.open():
            given = Label.parse(f"?a {number}")
            ledger.took(case, (), 0, given)
            ledger.took(case, (given,), 1, Y if rng.random() < rule.chance else X)
        ledger.end(concluded=True)
    assert ledger.confidence >= rule.confidence
    return ledger.excluded > 0


def test_a_whole_suite_is_wrong_about_as_often_as_was_allowed_and_not_more():
    rule, runs = Fairness(chance=0.4, confidence=0.7), 200
    wrong = sum(simulated(rule, Random(seed), tests=8) for seed in range(runs))
    # Of 200 runs at most 60 are to be expected; 80 would be three standard deviations more.
    assert 20 < wrong < 80


def test_a_suite_that_tries_less_often_is_wrong_too_often(monkeypatch):
    rule, runs = Fairness(chance=0.4, confidence=0.7), 100
    enough = rule.tries
    monkeypatch.setattr(Fairness, "tries", lambda self, place, outputs=1: max(1, enough(place, outputs) // 2))
    monkeypatch.setattr(Ledger, "confidence", 1.0)
    assert sum(simulated(rule, Random(seed), tests=8) for seed in range(runs)) > 50


def random_case(rng: Random, name: str) -> TestCase:
    """A tree of a test that waits or gives, with all kinds of ends."""
    rows = []

    def grow(state: str, depth: int) -> None:
        gives = rng.random() < 0.4
        labels = [rng.choice(["?a", "?b"]), *rng.sample(["!x", "!y"], 1)] if gives else ["!x", "!y", "delta"]
        for label in labels:
            end = rng.choice(["pass", "pass", "fail", "inconclusive"])
            target = end if depth == 0 or rng.random() < 0.3 else f"{state}.{label}"
            rows.append((state, label, target))
        for target in {target for start, _, target in rows if start == state and target.startswith(state)}:
            grow(target, depth - 1)

    grow("t", rng.randint(0, 2))
    return case_of(rows, name=name)


def random_play(rng: Random, case: TestCase) -> list[Label]:
    state, trace = case.initial, []
    while case.end(state) is None:
        labels = [label for label, target in case.moves(state).items() if case.end(target) is not End.FAIL]
        if not labels:
            break
        trace.append(rng.choice(labels))
        state = case.moves(state)[trace[-1]]
    return trace


def passes_from(case: TestCase, state: int) -> bool:
    return case.end(state) is End.PASS or any(passes_from(case, target) for target in case.moves(state).values())


def open_by_definition(cases: list[TestCase], plays: list[list[list[Label]]], rule: Fairness) -> set:
    """All that the last test could have come by next after some prefix of its plays, and was tried too seldom."""
    earlier = [trace for traces in plays for trace in traces]
    numbers: dict[tuple[tuple[Label, ...], Label | None], int] = {}
    tries: dict[tuple[tuple[Label, ...], Label | None], int] = {}
    ever: dict[tuple[Label, ...], set[Label]] = {}
    for case, traces in zip(cases, plays, strict=True):
        for trace in traces:
            for length in range(len(trace)):
                prefix = tuple(trace[:length])
                state = case.state_after(prefix)
                if sum(case.end(target) is not End.FAIL for target in case.moves(state).values()) > 1:
                    tried = prefix, case.given(state)
                    numbers.setdefault(tried, len(numbers) + 1)
                    tries[tried] = tries.get(tried, 0) + 1
                    ever.setdefault(prefix, set()).add(trace[length])
    case, traces, found = cases[-1], plays[-1], set()
    assert earlier or not traces
    prefixes = {tuple(trace[:length]) for trace in traces for length in range(len(trace) + 1)} | {()}
    for prefix in prefixes:
        state = case.state_after(prefix)
        given = case.given(state)
        asked = [
            label
            for label, target in case.moves(state).items()
            if passes_from(case, target) and (given is None or label == given)
        ]
        for label in asked:
            taken = any(tuple(trace[: len(prefix) + 1]) == (*prefix, label) for trace in traces)
            tried = prefix, given
            counted = 0 if label in ever.get(prefix, ()) else tries.get(tried, 0)
            if not taken and counted < rule.tries(numbers.get(tried, len(numbers) + 1), len(asked)):
                found.add((prefix, label))
    return found


@seeds(range(150))
def test_what_is_open_is_what_the_definition_says(seed):
    rng = Random(seed)
    rule = Fairness(rng.choice([0.5, 0.7, 1.0]), 0.5)
    ledger, cases, plays = Ledger(rule), [], []
    for number in range(rng.randint(1, 3)):
        case = random_case(rng, str(number))
        cases.append(case)
        plays.append([])
        ledger.begin(case)
        for _ in range(rng.randint(0, 12)):
            trace = random_play(rng, case)
            plays[-1].append(trace)
            state = case.initial
            for place, label in enumerate(trace):
                ledger.took(case, tuple(trace[:place]), state, label)
                state = case.moves(state)[label]
            expected = open_by_definition(cases, plays, rule)
            assert {(branch.after, branch.label) for branch in ledger.open()} == expected
        ledger.end(concluded=True)
    assert ledger.tests == len(cases)


def test_of_what_is_forgotten_more_tries_are_needed(monkeypatch):
    monkeypatch.setattr("outplay.runs.suite_runs.ledger.MOST_PLACES", 1)
    ledger = Ledger(Fairness())
    first, second = choice(0), choice(1)
    for case in (first, second):
        ledger.begin(case)
        ledger.took(case, (A,), 1, X)
    ledger.begin(first)
    needed = ledger.open()[0].needed
    assert needed >= Fairness().tries(1)


def test_who_waits_has_not_tried_whether_an_input_would_be_taken():
    waits = case_of([("t0", "!x", "inconclusive"), ("t0", "!y", "pass"), ("t0", "delta", "fail")], name="waits")
    gives = case_of([("t0", "?a", "pass"), ("t0", "!x", "inconclusive"), ("t0", "!y", "inconclusive")], name="gives")
    ledger = Ledger(Fairness(0.5, 0.5))
    for case, label in ((waits, Y), (gives, X)):
        ledger.begin(case)
        for _ in range(100 if case is waits else 1):
            ledger.took(case, (), 0, label)
        ledger.end(concluded=True)
    assert (ledger.excluded, ledger.left_open) == (0, 1)
    assert [(str(branch.label), branch.tries) for branch in ledger.listed["open"]] == [("?a", 1)]
    ledger.begin(waits)
    ledger.took(waits, (), 0, X)
    assert [branch.tries for branch in ledger.open()] == [0]  # !y was seen before, so it can come


def test_an_output_that_comes_before_an_input_is_one_that_can_come_to_who_waits():
    waits = case_of([("t0", "!x", "inconclusive"), ("t0", "!y", "pass"), ("t0", "delta", "fail")], name="waits")
    gives = case_of([("t0", "?a", "pass"), ("t0", "!y", "inconclusive")], name="gives")
    ledger = Ledger(Fairness(0.5, 0.5))
    for case, label in ((waits, X), (gives, Y)):
        ledger.begin(case)
        for _ in range(20):
            ledger.took(case, (), 0, label)
        ledger.end(concluded=True)
    assert [(str(branch.label), branch.tries) for branch in ledger.listed["refuted"]] == [("!y", 20)]
