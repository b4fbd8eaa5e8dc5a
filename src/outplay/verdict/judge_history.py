"""Judging a history of concurrent calls by a model program: a pure function, like judging a trace.

With a partition the calls of each value of that argument are a history by themselves, and each begins in the initial
state of the model. The smallest are judged first; the first that has no order is a Fail.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from outplay.errors import FormatError, OutplayError, UsageError, did_you_mean, explained
from outplay.model.label import write_argument
from outplay.model.programs.budget import Budget
from outplay.model.programs.call_stepper import AskedCall, CallStepper, Effect
from outplay.model.programs.guard import Guard
from outplay.model.programs.program import Model, Program
from outplay.play.history import History, RecordedCall
from outplay.play.trace import Event
from outplay.plurals import counted
from outplay.verdict.impossible_window import Window, impossible_window
from outplay.verdict.linearize import BoundPassed, SearchBounds, answer_turns, linearize, scheduled_calls
from outplay.verdict.verdicts import Error, Fail, Inconclusive, Pass, Verdict

Known = tuple[RecordedCall, Effect, Effect]
"""A call with what it does, with the recorded answer and with any."""


@dataclass(frozen=True)
class NotLinearizable(Fail):
    """No order of the calls explains all answers; the window is the shortest part that shows it."""

    window: Window | None = None


def judge_history(
    model: Any,
    history: History,
    *,
    partition: str | None = None,
    bounds: SearchBounds | None = None,
    budget: Budget | None = None,
) -> Verdict:
    """Judge a history of calls: say whether the model allows them in some order; a model that raises is an Error.

    What the model cannot read in the history is a FormatError with its line.
    """
    limits = bounds or SearchBounds()
    try:
        with Guard(budget):
            stepper = CallStepper(_program(model))
            parts = _parts(_known(stepper, history), history, partition)
            return _worst(_judged(stepper, calls, limits) for calls in parts)
    except (FormatError, UsageError):
        raise
    except OutplayError as error:
        return Error(explained(error))


def _worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The first Fail, else the first that is undecided."""
    undecided: Verdict | None = None
    for verdict in verdicts:
        if isinstance(verdict, Fail):
            return verdict
        if not isinstance(verdict, Pass):
            undecided = undecided or verdict
    return undecided or Pass("an order of the calls explains all answers")


def _program(model: Any) -> Program:
    if isinstance(model, Program):
        return model
    if isinstance(model, type) and issubclass(model, Model):
        return Program(model)
    raise UsageError("a history is judged by a model program of calls: name a class, file.py:Class")


def _known(stepper: CallStepper, history: History) -> list[Known]:
    """The calls as the model knows them; two calls that overlap on one channel are refused."""
    found: list[Known] = []
    last: dict[str, RecordedCall] = {}
    for call in history.calls:
        line = call.line
        try:
            asked = stepper.question(call.question)
            _refuse_overlap(call, asked, last)
            line = call.answer_line or line
            effect = stepper.effect(asked, call.answer)
        except FormatError as error:
            raise FormatError(f"{history.name}:{line}:1: {error}") from None
        found.append((call, effect, stepper.effect(asked, None)))
    return found


def _refuse_overlap(call: RecordedCall, asked: AskedCall, last: dict[str, RecordedCall]) -> None:
    """A channel takes no question while a call on it waits for its answer."""
    if asked.channel is None or call.answered is None:
        return
    before = last.get(asked.channel)
    if before is not None and (before.answered or 0) > call.asked + 1:
        raise FormatError(
            f"{call.question} is asked while the call of line {before.line} is open on the same channel, "
            f"{asked.channel}: give each client a channel of its own"
        )
    last[asked.channel] = call


def _parts(calls: Sequence[Known], history: History, partition: str | None) -> list[list[Known]]:
    """The calls of each value of the argument, the fewest first."""
    if partition is None:
        return [list(calls)]
    found: dict[str, list[Known]] = {}
    for call, effect, any_effect in calls:
        parameters = effect.asked.called.parameters
        if partition not in parameters:
            raise UsageError(
                f"{history.name}:{call.line}:1: {call.question.gate} has no argument {partition!r}, whose values would "
                f"be judged one by one; {did_you_mean(partition, parameters)}"
            )
        value = write_argument(call.question.arguments[parameters.index(partition)])
        found.setdefault(value, []).append((call, effect, any_effect))
    return sorted(found.values(), key=len)


def _judged(stepper: CallStepper, calls: Sequence[Known], bounds: SearchBounds) -> Verdict:
    entries = scheduled_calls(calls)
    turns = answer_turns(entries)
    try:
        search = linearize(turns, [(0, stepper.initial)], stepper.after, bounds)
    except BoundPassed as passed:
        return Inconclusive(
            f"an order of {counted(len(calls), 'call')} was sought among more than {passed.bound}: raise "
            f"{passed.option}, or judge independent parts by themselves with --partition"
        )
    if search.found:
        return Pass()
    window = impossible_window(entries, turns, search, stepper)
    wrong = window.wrong
    why = f"no order of the calls explains {wrong.answer} (line {wrong.answer_line})"
    return NotLinearizable(why, Event("output", wrong.answer, n=wrong.answer_line), states=window.states, window=window)
