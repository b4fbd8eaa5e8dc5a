from __future__ import annotations

import threading
from random import Random

import pytest

from outplay import (
    PythonObject,
    Simulated,
    Timing,
    controllable,
    explore,
    forecast,
    given,
    goal,
    internal,
    observable,
    run,
)
from outplay.errors import ModelError
from outplay.model.kinds import specification
from outplay.model.label import SILENCE, Label
from outplay.model.programs.program import Model
from outplay.model.tracking import Tracker
from outplay.play.adapters.reordered import Reordered
from outplay.play.plan import Plan
from outplay.play.trace import Event
from outplay.tester.tester import Give, Tester, Wait
from outplay.verdict.judge import judge_play
from outplay.verdict.verdicts import Pass


def followed(model, *happened, latency=0.0):
    """The tracker after labels at times."""
    tracker = Tracker(specification(model), latency=latency).started(0.0)
    for text, now in happened:
        label = Label.parse(text)
        tracker = tracker.settled(now)
        tracker = tracker.gave(label, now) if label.is_input else tracker.saw(label, now)
    return tracker


class Job(Model):
    """A job that was reserved comes back after a second if nobody finishes it."""

    reserved: bool = False

    @controllable
    def reserve(self):
        if self.reserved:
            return False
        self.reserved = True

    @controllable
    def finish(self):
        if not self.reserved:
            return False
        self.reserved = False

    @observable(after=(1.0, 1.5))
    def expired(self):
        if not self.reserved:
            return False
        self.reserved = False


def test_what_takes_its_time_comes_neither_too_early_nor_too_late():
    assert not followed(Job, ("?reserve", 0.0), ("!expired", 0.99)).conforms
    assert followed(Job, ("?reserve", 0.0), ("!expired", 1.0)).conforms
    assert followed(Job, ("?reserve", 0.0), ("!expired", 1.5)).conforms
    late = followed(Job, ("?reserve", 0.0), ("!expired", 1.51))
    assert not late.conforms
    assert late.untimely


def test_silence_proves_nothing_before_it_is_due_and_is_forbidden_afterwards():
    assert followed(Job, ("?reserve", 0.0), ("delta", 0.3), ("delta", 1.5)).conforms
    assert not followed(Job, ("?reserve", 0.0), ("delta", 0.3), ("delta", 1.51)).conforms
    assert followed(Job, ("?reserve", 0.0), ("?finish", 1.2), ("delta", 9.0)).conforms
    assert not followed(Job, ("?reserve", 0.0), ("?finish", 1.6)).saw(SILENCE, 9.0).conforms


def test_a_timer_starts_when_its_label_is_enabled_and_anew_when_it_is_enabled_again():
    again = (("?reserve", 0.0), ("?finish", 0.9), ("?reserve", 0.9))
    assert not followed(Job, *again, ("!expired", 1.2)).conforms
    assert followed(Job, *again, ("!expired", 1.9)).conforms


def test_the_latency_widens_when_a_timer_started_and_when_it_is_overdue():
    assert followed(Job, ("?reserve", 0.0), ("!expired", 1.69), latency=0.1).conforms
    assert not followed(Job, ("?reserve", 0.0), ("!expired", 1.71), latency=0.1).conforms
    assert not followed(Job, ("?reserve", 0.0), ("!expired", 0.99), latency=0.1).conforms
    assert followed(Job, ("?reserve", 0.0), latency=0.1).due == pytest.approx(1.7)


def test_what_the_tester_was_late_by_is_added_to_when_it_is_overdue():
    tracker = followed(Job, ("?reserve", 0.0)).excused(0.5)
    assert tracker.saw(Label.parse("!expired"), 2.0).conforms
    assert not tracker.saw(Label.parse("!expired"), 2.01).conforms


class Renewed(Model):
    lease: int = 0

    @controllable
    def renew(self):
        if self.lease == 3:
            return False
        self.lease += 1

    @observable(after=(1.0, 1.0), since="lease")
    def over(self):
        if self.lease == 0:
            return False
        self.lease = 0


def test_a_timer_starts_anew_when_what_it_is_counted_from_changes():
    assert not followed(Renewed, ("?renew", 0.0), ("?renew", 0.5), ("!over", 1.0)).conforms
    assert followed(Renewed, ("?renew", 0.0), ("?renew", 0.5), ("!over", 1.5)).conforms


class Timeout(Model):
    """A session ends unseen between one and two seconds after it was opened; asking shows it."""

    session: bool = False

    @controllable
    def open(self):
        self.session = True

    @internal(after=(1.0, 2.0))
    def end(self):
        if not self.session:
            return False
        self.session = False

    @controllable(returns=(False, True))
    def ask(self, result):
        return result == self.session


def test_a_hidden_step_with_a_time_has_happened_when_it_is_overdue():
    def asked(now, answer):
        return followed(Timeout, ("?open", 0.0), ("?ask", now), (f"!ask {answer}", now)).conforms

    assert [asked(0.9, "true"), asked(0.9, "false")] == [True, False]
    assert [asked(1.5, "true"), asked(1.5, "false")] == [True, True]
    assert [asked(2.1, "true"), asked(2.1, "false")] == [False, True]


def test_an_answer_may_take_its_time():
    class Slow(Model):
        @controllable(returns=("ok",), after=(0.5, 1.0))
        def work(self, result): ...

    assert followed(Slow, ("?work", 0.0), ("delta", 0.3), ("!work ok", 0.7)).conforms
    assert not followed(Slow, ("?work", 0.0), ("!work ok", 0.4)).conforms
    assert not followed(Slow, ("?work", 0.0), ("delta", 1.1)).conforms


def test_marks_that_make_no_sense_are_refused():
    class Backwards(Model):
        @observable(after=(2, 1))
        def x(self): ...

    class NoTimer(Model):
        @observable(since="y")
        def x(self): ...

    class NoCall(Model):
        @controllable(after=(1, 2))
        def x(self): ...

    for model, what in ((Backwards, "write after="), (NoTimer, "add after="), (NoCall, "for calls")):
        with pytest.raises(ModelError, match=what):
            specification(model)


def test_the_judge_tells_that_something_is_overdue_or_not_yet_due():
    reserve = Event("input", Label.parse("?reserve"), given=0.0)
    early = [Event("reset", seen=0.0), reserve, Event("output", Label.parse("!expired"), seen=0.5)]
    assert judge_play(specification(Job), early).why == "not at this time"
    silent = [Event("reset", seen=0.0), reserve, Event("silence", SILENCE, seen=3.0)]
    assert judge_play(specification(Job), silent).why == "something is overdue"


def test_what_is_in_time_only_because_the_tester_was_late_is_inconclusive():
    def judged(seen, *late):
        events = [Event("reset", seen=0.0), Event("input", Label.parse("?reserve"), given=0.0), *late]
        return judge_play(specification(Job), [*events, Event("output", Label.parse("!expired"), seen=seen)])

    stall = Event("tester-late", given=1.2, seen=1.7)
    assert judged(1.9).name == "fail"
    assert judged(1.4, stall).name == "pass"
    assert judged(1.9, stall).name == "inconclusive"
    assert "the tester itself was late" in judged(1.9, stall).why
    assert judged(2.1, stall).name == "fail"


@pytest.mark.parametrize("model", [Job, Renewed, Timeout])
def test_a_simulation_keeps_its_times(model):
    result = run(model, Simulated(model, Random(5)), plays=30, steps=30, tester="walk", timing=Timing(silence=0.3))
    assert result.verdict.name == "pass", result.verdict
    assert result.json()["outputs"] > 0


@pytest.mark.parametrize("model", [Job, Renewed, Timeout])
def test_a_simulation_behind_delays_keeps_its_times(model):
    """Delays cut a wait in pieces, and after short silences nothing is due yet."""
    system = Reordered(Simulated(model, Random(5)), Random(6), seconds=0.1)
    timing = Timing(silence=0.3, latency=0.1)
    result = run(model, system, plays=20, steps=30, tester="walk", timing=timing)
    assert result.verdict.name == "pass", result.verdict


class Lease(Timeout):
    """A session ends unseen; the goal is that it has ended."""

    used: bool = False

    @controllable
    def open(self):
        if self.used:
            return False
        self.session = self.used = True

    @goal
    def ended(self):
        return self.used and not self.session


class Reserved(Job):
    back: bool = False

    @observable(after=(1.0, 1.5))
    def expired(self):
        if not self.reserved:
            return False
        self.reserved, self.back = False, True

    @goal
    def returned(self):
        return self.back


@pytest.mark.parametrize(("model", "name"), [(Lease, "ended"), (Reserved, "returned")])
def test_a_goal_that_needs_a_timer_to_expire_is_forced_by_waiting_until_it_is_due(model, name):
    found = forecast(explore(model), [name])
    (target,) = found.entries
    assert target.json()["forced"]["moves"] == 3, "an input, silence, and a wait until something is due"
    assert any("waits until something is due" in warning for warning in found.warnings)
    system = Simulated(model, Random(7))
    began = system.clock.now()
    result = run(model, system, goal=name, plays=10, timing=Timing(silence=0.3))
    assert result.verdict == Pass(reached=10)
    assert result.json()["steps"] <= 30
    assert system.clock.now() - began > 10.0, "each play waits for at least a second"


def test_silence_before_something_is_due_says_nothing_of_what_is_due_later():
    game = explore(Lease)
    tracker = Tracker(game.origin.specification, latency=0.0, silence=0.3).started(0.0)
    tracker = tracker.gave(Label.parse("?open"), 0.0).saw(SILENCE, 0.3)
    assert not tracker.reached
    assert tracker.saw(SILENCE, 0.6).states == tracker.states
    ended = [game.origin.describe(state) for state in tracker.saw(SILENCE, 2.1).states]
    assert ended == ["session=false used=true"]


def test_an_optional_output_that_takes_its_time_is_forced_by_no_wait():
    class Perhaps(Reserved):
        @observable(after=(1.0, 1.5), optional=True)
        def expired(self):
            return Reserved.expired(self)

    (target,) = forecast(explore(Perhaps), ["returned"]).entries
    assert target.json()["forced"] is None


def test_a_timed_model_is_explored_without_its_times():
    game = explore(Job)
    assert sorted(set(game.labels)) == ["", "!expired", "?finish", "?reserve", "delta", "wait"]


# Live, with a silence much shorter than what takes its time.


class Server:
    """Expires what was reserved after a while, or never."""

    after: float | None = 0.3

    def __init__(self, emit):
        self._emit, self._timer = emit, None

    def reserve(self):
        if self.after is not None:
            self._timer = threading.Timer(self.after, self._emit, ["expired"])
            self._timer.daemon = True
            self._timer.start()

    def finish(self):
        if self._timer:
            self._timer.cancel()

    def close(self):
        self.finish()


class Never(Server):
    after = None


class Soon(Server):
    after = 0.05


class Expiring(Job):
    @observable(after=(0.25, 5.0))
    def expired(self):
        return Job.expired(self)


class ExpiringFast(Job):
    @observable(after=(0.25, 0.6))
    def expired(self):
        return Job.expired(self)


class Patient(Tester):
    """Reserves, and waits until it is back."""

    def decide(self, tracker):
        (first, *_) = [*tracker.inputs(), None]
        return Give(first) if first and first.gate == "reserve" else Wait()


def patiently(model, system):
    plan = Plan(specification(model), Patient())
    return run(plan, PythonObject(system), plays=2, steps=6, timing=Timing(silence=0.1, latency=0.02)).verdict


def test_an_expiring_job_is_right_and_one_that_never_expires_fails_however_short_silence_is():
    assert patiently(Expiring, Server).name == "pass"
    assert patiently(ExpiringFast, Never).name == "fail"
    assert patiently(Expiring, Soon).name == "fail"


# Against the definition, where every time is known.


def drawn_timers(rng: Random):
    """A program of three states with an input, and two outputs that take their time, by tables."""
    spans = [sorted(rng.choice([0, 1, 2, 3, 4]) for _ in "ab") for _ in "xy"]
    moves = {(state, gate): rng.choice([None, 0, 1, 2]) for state in range(3) for gate in "axy"}
    optional = rng.random() < 0.3

    class Drawn(Model):
        state: int = 0

        def _move(self, gate):
            if moves[self.state, gate] is None:
                return False
            self.state = moves[self.state, gate]

        @controllable
        def a(self):
            return self._move("a")

        @observable(after=tuple(spans[0]))
        def x(self):
            return self._move("x")

        @observable(after=tuple(spans[1]), optional=optional)
        def y(self):
            return self._move("y")

    return Drawn, moves, dict(zip("xy", spans, strict=True)), optional


def since_when(moves, past, gate):
    """Since when a label is enabled: the last step before which it was not, or at which it happened."""
    start = 0.0
    for before, happened, now in past:
        if moves[before, gate] is None or happened == gate:
            start = now
    return start


def allowed(moves, spans, optional, happened) -> bool:
    """Whether a play keeps its times: nothing too early, and nothing overdue when something else happens."""
    state, past = 0, []
    for text, now in happened:
        gate = text[1:] if text != "delta" else text
        for timed, (earliest, latest) in spans.items():
            if moves[state, timed] is None:
                continue
            start = since_when(moves, past, timed)
            if gate == timed and now < start + earliest:
                return False
            if now > start + latest and not (timed == "y" and optional):
                return False
        if gate != "delta":
            if moves[state, gate] is None:
                return text[0] == "?"
            past.append((state, gate, now))
            state = moves[state, gate]
    return True


def test_timers_are_kept_as_they_are_defined():
    found = {True: 0, False: 0}
    for seed in range(600):
        rng = Random(f"timers {seed}")
        model, moves, spans, optional = drawn_timers(rng)
        now, happened = 0.0, []
        for _ in range(rng.randint(1, 6)):
            now += rng.choice([0.0, 0.5, 1.0, 1.0, 2.0])
            happened.append((rng.choice(["?a", "!x", "!y", "delta"]), now))
            expected = allowed(moves, spans, optional, happened)
            assert followed(model, *happened).conforms == expected, f"seed {seed}: {happened} with {moves}, {spans}"
            found[expected] += 1
            if not expected:
                break
    assert min(found.values()) > 100


def test_a_silence_was_missed_only_where_nothing_happened_for_so_long():
    """While the tester is late, an output seen before an input was given may be looked at after it."""

    class Calls(Model):
        channel = "who"

        @controllable(returns=("ok",))
        @given(who=("ann", "bob"))
        def ask(self, who, result): ...

    def judged(*asked_and_answered, handed):
        asked, answered = asked_and_answered
        events = [
            Event("reset", seen=0.0),
            Event("input", Label.parse("?ask ann"), given=0.0),
            Event("input", Label.parse("?ask bob"), given=asked, seen=handed),
            Event("output", Label.parse("!ask ann ok"), seen=asked - 0.1),
            Event("tester-late", given=asked, seen=answered),
            Event("output", Label.parse("!ask bob ok"), seen=answered),
        ]
        return judge_play(specification(Calls), events, latency=0.2, silence=0.3).name

    assert judged(0.15, 0.65, handed=0.4) == "pass"
    assert judged(0.15, 0.65, handed=None) == "inconclusive", "a silence after 0.45 was missed"
    assert judged(0.15, 0.44, handed=None) == "pass", "the last event is the input"
