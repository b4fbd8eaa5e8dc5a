"""`run --exhaustive`: a suite's verdict on a simulated system, held against all plays enumerated by the definition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from helpers.arena import strategy
from helpers.automata import random_automaton
from outplay import Simulated, Suite, automaton, judge
from outplay.conformance.refinement import check
from outplay.errors import UsageError
from outplay.formats.suites.suite_json import dump_suite
from outplay.model.label import SILENCE, Label
from outplay.model.suspension import SuspensionAutomaton
from outplay.runs.job import Job
from outplay.runs.preparing.planning import Prepared, prepare
from outplay.runs.recorded_run import run_job
from outplay.runs.run import Run
from outplay.suite.complete.n_complete import n_complete
from outplay.suite.from_tester import case_from_tester
from outplay.suite.suite import TestCase
from outplay.tester.tester import ByTrace, End, Stop, Wait

SPEC = automaton(
    [("s0", "?a", "s1"), ("s1", "!x", "s0"), ("s1", "!y", "s2"), ("s2", "?a", "s1")], initial="s0", name="spec"
)
"""After `!y` nothing may come but what an input leads to."""


def shown(spec: SuspensionAutomaton, state: int) -> list[Label]:
    return [label for label in spec.moves(state) if not label.is_input]


def forbidden(test: TestCase, spec: SuspensionAutomaton, impl: SuspensionAutomaton, settles: bool = True) -> bool:
    """Whether some play of a test shows what the specification forbids, by plain search of all plays."""
    met, stack = set(), [(test.initial, spec.initial[0], impl.initial[0], False)]
    while stack:
        place, allowed, own, gave = here = stack.pop()
        if here in met:
            continue
        met.add(here)
        end = End.INCONCLUSIVE if place is None else test.end(place)
        given = None if end else test.given(place)
        if given is not None and given not in spec.inputs(allowed):
            end = End.INCONCLUSIVE
        settling = end is End.PASS and settles and SILENCE not in spec.moves(allowed)
        if end is not None and not settling and not gave:
            continue
        if given is not None and end is None:
            taken = impl.after(own, given) or (own,)
            stack.append((test.after(place, given), spec.moves(allowed)[given], taken[0], True))
            if not impl.after(own, given):
                continue
        for label in shown(impl, own):
            if given is not None and end is None and label == SILENCE:
                continue  # the input is given then
            if label not in spec.moves(allowed):
                return True
            if end is None or settling:
                after = test.after(place, label)
                stack.append((after, spec.moves(allowed)[label], impl.moves(own)[label], False))
    return False


def played(spec: SuspensionAutomaton, suite: Suite, impl: SuspensionAutomaton, **asked: object):
    job = Job("spec.aut", sut="model:impl.aut", exhaustive=True, shrink=0.0, **asked)
    job = replace(job, exhaustive=True)
    return Run(Prepared(job, Simulated(impl, Random(0)), spec, suite=suite)).finish()


def drawn_tests(spec: SuspensionAutomaton, seed: int) -> Iterator[TestCase]:
    for number in range(3):
        yield case_from_tester(ByTrace(strategy(spec, f"{seed} {number}", 5)), spec, name=f"t{number}")


def complete_suite(states: int) -> Suite:
    made = n_complete(SPEC, states)
    return Suite(tests=tuple(made.cases(made.first_walks())), fair=True)


def test_a_suite_fails_exactly_where_some_play_of_it_shows_what_is_forbidden():
    verdicts = {True: 0, False: 0}
    for seed in range(80):
        settles = seed % 10 == 1
        spec = SuspensionAutomaton(
            random_automaton(f"spec {seed}", least=2, most=4, share=0.6, silence=0.3, stays=True)
        )
        other = random_automaton(f"impl {seed}", least=2, most=4, share=0.6, silence=0.3, stays=True)
        impl = SuspensionAutomaton(other if seed % 3 else spec.automaton)
        tests = tuple(drawn_tests(spec, seed))
        wrong = any(forbidden(test, spec, impl, settles) for test in tests)
        outcome = played(spec, Suite(tests=tests, fair=True), impl, settle=None if settles else 0.0)
        assert outcome.verdict.name == ("fail" if wrong else "pass"), f"seed {seed}: {outcome.verdict}"
        assert judge(spec, outcome.trace).name == outcome.verdict.name, f"seed {seed}"
        verdicts[wrong] += 1
    assert min(verdicts.values()) > 20, verdicts


def test_an_n_complete_suite_passes_exactly_on_what_conforms():
    spec, seen = SuspensionAutomaton(SPEC), set()
    suite = complete_suite(3)
    for seed in range(60):
        drawn = random_automaton(f"conforming {seed}", most=3, labels=("?a", "!x", "!y"), enabled=True)
        impl = SuspensionAutomaton(drawn)
        if len(impl.sets) > 3:
            continue
        conforms = check(SPEC, drawn, relation="uioco").conforms
        verdict = played(spec, suite, impl).verdict
        assert verdict.name == ("pass" if conforms else "fail"), f"seed {seed}: {verdict}"
        seen.add(conforms)
    assert seen == {True, False}


def test_a_test_that_needs_more_plays_than_the_bound_proves_nothing():
    many = automaton([("s", "!x", "s"), ("s", "!y", "s")], name="many")
    spec = SuspensionAutomaton(many)
    case = case_from_tester(ByTrace(lambda trace: Stop() if len(trace) == 3 else Wait()), spec, name="watch")
    suite = Suite(tests=(case,), fair=True)
    bounded = played(spec, suite, SuspensionAutomaton(many), plays=2).verdict
    assert (bounded.name, bounded.why) == ("inconclusive", "watch can go on in more than 2 plays: no proof")
    proven = played(spec, suite, SuspensionAutomaton(many)).verdict
    assert "which is a proof: the system can do nothing else under nondeterministic" in proven.why


def test_a_pass_end_that_cannot_come_is_inconclusive_where_the_suite_does_not_ask_for_fairness():
    spec = SuspensionAutomaton(SPEC)
    case = next(test for test in complete_suite(3).tests if "!y" in test.name)
    calm = SuspensionAutomaton(automaton([("s", "?a", "t"), ("t", "!x", "s")]))
    assert played(spec, Suite(tests=(case,)), calm).verdict.name == "inconclusive"
    assert played(spec, Suite(tests=(case,), fair=True), calm).verdict.name == "pass"


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Job:
    monkeypatch.chdir(tmp_path)
    Path("spec.aut").write_text('des (0, 4, 3)\n(0, "?a", 1)\n(1, "!x", 0)\n(1, "!y", 2)\n(2, "?a", 1)\n')
    suite = replace(complete_suite(3), model="spec.aut")
    Path("suite.json").write_text("".join(dump_suite(suite)))
    return Job("spec.aut", suite="suite.json", sut="model:spec.aut", exhaustive=True)


def test_it_is_played_on_record_and_a_fail_keeps_its_trace(files: Job):
    Path("wrong.aut").write_text('des (0, 3, 3)\n(0, "?a", 1)\n(1, "!y", 2)\n(2, "!x", 0)\n')
    assert run_job(files).verdict.name == "pass"
    failed = run_job(replace(files, sut="model:wrong.aut"))
    assert failed.verdict.name == "fail"
    assert failed.files.failure is not None


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        ({"sut": "exec:cat"}, "--exhaustive plays all choices of a simulated system"),
        ({"suite": None, "goal": ("s1",)}, "--exhaustive needs --suite"),
        ({"suite": None, "tester": "walk"}, "--exhaustive needs --suite"),
        ({"join": True}, "--join has no effect with --exhaustive"),
    ],
)
def test_where_it_makes_no_sense_it_is_refused(files: Job, changed: dict[str, object], complaint: str):
    with pytest.raises(UsageError, match=complaint):
        run_job(replace(files, **changed))


def test_a_simulation_is_left_to_chance_afterwards(files: Job):
    prepared = prepare(files)
    Run(prepared).finish()
    assert prepared.system.choosing is None
