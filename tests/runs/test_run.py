# an action that does not return False is enabled

from __future__ import annotations

import subprocess
import sys
from random import Random

import pytest

from helpers.automata import specification_of
from helpers.heard import Heard
from helpers.systems import Scripted
from outplay import Model, automaton, controllable, given, goal, observable, run, specification
from outplay.cli.main import run_command
from outplay.errors import ModelError, UsageError
from outplay.game.goals.live_goal import followed_goal
from outplay.model.label import Label
from outplay.play.adapters.simulated import Simulated
from outplay.play.plan import Plan, plan
from outplay.play.timing import Timing
from outplay.play.trace import TraceHeader
from outplay.runs.job import Job
from outplay.runs.preparing.testers import goalless_tester
from outplay.tester.suspicion_tester import SuspicionTester
from outplay.tester.tester import Give, Tester, Wait, Walker
from outplay.verdict.judge import judge

ECHO = ("s ?a t", "t !x s")


class Alternating(Tester):
    """A tester that gives every other time it is asked, and waits in between."""

    def __init__(self):
        self.turn = False

    def decide(self, tracker):
        self.turn = not self.turn
        return Give(tracker.inputs()[0]) if self.turn and tracker.inputs() else Wait()

    def observe(self, tracker, label):
        self.turn = self.turn and label.is_input


def test_a_run_passes_when_every_play_conformed():
    spec = specification_of(*ECHO)
    outcome = run(Plan(spec, Walker(Random(0))), Simulated(spec, Random(0)), plays=7, steps=10)
    assert outcome.verdict.name == "pass"
    assert outcome.tally.plays == 7
    assert outcome.failing_play is None
    assert outcome.failure() is None


def test_a_model_is_played_as_the_command_plays_it_without_a_goal():
    spec = specification_of(*ECHO)
    found = run(spec, Simulated(spec, Random(0)), plays=3, steps=10)
    tester = goalless_tester(spec, Job(plays=3))
    again = run(Plan(spec, tester), Simulated(spec, Random(0)), plays=3, steps=10)
    assert isinstance(tester, SuspicionTester)
    assert [str(event) for event in found.trace.events] == [str(event) for event in again.trace.events]
    assert found.suspected.cleared.share == 1
    assert again.suspected is None


def test_a_run_stops_at_the_first_fail():
    outcome = run(Plan(specification_of(*ECHO), Alternating()), Scripted(answers={"a": [(0.1, "y")]}), plays=5)
    assert outcome.verdict.name == "fail"
    assert (outcome.tally.plays, outcome.failing_play) == (1, 1)


def test_a_run_that_keeps_going_plays_on_and_tells_the_first_fail():
    class Worse(Scripted):
        def give(self, label):
            self._answers = {"a": [(0.1, "x" if self.resets < 3 else "y")]}
            super().give(label)

    outcome = run(Plan(specification_of(*ECHO), Alternating()), Worse(), plays=6, steps=4, keep_going=True)
    assert outcome.verdict.name == "fail"
    assert (outcome.tally.plays, outcome.failing_play) == (6, 3)
    failure = outcome.failure()
    assert [str(event) for event in failure.events] == ["reset", "?a", "!y"]
    assert [event.n for event in failure.events] == [1, 2, 3]
    assert judge(specification_of(*ECHO), failure).name == "fail"


def test_an_inconclusive_play_does_not_end_the_run_and_an_error_does():
    class Lost(Alternating):
        def decide(self, tracker):
            return Give(Label.parse("?b"))

    lost = run(Plan(specification_of(*ECHO), Lost()), Scripted(), plays=3)
    assert (lost.verdict.name, lost.tally.plays) == ("inconclusive", 3)
    unready = run(specification_of(*ECHO), Scripted(unready="no power"), plays=3, keep_going=True)
    assert (unready.verdict.name, unready.tally.plays) == ("error", 1)
    assert unready.verdict.why == "no power"


def test_no_plays_are_refused():
    with pytest.raises(UsageError, match="plays is 0 and is at least 1"):
        run(specification_of(*ECHO), Scripted(), plays=0)


def test_with_a_goal_one_play_has_to_reach_it():
    spec = specification_of("s ?a t", "t !x u", "t !y s", "u ?a u", goal=["u"])
    chosen = Plan(spec, Alternating(), followed_goal(spec, ["goal"])[1], ("goal",))
    assert run(chosen, Scripted(answers={"a": [(0.1, "x")]}), plays=3).verdict.reached == 3
    missed = run(chosen, Scripted(answers={"a": [(0.1, "y")]}), plays=3, steps=6)
    assert (missed.verdict.name, missed.verdict.why) == ("inconclusive", "no play reached goal")


def test_a_forbidden_silence_is_inconclusive_when_the_tester_stalled_and_a_fail_when_not():
    spec = Plan(specification_of(*ECHO), Alternating())
    assert run(spec, Scripted(), plays=1).verdict.name == "fail"
    stalled = run(spec, Scripted(stalls={5: 0.4}), plays=1, steps=2)
    assert stalled.verdict.name == "inconclusive"
    assert "400 ms, with a time-out of 1000 ms" in stalled.verdict.why
    waited_again = run(spec, Scripted(stalls={5: 0.4}), plays=1)
    assert waited_again.verdict.name == "fail", "the second silence came without a stall"


@pytest.mark.parametrize("look", range(1, 12))
def test_a_stall_in_one_play_taints_no_run_whose_events_are_allowed_either_way(look):
    system = Scripted(answers={"a": [(0.1, "x")]}, stalls={look: 0.5})
    stalled = run(Plan(specification_of(*ECHO), Alternating()), system, plays=3, steps=4)
    assert "tester-late" in [event.kind for event in stalled.trace.events]
    assert stalled.verdict.name == "pass"


def test_a_stall_elsewhere_does_not_excuse_a_forbidden_silence():
    stalled = run(Plan(specification_of(*ECHO), Alternating()), Scripted(stalls={1: 0.4}), plays=1)
    assert [event.kind for event in stalled.trace.events] == ["reset", "tester-late", "input", "silence"]
    assert stalled.verdict.name == "fail"


def test_events_are_numbered_through_and_timed_from_the_start_of_the_run():
    system = Scripted(answers={"a": [(0.25, "x")]})
    system.clock.sleep(1234.5)
    outcome = run(Plan(specification_of(*ECHO), Alternating()), system, plays=3, steps=2)
    events = outcome.trace.events
    assert [event.n for event in events] == list(range(1, len(events) + 1))
    assert [event.play for event in events] == [1] * 3 + [2] * 3 + [3] * 3
    assert [event.time for event in events] == pytest.approx([0, 0, 0.25, 0.25, 0.25, 0.5, 0.5, 0.5, 0.75])
    assert all(round(event.time, 6) == event.time for event in events), "as a trace file holds them"


def test_whoever_listens_gets_every_event_as_it_happens():
    system = Scripted(answers={"a": [(0.25, "x")]})
    heard = []

    def watch(event):
        heard.append((event, system.clock.now()))

    outcome = run(Plan(specification_of(*ECHO), Alternating()), system, plays=2, steps=4, observers=[Heard(watch)])
    assert tuple(event for event, _ in heard) == outcome.trace.events
    assert [now for _, now in heard] == pytest.approx([event.time for event in outcome.trace.events])


def test_the_tally_counts_moves_states_and_transitions():
    outcome = run(Plan(specification_of(*ECHO), Alternating()), Scripted(answers={"a": [(0.1, "x")]}), plays=2, steps=4)
    tally = outcome.tally
    assert (tally.plays, tally.steps, tally.inputs, tally.outputs) == (2, 8, 4, 4)
    assert (len(tally.states), len(tally.transitions)) == (2, 2)


def test_the_header_says_what_was_played_unless_one_is_given():
    spec = specification_of(*ECHO, goal=["t"])
    chosen = Plan(spec, Alternating(), followed_goal(spec, ["goal"])[1], ("goal",))
    header = run(chosen, Scripted(), plays=1).trace.header
    assert (header.model, header.model_hash, header.goal) == ("game", spec.fingerprint, ("goal",))
    given = TraceHeader(model="mine", seed=9)
    assert run(chosen, Scripted(), plays=1, header=given).trace.header == given


def test_the_seed_of_the_header_decides_the_walk():
    def events(seed):
        spec = specification(Vending)
        return run(spec, Simulated(spec, Random(1)), header=TraceHeader(seed=seed), plays=3, steps=15).trace.events

    assert events(1) == events(1)
    assert events(1) != events(2)


@pytest.mark.parametrize("unready", ["", "no power"])
def test_the_system_is_closed_once_however_the_run_ends(unready):
    system = Scripted(unready=unready)
    run(specification_of(*ECHO), system, plays=2, steps=3)
    assert system.closed == 1


# Our own failure is never Pass.


class Vending(Model):
    """Something with a bit of everything to raise from."""

    coins: int = 0

    @controllable
    @given(value=(1, 2))
    def coin(self, value):
        if self.coins:
            return False
        self.coins = value

    @observable
    @given(size="sizes")
    def coffee(self, size):
        self.coins = 0

    @goal
    def paid(self):
        return self.coins == 2

    def sizes(self):
        return [self.coins] if self.coins else []


class Bomb:
    """Raises at the n-th call."""

    def __init__(self, fuse: int, error: Exception) -> None:
        self.fuse, self.error, self.exploded = fuse, error, False

    def wrap(self, function):
        def called(*arguments, **keywords):
            self.fuse -= 1
            if self.fuse == 0:
                self.exploded = True
                raise self.error
            return function(*arguments, **keywords)

        return called


def vending(bomb: Bomb, place: str) -> type[Model]:
    class Mined(Vending):
        @controllable
        @given(value=(1, 2))
        def coin(self, value):
            return coin(self, value)

        @observable
        @given(size=lambda self: sizes(self))
        def coffee(self, size):
            return coffee(self, size)

        @goal
        def paid(self):
            return paid(self)

    coin, coffee, paid, sizes = Vending.coin, Vending.coffee, Vending.paid, Vending.sizes
    coin = bomb.wrap(coin) if place == "controllable" else coin
    coffee = bomb.wrap(coffee) if place == "observable" else coffee
    paid = bomb.wrap(paid) if place == "goal" else paid
    sizes = bomb.wrap(sizes) if place == "domain" else sizes
    return Mined


HOOKS = [
    *("controllable", "observable", "goal", "domain"),
    *("spec.inputs", "spec.outputs", "spec.quiet", "spec.after"),
    *("tester.begin", "tester.decide", "tester.observe"),
    *("system.reset", "system.give", "system.observe", "system.close"),
]
ERRORS = [RuntimeError("bang"), ModelError("bang"), AssertionError(), StopIteration("bang"), RecursionError("bang")]


def mined_run(hook: str, bomb: Bomb):
    """A run that passes, with a bomb in one place."""
    model = vending(bomb, hook)
    spec = specification(model)
    tester, system = Walker(Random(1)), Simulated(specification(Vending), Random(1))
    owner, _, method = hook.partition(".")
    if method:
        mined = {"spec": spec, "tester": tester, "system": system}[owner]
        setattr(mined, method, bomb.wrap(getattr(mined, method)))
    chosen = Plan(spec, tester, followed_goal(spec, ["paid"])[1], ("paid",))
    return run(chosen, system, plays=4, steps=6)


def test_the_run_the_bombs_are_laid_in_passes():
    assert mined_run("none", Bomb(1, RuntimeError())).verdict.name == "pass"


@pytest.mark.promise("A5")
@pytest.mark.parametrize("hook", HOOKS)
def test_an_exception_out_of_any_hook_at_any_call_is_never_a_pass(hook, tried):
    calls = 0
    for fuse in range(1, 400):
        bomb = Bomb(fuse, ERRORS[fuse % len(ERRORS)])
        outcome = mined_run(hook, bomb)
        if not bomb.exploded:
            assert outcome.verdict.name == "pass"
            break
        calls += 1
        assert outcome.verdict.name == "error", f"call {fuse}: {outcome.verdict}"
        # Generators turn the one kind of exception that would end them quietly into another.
        assert "bang" in outcome.verdict.why or type(bomb.error).__name__ in outcome.verdict.why
    assert calls > 0, "the hook must be called at all"
    tried(calls)


@pytest.mark.parametrize("essential", [False, True])
def test_an_observer_that_raises_costs_a_warning_and_one_that_is_essential_the_run(essential):
    for fuse in range(1, 10):
        bomb, system = Bomb(fuse, OSError("disk full")), Scripted(answers={"a": [(0.1, "x")]})
        heard = Heard(bomb.wrap(lambda event: None), essential=essential)
        result = run(Plan(specification_of(*ECHO), Alternating()), system, plays=3, steps=4, observers=[heard])
        assert system.closed == 1
        if essential:
            assert (result.verdict.name, "disk full" in result.verdict.why) == ("error", True)
        else:
            assert result.passed
            assert "Heard failed and saw no more of the run: outplay failed: OSError: disk full" in result.warnings


def test_an_exception_of_our_own_is_noted_in_the_trace():
    class Broken(Alternating):
        def decide(self, tracker):
            raise KeyError("lost")

    outcome = run(Plan(specification_of(*ECHO), Broken()), Scripted(), plays=3)
    last = outcome.trace.events[-1]
    assert (last.kind, last.failed, last.detail) == ("note", True, "outplay failed: KeyError: 'lost'")
    assert judge(specification_of(*ECHO), outcome.trace).name == "error"


def test_an_exception_after_a_fail_hides_no_fail():
    class Stuck(Scripted):
        def close(self):
            raise OSError("cannot be killed")

    outcome = run(Plan(specification_of(*ECHO), Alternating()), Stuck(answers={"a": [(0.1, "y")]}), plays=3)
    assert outcome.verdict.name == "fail"


def test_a_system_that_cannot_be_ended_is_an_error():
    class Stuck(Scripted):
        def close(self):
            raise OSError("cannot be killed")

    outcome = run(Plan(specification_of(*ECHO), Alternating()), Stuck(answers={"a": [(0.1, "x")]}), plays=1, steps=2)
    assert outcome.verdict.name == "error"
    assert "cannot be killed" in outcome.verdict.why


def test_an_interrupt_goes_through_and_closes_the_system():
    class Interrupted(Alternating):
        def decide(self, tracker):
            raise KeyboardInterrupt

    system = Scripted()
    with pytest.raises(KeyboardInterrupt):
        run(Plan(specification_of(*ECHO), Interrupted()), system)
    assert system.closed == 1


def test_a_trace_that_cannot_be_written_is_never_a_pass(chat):
    model = f"{chat / 'model.py'}:Chat"
    arguments = ["run", model, "--sut", f"model:{model}", "--plays", "2", "--steps", "5"]
    assert run_command(arguments) == 0
    assert run_command([*arguments, "--trace", "/dev/full"]) not in (0, 1)


def test_latency_counts_only_for_asynchronous_systems():
    """`?a` takes the system where `!x` is not allowed; said within the latency it may have been said before."""
    spec = specification_of("s ?a t", "s !x s", "s delta s")
    answers = {"a": [(0.05, "x")]}
    once = {"plays": 1, "steps": 2, "timing": Timing(1.0, 0.1)}
    assert run(Plan(spec, Alternating()), Scripted(answers=answers), **once).verdict.name == "fail"
    crossing = Scripted(answers=answers, synchronous=False)
    assert run(Plan(spec, Alternating()), crossing, **once).verdict.name == "pass"


def test_a_plan_can_be_run_again():
    spec = specification_of(*ECHO)
    chosen = plan(spec)
    assert all(run(chosen, Simulated(spec, Random(n)), plays=2, steps=5).verdict.name == "pass" for n in range(3))


LEFT = """
import time
from outplay import Simulated, automaton
from outplay.runs.job import Job
from outplay.runs.run import Run

open("lamp.aut", "w").write('des (0, 2, 2)\\n(0, "?press", 1)\\n(1, "!light", 0)\\n')
for event in Run(Job("lamp.aut", sut="model:lamp.aut", labels=4000, tester="walk")):
    if type(event).__name__ == "Step":
        break
left = [time.sleep(0.2)] * 10**6  # Python takes a while to tidy up
"""


@pytest.mark.parametrize("_", range(3))
def test_a_program_that_leaves_a_run_half_played_ends_as_it_would(tmp_path, _):
    """The timer that guards a model's code went off where nobody heard it any more, and killed the process."""
    done = subprocess.run([sys.executable, "-c", LEFT], cwd=tmp_path, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_seconds_to_shrink_are_a_number():
    lamp = automaton([("off", "?press", "on"), ("on", "!light", "off")])
    with pytest.raises(UsageError, match=r"shrink is True; give .*, such as shrink=5$"):
        run(lamp, Simulated(lamp, Random(0)), plays=1, shrink=True)
