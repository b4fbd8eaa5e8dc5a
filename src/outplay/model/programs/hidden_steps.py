"""A model program in which something happens between what is seen: hidden steps, and calls that are under way.

A situation is a state of the program with the calls that are open in it. A question opens a call on its channel; the
call takes effect at one moment, which nobody sees, and then its answer is sent. Hidden steps happen at any moment they
are enabled. A label leads to all situations that follow it by such steps, so that whoever follows a play follows all of
them, and games are played on what a tester can know (`model/wrapping.py`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from outplay.errors import ModelError
from outplay.model.label import SILENCE, Label
from outplay.model.programs.actions import Mark
from outplay.model.programs.budget import Budget
from outplay.model.programs.guard import GuardedStep
from outplay.model.programs.program_specification import ProgramSpecification
from outplay.model.programs.timers import TimedSpecification
from outplay.model.specification import BaseSpecification, SilenceRule
from outplay.model.values import portable_text

MOST_SITUATIONS = 20_000  # that hidden steps lead to from one


class OpenCall(NamedTuple):
    """A call that was asked, with the answer that is on its way once it has taken effect."""

    question: Label
    answer: Label | None = None


class Situation(NamedTuple):
    """A state of the program, and the calls open in it."""

    state: int
    calls: tuple[OpenCall, ...] = ()

    def without(self, call: OpenCall, state: int | None = None, answer: Label | None = None) -> Situation:
        """After a call was answered, or has taken effect, with an answer to be sent."""
        rest = tuple(one for one in self.calls if one is not call)
        calls = rest if answer is None else _in_order((*rest, OpenCall(call.question, answer)))
        return Situation(self.state if state is None else state, calls)


@dataclass(frozen=True)
class ProgramMoves:
    """The moves in a state of the program: where each label leads, and the answers of each call."""

    inputs: dict[Label, list[int]]
    outputs: dict[Label, list[int]]
    hidden: dict[Label, list[int]]
    answers: dict[Label, list[tuple[Label, int]]]


class InterleavedSpecification(BaseSpecification):
    """A program with hidden steps or calls under way as a specification; states are situations."""

    def __init__(self, plain: ProgramSpecification, *, silence: SilenceRule, budget: Budget) -> None:
        self.plain, self.program, self.stepper = plain, plain.program, plain.stepper
        self.name, self.goals, self.channels = plain.name, plain.goals, plain.channels
        self._silence, self._budget = silence, budget
        self._moves: dict[int, ProgramMoves] = {}
        self._closures: dict[Situation, tuple[Situation, ...]] = {}
        self._outputs: dict[Situation, list[Label]] = {}
        self._hidden: dict[Situation, list[tuple[Label | None, Situation]]] = {}
        self._marks = {action.name: action.mark for action in self.program.actions}
        self._calls = {action.name for action in self.program.actions if action.mark.returns is not None}

    @cached_property
    def initial(self) -> tuple[Situation, ...]:
        """Return where hidden steps lead at first."""
        return self.closed(self.beginning)

    @property
    def beginning(self) -> Situation:
        """Return its beginning."""
        return Situation(self.stepper.initial)

    @property
    def fingerprint(self) -> str:
        return self.plain.fingerprint

    @property
    def output_gates(self) -> Collection[str]:
        return self.plain.output_gates

    @property
    def input_gates(self) -> Collection[str]:
        return self.plain.input_gates

    @cached_property
    def null_gates(self) -> Collection[str]:
        return self.plain.null_gates

    def moves(self, state: int) -> ProgramMoves:
        """Return the moves in a state of the program."""
        known = self._moves.get(state)
        if known is None:
            labels: list[int] = []
            targets: list[int] = []
            with GuardedStep(self._budget):
                self.stepper.expand(state, labels, targets, calls=False)
                answers = self.stepper.answered(state)
            known = self._moves[state] = ProgramMoves({}, {}, {}, answers)
            for number, target in zip(labels, targets, strict=True):
                label = self.stepper.labels.all[number]
                side = known.inputs if label.is_input else known.outputs if label.is_output else known.hidden
                side.setdefault(label, []).append(target)
        return known

    def hidden_transitions(self) -> Counter[str]:
        """Count the hidden steps of each action in the states met so far."""
        found = Counter[str]()
        for moves in self._moves.values():
            for label, targets in moves.hidden.items():
                found[label.gate] += len(targets)
        return found

    def inputs(self, state: Any) -> list[Label]:
        """A question is asked where it has an answer; one whose answer is optional may also wait for it."""
        moves = self.moves(state.state)
        asked = [label for label, answers in moves.answers.items() if answers or self.mark(label).optional]
        return [label for label in (*moves.inputs, *asked) if self._is_free(state, label)]

    def outputs(self, state: Any) -> list[Label]:
        known = self._outputs.get(state)
        if known is None:
            answers = (answer for _, answer, _ in self.due(state))
            known = self._outputs[state] = list(dict.fromkeys((*self.moves(state.state).outputs, *answers)))
        return known

    def quiet(self, state: Any) -> bool:
        if self._silence is SilenceRule.ALWAYS or (self._silence is SilenceRule.BEFORE_INPUTS and self.inputs(state)):
            return True
        moves = self.moves(state.state)
        if any(not _may_stay_away(self.mark(label)) for label in moves.outputs):
            return False
        if any(self.mark(label).prompt and self.mark(label).after is None for label in moves.hidden):
            return False
        return all(_may_stay_away(self.mark(call.question)) for call, _, _ in self.due(state))

    def after(self, state: Any, label: Label) -> Collection[Situation]:
        if label == SILENCE:
            return self.closed(state) if self.quiet(state) else ()
        return self._all_closed(self.shown(state, label))

    def shown(self, state: Situation, label: Label) -> list[Situation]:
        """Return the targets of a label at once."""
        moves = self.moves(state.state)
        if label.is_output:
            found = [Situation(target, state.calls) for target in moves.outputs.get(label, ())]
            return found + [state.without(call, target) for call, answer, target in self.due(state) if answer == label]
        if not self._is_free(state, label):
            return []
        if label.gate in self._calls and self.stepper.may_ask(label):
            return [Situation(state.state, _in_order((*state.calls, OpenCall(label))))]
        return [Situation(target, state.calls) for target in moves.inputs.get(label, ())]

    def due(self, state: Situation) -> list[tuple[OpenCall, Label, int]]:
        """The answers that may be sent, with the state after each: of calls that took effect, or do so now."""
        answers = self.moves(state.state).answers
        found = [(call, call.answer, state.state) for call in state.calls if call.answer is not None]
        found += [
            (call, answer, target)
            for call in state.calls
            if call.answer is None
            for answer, target in answers.get(call.question, ())
        ]
        return found

    def _is_free(self, state: Situation, label: Label) -> bool:
        """While a call is open, its channel takes no further input."""
        if not state.calls:
            return True
        channel = self.channels.of(label)
        return all(self.channels.of(call.question) != channel for call in state.calls)

    def hidden(self, state: Situation) -> list[tuple[Label | None, Situation]]:
        """Return the target of one hidden step, or of the effect of one call, which has no label of its own."""
        known = self._hidden.get(state)
        if known is None:
            moves = self.moves(state.state)
            known = [(step, Situation(to, state.calls)) for step, targets in moves.hidden.items() for to in targets]
            for call in state.calls:
                if call.answer is None:
                    effects = moves.answers.get(call.question, ())
                    known += [(None, state.without(call, target, answer)) for answer, target in effects]
            self._hidden[state] = known
        return known

    def closed(self, start: Situation) -> tuple[Situation, ...]:
        """Return the situations that hidden steps lead to, and the one they start from."""
        known = self._closures.get(start)
        if known is None:
            found = {start: None}
            waiting = [start]
            for situation in waiting:
                for _, after in self.hidden(situation):
                    if after not in found:
                        if len(found) >= MOST_SITUATIONS:
                            raise self.endless()
                        found[after] = None
                        waiting.append(after)
            known = self._closures[start] = tuple(found)
        return known

    def _all_closed(self, reached: list[Situation]) -> tuple[Situation, ...]:
        if len(reached) == 1:
            return self.closed(reached[0])
        return tuple(dict.fromkeys(after for one in reached for after in self.closed(one)))

    def endless(self) -> ModelError:
        count, name = max(zip(self.stepper.value_counts(), self.program.variables, strict=True), default=(0, "?"))
        return ModelError(
            f"{self.program.where}: hidden steps lead to more than {MOST_SITUATIONS:,} states from one; {name!r} took "
            f"the most values, {count:,}: bound it"
        )

    def mark(self, label: Label) -> Mark:
        """Return the marks of the action of a label."""
        return self._marks[label.gate]

    @cached_property
    def timed(self) -> TimedSpecification | None:
        """The same with its timers, where some action takes its time."""
        return TimedSpecification(self) if self.program.timed else None

    def holds(self, goal: str, state: Any) -> bool:
        return self.plain.holds(goal, state.state)

    def weight(self, state: Any, label: Label) -> float:
        return 1.0 if label.is_output and label.gate in self._calls else self.plain.weight(state.state, label)

    def describe(self, state: Any) -> str:
        return " ".join([self.plain.describe(state.state), *map(_described, state.calls)])

    def key(self, state: Any) -> str:
        return " ".join([self.plain.key(state.state), *map(_key, state.calls)])


def _key(call: OpenCall) -> str:
    sent = f" = {portable_text(call.answer.arguments)}" if call.answer else ""
    return f"{call.question.gate}{portable_text(call.question.arguments)}{sent}"


def _may_stay_away(mark: Mark) -> bool:
    """Say whether silence is allowed although an output is possible: it is optional, or need not be due yet."""
    return mark.optional or mark.after is not None


def _described(call: OpenCall) -> str:
    sent = f"; {call.answer} is on its way" if call.answer else ""
    return f"(waiting for the answer to {call.question.message}{sent})"


def _in_order(calls: tuple[OpenCall, ...]) -> tuple[OpenCall, ...]:
    return calls if len(calls) < 2 else tuple(sorted(calls, key=lambda call: call.question.text))
