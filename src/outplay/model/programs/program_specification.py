"""A model program as a specification, stepped as it is asked."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, cast

from outplay.model.label import SILENCE, Label
from outplay.model.programs.budget import Budget, blaming_user_code
from outplay.model.programs.guard import GuardedStep
from outplay.model.programs.program import Model, Program
from outplay.model.programs.stepping import Stepper
from outplay.model.specification import ListedSpecification, SilenceRule, State, state_number
from outplay.registries import imported

if TYPE_CHECKING:
    from outplay.model.programs.hidden_steps import InterleavedSpecification


class Grouping(Protocol):
    """The place of a state in a game where one place stands for a whole group of states."""

    def __len__(self) -> int: ...

    def known(self, state: int) -> int | None:
        """The place of a state, or None where its group was never met."""


class ProgramSpecification(ListedSpecification):
    """A model program as a specification; states are the stepper's numbers, transitions remembered once met.

    With `places`, as in a game of grouped states, the name `s3` stands for all states at place 3, else for state 3.
    """

    def __init__(
        self,
        program: Program,
        *,
        silence: SilenceRule = SilenceRule.MODEL,
        stepper: Stepper | None = None,
        places: Grouping | None = None,
        budget: Budget | None = None,
    ) -> None:
        self.program = program
        self._budget = budget or Budget()
        with GuardedStep(self._budget):
            self.stepper = stepper or Stepper(program)
        self.name, self.goals, self.channels = program.name, tuple(program.goals), program.channels
        self.initial = (self.stepper.initial,)
        self._silence, self._places = silence, places
        self._moves: dict[State, dict[Label, list[int]]] = {}
        self._keys: dict[State, str] = {}

    def grouped(self, places: Grouping) -> ProgramSpecification:
        """The same, where states are named by the places of their groups."""
        return ProgramSpecification(
            self.program, silence=self._silence, stepper=self.stepper, places=places, budget=self._budget
        )

    @property
    def fingerprint(self) -> str:
        return self.program.fingerprint

    @property
    def output_gates(self) -> Collection[str]:
        actions = self.program.actions
        return {
            one.name
            for one in actions
            if not (one.mark.controllable or one.mark.internal) or one.mark.returns is not None
        }

    @property
    def input_gates(self) -> Collection[str]:
        return {one.name for one in self.program.actions if one.mark.controllable}

    @property
    def null_gates(self) -> Collection[str]:
        return self.stepper.null_gates

    def quiet(self, state: State) -> bool:
        if self._silence is SilenceRule.ALWAYS or (self._silence is SilenceRule.BEFORE_INPUTS and self.inputs(state)):
            return True
        return all(map(self.is_optional, self.outputs(state)))

    def after(self, state: State, label: Label) -> Collection[State]:
        if label == SILENCE:
            return (state,) if self.quiet(state) else ()
        return self.moves(state).get(label, ())

    def is_state(self, name: str) -> bool:
        count = len(self.stepper.states if self._places is None else self._places)
        return name[:1] == "s" and name[1:].isdigit() and int(name[1:]) < count

    def holds(self, goal: str, state: State) -> bool:
        if goal not in self.program.goals:
            return goal == f"s{state if self._places is None else self._places.known(state_number(state))}"
        with GuardedStep(self._budget):
            return self.stepper.holds(goal, state_number(state))

    def weight(self, state: State, label: Label) -> float:
        action = next((a for a in self.program.actions if a.name == label.gate), None)
        if action is None or action.mark.weight is None or label.is_input:
            return 1.0
        with GuardedStep(self._budget), blaming_user_code(f"asking the weight of {action.name}"):
            return float(evaluate_amount(action.mark.weight, self.stepper, state_number(state), label.arguments))

    def is_optional(self, label: Label) -> bool:
        """Say whether an output may stay away for ever."""
        return any(a.mark.optional and a.name == label.gate for a in self.program.actions)

    def describe(self, state: State) -> str:
        return self.stepper.describe(state_number(state))

    def key(self, state: State) -> str:
        known = self._keys.get(state)
        if known is None:
            known = self._keys[state] = self.stepper.key(state_number(state))
        return known

    def moves(self, state: State) -> Mapping[Label, list[int]]:
        known = self._moves.get(state)
        if known is None:
            known = {}
            labels: list[int] = []
            targets: list[int] = []
            with GuardedStep(self._budget):
                self.stepper.expand(state_number(state), labels, targets)
            for label, target in zip(labels, targets, strict=True):
                known.setdefault(self.stepper.labels.all[label], []).append(target)
            self._moves[state] = known
        return known


def evaluate_amount(given: Any, stepper: Stepper, number: int, arguments: tuple[Any, ...]) -> Any:
    """Evaluate a cost or weight of a program: a number, a name on the model, or a function of the model.

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
    """Count the parameters that a function needs."""
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(function).parameters.values()
    return sum(one.kind in positional and one.default is one.empty for one in parameters)


def of_program(
    program: Program, *, silence: SilenceRule = SilenceRule.MODEL, budget: Budget | None = None, **_: Any
) -> ProgramSpecification | InterleavedSpecification:
    """Return the specification of a model program: stepped as it is, or with hidden steps between observations."""
    budget = budget or Budget()
    plain = ProgramSpecification(program, silence=silence, budget=budget)
    if not program.interleaves:
        return plain
    interleaved: Any = imported("outplay.model.programs.hidden_steps:InterleavedSpecification")
    return cast("InterleavedSpecification", interleaved(plain, silence=silence, budget=budget))


def of_class(
    model: type[Model], *, constants: Mapping[str, Any] | None = None, **options: Any
) -> ProgramSpecification | InterleavedSpecification:
    """Return the specification of the model program that a class writes."""
    return of_program(Program(model, constants), **options)
