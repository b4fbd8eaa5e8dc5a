"""The audit says who was first only where the truth is so, and breaks an assumption only where it was broken."""

from __future__ import annotations

from random import Random

import pytest

from helpers.automata import random_steps
from outplay import Event, Label, Simulated, Trace, automaton, explore, run, win
from outplay.game.assumption import Assumption
from outplay.model.suspension import SuspensionAutomaton
from outplay.play.audit import INPUT, OUTPUT, UNKNOWN, audit
from outplay.play.plan import plan
from outplay.play.trace import TraceHeader

RACE = [("s", "?a", "t"), ("s", "!x", "s"), ("t", "!y", "s"), ("t", "!x", "t")]


def spec_of(transitions=RACE):
    return SuspensionAutomaton(automaton(transitions))


def traced(*steps, latency=0.0, assumption="input-eager"):
    """Events from (text, time); an input is given then, an output seen."""
    events = [Event("reset", seen=0.0, play=1, n=1)]
    for n, (text, time) in enumerate(steps, 2):
        if text == "delta":
            events.append(Event("silence", Label.parse("delta"), seen=time, play=1, n=n))
        elif text.startswith("?"):
            events.append(Event("input", Label.parse(text), given=time, play=1, n=n))
        else:
            kind, _, label = text.rpartition(" ")
            events.append(Event(kind or "output", Label.parse(label), seen=time, play=1, n=n))
    return Trace(TraceHeader(options={"latency": latency, "assumption": assumption}), tuple(events))


def firsts(found):
    return [meeting.first for meeting in found.meetings]


def test_the_input_was_first_where_only_that_explains_the_answer():
    found = audit(spec_of(), traced(("?a", 1.0), ("!y", 1.05), latency=0.1))
    assert firsts(found) == [INPUT]
    assert found.held


def test_the_output_was_first_where_only_that_explains_it_and_input_eager_is_broken():
    spec = spec_of([("s", "?a", "t"), ("s", "!x", "s"), ("t", "!y", "s")])
    found = audit(spec, traced(("?a", 1.0), ("!x", 1.05), ("!y", 1.2), latency=0.1))
    assert firsts(found) == [OUTPUT]
    assert found.broken == 1
    assert "broken once" in found.lines()[0]
    assert "falls" in found.lines()[1]


def test_within_the_latency_both_orders_may_explain_it_and_nobody_knows():
    found = audit(spec_of(), traced(("?a", 1.0), ("!x", 1.05), latency=0.1))
    assert firsts(found) == [UNKNOWN]
    assert found.held


def test_after_the_latency_the_input_has_arrived():
    assert firsts(audit(spec_of(), traced(("?a", 1.0), ("!x", 1.5), latency=0.1))) == [INPUT]


@pytest.mark.parametrize(("latency", "first"), [(0.0, INPUT), (0.1, UNKNOWN)])
def test_an_input_that_ends_the_play_has_arrived_only_where_nothing_can_cross(latency, first):
    assert firsts(audit(spec_of(), traced(("?a", 1.0), latency=latency))) == [first]


def test_an_input_where_no_output_is_possible_meets_nothing():
    spec = spec_of([("s", "?a", "t"), ("t", "!y", "s")])
    found = audit(spec, traced(("?a", 1.0), ("!y", 1.05)))
    assert found.meetings == ()
    assert "not put to the test" in found.lines()[0]


@pytest.mark.parametrize(("optional", "broken"), [(False, 1), (True, 0)])
def test_output_eager_is_broken_by_an_input_only_where_the_system_must_speak(optional, broken):
    silent = [("s", "delta", "s")] if optional else []
    spec = spec_of([("s", "?a", "t"), ("s", "!x", "s"), ("t", "!y", "s"), *silent])
    found = audit(spec, traced(("?a", 1.0), ("!y", 1.05)), "output-eager")
    assert (firsts(found), found.broken) == ([INPUT], broken)


@pytest.mark.parametrize("rule", ["nondeterministic", "input-fair"])
def test_nothing_contradicts_a_rule_that_leaves_it_open(rule):
    spec = spec_of([("s", "?a", "t"), ("s", "!x", "s"), ("t", "!y", "s")])
    found = audit(spec, traced(("?a", 1.0), ("!x", 1.05), ("!y", 1.2), latency=0.1), rule)
    assert found.held
    assert found.assumption is Assumption(rule)


def test_an_output_after_the_time_out_breaks_the_rule_of_time_outs():
    spec = spec_of([("s", "?a", "t"), ("s", "!x", "s"), ("s", "delta", "s"), ("t", "!y", "s")])
    found = audit(spec, traced(("delta", 1.0), ("late !x", 1.1)), "timeout")
    assert (found.broken, firsts(found)) == (1, [OUTPUT])
    assert audit(spec, traced(("delta", 1.0), ("?a", 1.1)), "timeout").held


def test_every_play_counts_and_the_assumption_is_that_of_the_header():
    one = traced(("?a", 1.0), ("!y", 1.05)).events
    trace = Trace(TraceHeader(options={"assumption": "output-eager"}), (*one, *one))
    found = audit(spec_of(), trace)
    assert found.assumption is Assumption.OUTPUT_EAGER
    assert found.json() == {
        "assumption": "output-eager",
        "met": 2,
        "input_first": 2,
        "output_first": 0,
        "unknown": 0,
        "broken": 2,
        "held": False,
    }


def test_with_the_tester_an_output_that_came_before_the_meant_input_is_seen():
    model = automaton([("s", "?a", "t"), ("s", "!x", "u"), ("u", "!x", "u"), ("t", "!y", "t")])
    plan_ = plan(win(explore(model, assumption="input-eager"), "t"))
    system = Simulated(SuspensionAutomaton(model), Random(4))
    outcome = run(
        plan_, system, plays=20, steps=5, header=TraceHeader(goal=("t",), options={"assumption": "input-eager"})
    )
    found = audit(plan_.specification, outcome.trace, tester=plan_.tester)
    reached = sum(any(e.label and e.label.text == "?a" for e in events) for _, events in outcome.trace.plays())
    assert 0 < reached < 20
    assert (found.input_first, found.broken) == (reached, 20 - reached)
    blind = audit(plan_.specification, outcome.trace)
    assert (blind.input_first, blind.broken) == (reached, 0)


def test_input_fair_tells_the_longest_row_of_outputs_that_came_first():
    model = automaton([("s", "?a", "t"), ("s", "?b", "s"), ("s", "!x", "s"), ("t", "!y", "t")])
    plan_ = plan(win(explore(model, assumption="input-eager"), "t"))
    one = traced(("!x", 1.0), ("!x", 1.1), ("?b", 1.2), ("!x", 1.3), ("?a", 1.4))
    found = audit(plan_.specification, one, "input-fair", tester=plan_.tester)
    assert found.longest_row == 2
    assert "at most 2 outputs in a row" in found.lines()[0]


def drawn(rng):
    """A random automaton in which every state takes ?a and ?b, and outputs where it likes; it starts in q0."""
    _, steps = random_steps(rng, most=4, labels=("?a", "?b", "!x", "!y", "!z"), enabled=True)
    return sorted(steps), {(source, label): target for source, label, target in steps}


def played(rng, moves):
    """Play with a wire: an input arrives up to 0.1 s after it is given; return the trace, and who was truly first."""
    state, now, truth, steps = "q0", 0.0, {}, []
    wire: list[tuple[float, str, int]] = []
    undecided: list[int] = []
    for _ in range(12):
        now += rng.choice((0.01, 0.03, 0.06, 0.2))
        while wire and wire[0][0] <= now:
            state = moves[state, wire.pop(0)[1]]
        outputs = [label for source, label in moves if source == state and label.startswith("!")]
        if outputs and rng.random() < 0.5:
            said = rng.choice(outputs)
            state = moves[state, said]
            steps.append((said, now))
            waiting = {n for _, _, n in wire}
            truth |= {n: OUTPUT if n in waiting else INPUT for n in undecided}
            undecided = []
        else:
            label = rng.choice(("?a", "?b"))
            steps.append((label, now))
            undecided.append(len(steps) + 1)
            arrives = max([now + rng.uniform(0.0, 0.099), *(at for at, _, _ in wire)])
            wire.append((arrives, label, len(steps) + 1))
    return traced(*steps, latency=0.1), truth


@pytest.mark.parametrize("number", range(10))
def test_who_was_first_is_never_told_wrongly(number):
    told = set()
    for seed in range(40):
        rng = Random(f"{number} {seed}")
        transitions, moves = drawn(rng)
        trace, truth = played(rng, moves)
        for meeting in audit(spec_of(transitions), trace).meetings:
            told.add(meeting.first)
            if meeting.n in truth and meeting.first != UNKNOWN:
                assert meeting.first == truth[meeting.n], (transitions, trace)
    assert told == {INPUT, OUTPUT, UNKNOWN}


@pytest.mark.parametrize("rule", ["input-eager", "output-eager", "input-fair", "timeout", "nondeterministic"])
def test_the_audit_of_a_run_is_that_of_its_trace(rule):
    """Towards a goal, and walking."""
    met = 0
    for seed in range(40):
        rng = Random(f"{rule} {seed}")
        transitions, _ = drawn(rng)
        game = explore(automaton(transitions), assumption=rule)
        goals = [name for name in ("q0", "q1", "q2", "!x", "?b") if name in (*game.names, *game.labels)]
        answer = win(game, rng.choice(goals))
        chosen = plan(answer if seed % 2 else game.origin.specification, seed=seed)
        system = Simulated(spec_of(transitions), Random(seed))
        outcome = run(chosen, system, plays=4, steps=12, assumption=rule, header=TraceHeader(goal=chosen.goals))
        tester = chosen.tester if seed % 2 else None
        assert outcome.audit == audit(chosen.specification, outcome.trace, rule, tester=tester), f"seed {seed}"
        met += outcome.audit.met
    assert met > 20


def test_a_run_that_is_not_asked_audits_nothing():
    spec = spec_of()
    assert run(spec, Simulated(spec, Random(1)), plays=2, steps=5).audit is None


def test_an_audit_that_goes_wrong_costs_no_verdict():
    class Shy(SuspensionAutomaton):
        asked = 0

        def quiet(self, state):
            self.asked += 1
            if self.asked > 1:
                raise KeyError("lost")
            return super().quiet(state)

    spec = Shy(automaton(RACE))
    outcome = run(spec, Simulated(spec_of(), Random(1)), plays=2, steps=9, assumption="input-eager")
    assert outcome.verdict.name == "pass"
    assert outcome.audit is None
    assert "the test assumption could not be audited: outplay failed: KeyError: 'lost'" in outcome.warnings


def test_output_eager_is_not_broken_where_the_system_may_have_been_free_to_be_silent():
    """After ?a and !x, in either order, it must speak in v but not in w; nobody knows which it is."""
    unsure = [
        ("s", "?a", "t"),
        ("s", "!x", "u"),
        ("t", "!x", "v"),
        ("u", "?a", "w"),
        ("t", "!y", "t"),
        ("u", "!y", "u"),
    ]
    waits = [
        ("v", "!y", "v"),
        ("w", "!y", "w"),
        ("w", "delta", "w"),
        ("v", "?b", "z"),
        ("w", "?b", "z"),
        ("z", "!q", "z"),
    ]
    steps = (("?a", 1.0), ("!x", 1.05), ("?b", 1.5), ("!q", 2.0))
    found = audit(spec_of([*unsure, *waits]), traced(*steps, latency=0.1), "output-eager")
    assert firsts(found) == [UNKNOWN, INPUT]
    assert found.held
    sure = [step for step in waits if step[1] != "delta"]
    assert audit(spec_of([*unsure, *sure]), traced(*steps, latency=0.1), "output-eager").broken == 1
