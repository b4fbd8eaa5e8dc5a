"""Stepping a model program: run the user's methods on one scratch instance and number the states they lead to.

This is the inner loop of exploring, so it is written for speed: a state is a tuple of values, the scratch instance's
dictionary is filled and emptied wholesale, domains are listed once per value they hang on. States get numbers in the
order they are met; equal values of different type (1 and True) are different states.
"""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from outplay.errors import ModelError
from outplay.model.actions import Action
from outplay.model.blame import blame, blaming
from outplay.model.domains import Calls, Labels, answers
from outplay.model.label import write_value
from outplay.model.program import Program
from outplay.model.values import check_value, shape

Values = tuple[Any, ...]


@dataclass(frozen=True)
class Pending:
    """A state in which a call with a result has been made and only its answer may follow."""

    base: int
    action: int
    arguments: tuple[Any, ...]


class Stepper:
    """All that exploring, playing and judging need of a model program: numbered states and their transitions."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.labels = Labels()
        self.states: list[Values | Pending] = []
        self._numbers: dict[Any, int] = {}
        self._shapes: dict[int, Any] = {}
        self._known_values: list[dict[Any, Any]] = [{} for _ in program.variables]
        self._scratch = program.model.__new__(program.model)
        self._memory: dict[str, Any] = vars(self._scratch)
        self._take = _taker(program.variables)
        self.initial = self._number(program.initial)
        self.load(self.initial)
        self._calls = [Calls(action, self._scratch, program, self.labels) for action in program.actions]

    def load(self, number: int) -> Any:
        """Put a state into the scratch instance and return it, for goals and descriptions."""
        state = self.states[number]
        values = self.values(state.base) if isinstance(state, Pending) else state
        self._memory.clear()
        self._memory.update(zip(self.program.variables, values, strict=True))
        return self._scratch

    def values(self, number: int) -> Values:
        """Return the values of the variables in a state; while a call is pending, those it was made in."""
        state = self.states[number]
        return self.values(state.base) if isinstance(state, Pending) else state

    def expand(self, number: int) -> list[tuple[int, int]]:
        """List the transitions of a state as (label, target) in the order of the model's methods and domains."""
        state = self.states[number]
        if isinstance(state, Pending):
            return self._expand_pending(state)
        memory, take, number_of, scratch = self._memory, self._take, self._number, self._scratch
        current = dict(zip(self.program.variables, state, strict=True))
        size = len(current)
        memory.clear()
        memory.update(current)
        found: list[tuple[int, int]] = []
        for position, calls in enumerate(self._calls):
            function, returning = calls.function, calls.returning
            for arguments, label in calls.listed():
                if returning:
                    if any(True for _ in self._allowed_answers(calls.action, arguments, current)):
                        found.append((label, self._number_pending(Pending(number, position, arguments))))
                    continue
                try:
                    enabled = function(scratch, *arguments)
                except Exception as error:
                    raise blame(error, _doing(calls.action, arguments)) from error
                if enabled is not False:
                    if enabled is not None and enabled is not True:
                        raise self._odd_return(calls.action, arguments, enabled)
                    if len(memory) != size:
                        raise self._undeclared(calls.action)
                    found.append((label, number_of(take(memory))))
                elif len(memory) != size:
                    raise self._undeclared(calls.action)
                memory.update(current)
        return found

    def holds(self, goal: str, number: int) -> bool:
        """Say whether a goal of the model holds in a state; never while a call is pending."""
        if isinstance(self.states[number], Pending):
            return False
        with blaming(f"asking goal {goal!r}"):
            return bool(self.program.goals[goal](self.load(number)))

    def describe(self, number: int) -> str:
        """Write a state for people: `queue=[["ann","hi"]] waiting={"bob"}`."""
        state = self.states[number]
        values = zip(self.program.variables, self.values(number), strict=True)
        text = " ".join(f"{name}={write_value(value)}" for name, value in values) or "(no variables)"
        if isinstance(state, Pending):
            call = " ".join([self.program.actions[state.action].name, *map(write_value, state.arguments)])
            return f"{text} (waiting for the answer to {call})"
        return text

    def value_counts(self) -> list[int]:
        """How many different values each variable has taken so far."""
        return [len(table) for table in self._known_values]

    def _number(self, values: Values) -> int:
        try:
            number = self._numbers.get(values)
        except TypeError:
            self._check(values)
            raise
        if number is None:
            return self._admit(values, values)
        for value, known in zip(values, self.states[number], strict=True):  # type: ignore[arg-type]
            if value is not known and shape(value) != self._shapes[id(known)]:
                return self._number_variant(values)
        return number

    def _number_variant(self, values: Values) -> int:
        """Number a state equal to a known one but made of other types, such as 1 beside True."""
        key = (values, tuple(map(shape, values)))
        number = self._numbers.get(key)
        return self._admit(values, key) if number is None else number

    def _admit(self, values: Values, key: Any) -> int:
        self._check(values)
        kept = tuple(self._keep(table, value) for table, value in zip(self._known_values, values, strict=True))
        self._numbers[key] = len(self.states)
        self.states.append(kept)
        return len(self.states) - 1

    def _keep(self, table: dict[Any, Any], value: Any) -> Any:
        """Return the first object met with this very value, so that later comparisons are by identity."""
        form = shape(value)
        known = table.setdefault((value, form), value)
        self._shapes.setdefault(id(known), form)
        return known

    def _check(self, values: Values) -> None:
        for name, value, table in zip(self.program.variables, values, self._known_values, strict=True):
            try:
                known = (value, shape(value)) in table
            except TypeError:
                known = False
            if not known:
                check_value(value, f"{self.program.where}: state variable {name!r}")

    def _number_pending(self, pending: Pending) -> int:
        key = (Pending, pending, shape(pending.arguments))
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.states)
            self.states.append(pending)
        return number

    def _expand_pending(self, state: Pending) -> list[tuple[int, int]]:
        self.load(state.base)
        action = self.program.actions[state.action]
        found = self._allowed_answers(action, state.arguments, dict(self._memory))
        return [(self.labels.answer(action, result), self._number(values)) for result, values in found]

    def _allowed_answers(self, action: Action, arguments: tuple[Any, ...], current: dict[str, Any]) -> Any:
        """Yield each answer the model allows to a call, with the values it leads to."""
        for result in answers(action, self._scratch, self.program):
            try:
                enabled = action.function(self._scratch, *arguments, result)
            except Exception as error:
                raise blame(error, _doing(action, (*arguments, result))) from error
            if len(self._memory) != len(current):
                raise self._undeclared(action)
            values = self._take(self._memory)
            self._memory.update(current)
            if enabled is not False:
                yield result, values

    def _undeclared(self, action: Action) -> ModelError:
        extra = next((name for name in self._memory if name not in self.program.variables), None)
        if extra is None:
            return ModelError(
                f"{self.program.where}: action {action.name!r} deletes a state variable: assign None instead"
            )
        return ModelError(
            f"{self.program.where}: action {action.name!r} assigns {extra!r}, which is no state variable: "
            f"annotate it in the class ({extra}: type = value)"
        )

    def _odd_return(self, action: Action, arguments: tuple[Any, ...], returned: Any) -> ModelError:
        return ModelError(
            f"{self.program.where}: {_doing(action, arguments)} returned {returned!r}: "
            "return False where the action is not enabled, and nothing otherwise"
        )


def _doing(action: Action, arguments: tuple[Any, ...]) -> str:
    return f"running {action.name}({', '.join(map(repr, arguments))})"


def _taker(names: tuple[str, ...]) -> Any:
    """Return a fast function from the instance's dictionary to the tuple of state values."""
    if not names:
        return lambda memory: ()
    if len(names) == 1:
        only = names[0]
        return lambda memory: (memory[only],)
    return itemgetter(*names)
