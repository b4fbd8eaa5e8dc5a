"""What every kind of model answers: the four questions that playing, judging and exploring ask.

Enabled inputs, possible outputs, whether silence is allowed, and where a label leads. States are opaque and hashable; a
label may lead to several states (the system's own choice that nobody saw), so whoever asks works on sets of states.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Hashable, Mapping
from functools import lru_cache
from typing import Any, Protocol

from outplay.errors import UsageError, did_you_mean
from outplay.model.label import SILENCE, Label
from outplay.model.program import Model, Program
from outplay.model.stepping import Stepper

State = Hashable


class Specification(Protocol):
    """What a system may do, state by state."""

    @property
    def name(self) -> str: ...
    @property
    def fingerprint(self) -> str: ...
    @property
    def initial(self) -> Collection[State]: ...
    @property
    def goals(self) -> Collection[str]: ...

    def inputs(self, state: State) -> Collection[Label]:
        """Labels the tester may give here."""

    def outputs(self, state: State) -> Collection[Label]:
        """Labels the system may show here, silence apart."""

    def quiet(self, state: State) -> bool:
        """Say whether silence is allowed here."""

    def after(self, state: State, label: Label) -> Collection[State]:
        """Where a label may lead; nothing where the label is not specified."""

    def is_state(self, name: str) -> bool:
        """Say whether a name stands for a single state, which can then be a goal too."""

    def holds(self, goal: str, state: State) -> bool:
        """Say whether a state belongs to a named goal, or is the state named."""

    def weight(self, state: State, label: Label) -> float:
        """How likely an output is beside the others here."""

    def describe(self, state: State) -> str:
        """Write a state for people."""


class Grouping(Protocol):
    """Which place in a game a state has, where one place stands for a whole group of states."""

    def __len__(self) -> int: ...

    def known(self, state: int) -> int | None:
        """The place of a state, or None where its group was never met."""


class ProgramSpecification:
    """A model program as a specification; states are the stepper's numbers, transitions remembered once met.

    `patient` is the rule of paper 001, where a time-out is always allowed if the tester can then act;
    `always_patient` allows it everywhere, as `timeout-always` does. With `places`, as in a game of grouped states, the
    name `s3` stands for all states at place 3, else for state 3.
    """

    def __init__(
        self,
        program: Program,
        *,
        patient: bool = False,
        always_patient: bool = False,
        stepper: Stepper | None = None,
        places: Grouping | None = None,
    ) -> None:
        self.program = program
        self.stepper = stepper or Stepper(program)
        self.name, self.goals = program.name, tuple(program.goals)
        self.initial = (self.stepper.initial,)
        self._patient, self._always_patient, self._places = patient, always_patient, places
        self._moves: dict[State, dict[Label, list[int]]] = {}

    @property
    def fingerprint(self) -> str:
        return self.program.fingerprint

    def inputs(self, state: State) -> list[Label]:
        return [label for label in self._transitions(state) if label.is_input]

    def outputs(self, state: State) -> list[Label]:
        return [label for label in self._transitions(state) if label.is_output]

    def quiet(self, state: State) -> bool:
        moves = self._transitions(state)
        if self._always_patient or (self._patient and any(label.is_input for label in moves)):
            return True
        return all(self.is_optional(label) for label in moves if label.is_output)

    def after(self, state: State, label: Label) -> Collection[State]:
        if label == SILENCE:
            return (state,) if self.quiet(state) else ()
        return self._transitions(state).get(label, ())

    def is_state(self, name: str) -> bool:
        count = len(self.stepper.states if self._places is None else self._places)
        return name[:1] == "s" and name[1:].isdigit() and int(name[1:]) < count

    def holds(self, goal: str, state: State) -> bool:
        if goal not in self.program.goals:
            return goal == f"s{state if self._places is None else self._places.known(_number(state))}"
        return self.stepper.holds(goal, _number(state))

    def weight(self, state: State, label: Label) -> float:
        action = next((a for a in self.program.actions if a.name == label.gate), None)
        if action is None or action.mark.weight is None or not label.is_output:
            return 1.0
        return float(amount(action.mark.weight, self.stepper, _number(state), label.arguments))

    def is_optional(self, label: Label) -> bool:
        """Say whether an output may stay away for ever."""
        return any(a.mark.optional and a.name == label.gate for a in self.program.actions)

    def describe(self, state: State) -> str:
        return self.stepper.describe(_number(state))

    def _transitions(self, state: State) -> Mapping[Label, list[int]]:
        known = self._moves.get(state)
        if known is None:
            known = {}
            labels: list[int] = []
            targets: list[int] = []
            self.stepper.expand(_number(state), labels, targets)
            for label, target in zip(labels, targets, strict=True):
                known.setdefault(self.stepper.labels.all[label], []).append(target)
            self._moves[state] = known
        return known


def amount(given: Any, stepper: Stepper, number: int, arguments: tuple[Any, ...]) -> Any:
    """Evaluate a cost or weight: a number, a name on the model, or a function of the model.

    A function that needs more than the model gets the arguments of the action as well.
    """
    function = given
    if isinstance(given, str) and hasattr(stepper.program.model, given):
        function = getattr(stepper.program.model, given)
        if not inspect.isfunction(function):
            value = getattr(stepper.load(number), given)
            return value() if callable(value) else value
    if not callable(function):
        return function
    available = (stepper.load(number), *arguments)
    needed = _needed(function)
    return function(*available) if needed > 1 else function(*available[:needed])


@lru_cache(maxsize=1024)
def _needed(function: Callable[..., Any]) -> int:
    """How many parameters a function must be given."""
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(function).parameters.values()
    return sum(one.kind in positional and one.default is one.empty for one in parameters)


def specification(model: type[Model], constants: Mapping[str, Any] | None = None) -> ProgramSpecification:
    """Return a model program as a specification."""
    return ProgramSpecification(Program(model, constants))


def goal_test(spec: Specification, name: str) -> Callable[[State], bool]:
    """Return a function that says whether a state belongs to the goal, or explain that there is no such goal."""
    if name not in spec.goals and not spec.is_state(name):
        raise UsageError(f"{spec.name} has no goal {name!r}; {did_you_mean(name, spec.goals)}")
    return lambda state: spec.holds(name, state)


def _number(state: State) -> int:
    if not isinstance(state, int):
        raise TypeError(f"{state!r} is no state of a model program")
    return state
