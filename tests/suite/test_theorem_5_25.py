"""Strategies are test cases and back (004, Theorems 5.20, 5.23 and 5.25), by brute force over all plays."""

from __future__ import annotations

import random

import pytest

from helpers import arena
from helpers.seeds import seeds
from helpers.soundness import unsound
from outplay import automaton
from outplay.errors import UsageError
from outplay.model.label import SILENCE, Label
from outplay.model.suspension import SuspensionAutomaton
from outplay.model.tracking import Tracker
from outplay.suite.case_tester import CaseSpecification, CaseTester
from outplay.suite.from_tester import case_from_tester
from outplay.suite.suite import END_NAMES, TestCase, case_of
from outplay.tester.tester import ByTrace, End, Give, Stop, TraceBased, Wait

SEEDS = range(200)


def inner_traces(case: TestCase) -> set[tuple[Label, ...]]:
    """All traces that have not failed, those that end included."""
    found, stack = set(), [(case.initial, ())]
    while stack:
        state, trace = stack.pop()
        if case.end(state) is not End.FAIL:
            found.add(trace)
            stack += [(target, (*trace, label)) for label, target in case.moves(state).items()]
    return found


def decided(case: TestCase, spec: SuspensionAutomaton, trace: tuple[Label, ...]) -> object:
    """What the strategy of a test case decides after a trace."""
    tester, tracker = CaseTester(case), Tracker(CaseSpecification(spec, case))
    memory = tester.start
    for label in trace:
        memory = tester.remember(tracker, memory, label)
        tracker = tracker.gave(label) if label.is_input else tracker.saw(label)
    return tester.choose(tracker, memory)


@pytest.mark.parametrize("seed", SEEDS)
def test_the_traces_of_the_plays_are_the_test_case(seed):
    spec = SuspensionAutomaton(arena.deterministic(seed))
    decide = arena.strategy(spec, seed)
    case = case_from_tester(ByTrace(decide), spec, outputs=arena.OUTPUTS)
    traces = set(arena.plays(spec, decide))
    assert inner_traces(case) == traces
    assert {trace for trace in traces if isinstance(decide(trace), Stop)} == set(case.traces(End.PASS))
    # It fails exactly after what the specification does not allow there.
    forbidden = {
        (*trace, label)
        for trace in traces
        if not isinstance(decide(trace), Stop)
        for label in [*arena.OUTPUTS, *([SILENCE] if isinstance(decide(trace), Wait) else [])]
        if arena.after(spec, (*trace, label)) is None
    }
    assert set(case.traces(End.FAIL)) == forbidden
    assert unsound(case, spec) is None


@pytest.mark.parametrize("seed", SEEDS)
def test_every_state_lists_all_outputs_and_either_one_input_or_silence(seed):
    spec = SuspensionAutomaton(arena.deterministic(seed))
    case = case_from_tester(ByTrace(arena.strategy(spec, seed)), spec, outputs=arena.OUTPUTS)
    for state in case.inner:
        listed = set(case.moves(state))
        inputs = {label for label in listed if label.is_input}
        assert listed - inputs == {*arena.OUTPUTS} | (set() if inputs else {SILENCE})
        assert len(inputs) <= 1


@pytest.mark.parametrize("seed", SEEDS)
def test_a_strategy_comes_back_from_its_test_case_on_all_its_plays(seed):
    spec = SuspensionAutomaton(arena.deterministic(seed))
    decide = arena.strategy(spec, seed)
    case = case_from_tester(ByTrace(decide), spec, outputs=arena.OUTPUTS)
    for trace in arena.plays(spec, decide):
        assert decided(case, spec, trace) == decide(trace)


def random_case(spec: SuspensionAutomaton, rng: random.Random, outputs: tuple[Label, ...]) -> TestCase:
    """A test case drawn from Definition 5.9: sound, its inputs enabled, and what is forbidden fails."""
    rows: list[tuple[str, Label, str]] = []
    names: list[str] = []

    def state(at: int, left: int) -> str:
        if left == 0 or rng.random() < 0.15:
            return rng.choice(["pass", "pass", "inconclusive"])
        name = f"t{len(names)}"
        names.append(name)
        given = [rng.choice(spec.inputs(at))] if spec.inputs(at) and rng.random() < 0.6 else [SILENCE]
        for label in [*given, *outputs]:
            target = spec.moves(at).get(label)
            rows.append((name, label, "fail" if target is None else state(target, left - 1)))
        return name

    return case_of(rows, initial=state(spec.initial[0], 4))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_test_case_comes_back_from_its_strategy(seed):
    spec = SuspensionAutomaton(arena.deterministic(seed))
    case = random_case(spec, random.Random(seed), arena.OUTPUTS)
    again = case_from_tester(CaseTester(case), CaseSpecification(spec, case), outputs=arena.OUTPUTS)
    for end in End:
        assert set(again.traces(end)) == set(case.traces(end))
    assert len(again.inner) <= len(case.inner)


@seeds(range(150))
def test_the_strategy_of_a_test_case_is_finite_and_decides_by_the_trace(seed):
    spec = SuspensionAutomaton(arena.deterministic(seed))
    case = random_case(spec, random.Random(seed), arena.OUTPUTS)
    for trace in arena.plays(spec, lambda trace: decided(case, spec, trace)):
        assert len(trace) <= case.depth


def test_the_theorem_needs_inputs_that_are_enabled_and_forbidden_outputs_that_fail():
    # Theorem 5.25 as it stands: different test cases that stand for one strategy.
    spec = SuspensionAutomaton(automaton([("q", "?a", "q")]))
    strict = case_of([("t", "delta", "pass"), ("t", "!x", "fail")])
    kind = case_of([("t", "delta", "pass"), ("t", "!x", "pass")])
    assert decided(strict, spec, ()) == decided(kind, spec, ()) == Wait()
    assert decided(strict, spec, (SILENCE,)) == decided(kind, spec, (SILENCE,))
    one, other = (case_of([("t", label, "pass"), ("t", "!x", "fail")]) for label in ("?b", "?c"))
    assert decided(one, spec, ()) == decided(other, spec, ()) == Stop(End.INCONCLUSIVE)
    # What is decided after traces that never occur is in no test case.
    a = Label.parse("?a")
    two = [
        ByTrace(lambda trace, first=first: [Give(a), Stop()][len(trace)] if trace != (SILENCE,) else first)
        for first in (Wait(), Give(a))
    ]
    cases = [case_from_tester(strategy, spec) for strategy in two]
    assert set(cases[0].traces(End.PASS)) == set(cases[1].traces(End.PASS)) == {(a,)}


def test_states_are_shared_where_nothing_later_tells_them_apart():
    spec = SuspensionAutomaton(automaton([("q", "!x", "q"), ("q", "!y", "q")]))

    class Patient(TraceBased):
        start = 0

        def choose(self, tracker, memory):
            return Stop() if memory == 30 else Wait()

        def remember(self, tracker, memory, label):
            return memory + 1

    case = case_from_tester(Patient(), spec)
    assert len(case.inner) == 30
    assert case.depth == 30


def test_a_strategy_that_never_stops_is_refused_or_cut():
    spec = SuspensionAutomaton(automaton([("q", "!x", "q")]))

    class Endless(TraceBased):
        start = None

        def choose(self, tracker, memory):
            return Wait()

        def remember(self, tracker, memory, label):
            return None

    with pytest.raises(UsageError, match=r"can go round for ever.*give a depth"):
        case_from_tester(Endless(), spec)
    cut = case_from_tester(Endless(), spec, depth=3)
    assert set(cut.traces(End.INCONCLUSIVE)) == {(Label.parse("!x"),) * 3}
    with pytest.raises(UsageError, match="more than 10 states in the test case"):
        case_from_tester(ByTrace(lambda trace: Wait()), spec, most=10)


def test_an_input_that_is_not_enabled_is_refused():
    spec = SuspensionAutomaton(automaton([("q", "!x", "q")]))
    with pytest.raises(UsageError, match=r"gives \?a at q, where it is not enabled"):
        case_from_tester(ByTrace(lambda trace: Give(Label.parse("?a"))), spec)


@seeds(range(150))
def test_a_test_case_is_unsound_exactly_when_an_allowed_trace_fails(seed):
    spec = SuspensionAutomaton(arena.deterministic(seed))
    rng = random.Random(seed)
    case = random_case(spec, rng, arena.OUTPUTS)
    # Some ends are moved, so that some allowed traces fail.
    rows = [
        (
            case.automaton.names[s],
            label,
            rng.choice(["pass", "fail"]) if case.end(t) and rng.random() < 0.3 else case.automaton.names[t],
        )
        for s, label, t in case.automaton.transitions()
    ]
    moved = case_of(rows, initial=case.automaton.names[case.initial])
    allowed = [trace for trace in moved.traces(End.FAIL) if arena.after(spec, trace) is not None]
    found = unsound(moved, spec)
    assert (found is None) == (not allowed)
    if found is not None:
        assert found in allowed
        assert len(found) == min(map(len, allowed))


def test_both_kinds_of_ends_and_decisions_occur_often():
    seen = set()
    for seed in range(30):
        spec = SuspensionAutomaton(arena.deterministic(seed))
        decide = arena.strategy(spec, seed)
        seen |= {type(decide(trace)).__name__ for trace in arena.plays(spec, decide)}
        seen |= {end.value for end in End if any(random_case(spec, random.Random(seed), arena.OUTPUTS).traces(end))}
    assert seen == {"Give", "Wait", "Stop", *END_NAMES}
