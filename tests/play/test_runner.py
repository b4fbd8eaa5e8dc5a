"""Whole plays on a virtual clock."""
# an action that does not return False is enabled

from __future__ import annotations

import time
from random import Random

import pytest

from helpers.automata import specification_of
from helpers.systems import Scripted
from outplay import Model, controllable, goal, observable, run, specification
from outplay.errors import SystemUnready, UsageError
from outplay.game.goals.live_goal import followed_goal
from outplay.model.label import Label
from outplay.model.tracking import Tracker
from outplay.play.adapters.simulated import Simulated
from outplay.play.following import Following
from outplay.play.plan import Plan
from outplay.play.runner import play_once, playing
from outplay.play.system import VirtualClock
from outplay.play.timing import Timing
from outplay.play.trace import Event
from outplay.tester.tester import Give, Stop, TraceBased, Wait, Walker


class Inputs(TraceBased):
    """A tester that gives set inputs, waits at `.`, and then stops."""

    start = None

    def __init__(self, *moves: str) -> None:
        self.left = list(moves)
        self.noticed: list[str] = []

    def choose(self, tracker, memory):
        if not self.left:
            return Stop()
        move = self.left.pop(0)
        return Wait() if move == "." else Give(Label.parse(move))

    def remember(self, tracker, memory, label):
        self.noticed.append(str(label))


def played(tester, system, spec, *, silence=1.0, latency=0.0, settle=None, steps=100, goal=()):
    following = Following(Tracker(spec, latency=latency, goal=followed_goal(spec, goal)[1]))
    timing = Timing(silence, latency, settle)
    return [step.event for step in play_once(tester, system, following, timing=timing, steps=steps)]


def shown(events):
    return [str(event) for event in events]


def moves(events):
    return [str(event) for event in events if event.is_move]


def test_a_play_is_reset_then_moves():
    spec = specification_of("s ?a t", "t !x s")
    events = played(Inputs("?a", "."), Scripted(answers={"a": [(0.3, "x")]}), spec)
    assert shown(events) == ["reset", "?a", "!x"]
    assert [event.time for event in events] == pytest.approx([0.0, 0.0, 0.3])


@pytest.mark.parametrize("silence", [0.05, 1.0, 3.0, 7.7])
def test_silence_is_called_after_exactly_the_time_out(silence):
    events = played(Inputs("."), Scripted(), specification_of("s ?a t"), silence=silence)
    assert shown(events) == ["reset", "delta"]
    assert events[1].time == pytest.approx(silence)


def test_an_output_just_before_the_time_out_is_no_silence():
    events = played(Inputs("."), Scripted([(0.999, "x")]), specification_of("s !x s"))
    assert moves(events) == ["!x", "delta"]


def test_the_time_out_starts_anew_after_every_output():
    events = played(Inputs(".", ".", "."), Scripted([(0.9, "x"), (1.8, "x")]), specification_of("s !x t", "t !x u"))
    assert moves(events) == ["!x", "!x", "delta"]
    assert events[-1].time == pytest.approx(2.8)


def test_what_the_system_has_said_is_taken_before_an_input_is_given():
    system = Scripted([(0.0, "x"), (0.0, "y")])
    events = played(Inputs("?a"), system, specification_of("s !x t", "t !y u", "u ?a u"))
    assert moves(events) == ["!x", "!y", "?a", "delta"]


def test_an_output_after_silence_is_late_and_so_is_the_next_one():
    events = played(Inputs(".", ".", "."), Scripted([(1.5, "x"), (1.6, "x")]), specification_of("s !x s", "s delta s"))
    assert moves(events) == ["delta", "!x (late)", "!x (late)"]


def test_an_output_after_an_input_that_followed_silence_is_not_late():
    spec = specification_of("s ?a t", "t !x s")
    events = played(Inputs(".", "?a", "."), Scripted(answers={"a": [(0.1, "x")]}), spec)
    assert moves(events) == ["delta", "?a", "!x"]


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_a_play_has_at_most_so_many_steps_and_one_last_look(steps):
    system = Scripted([(n / 100, "x") for n in range(100)], synchronous=False)
    events = played(Inputs(*"." * 100), system, specification_of("s !x s"), latency=0.1, steps=steps)
    assert len(moves(events)) == steps + 1


def test_a_synchronous_system_that_has_answered_needs_no_last_look():
    events = played(Inputs(*"." * 9), Scripted([(n / 100, "x") for n in range(9)]), specification_of("s !x s"), steps=3)
    assert moves(events) == ["!x"] * 3


def test_a_flood_is_cut_at_the_number_of_steps():
    events = played(Inputs("."), Scripted([(0.0, "x")] * 1_000), specification_of("s !x s"), steps=50)
    assert moves(events) == ["!x"] * 50


def test_reaching_the_goal_ends_the_play():
    spec = specification_of("s !x t", "t !x u", "u !x u", goal=["t"])
    system = Scripted([(0.1, "x"), (0.2, "x"), (0.3, "x")])
    events = played(Inputs(*"." * 9), system, spec, goal=["goal"], settle=0.0)
    assert moves(events) == ["!x"]


def test_a_goal_that_holds_at_the_start_ends_the_play_at_once():
    events = played(Inputs("?a"), Scripted(), specification_of("s ?a s", goal=["s"]), goal=["goal"])
    assert moves(events) == []


def test_a_label_may_be_the_goal():
    spec = specification_of("s !x s", "s !y s")
    system = Scripted([(0.1, "x"), (0.2, "y"), (0.3, "x")])
    events = played(Inputs(*"." * 9), system, spec, goal=["!y"], settle=0.0)
    assert moves(events) == ["!x", "!y"]


def test_a_goal_that_hangs_on_the_order_on_the_wire_is_waited_for():
    spec = specification_of("s ?a t", "s !x u", "u ?a v", "v ?a v", "t ?a t", goal=["t"])
    system = Scripted(synchronous=False)
    events = played(Inputs("?a", "?a"), system, spec, latency=0.2, goal=["goal"])
    assert system.given == ["a"], "the input has settled and the goal is met: no second input"
    assert moves(events) == ["?a", "delta"]


def test_a_goal_missed_because_of_a_crossing_output_does_not_end_the_play():
    spec = specification_of("s ?a t", "s !x u", "u ?a v", "v ?a v", "t ?a t", goal=["t"])
    system = Scripted(answers={"a": [(0.1, "x")]}, synchronous=False)
    events = played(Inputs("?a", "?a"), system, spec, latency=0.2, goal=["goal"])
    assert moves(events)[:3] == ["?a", "!x", "?a"]


def test_the_last_input_is_answered_or_met_with_silence():
    spec = specification_of("s ?a t", "t !x s")
    assert moves(played(Inputs("?a"), Scripted(answers={"a": [(0.9, "x")]}), spec)) == ["?a", "!x"]
    assert moves(played(Inputs("?a"), Scripted(), spec)) == ["?a", "delta"]


def test_the_last_look_sees_a_crash_in_answer_to_the_last_input():
    events = played(Inputs("?a"), Scripted(answers={"a": [(0.5, "crash")]}), specification_of("s ?a s"), steps=1)
    assert shown(events) == ["reset", "?a", "crash: as scripted"]


def test_the_last_look_sees_a_crash_right_after_the_last_output():
    system = Scripted([(0.1, "x"), (0.15, "crash")], synchronous=False)
    events = played(Inputs(".", "."), system, specification_of("s !x s"), latency=0.1, steps=1)
    assert [event.kind for event in events] == ["reset", "output", "crash"]


def test_the_last_look_sees_an_output_too_many():
    spec = specification_of("s !x t", goal=["t"])
    system = Scripted([(0.1, "x"), (0.15, "x")], synchronous=False)
    events = played(Inputs("."), system, spec, latency=0.1, goal=["goal"])
    assert moves(events) == ["!x", "!x"]


@pytest.mark.parametrize("end", ["crash", "closed", "garbage"])
def test_a_play_is_over_when_the_system_is(end):
    events = played(Inputs(*"." * 9), Scripted([(0.1, "x"), (0.2, end)]), specification_of("s !x s"))
    assert [event.kind for event in events] == ["reset", "output", end]


def test_a_play_is_over_when_nothing_allowed_was_seen():
    events = played(Inputs(*"." * 9), Scripted([(0.1, "y"), (0.2, "x")]), specification_of("s !x s"))
    assert moves(events) == ["!y"]


def test_a_play_is_over_when_the_specification_is_left():
    events = played(Inputs("?b", ".", "."), Scripted(), specification_of("s ?a s"))
    assert moves(events) == ["?b", "delta"]


def test_a_reset_that_fails_is_told_and_nothing_is_played():
    events = played(Inputs("?a"), Scripted(unready="no power"), specification_of("s ?a s"))
    assert [(event.kind, event.failed, event.detail) for event in events] == [("reset", True, "no power")]


# The tester's own delays.


def late(events):
    return [(event.given, event.seen) for event in events if event.kind == "tester-late"]


def test_a_stall_while_waiting_is_noticed():
    events = played(Inputs("."), Scripted(stalls={4: 0.5}), specification_of("s ?a s"))
    assert [event.kind for event in events] == ["reset", "tester-late", "silence"]
    [(given, seen)] = late(events)
    assert seen - given == pytest.approx(0.5)


def test_a_play_in_which_the_tester_was_stopped_until_after_the_time_for_silence_is_inconclusive():
    spec = specification_of("s ?a t", "t !x s")
    for stalls, verdict in (({}, "pass"), ({3: 2.0}, "inconclusive")):
        system = Scripted(answers={"a": [(0.5 if not stalls else 1.5, "x")]}, stalls=stalls)
        assert run(Plan(spec, Inputs("?a")), system, plays=1, steps=1).verdict.name == verdict


@pytest.mark.parametrize("silence", [0.01, 0.1, 0.3])
def test_a_silence_time_below_the_latency_passes_no_dead_system(silence):
    spec = specification_of("s ?a t", "t !x s")
    dead, alive = Scripted(synchronous=False), Scripted(answers={"a": [(0.15, "x")]}, synchronous=False)
    timing = Timing(silence, latency=0.2)
    assert run(Plan(spec, Inputs("?a")), dead, plays=1, timing=timing).verdict.name == "fail"
    assert run(Plan(spec, Inputs("?a")), alive, plays=1, timing=timing).verdict.name == "pass"


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -1.0])
@pytest.mark.parametrize("name", ["silence", "latency", "settle"])
def test_a_time_that_is_no_time_is_refused(name, bad):
    with pytest.raises(UsageError, match=f"{name} is .* number of seconds"):
        Timing(**{name: bad})


class Ticking(VirtualClock):
    """A clock on which asking for the time takes some."""

    def now(self):
        self.sleep(0.0007)
        return super().now()


def test_silence_is_never_called_after_a_look_that_did_not_wait():
    class Asked(Scripted):
        wait = 0.0

        def observe(self, timeout):
            self.wait = timeout
            return super().observe(timeout)

    spec, called = specification_of("s ?a t"), 0
    for silence in [n / 5_000 for n in range(500, 1_000)]:
        system = Asked()
        system.clock = Ticking()
        for step in play_once(Inputs("."), system, Following(Tracker(spec)), timing=Timing(silence)):
            if step.event.kind == "silence":
                assert system.wait > 0, f"silence of {silence}"
                called += 1
    assert called == 500


def test_a_stall_of_less_than_a_tenth_of_the_time_out_is_none():
    assert late(played(Inputs("."), Scripted(stalls={4: 0.09}), specification_of("s ?a s"))) == []


def test_a_stall_between_two_moves_is_noticed_before_what_came_meanwhile_is_taken():
    spec, system = (
        specification_of("s ?a t", "s !x u", "u ?a v"),
        Scripted(answers={"a": [(0.3, "x")]}, synchronous=False),
    )
    following = Following(Tracker(spec, latency=0.1))
    seen = []
    for step in play_once(Inputs("?a", "."), system, following, timing=Timing(1.0, 0.1)):
        seen.append(step.event.kind)
        if step.event.kind == "input":
            system.clock.sleep(0.4)  # whoever listens takes its time
    assert seen == ["reset", "input", "tester-late", "output", "silence"]
    assert following.tracker.states, "the output may have crossed the input for as long as the tester slept"


def test_the_tracker_excuses_what_was_late():
    spec = specification_of("s ?a t", "s !x u", "u ?a v")
    system = Scripted(answers={"a": [(0.55, "x")]}, synchronous=False, stalls={3: 0.5})
    following = Following(Tracker(spec, latency=0.2))
    steps = list(play_once(Inputs("?a", "."), system, following, timing=Timing(1.0, 0.2)))
    assert [step.event.kind for step in steps] == ["reset", "input", "tester-late", "output"]
    assert following.tracker.states == (spec.game.vertex_numbers["v"],)


def test_an_input_is_given_before_it_is_handed_over_and_how_long_that_took_is_noted():
    class Slow(Scripted):
        def give(self, label):
            self.clock.sleep(0.7)
            super().give(label)

    events = played(Inputs("?a"), Slow(), specification_of("s ?a s"))
    assert [event.kind for event in events] == ["reset", "tester-late", "input", "silence"]
    assert events[2].given == 0.0
    assert events[2].seen == pytest.approx(0.7)
    assert events[2].taken is None, "nobody said so"


def test_an_input_is_taken_when_the_system_says_so_and_no_answer_precedes_it():
    class Telling(Scripted):
        def give(self, label):
            self.clock.sleep(0.02)
            began = self.clock.now()
            super().give(label)
            self.clock.sleep(0.05)
            return began

    spec = specification_of("s ?a t", "t !x s")
    events = played(Inputs("?a"), Telling(answers={"a": [(0.01, "x")]}), spec)
    assert shown(events) == ["reset", "?a", "!x"]
    assert [events[1].given, events[1].taken, events[2].seen] == pytest.approx([0.0, 0.02, 0.03])


def test_what_is_said_while_an_input_is_handed_over_may_have_come_first():
    class Slow(Scripted):
        def give(self, label):
            self.clock.sleep(0.08)
            super().give(label)

    spec = specification_of("s ?a t", "s !x u", "u ?a v")
    following = Following(Tracker(spec, latency=0.1))
    system = Slow([(0.15, "x")], synchronous=False)
    list(play_once(Inputs("?a", "."), system, following, timing=Timing(1.0, 0.1)))
    assert following.tracker.states == (spec.game.vertex_numbers["v"],)


def test_a_stall_while_an_input_is_handed_over_excuses_those_before_it():
    """The second input takes half a second to hand over; what is seen then may have been said before the first."""

    class Slow(Scripted):
        def give(self, label):
            super().give(label)
            if len(self.given) == 2:
                self.clock.sleep(0.5)

    spec = specification_of("s ?a t", "t ?b u", "s !x v", "v ?a w", "w ?b w")
    following = Following(Tracker(spec, latency=0.1))
    system = Slow(answers={"a": [(0.3, "x")]}, synchronous=False)
    steps = list(play_once(Inputs("?a", "?b"), system, following, timing=Timing(1.0, 0.1)))
    assert [step.event.kind for step in steps] == ["reset", "input", "tester-late", "input", "output"]
    assert following.tracker.states == (spec.game.vertex_numbers["w"],)


def test_no_wall_clock_is_asked(monkeypatch):
    monkeypatch.setattr(time, "time", lambda: pytest.fail("the wall clock was asked"))
    spec = specification_of("s ?a t", "t !x s")
    system = Simulated(spec, Random(1))
    assert len(moves(played(Walker(Random(2)), system, spec, steps=20))) >= 20


# Adapters that misbehave.


def test_an_adapter_that_returns_no_label_is_told_what_to_return():
    class Odd(Scripted):
        def observe(self, timeout):
            return Event("output")

    with pytest.raises(SystemUnready, match=r"Odd\.observe returned 'output' without a label: return"):
        played(Inputs("."), Odd(), specification_of("s !x s"))


# As users call it.


class Door(Model):
    open: bool = False
    rung: bool = False

    @controllable
    def ring(self):
        if self.rung:
            return False
        self.rung = True

    @observable
    def opens(self):
        if not self.rung or self.open:
            return False
        self.open = True

    @goal
    def inside(self):
        return self.open


def test_playing_a_model_class_walks_through_it():
    events = list(playing(Door, Scripted(answers={"ring": [(0.2, "opens")]}), seed=1))
    assert moves(events)[:2] in (["?ring", "!opens"], ["delta", "?ring"])


def test_playing_is_the_same_for_the_same_seed():
    def once():
        return shown(playing(Door, Simulated(specification(Door), Random(5)), seed=3, steps=8))

    assert once() == once()


def test_the_tester_notices_every_move():
    tester = Inputs("?a", ".")
    played(tester, Scripted(answers={"a": [(0.3, "x")]}), specification_of("s ?a t", "t !x s"))
    assert tester.noticed == ["?a", "!x"]
