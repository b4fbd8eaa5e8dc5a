"""Testers for symbolic systems: one purpose on the fly, all switches at once; sound, and complete where it can be."""

from __future__ import annotations

from random import Random

import pytest

from helpers.places import EXAMPLES
from helpers.seeds import seeds
from helpers.symbolic import adder, random_system
from outplay import Label, Simulated, read_model, run, specification
from outplay.campaign.switch_aim import SwitchAim
from outplay.model.expressions.term import variables
from outplay.model.symbolic.building import input_gate, output_gate, switch, symbolic_system
from outplay.model.symbolic.execution_graph import SymbolicLimits, execution_graph
from outplay.model.symbolic.interpretation import SymbolicSpecification
from outplay.model.symbolic.switch_coverage import covering_paths
from outplay.play.plan import Plan
from outplay.tester.purpose_tester import PurposeTester
from outplay.tester.switch_tester import SwitchTester
from outplay.tester.tester import End, Stop

SMALL = SymbolicLimits(states=60, depth=12)


class Chosen(SymbolicSpecification):
    """A conforming implementation: of what the system may do in a state it always does one thing, drawn from a seed."""

    def __init__(self, system, seed):
        super().__init__(system)
        self._seed = seed

    def outputs(self, state):
        offers = super().outputs(state)
        return [Random(f"{self._seed} {self.key(state)}").choice(offers)] if offers else []

    def after(self, state, label):
        targets = super().after(state, label)
        return [Random(f"{self._seed} {self.key(state)} {label}").choice(targets)] if targets else []


def play(system, tester, implementation, seed, **options):
    found = run(Plan(specification(system), tester), Simulated(implementation, Random(seed)), **options)
    return found.verdict


def never_fails(seed):
    """Theorem 4.19, with silence: what conforms never fails, whoever of the two testers plays."""
    rng = Random(seed)
    system = random_system(rng)
    implementation = Chosen(system, seed) if rng.random() < 0.7 else system
    graph = execution_graph(system, SMALL)
    assert play(system, SwitchTester(system, rng, graph), implementation, seed, plays=3, steps=15).name == "pass"
    for purpose in covering_paths(system, limits=SMALL).purposes[:2]:
        verdict = play(system, PurposeTester(purpose, rng), implementation, seed, plays=2, steps=20)
        assert verdict.name in ("pass", "inconclusive")


@seeds(range(25), quick=5)
def test_theorem_4_19_what_conforms_never_fails(seed):
    never_fails(seed)


@pytest.mark.long
@pytest.mark.parametrize("block", range(20))
def test_theorem_4_19_for_a_thousand_implementations(block):
    for seed in range(1_000 + 50 * block, 1_050 + 50 * block):
        never_fails(seed)


@seeds(range(15), quick=4)
def test_a_purpose_is_executed_with_data_that_meet_it(seed):
    system = adder()
    (purpose,) = covering_paths(system).purposes
    tester = PurposeTester(purpose, Random(seed))
    outcome = run(Plan(specification(system), tester), Simulated(system, Random(seed)), plays=1, steps=20)
    labels = [event.label for event in outcome.trace.events if event.label is not None and event.kind != "reset"]
    assert [label.gate for label in labels][:5] == ["inX", "outX", "inX", "outX", "done"]
    assert labels[0].arguments[0] + labels[2].arguments[0] > 15


def test_all_switches_of_brp_are_taken_within_one_play():
    system = read_model(EXAMPLES / "brp" / "brp.sts")
    tester = SwitchTester(system, Random(3))
    outcome = run(Plan(specification(system), tester), Simulated(system, Random(3)), plays=1, steps=47)
    assert outcome.verdict.name == "pass"
    assert tester.coverage == 1.0


@seeds(range(2), quick=1)
def test_the_adder_is_covered_although_data_must_fit(seed):
    system = adder()
    tester = SwitchTester(system, Random(seed), execution_graph(system, SymbolicLimits(depth=8)))
    outcome = run(Plan(specification(system), tester), Simulated(system, Random(seed)), plays=4, steps=8)
    assert outcome.verdict.name == "pass"
    assert tester.coverage == 1.0


def unsure():
    """After `a` the system shows `u` or `v` as it likes; only after `v` there is `b`."""
    x, p = variables("x p")
    a, b = input_gate("a", p), input_gate("b", p)
    return symbolic_system("unsure", "l", {x: 0}, [
        switch("a", "l", a, "m", when=p > 3, do={x: p}),
        switch("u", "m", output_gate("u", p), "l", when=p == x),
        switch("v", "m", output_gate("v"), "n"),
        switch("b", "n", b, "l", when=p == x + 1),
    ])  # fmt: skip


@seeds(range(5), quick=3)
def test_where_the_system_deviates_it_is_planned_again(seed):
    system = unsure()
    tester = SwitchTester(system, Random(seed))
    outcome = run(Plan(specification(system), tester), Simulated(system, Random(seed)), plays=5, steps=20)
    assert outcome.verdict.name == "pass"
    assert tester.coverage == 1.0


def test_a_switch_counts_only_where_no_other_fits():
    (p,) = variables("p")
    a = input_gate("a", p)
    system = symbolic_system(
        "twins", "l", {}, [switch("one", "l", a, "l", when=p > 0), switch("two", "l", a, "l", when=p > 5)]
    )
    tester = SwitchTester(system, Random(1))
    memory = tester.remember(None, tester.start, Label.parse("?a 7"))
    assert tester.coverage == 0.0
    assert len(memory.fitting) == 1 or {spot.before for _, spot in memory.fitting} == {"one", "two"}
    tester.remember(None, tester.start, Label.parse("?a 3"))
    assert tester.coverage == 0.5


def test_a_purpose_that_cannot_be_met_any_more_is_given_up():
    system = unsure()
    purpose = next(one for one in covering_paths(system).purposes if "b" in str(one).split())
    tester = PurposeTester(purpose, Random(1))
    memory = tester.start
    for text in ("?a 4", "!u 4"):
        memory = tester.remember(None, memory, Label.parse(text))
    assert tester.decide(None, memory) == Stop(End.INCONCLUSIVE) or str(purpose).startswith("a u")


class Chatty(Simulated):
    """Speaks before every input as often as it may without shutting the tester out: input-fair, and no more."""

    def __init__(self, system, rng, patience):
        self._patience, self._spoken = patience, 0
        super().__init__(system, rng)

    def _hasty(self):
        self._spoken = (self._spoken + 1) % (self._patience + 1)
        return self._spoken != 0


def talkative():
    """It may count up at any time; what is asked for has to fit what was counted."""
    x, p = variables("x p")
    show = output_gate("tick", p)
    return symbolic_system("talkative", "l", {x: 0}, [
        switch("tick", "l", show, "l", when=p == x, do={x: (x + 1) % 5}),
        switch("ask", "l", input_gate("ask", p), "m", when=p == x + 10),
        switch("tock", "m", show, "m", when=p == x, do={x: (x + 1) % 5}),
        switch("enough", "m", input_gate("enough", p), "l", when=(p > x) & (x > 2)),
    ])  # fmt: skip


@seeds(range(60), quick=4)
def test_a_system_that_answers_before_the_input_is_covered_where_it_is_fair(seed):
    system, patience = talkative(), 1 + seed % 4
    tester, aim = SwitchTester(system, Random(seed)), SwitchAim(execution_graph(system))
    chatty = Chatty(system, Random(seed), patience)
    outcome = run(Plan(specification(system), tester), chatty, plays=4, steps=60, aim=aim)
    assert outcome.verdict.name == "pass"
    assert tester.coverage == 1.0
    assert aim.covered(4).missing == {}


def test_a_system_that_lets_no_input_through_fails_nobody():
    system = talkative()
    tester, endless = SwitchTester(system, Random(0)), Chatty(system, Random(0), 10**9)
    outcome = run(Plan(specification(system), tester), endless, plays=2, steps=30)
    assert (outcome.verdict.name, outcome.tally.inputs) == ("pass", 0)
    assert tester.coverage == 0.25
