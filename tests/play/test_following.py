"""Each event is followed once, and whoever asks takes the step it makes."""

from __future__ import annotations

from random import Random

import pytest

from outplay import Label, Simulated, automaton, run
from outplay.model.label import SILENCE
from outplay.model.suspension import SuspensionAutomaton
from outplay.model.tracking import Tracker
from outplay.play.following import Following, Numbering, follow
from outplay.play.trace import Event

A, X, Y = map(Label.parse, ("?a", "!x", "!y"))
CROSSING = SuspensionAutomaton(automaton([("s", "?a", "t"), ("s", "!x", "u"), ("u", "?a", "v"), ("t", "!y", "s")]))


def names(tracker):
    return sorted(CROSSING.state_name(state) for state in tracker.states)


def test_a_step_has_the_trackers_before_and_after_its_event():
    events = [Event("reset", seen=0.0), Event("input", A, given=1.0), Event("output", Y, seen=1.5)]
    steps = list(follow(CROSSING, events))
    assert [step.label for step in steps] == [None, A, Y]
    assert [(names(step.before), names(step.after)) for step in steps] == [
        (["s"], ["s"]),
        (["s"], ["t"]),
        (["t"], ["s"]),
    ]


def test_the_tracker_before_is_settled_to_the_time_of_the_event():
    events = [Event("input", A, given=1.0), Event("crash", seen=1.05), Event("crash", seen=1.2)]
    given, soon, later = follow(CROSSING, events, latency=0.1)
    assert given.after.in_flight
    assert soon.before.in_flight
    assert not later.before.in_flight


def test_silence_needs_no_label_and_what_is_no_move_has_none():
    events = [Event("silence", seen=1.0), Event("note", A), Event("output"), Event("tester-late", given=0.0, seen=1.0)]
    assert [step.label for step in follow(CROSSING, events)] == [SILENCE, None, None, None]


def test_what_is_on_its_way_when_the_tester_is_late_is_excused():
    late = Event("tester-late", given=1.0, seen=1.5)
    events = [Event("input", A, given=1.0), late, Event("output", X, seen=1.55)]
    *_, last = follow(CROSSING, events, latency=0.1)
    assert names(last.after) == ["v"]
    *_, last = follow(CROSSING, [events[0], events[2]], latency=0.1)
    assert not last.after.conforms


def test_events_of_a_run_are_numbered_and_timed_from_its_start_before_they_are_followed():
    following = Following(Tracker(CROSSING, latency=0.1), Numbering(100.0))
    step = following.take(Event("input", A, given=101.00000049))
    assert (step.event.n, step.event.play, step.event.given) == (1, 1, 1.0)
    assert step.after.possible[0].on_the_way[0].given == 1_000_000
    assert following.take(Event("output", Y, seen=101.05)).event.n == 2


@pytest.mark.parametrize("seed", range(20))
def test_a_live_run_follows_each_move_once(monkeypatch, seed):
    calls = []
    for name in ("gave", "saw"):
        follows = getattr(Tracker, name)

        def counted(self, label, now, follows=follows):
            calls.append(label)
            return follows(self, label, now)

        monkeypatch.setattr(Tracker, name, counted)
    outcome = run(CROSSING, Simulated(CROSSING, Random(seed)), plays=5, steps=10)
    assert calls == [event.label for event in outcome.trace.events if event.is_move]
    assert outcome.tally.steps == len(calls) > 0
