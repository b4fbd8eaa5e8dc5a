"""A run is one stream of events, can be cancelled from any thread, and its result is plain data."""

from __future__ import annotations

import json
import pickle
import threading
import time
from random import Random

import pytest

from helpers.places import ROOT
from outplay import Model, Observer, Run, Simulated, controllable, observable, run, specification
from outplay.cancellation import LISTENING, PATIENCE, Cancelled, CancelToken, raise_if_cancelled
from outplay.errors import UsageError
from outplay.model.programs.load import load_program
from outplay.play.following import Step
from outplay.play.plan import plan
from outplay.runs.events import (
    CoverageChanged,
    FailureFound,
    PlayEnded,
    PlayStarted,
    RunEnded,
    RunStarted,
    run_event_json,
)
from outplay.runs.job import Job
from outplay.runs.preparing.planning import Prepared

CHAT = str(ROOT / "examples/chat/model.py:Chat")


class Lamp(Model):
    on: bool = False

    @controllable
    def press(self):
        if self.on:
            return False
        self.on = True

    @observable
    def light(self):
        if not self.on:
            return False
        self.on = False


class Dark(Lamp):
    @observable
    def smoke(self):
        if not self.on:
            return False


def prepared(model: type[Model] = Lamp, system: type[Model] = Lamp, **asked) -> Prepared:
    spec = specification(model)
    return Prepared(Job(**asked), Simulated(specification(system), Random(1)), spec, plan(spec))


def test_the_events_tell_the_run_in_order():
    run_ = Run(prepared(plays=2, steps=4))
    events = list(run_)
    assert isinstance(events[0], RunStarted)
    assert isinstance(events[-1], RunEnded)
    assert events[-1].result is run_.result
    kinds = [type(event) for event in events[1:-1] if not isinstance(event, Step | CoverageChanged)]
    assert kinds == [PlayStarted, PlayEnded] * 2
    steps = [event.event for event in events if isinstance(event, Step)]
    assert [event.n for event in steps] == list(range(1, len(steps) + 1))
    assert tuple(steps) == run_.result.trace.events
    last = [event for event in events if isinstance(event, CoverageChanged)][-1]
    assert (last.states, last.transitions) == (len(run_.result.tally.states), len(run_.result.tally.transitions))


def test_a_failure_is_told_with_its_play_and_all_events_are_json():
    events = list(Run(prepared(system=Dark, plays=50, steps=9)))
    (failure,) = [event for event in events if isinstance(event, FailureFound)]
    assert str(failure.trace.events[-1]) == "!smoke"
    told = [json.loads(json.dumps(run_event_json(event))) for event in events]
    assert [event["type"] for event in told[:2]] == ["run-started", "play-started"]
    assert told[-1]["result"]["verdict"] == "fail"


def test_a_result_is_there_once_the_run_has_ended_and_also_where_nobody_wants_more():
    with Run(prepared(plays=50, steps=9)) as run_:
        with pytest.raises(UsageError, match="has not ended"):
            _ = run_.result
        for event in run_:
            if isinstance(event, PlayEnded) and event.play == 3:
                break
    assert (run_.result.interrupted, run_.result.tally.plays) == (True, 3)


def test_an_observer_may_end_the_run_and_add_to_its_result():
    class Enough(Observer):
        plays = 0

        @property
        def enough(self):
            return self.plays == 5

        def observe(self, event):
            self.plays += isinstance(event, PlayEnded)

    assert run(Lamp, Simulated(specification(Lamp)), plays=99, steps=3, observers=[Enough()]).tally.plays == 5


def test_a_result_is_plain_data_that_pickles_small_and_comes_back_equal():
    chat = load_program(CHAT)
    result = run(chat, Simulated(specification(chat), Random(0)), plays=100, steps=30)
    kept = pickle.dumps(result)
    assert len(kept) < 100_000
    again = pickle.loads(kept)
    assert again == result
    assert again.json() == result.json()
    assert str(again) == str(result)


def test_the_result_of_a_goal_pickles_and_comes_back_equal():
    chat = load_program(CHAT)
    result = run(chat, Simulated(specification(chat), Random(0)), goal="two_pending", plays=20)
    assert pickle.loads(pickle.dumps(result)) == result


class Asleep:
    """A system that never says anything, on a real clock."""

    synchronous = False

    def __init__(self):
        from outplay.play.system import RealClock

        self.clock, self.closed, self.asked = RealClock(), 0, threading.Event()

    def reset(self):
        pass

    def give(self, label):
        pass

    def observe(self, timeout):
        from outplay.play.trace import Event

        if timeout:
            self.asked.set()
        time.sleep(timeout)
        return Event("silence")

    def close(self):
        self.closed += 1


def cancelled_after(asked: Prepared, ready: threading.Event) -> tuple[Run, float]:
    """A run in a thread, cancelled from here when it is under way, and how long it took to end then."""
    run_ = Run(asked)
    thread = threading.Thread(target=run_.finish)
    thread.start()
    assert ready.wait(20)
    began = time.monotonic()
    run_.cancel()
    thread.join(20)
    assert not thread.is_alive()
    return run_, time.monotonic() - began


def test_a_run_is_cancelled_from_another_thread_in_the_middle_of_a_long_wait():
    spec, system = specification(Lamp), Asleep()
    asked = Prepared(Job(plays=9, steps=9, silence=600.0), system, spec, plan(spec))
    run_, _ = cancelled_after(asked, system.asked)
    assert run_.result.interrupted
    assert system.closed == 1


def test_a_model_that_loops_is_broken_off_in_any_thread():
    looping = threading.Event()

    class Endless(Lamp):
        @controllable
        def press(self):
            looping.set()
            while True:
                pass

    spec = specification(Endless)
    asked = Prepared(Job(plays=9, steps=9), Simulated(specification(Lamp)), spec, plan(spec))
    run_, _ = cancelled_after(asked, looping)
    assert run_.result.interrupted


def test_work_is_given_less_than_half_a_second_to_look_or_it_is_broken_off():
    assert PATIENCE + LISTENING < 0.5


def test_a_token_stops_work_in_its_stretches_only():
    token = CancelToken()
    with token.stretch():
        raise_if_cancelled()
        token.cancel()
        with pytest.raises(Cancelled):
            raise_if_cancelled()
    raise_if_cancelled()
    with pytest.raises(Cancelled), token.stretch():
        raise AssertionError("never reached")
