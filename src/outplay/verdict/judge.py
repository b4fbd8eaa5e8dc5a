"""Judging: a pure function from specification and trace to a verdict, total over all events.

Each play is followed on the set of states the system may be in, with both orders kept where an input and an output may
have crossed. The first thing no state allows is a Fail; a Fail outweighs an Error, an Error what is inconclusive.
"""

from __future__ import annotations

from collections.abc import Sequence

from outplay.errors import OutplayError
from outplay.model.label import SILENCE, Label
from outplay.model.specification import Specification
from outplay.model.tracking import Goal, Tracker, goal_of, no_goal
from outplay.play.event import ENDS, Event
from outplay.play.trace import Trace
from outplay.verdict.verdicts import Error, Fail, Inconclusive, Pass, Verdict


def judge(spec: Specification, trace: Trace) -> Verdict:
    """Judge a trace; the goal and the latency are those of its header."""
    goal = goal_of(spec, trace.header.goal)
    verdicts = [judge_play(spec, events, goal=goal, latency=trace.header.latency) for _, events in trace.plays()]
    return combine(verdicts, trace.header.goal)


def combine(verdicts: Sequence[Verdict], goal: Sequence[str] = ()) -> Verdict:
    """Put the verdicts of plays together into that of a run."""
    for kind in (Fail, Error, Inconclusive):
        worst = next((verdict for verdict in verdicts if isinstance(verdict, kind)), None)
        if worst:
            return worst
    if not verdicts:
        return Inconclusive("nothing was played")
    reached = sum(verdict.reached for verdict in verdicts if isinstance(verdict, Pass))
    return Pass(reached=reached) if reached or not goal else Inconclusive(f"no play reached {' or '.join(goal)}")


def judge_play(spec: Specification, events: Sequence[Event], *, goal: Goal = no_goal, latency: float = 0.0) -> Verdict:
    """Judge the events of one play; a model that raises on the way is an Error."""
    try:
        return _Play(Tracker(spec, latency=latency, goal=goal)).verdict(events)
    except OutplayError as error:
        return Error(str(error))
    except Exception as error:
        return Error(f"outplay failed: {type(error).__name__}: {error}")


class _Play:
    """Follows one play; the first event that settles the verdict ends it."""

    def __init__(self, tracker: Tracker) -> None:
        self.tracker = tracker
        self.lag: Event | None = None

    def verdict(self, events: Sequence[Event]) -> Verdict:
        for event in events:
            settled = self.take(event)
            if settled:
                return settled
        self.tracker.settle(float("inf"))
        if not self.tracker.specified:
            return _left(None)
        return Pass(reached=int(self.tracker.reached))

    def take(self, event: Event) -> Verdict | None:
        if event.kind == "silence":
            return self.seen(event, SILENCE)
        if event.kind in ENDS:
            self.tracker.settle(event.time)
            return self.fail(event, _ENDINGS[event.kind])
        if event.is_move:
            return self.moved(event)
        if event.kind == "tester-late":
            self.lag = event
            self.tracker.excuse(0.0 if event.seen is None or event.given is None else event.seen - event.given)
        elif event.failed:
            return Error(event.detail or f"{event.kind} failed", event)
        return None

    def moved(self, event: Event) -> Verdict | None:
        label, given = event.label, event.kind == "input"
        if label is None or not (label.is_input if given else label.is_output):
            return Error(f"the trace has an {'input' if given else 'output'} labelled {label}, which is none", event)
        return self.given(event, label) if given else self.seen(event, label)

    def given(self, event: Event, label: Label) -> Verdict | None:
        self.lag = None
        self.tracker.give(label, event.time)
        if not self.tracker.specified:
            return _left(event)
        return None

    def seen(self, event: Event, label: Label) -> Verdict | None:
        self.tracker.settle(event.time)
        before = self.tracker.possible
        if self.tracker.see(label, event.time):
            self.lag = None
            return None if self.tracker.specified else _left(event)
        if event.kind == "silence" and self.lag is not None:
            return Inconclusive(
                f"silence is not allowed here, but the tester itself was late ({self.lag.detail}): "
                "play again on a quieter machine or with a longer --silence",
                event,
            )
        self.tracker.possible = before  # what was allowed is asked of the moment before
        return self.fail(event, "silence is not allowed here" if label == SILENCE else "not allowed here")

    def fail(self, event: Event, why: str) -> Verdict:
        if self.tracker.maybe_left:
            return _left(event)
        states = tuple(self.tracker.spec.describe(state) for state in self.tracker.states)
        why = f"{why}: {event.detail}" if event.detail else why
        return Fail(why, event, tuple(self.tracker.allowed()), states)


_ENDINGS = {
    "crash": "the system crashed",
    "closed": "the system ended before the play did",
    "garbage": "the system sent something that is no message",
}


def _left(event: Event | None) -> Inconclusive:
    return Inconclusive("left the specification: an input was given that it does not cover", event)
