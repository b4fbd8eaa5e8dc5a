"""The tester that plays against what may be wrong, live: sound, and placed again where it was lost."""

from __future__ import annotations

from collections import Counter
from random import Random

from helpers.automata import random_steps
from helpers.seeds import seeds
from outplay import Label, Model, Simulated, Timing, automaton, controllable, given, run, specification
from outplay.model.label import SILENCE
from outplay.model.tracking import Tracker
from outplay.play.following import Step
from outplay.play.plan import Plan
from outplay.play.trace import Event
from outplay.runs.events import Observer
from outplay.runs.monitors.suspicion_monitor import SuspicionMonitor
from outplay.strategy.suspicion.player import OUTSIDE
from outplay.tester.known_behaviour import KnownBehaviour
from outplay.tester.suspicion_tester import SILENCES, SuspicionTester, follow_label
from outplay.tester.tester import Give, Stop, Wait

LAMP = [("off", "?press", "on"), ("on", "!light", "off")]
PRESS, LIGHT, TICK = map(Label.parse, ("?press", "!light", "!tick"))


def suspicious(spec, seed=0, **options):
    return SuspicionTester(KnownBehaviour(spec, **options), Random(seed))


@seeds(range(60), quick=20)
def test_a_right_system_never_fails_and_is_given_only_what_it_specifies(seed):
    rng = Random(seed)
    spec = specification(automaton(random_steps(rng, least=2, most=7)[1]))
    most = rng.choice([1, 2, 1000])
    outcome = run(Plan(spec, suspicious(spec, seed, most=most)), Simulated(spec, Random(seed)), plays=4, steps=20)
    assert outcome.verdict.name in ("pass", "inconclusive")
    assert most < 1000 or outcome.tally.steps >= 20


def test_the_same_seed_gives_the_same_play():
    spec = specification(automaton(random_steps(3, least=6, most=6)[1]))
    traces = [
        run(Plan(spec, suspicious(spec, 5)), Simulated(spec, Random(1)), plays=3, steps=30).trace for _ in range(2)
    ]
    assert [str(event) for event in traces[0].events] == [str(event) for event in traces[1].events]


def test_a_transition_that_leads_astray_is_found():
    right = [("a", "?go", "b"), ("b", "!x", "c"), ("c", "?go", "d"), ("d", "!y", "a")]
    wrong = [*right[:1], ("b", "!x", "a"), *right[2:]]
    spec = specification(automaton(right))
    outcome = run(
        Plan(spec, suspicious(spec)), Simulated(specification(automaton(wrong)), Random(0)), plays=5, steps=20
    )
    assert outcome.verdict.name == "fail"


def crossing():
    """A clock that ticks when it likes, and counts presses: an output may cross an input."""
    steps = [("a", "?press", "b"), ("b", "?press", "c"), ("a", "!tick", "a2"), ("b", "!tick", "b2")]
    return specification(automaton([*steps, ("a2", "?press", "b3"), ("b3", "?press", "c2"), ("b2", "?press", "c2")]))


def test_where_output_and_input_crossed_it_is_placed_again_by_the_tracker():
    spec = crossing()
    tester = suspicious(spec)
    tracker = Tracker(spec, latency=1.0)
    tester.begin()
    tester.observe(tracker, PRESS)
    assert tester.player.state == tester.known.state(tracker.gave(PRESS, 0.0))
    tracker = tracker.gave(PRESS, 0.0)
    tester.observe(tracker, TICK)  # before the press arrived, or after
    tracker = tracker.saw(TICK, 0.5)
    assert len(tracker.states) == 2
    assert tester.player.state == OUTSIDE
    assert tester.known.state(tracker) is None
    for _ in range(20):
        decision = tester.decide(tracker)
        assert decision == Give(PRESS) or isinstance(decision, Wait)
        assert tester.player.state == OUTSIDE  # it is in none of the two for sure
    tester.observe(tracker, PRESS)
    assert tester.player.state == OUTSIDE
    tracker = tracker.settled(5.0).gave(PRESS, 5.0)  # now both are the same
    assert isinstance(tester.decide(tracker), Give | Wait | Stop)
    assert tester.player.state == tester.known.state(tracker)


def test_outputs_that_could_not_have_crossed_are_followed():
    spec = specification(automaton(LAMP))
    known = KnownBehaviour(spec)
    player = SuspicionTester(known, Random(0)).player
    tracker = Tracker(spec, latency=1.0)
    assert follow_label(known, player, tracker, PRESS)
    assert follow_label(known, player, tracker.gave(PRESS, 0.0), LIGHT)  # a dark lamp does not light by itself
    assert player.state == 0


class Pipe(Simulated):
    """A system of which nobody knows whether an output was sent before an input arrived."""

    synchronous = False


def pipelined():
    """Two switches: two requests may be sent ahead, and are answered in their order."""
    steps = []
    for on in range(4):
        for one in range(2):
            after = on ^ (1 << one)
            answer = f"!said {one} {after >> one & 1}"
            steps += [(f"s{on}", f"?turn {one}", f"s{on}-{one}"), (f"s{on}-{one}", answer, f"s{after}")]
            for two in range(2):
                both = f"s{on}-{one}{two}"
                steps += [(f"s{on}-{one}", f"?turn {two}", both), (both, answer, f"s{after}-{two}")]
    return automaton(steps)


@seeds(range(5))
def test_where_inputs_and_outputs_keep_crossing_it_does_not_go_round_in_a_circle(seed):
    spec, every = specification(pipelined()), 4 * (1 + 2 + 4)
    system, timing = Pipe(spec, Random(seed)), Timing(latency=0.1)
    outcome = run(Plan(spec, suspicious(spec, seed)), system, plays=30, steps=40, timing=timing)
    assert outcome.verdict.name == "pass"
    assert len(outcome.tally.states) == every


def test_beyond_what_is_known_it_walks():
    chain = [(f"{n}", "?go", f"{n + 1}") for n in range(50)]
    spec = specification(automaton([*chain, ("50", "!end", "0")]))
    tester = suspicious(spec, most=10)
    assert not tester.known.complete
    assert tester.known.state(Tracker(spec)) == 0
    tester._restarts = False
    outcome = run(Plan(spec, tester), Simulated(spec, Random(0)), plays=3, steps=200)
    assert outcome.verdict.name == "pass"
    assert any(str(event) == "!end" for event in outcome.trace.events)


def test_what_is_met_beyond_what_is_known_is_known_in_later_plays():
    steps = [(f"{n}", f"?{way}", f"{(3 * n + way) % 200}") for n in range(200) for way in range(3)]
    spec = specification(automaton(steps))
    tester = suspicious(spec, most=10)
    aim = SuspicionMonitor(tester.known, tester)
    outcome = run(Plan(spec, tester), Simulated(spec, Random(0)), plays=10, steps=30, observers=[aim])
    assert outcome.verdict.name == "pass"
    assert tester.known.grown > 0
    assert 10 < sum(len(tester.known.table.moves(q)) > 0 for q in range(tester.known.table.state_count)) <= 20
    assert tester.player.table is aim.clearing.table is tester.known.table
    assert aim.clearing.learnt.seen.sum() > 10  # what was played before is not forgotten
    assert tester.player.learnt.seen.sum() > 10


class Recalling(Observer):
    """Has a monitor see the plays of a run as those of an earlier one, which goes on."""

    def __init__(self, monitor: SuspicionMonitor) -> None:
        self._monitor = monitor

    def observe(self, event):
        self._monitor.recall(event)


def test_plays_of_a_run_that_goes_on_are_followed_later_and_clear_as_much():
    spec = specification(automaton(random_steps(3, least=6, most=6)[1]))
    tester = suspicious(spec, 5)
    at_once, later = (SuspicionMonitor(tester.known, tester) for _ in range(2))
    run(Plan(spec, tester), Simulated(spec, Random(1)), plays=5, steps=30, observers=[at_once, Recalling(later)])
    assert not later.clearing.learnt.seen.any()  # the next play need not wait for that
    assert later.report() == at_once.report()
    assert later.clearing.learnt.seen.sum() == at_once.clearing.learnt.seen.sum() > 50
    tracker = Tracker(spec)
    for _ in range(100):
        later.recall(Step(Event("silence"), SILENCE, tracker, tracker))
    for left in (98, 96, 94):
        later.observe(Step(Event("silence"), SILENCE, tracker, tracker))
        assert len(later._behind) == left


def test_labels_that_a_play_leaves_are_played_in_further_plays():
    spec = specification(automaton([("a", "?one", "dead"), ("a", "?two", "dead"), ("dead", "?two", "dead")]))
    outcome = run(Plan(spec, suspicious(spec)), Simulated(spec, Random(0)), labels=510, steps=50)
    assert outcome.tally.plays > 10
    assert 508 <= outcome.tally.steps + outcome.tally.plays <= 511


def test_where_nothing_can_come_any_more_the_play_is_over():
    spec = specification(automaton([("a", "?one", "dead"), ("a", "?two", "dead"), ("dead", "delta", "dead")]))
    outcome = run(Plan(spec, suspicious(spec)), Simulated(spec, Random(0)), plays=10, steps=50)
    assert outcome.tally.plays == 10
    assert outcome.tally.steps <= 10 * 3  # it need not begin with an input


def test_a_large_behaviour_is_known_bit_by_bit_and_in_the_end_as_a_whole():
    count = 60
    steps = [(f"s{n}", "?next", f"s{(n + 1) % count}") for n in range(count)]
    spec = specification(automaton([*steps, *((f"s{n}", "?stay", f"s{n}") for n in range(count))]))
    whole, tester = KnownBehaviour(spec), suspicious(spec, at_first=10)
    assert whole.complete
    assert 1 <= sum(bool(tester.known.table.moves(state)) for state in range(tester.known.table.state_count)) < 10
    outcome = run(Plan(spec, tester), Simulated(spec, Random(0)), plays=20, steps=20)
    assert outcome.verdict.name == "pass"
    assert tester.known.complete
    assert tester.known.grown > 2
    assert tester.known.table.targets.tolist() == whole.table.targets.tolist()


def test_once_all_is_tested_a_state_that_stays_silent_is_given_inputs():
    steps = [step for n in range(5) for step in [(f"{n}", "?next", f"asked {n}"), (f"{n}", "?home", "0")]]
    spec = specification(automaton([*steps, *((f"asked {n}", f"!at {n}", f"{(n + 1) % 5}") for n in range(5))]))
    tester = SuspicionTester(KnownBehaviour(spec), Random(0), restarts=False)
    outcome = run(Plan(spec, tester), Simulated(spec, Random(0)), plays=1, steps=1500)
    assert tester.tested
    seen = Counter(str(event) for event in outcome.trace.events)
    assert seen["delta"] <= 5 * SILENCES + 10, "the walk hears the first of each state too"
    assert seen["!at 4"] > SILENCES


class Box(Model):
    """One place that two clients share: a thing is put there, taken out as soon as there is one, or looked for."""

    channel = "who"
    who = ("ann", "bob")
    full: bool = False

    @controllable(returns=("ok", "full"))
    @given(who="who")
    def put(self, who, result):
        was, self.full = self.full, True
        return result == ("full" if was else "ok")

    @controllable(returns=("ok",), optional=True)
    @given(who="who")
    def take(self, who, result):
        if not self.full:
            return False
        self.full = False

    @controllable(returns=(True, False))
    @given(who="who")
    def look(self, who, result):
        return result == self.full


def test_where_calls_keep_crossing_it_does_not_ask_the_same_for_ever():
    spec, timing = specification(Box), Timing(latency=0.1)
    outcome = run(Plan(spec, suspicious(spec)), Pipe(spec, Random(1)), plays=10, steps=30, timing=timing)
    assert outcome.verdict.name == "pass"
    asked = Counter(event.label.gate for event in outcome.trace.events if event.kind == "input")
    assert max(asked.values()) < 2 * min(asked.values()), asked
