"""Test cases played through the runner: the verdict is the end, and Fail is the judge's."""

from __future__ import annotations

import random
from random import Random

from helpers.automata import random_automaton
from helpers.seeds import seeds
from helpers.systems import Scripted
from outplay import Automaton, Simulated, automaton, explore, run, win
from outplay.model.label import SILENCE, Label
from outplay.model.suspension import SuspensionAutomaton
from outplay.play.plan import case_plan
from outplay.play.timing import Timing
from outplay.play.trace import Event
from outplay.suite.from_tester import case_from_answer, case_from_tester
from outplay.suite.suite import TestCase, case_of
from outplay.tester.tester import ByTrace, End, Give, Stop, Wait

LABELS = [Label.parse(text) for text in ("?a", "?b", "!x", "!y")]


def random_case(model: Automaton, seed: object) -> tuple[SuspensionAutomaton, TestCase]:
    spec = SuspensionAutomaton(model)

    def decide(trace):
        rng = random.Random(f"{seed} {[label.text for label in trace]}")
        state = spec.initial[0]
        for label in trace:
            state = spec.moves(state)[label]
        if len(trace) == 4:
            return Stop(rng.choice([End.PASS, End.INCONCLUSIVE]))
        return rng.choice([Wait(), *map(Give, spec.inputs(state) * 2)])

    return spec, case_from_tester(ByTrace(decide), spec, outputs=LABELS[2:])


def labels_of(events: tuple[Event, ...]) -> list[Label]:
    return [SILENCE if event.kind == "silence" else event.label for event in events if event.is_move]


@seeds(range(200))
def test_the_verdict_of_a_play_is_the_end_of_the_test_case(seed):
    spec, case = random_case(random_automaton(seed, most=4), seed)
    other = SuspensionAutomaton(random_automaton(seed // 2 if seed % 3 else seed, most=4, enabled=True))
    outcome = run(case_plan(case, spec), Simulated(other, Random(seed)), plays=1, steps=case.depth)
    shown = labels_of(outcome.trace.events)
    # What is seen after an end is for the judge alone: the runner looks once more after a last input.
    end = case.verdict(shown)
    assert end is not None
    late = case.verdict(shown[:-1]) is not None
    if not late or outcome.verdict.name != "fail":
        assert outcome.verdict.name == end.value


def test_all_three_ends_are_played_often():
    names = []
    for seed in range(300):
        spec, case = random_case(random_automaton(seed, most=4), seed)
        other = SuspensionAutomaton(random_automaton(seed // 2 if seed % 3 else seed, most=4, enabled=True))
        names.append(run(case_plan(case, spec), Simulated(other, Random(seed)), plays=1, steps=9).verdict.name)
    assert min(names.count(end.value) for end in End) >= 30


@seeds(range(100))
def test_a_system_that_conforms_never_fails_and_a_sure_win_always_passes(seed):
    model = random_automaton(seed, most=4)
    game = explore(model, assumption="nondeterministic")
    spec = game.origin.specification
    for goal in range(game.origin.states):
        result = win(game, game.names[goal])
        if result.value is not None:
            case = case_from_answer(result)
            outcome = run(case_plan(case, spec), Simulated(spec, Random(seed)), plays=1, steps=100)
            assert outcome.verdict.name == "pass"
            assert outcome.verdict.reached == 1


def test_an_output_that_crossed_the_input_on_its_way_is_followed_in_both_orders():
    # The output was sent before the input arrived; the test case foresees it only there.
    spec = SuspensionAutomaton(automaton([("s", "!x", "t"), ("s", "?a", "u"), ("t", "?a", "v"), ("v", "!y", "v")]))
    case = case_of(
        [
            ("t0", "?a", "t1"),
            ("t0", "!x", "t2"),
            ("t1", "delta", "pass"),
            ("t1", "!x", "fail"),
            ("t1", "!y", "fail"),
            ("t2", "?a", "t3"),
            ("t3", "!y", "pass"),
            ("t3", "!x", "fail"),
            ("t3", "delta", "fail"),
        ]
    )
    system = Scripted([(0.05, "x"), (0.3, "y")], synchronous=False)
    timing = Timing(silence=1.0, latency=0.2, settle=0.0)
    outcome = run(case_plan(case, spec), system, plays=1, steps=10, timing=timing)
    assert outcome.verdict.name == "pass"
    assert labels_of(outcome.trace.events) == [Label.parse(text) for text in ("?a", "!x", "!y")]
    assert system.given == ["a"]


CROSSING = [("s", "!x", "t"), ("s", "?a", "u"), ("t", "?a", "v"), ("u", "!x", "w"), ("v", "!y", "v"), ("w", "!z", "w")]


def test_a_test_goes_on_while_one_order_of_events_has_not_ended():
    spec = SuspensionAutomaton(automaton(CROSSING))
    case = case_of(
        [
            ("t0", "?a", "t1"),
            ("t0", "!x", "t2"),
            ("t1", "delta", "fail"),
            ("t1", "!x", "inconclusive"),
            ("t2", "?a", "t3"),
            ("t3", "!y", "pass"),
            ("t3", "delta", "fail"),
        ]
    )
    system = Scripted([(0.05, "x"), (0.5, "y")], synchronous=False)
    outcome = run(case_plan(case, spec), system, plays=1, steps=10, timing=Timing(silence=1.0, latency=0.2, settle=0.0))
    assert outcome.verdict.name == "pass"


def test_a_test_waits_for_the_order_to_settle_before_it_gives_up():
    # Two orders, two inputs to give, and neither is enabled for sure; what comes next tells which one it was.
    more = [("v", "?b", "v"), ("w", "?c", "w")]
    spec = SuspensionAutomaton(automaton([*CROSSING, *more]))
    case = case_of(
        [
            ("t0", "?a", "t1"),
            ("t0", "!x", "t2"),
            ("t1", "delta", "fail"),
            ("t1", "!x", "t4"),
            ("t2", "?a", "t3"),
            ("t3", "?b", "t5"),
            ("t3", "!y", "pass"),
            ("t4", "?c", "t5"),
            ("t4", "!z", "inconclusive"),
            ("t5", "delta", "fail"),
        ]
    )
    system = Scripted([(0.05, "x"), (0.5, "y")], synchronous=False)
    outcome = run(case_plan(case, spec), system, plays=1, steps=10, timing=Timing(silence=1.0, latency=0.2, settle=0.0))
    assert outcome.verdict.name == "pass"


def test_a_test_stops_where_its_input_is_not_enabled_and_where_it_is_left():
    spec = SuspensionAutomaton(automaton([("s", "?a", "s"), ("s", "!x", "s"), ("s", "delta", "s")]))
    odd = case_of([("t", "?b", "pass")])
    outcome = run(case_plan(odd, spec), Simulated(spec, Random(0)), plays=1)
    assert outcome.verdict.name == "inconclusive"
    assert not any(event.kind == "input" for event in outcome.trace.events)
    partial = case_of([("t", "delta", "t1"), ("t1", "?a", "pass")])
    names = {run(case_plan(partial, spec), Simulated(spec, Random(seed)), plays=1).verdict.name for seed in range(20)}
    assert names == {"pass", "inconclusive"}


def test_an_unsound_test_case_fails_nobody_who_conforms():
    spec = SuspensionAutomaton(automaton([("s", "!x", "s")]))
    wrong = case_of([("t", "!x", "fail"), ("t", "delta", "fail")])
    assert run(case_plan(wrong, spec), Simulated(spec, Random(0)), plays=1).verdict.name == "inconclusive"


def test_a_failing_play_names_the_state_of_the_model():
    spec = SuspensionAutomaton(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    dark = SuspensionAutomaton(automaton([("off", "?press", "off")]))
    case = case_of([("t0", "?press", "t1"), ("t1", "!light", "pass"), ("t1", "delta", "fail")])
    verdict = run(case_plan(case, spec), Simulated(dark, Random(0)), plays=1).verdict
    assert (verdict.name, verdict.states) == ("fail", ("at on",))
