"""Judging: a pure function from specification and trace to a verdict, total over all events.

Each play is followed on the set of states the system may be in, with both orders kept where an input and an output may
have crossed. The first thing no state allows is a Fail; a Fail outweighs an Error, an Error what is inconclusive. What
is right or wrong by the tester's own delay alone is inconclusive: a delay makes no Fail, and mends none.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

from outplay.errors import UsageError, did_you_mean, explained
from outplay.game.goals.live_goal import followed_goal
from outplay.model.kinds import specification
from outplay.model.label import SILENCE, Label
from outplay.model.programs.guard import Guard
from outplay.model.specification import Specification
from outplay.model.tracking import GoalTest, Tracker, no_goal
from outplay.model.wrapping import own_states
from outplay.play.following import Step, follow
from outplay.play.history import History
from outplay.play.trace import ENDS, Event, Trace
from outplay.plurals import counted
from outplay.verdict.judge_history import judge_history
from outplay.verdict.nearest_change import program_of, with_change
from outplay.verdict.show import possible
from outplay.verdict.verdicts import Error, Fail, Inconclusive, Pass, Verdict

MOST_DESCRIBED = 1_000  # steps on the way to a failure whose states are shown
MOST_TOGETHER = 50  # states of a step


def judge(model: Any, trace: Trace | History, *, partition: str | None = None) -> Verdict:
    """Judge a trace by a model of any kind, with the goal and the times of its header, or a history by one of calls.

    With a `partition` the calls of each value of that argument are a history by themselves.
    """
    if isinstance(trace, History):
        return judge_history(model, trace, partition=partition)
    if partition is not None:
        raise UsageError("partition has no effect on a trace; remove it, or give a history")
    spec, goal = followed_goal(specification(model), trace.header.goal)
    plays = [events for _, events in trace.plays()]
    verdicts = [judge_play(spec, events, goal=goal, **trace.header.followed_by) for events in plays]
    found = combine_verdicts(verdicts, trace.header.goal)
    if isinstance(found, Fail):
        failed = next(events for events, verdict in zip(plays, verdicts, strict=True) if verdict is found)
        return with_change(found, spec, failed, **trace.header.followed_by)
    return found


def combine_verdicts(verdicts: Sequence[Verdict], goal: Sequence[str] = ()) -> Verdict:
    """Combine the verdicts of plays into that of a run."""
    for kind in (Fail, Error, Inconclusive):
        worst = next((verdict for verdict in verdicts if isinstance(verdict, kind)), None)
        if worst:
            return worst
    if not verdicts:
        return Inconclusive("nothing was played")
    reached = sum(verdict.reached for verdict in verdicts if isinstance(verdict, Pass))
    return Pass(reached=reached) if reached or not goal else Inconclusive(f"no play reached {' or '.join(goal)}")


def judge_play(
    spec: Specification,
    events: Iterable[Event],
    *,
    goal: GoalTest = no_goal,
    latency: float = 0.0,
    silence: float = 0.0,
    one_wire: bool = False,
) -> Verdict:
    """Judge the events of one play; a model that raises on the way is an Error."""
    judge, events = Judge(), list(events)
    retracted = any(map(takes_back_label, events))
    try:
        with Guard():
            for step in follow(spec, events, latency=latency, silence=silence, goal=goal, one_wire=one_wire):
                judge.take(step)
                if judge.settled and not retracted:
                    return judge.settled
    except Exception as error:
        return Error(explained(error))
    return judge.verdict()


class Judge:
    """Judges one play step by step; the first step that settles the verdict does so for good."""

    def __init__(self) -> None:
        self.settled: Verdict | None = None
        self._lag: Event | None = None
        self._hangs: Inconclusive | None = None
        self._last: Tracker | None = None
        self._path: deque[Tracker] = deque(maxlen=MOST_DESCRIBED)
        self._steps = self._outputs = 0

    def take(self, step: Step) -> None:
        """Judge the next step; a model that raises when it is asked what was allowed is an Error."""
        self._last = step.after
        if (
            takes_back_label(step.event)
            and isinstance(self.settled, Fail)
            and self.settled.event.label == step.event.label
        ):
            self.settled = Error(step.event.detail, step.event)
        if self.settled is None:
            self._path.append(step.after)
            self._steps += 1
            self._outputs += step.event.kind in ("output", "late")
            try:
                self.settled = self._judged(step)
            except Exception as error:
                self.settled = Error(explained(error))

    def verdict(self) -> Verdict:
        """The verdict when the play has ended."""
        if self.settled or self._last is None:
            return self.settled or Inconclusive("nothing was played")
        end = self._last.settled(float("inf"))
        if self._hangs and not end.unexcused.conforms:
            return self._hangs
        if not end.conforms:
            return Inconclusive("the play ended before an output was seen that must have been sent on another channel")
        return Pass(reached=int(end.reached)) if end.unexcused.specified else _left(None)

    def _judged(self, step: Step) -> Verdict | None:
        event = step.event
        if event.kind in ENDS:
            return self._fail(step, _ENDINGS[event.kind])
        if event.is_move:
            return self._moved(step)
        if event.kind == "tester-late":
            self._lag = event
        elif event.failed:
            return Error(event.detail or f"{event.kind} failed", event)
        return None

    def _moved(self, step: Step) -> Verdict | None:
        event, label, given = step.event, step.label, step.event.kind == "input"
        if label is None or not (label.is_input if given else label.is_output or event.kind == "silence"):
            return Error(f"the trace has an {'input' if given else 'output'} labelled {label}, which is none", event)
        if step.after.conforms:
            if not step.after.specified:
                return _left(event)
            if self._hangs is None and not step.after.unexcused.conforms:
                self._hangs = _hanging(step, self._lag)
            return None
        if step.after.untimely and not step.after.unsure:
            return self._fail(step, "not at this time" if label.is_output else "something is overdue")
        if step.after.unsure:
            return Inconclusive("more orders of events are possible than are followed", event)
        return self._fail(step, "silence is not allowed here" if label == SILENCE else self._unknown(step, label))

    def _unknown(self, step: Step, label: Label) -> str:
        """Explain why an output is wrong: the model has it, but not here, or does not have it at all."""
        known = step.before.spec.output_gates
        if not known or label.gate in known:
            return _wrong_number(step, label) or "not allowed here"
        hint = did_you_mean(f"!{label.gate}", [f"!{gate}" for gate in known])
        ready = "" if self._outputs > 1 else "; or is it the line that says the system is ready? see --ready"
        return f"the model never says this ({hint}{ready})"

    def _fail(self, step: Step, why: str) -> Verdict:
        event, before = step.event, step.before
        if before.maybe_left:
            return _left(event)
        states = tuple(_described(before))
        why += " (after the goal was reached)" * before.reached
        why = f"{why}: {event.detail}" if event.detail else why
        path = tuple(map(_in_short, self._path))
        return Fail(why, event, tuple(before.allowed()), states, ("",) * (self._steps - len(path)) + path)


def _wrong_number(step: Step, label: Label) -> str:
    """Explain that an output has more or fewer values than the model ever gives it; empty where it has as many."""
    program = program_of(step.before.spec)
    names = program.output_arguments(label.gate) if program else None
    if names is None or len(names) == len(label.arguments):
        return ""
    named = f" ({', '.join(names)})" if names else ""
    told = f"{counted(len(names), 'value')}{named}"
    return f"the model never says this: !{label.gate} has {told}, this one has {len(label.arguments)}"


def takes_back_label(event: Event) -> bool:
    """Say whether a note takes a label back as none of the play, so that the verdict does not depend on it."""
    return event.kind == "note" and event.failed and event.label is not None


def _in_short(tracker: Tracker) -> str:
    """Describe the places in which the system may be, as one; of very many only the first."""
    if len(tracker.states) <= MOST_TOGETHER:
        return possible(_described(tracker))
    return f"{tracker.spec.describe(tracker.states[0])}, or one of {len(tracker.states) - 1} more"


def _described(tracker: Tracker) -> list[str]:
    """Describe the places in which the system may be."""
    owns = (own for state in tracker.states for own in own_states(tracker.spec, state))
    return list(dict.fromkeys(spec.describe(state) for spec, state in owns))


def _hanging(step: Step, lag: Event | None) -> Inconclusive:
    """Nothing forbidden was seen, but only if the tester's own delay explains it."""
    what = {"silence": "silence is not allowed here"}.get(step.event.kind, f"whether {step.label} came in time is open")
    if lag and lag.given is not None and lag.given == lag.seen:  # it was in time, and did not wait for longer
        return Inconclusive(f"{what}, but {lag.detail}: play again with a longer --silence", step.event)
    late = f"the tester itself was late ({lag.detail})" if lag and lag.detail else "the tester itself was late"
    return Inconclusive(f"{what}, but {late}: play again on a quieter machine or with a longer --silence", step.event)


_ENDINGS = {
    "crash": "the system crashed",
    "closed": "the system ended before the play did",
    "garbage": "the system sent something that is no message",
}


def _left(event: Event | None) -> Inconclusive:
    return Inconclusive("left the specification: an input was given that it does not cover", event)
