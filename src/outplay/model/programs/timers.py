"""Timers: when an output, a hidden step or an answer may come, and when it is overdue.

A timer belongs to one label with its arguments. It starts when a step enables the label, runs on while it stays
enabled, and starts anew when the label happens or its `since` changes. Nobody knows exactly when a step happened: an
input within the latency after it was given, an output within the latency before it was seen, a hidden step when its
own timer says. So a timer starts within an interval [low, high]: with `after=(earliest, latest)` its label may happen
from low + earliest on, and is overdue after high + latest and the latency. Times are in microseconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from outplay.model.label import SILENCE, Label
from outplay.model.programs.program_specification import evaluate_amount
from outplay.model.specification import BaseSpecification, Span

if TYPE_CHECKING:
    from outplay.model.programs.hidden_steps import InterleavedSpecification, Situation

MICROSECONDS = 1_000_000
MOST_TIMED = 20_000  # situations with timers that hidden steps lead to from one


class Timer(NamedTuple):
    """A label that takes its time, since when it is enabled, and what it was counted from."""

    label: Label
    low: float
    high: float
    since: Any = None


class TimedSituation(NamedTuple):
    """A situation with its timers; it was entered at this time at the earliest."""

    situation: Situation
    timers: tuple[Timer, ...]
    low: float

    def timer(self, label: Label) -> Timer | None:
        """The timer of a label, if it has one."""
        return next((timer for timer in self.timers if timer.label == label), None)


class TimedSpecification(BaseSpecification):
    """A program with timers: what may happen within a span of time."""

    def __init__(self, spec: InterleavedSpecification) -> None:
        self._spec, self.channels = spec, spec.channels
        self.name, self.fingerprint = spec.name, spec.fingerprint
        self._outputs: dict[Situation, list[Label]] = {}
        self._labels: dict[Situation, list[tuple[Label, Any]]] = {}

    @cached_property
    def initial(self) -> tuple[TimedSituation, ...]:
        """Return the initial states, with all timers at 0."""
        return self.started(0.0)

    def started(self, now: float) -> tuple[TimedSituation, ...]:
        """Return the states where it was made ready."""
        return (self._entered(self._spec.beginning, (), None, now, now),)

    def outputs(self, state: TimedSituation) -> list[Label]:
        """Return the outputs that may be shown here at some time, hidden steps or none before them."""
        known = self._outputs.get(state.situation)
        if known is None:
            found = (label for here in self._spec.closed(state.situation) for label in self._spec.outputs(here))
            known = self._outputs[state.situation] = list(dict.fromkeys(found))
        return known

    def quiet(self, state: TimedSituation) -> bool:
        """Say whether silence is allowed here, as long as nothing is overdue."""
        return self._spec.quiet(state.situation)

    def after(self, state: Any, label: Label) -> list[TimedSituation]:
        """Return the targets of a label at any time."""
        return self.after_within(state, label, Span(state.low, float("inf"), state.low))

    def after_within(self, state: TimedSituation, label: Label, span: Span) -> list[TimedSituation]:
        """Return the targets of a label within a span of time, after hidden steps; nothing where something else is
        overdue.
        """
        found: dict[TimedSituation, None] = {}
        for here in self._reached(state, span):
            if label == SILENCE:
                if self._spec.quiet(here.situation):
                    found[here] = None
                continue
            for target in self._shown(here, label, span.high):
                low = max(span.low, here.low)
                found[self._entered(target, here.timers, label, low, max(low, span.high))] = None
        return list(found)

    def _shown(self, here: TimedSituation, label: Label, now: float) -> Iterator[Situation]:
        """Return the targets of a label at once, unless it is too early for it."""
        situation = here.situation
        if not label.is_output:
            yield from self._spec.shown(situation, label)
            return
        if self._may_happen(here.timer(label), now):
            for target in self._spec.moves(situation.state).outputs.get(label, ()):
                yield situation._replace(state=target)
        for call, answer, target in self._spec.due(situation):
            if answer == label and self._may_happen(here.timer(call.question), now):
                yield situation.without(call, target)

    def _may_happen(self, timer: Timer | None, now: float) -> bool:
        return timer is None or now >= timer.low + self._after(timer.label)[0]

    def _after(self, label: Label) -> tuple[float, float]:
        earliest, latest = self._spec.mark(label).after or (0.0, float("inf"))
        return earliest * MICROSECONDS, latest * MICROSECONDS

    def _must(self, timer: Timer) -> bool:
        return not self._spec.mark(timer.label).optional

    def must_happen(self, situation: Situation) -> bool:
        """Say whether something has to happen here in the end, or has to have happened."""
        labels = (label for label, _ in self._timed_labels(situation))
        return any(not self._spec.mark(label).optional and self._after(label)[1] < float("inf") for label in labels)

    def _reached(self, state: TimedSituation, span: Span) -> Iterator[TimedSituation]:
        """Return the states by the end of a span after hidden steps, with nothing overdue."""
        found = {state: None}
        waiting = [state]
        for here in waiting:
            if not self._late(here, span.overdue):
                yield here
            for label, target in self._spec.hidden(here.situation):
                timer = None if label is None else here.timer(label)
                earliest, latest = (0.0, float("inf")) if timer is None else self._after(timer.label)
                low = max(here.low, earliest + (here.low if timer is None else timer.low))
                if low > span.high:
                    continue
                high = span.high if timer is None else max(low, min(span.high, timer.high + latest))
                after = self._entered(target, here.timers, label, low, high)
                if after not in found:
                    if len(found) >= MOST_TIMED:
                        raise self._spec.endless()
                    found[after] = None
                    waiting.append(after)

    def is_overdue(self, state: TimedSituation, span: Span) -> bool:
        """Say whether something had to happen before the span, whatever hidden steps there were."""
        return self._late(state, span.overdue) and not any(True for _ in self._reached(state, span))

    def _late(self, state: TimedSituation, now: float) -> bool:
        return any(self._must(timer) and now > timer.high + self._after(timer.label)[1] for timer in state.timers)

    def deadline(self, state: TimedSituation) -> float | None:
        """Return when something has to have happened here; None where nothing ever has to."""
        due = [timer.high + self._after(timer.label)[1] for timer in state.timers if self._must(timer)]
        return min(due, default=None)

    def delayed(self, state: TimedSituation, lag: float) -> TimedSituation:
        """The same where the tester was late by this much, so that what is due may come that much later."""
        return state._replace(timers=tuple(timer._replace(high=timer.high + lag) for timer in state.timers))

    def _entered(
        self, situation: Situation, before: tuple[Timer, ...], happened: Label | None, low: float, high: float
    ) -> TimedSituation:
        known = {timer.label: timer for timer in before if timer.label != happened}
        timers = []
        for label, since in self._timed_labels(situation):
            timer = known.get(label)
            running = timer is not None and timer.since == since
            timers.append(timer if timer is not None and running else Timer(label, low, high, since))
        return TimedSituation(situation, tuple(timers), low)

    def _timed_labels(self, situation: Situation) -> list[tuple[Label, Any]]:
        """The labels with timers here, and what they are counted from; a call by its question."""
        known = self._labels.get(situation)
        if known is None:
            known = self._labels[situation] = []
            moves, stepper = self._spec.moves(situation.state), self._spec.stepper
            for label in (*moves.outputs, *moves.hidden, *(call.question for call in situation.calls)):
                mark = self._spec.mark(label)
                if mark.after is not None:
                    since = mark.since
                    counted = (
                        None if since is None else evaluate_amount(since, stepper, situation.state, label.arguments)
                    )
                    known.append((label, counted))
        return known
