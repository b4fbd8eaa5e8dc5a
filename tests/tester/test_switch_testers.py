"""Testers for symbolic systems: one purpose on the fly, all switches at once; sound, and complete where it can be."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from helpers.places import EXAMPLES
from helpers.seeds import seeds
from helpers.symbolic import adder, random_system
from outplay import Label, Simulated, read_model, run, specification
from outplay.model.expressions.term import variables
from outplay.model.symbolic.building import input_gate, output_gate, switch, symbolic_system
from outplay.model.symbolic.execution_graph import SymbolicLimits, execution_graph
from outplay.model.symbolic.interpretation import SymbolicSpecification
from outplay.model.symbolic.switch_coverage import covering_paths
from outplay.model.symbolic.symbolic_state import places_of
from outplay.model.tracking import Tracker
from outplay.play.plan import Plan
from outplay.play.timing import Timing
from outplay.runs.monitors.switch_monitor import SwitchMonitor
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


def covered(tester, simulated, *, plays, steps, timing=None):
    """The share of switches that plays have surely taken, none of which may fail."""
    monitor = SwitchMonitor(tester.graph)
    plan = Plan(specification(tester.system), tester)
    outcome = run(plan, simulated, plays=plays, steps=steps, observers=[monitor], timing=timing)
    assert outcome.verdict.name == "pass"
    return monitor.covered(plays).json()["a_posteriori"]


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
    assert covered(tester, Simulated(system, Random(3)), plays=1, steps=47) == 1.0


@seeds(range(2), quick=1)
def test_the_adder_is_covered_although_data_must_fit(seed):
    system = adder()
    tester = SwitchTester(system, Random(seed), execution_graph(system, SymbolicLimits(depth=8)))
    assert covered(tester, Simulated(system, Random(seed)), plays=4, steps=8) == 1.0


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
    assert covered(tester, Simulated(system, Random(seed)), plays=5, steps=20) == 1.0


def test_a_switch_counts_only_where_no_other_fits():
    (p,) = variables("p")
    a = input_gate("a", p)
    system = symbolic_system(
        "twins", "l", {}, [switch("one", "l", a, "l", when=p > 0), switch("two", "l", a, "l", when=p > 5)]
    )
    tester, tracker = SwitchTester(system, Random(1)), Tracker(specification(system))
    tester.observe(tracker, Label.parse("?a 7"))
    assert (tester.news.taken["one"], tester.news.taken["two"]) == (0, 0)
    arrived = [place for place in tester.followed.fitting if not place.waiting]
    assert {place.spot.before for place in arrived} == {"one", "two"}
    tester.begin()
    tester.observe(tracker, Label.parse("?a 3"))
    assert (tester.news.taken["one"], tester.news.taken["two"]) == (1, 0)


def test_a_purpose_that_cannot_be_met_any_more_is_given_up():
    system = unsure()
    purpose = next(one for one in covering_paths(system).purposes if "b" in str(one).split())
    tester = PurposeTester(purpose, Random(1))
    memory = tester.start
    for text in ("?a 4", "!u 4"):
        memory = tester.remember(None, memory, Label.parse(text))
    assert tester.choose(Tracker(specification(system)), memory) == Stop(End.INCONCLUSIVE) or str(purpose).startswith(
        "a u"
    )


class Chatty(Simulated):
    """Speaks before every input as often as it may without shutting the tester out: input-fair, and no more."""

    def __init__(self, system, rng, patience):
        self._patience, self._spoken = patience, 0
        super().__init__(system, rng)

    def forestalls(self, label):
        self._spoken = (self._spoken + 1) % (self._patience + 1)
        ways = self._odds.contested(self._state, label, self._rng)
        outputs = [way for way in ways if way.label != label]
        self._drawn = self._rng.choice(outputs) if self._spoken and outputs else None
        return self._drawn is not None


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
    chatty = Chatty(system, Random(seed), patience)
    assert covered(SwitchTester(system, Random(seed)), chatty, plays=4, steps=60) == 1.0


def test_a_system_that_lets_no_input_through_fails_nobody():
    system = talkative()
    tester, endless = SwitchTester(system, Random(0)), Chatty(system, Random(0), 10**9)
    outcome = run(Plan(specification(system), tester), endless, plays=2, steps=30)
    assert (outcome.verdict.name, outcome.tally.inputs) == ("pass", 0)
    assert [name for name in ("tick", "ask", "tock", "enough") if tester.news.taken[name]] == ["tick"]


def busy():
    """It may count up at any time, and takes everything at any time."""
    x, p = variables("x p")
    show = output_gate("tick", p)
    return symbolic_system("busy", "l", {x: 0}, [
        switch("tick", "l", show, "l", when=p == x, do={x: (x + 1) % 5}),
        switch("ask", "l", input_gate("ask", p), "m", when=p > 3),
        switch("tock", "m", show, "m", when=p == x, do={x: (x + 2) % 5}),
        switch("enough", "m", input_gate("ask", p), "l", when=p > 3, do={x: 0}),
    ])  # fmt: skip


class Crossing(Simulated):
    """Shows what it was about to say just after an input has been given, which has not arrived yet."""

    synchronous = False

    def __init__(self, system, rng):
        self.crossed = 0
        self._early = []
        self._choice = rng
        super().__init__(system, rng)

    def reset(self):
        self._early = []
        super().reset()

    def forestalls(self, label):
        return False

    def give(self, label):
        spoken = self.observe(0.0) if self._choice.random() < 0.7 and super().forestalls(label) else None
        super().give(label)
        if spoken is not None and spoken.kind == "output":
            self.crossed += 1
            self._early.append(spoken)

    def observe(self, timeout):
        return replace(self._early.pop(), seen=self.clock.now()) if self._early else super().observe(timeout)


@seeds(range(150), quick=40)
def test_no_place_that_fits_is_lost(seed):
    rng = Random(seed)
    system = random_system(rng)
    tester, tracker = SwitchTester(system, rng), Tracker(specification(system), latency=1.0)
    now, followed = 0.0, 0
    for _ in range(8):
        now += rng.choice([0.1, 0.4, 2.0])
        tracker = tracker.settled(now)
        offers = [*tracker.inputs(), *tracker.allowed()]
        label = rng.choice(offers).sample(rng) if offers else None
        if label is None:  # it stays silent for ever, or a sample was not found
            break
        tester.observe(tracker, label)
        tracker = tracker.gave(label, now) if label.is_input else tracker.saw(label, now)
        assert {(place.state, place.waiting) for place in tester.followed.fitting} >= places_of(tracker)
        assert all(place.spot is not None for place in tester.followed.fitting)
        followed += 1
    assert followed


@seeds(range(40), quick=1)
def test_a_system_whose_outputs_cross_inputs_is_covered(seed):
    system = busy()
    crossing = Crossing(system, Random(seed))
    assert covered(SwitchTester(system, Random(seed)), crossing, plays=4, steps=40, timing=Timing(latency=0.5)) == 1.0
    assert crossing.crossed > 5
