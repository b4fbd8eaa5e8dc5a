"""Stepping a model program: run the user's methods on one scratch instance and number the states they lead to.

This is the inner loop of exploring. A state is a tuple of codes, one for each variable (see interning.py); the loop
that loads a state, tries every action and numbers the outcome is written out for the model's own variables and actions
as Python source and compiled once (see action_loop.py), which halves the time spent outside the user's methods. What a
method did is remembered by the variables it read (see method_cache.py). States get numbers in the order they are met.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from outplay.errors import ModelError, OutplayError
from outplay.model.label import Label, write_argument
from outplay.model.programs.action_loop import TryActions, action_loop, wrong_return_error
from outplay.model.programs.budget import OverBudget, blaming_user_code
from outplay.model.programs.domains import Answers, Calls, Labels
from outplay.model.programs.guard import memory_error
from outplay.model.programs.interning import ValueTable
from outplay.model.programs.method_cache import ActionRecall, GivenUp, GoalRecall, Recall, Watched, can_cache_methods
from outplay.model.programs.program import Program
from outplay.model.programs.step_errors import explained_step, raising_call, undeclared_variables
from outplay.model.values import check_value, portable_text, value_shape

Codes = tuple[int, ...]


@dataclass(frozen=True)
class Pending:
    """A state in which a call with a result has been made and only its answer may follow."""

    base: int
    action: int
    call: Label


class Stepper:
    """All that exploring, playing and judging need of a model program: numbered states and their transitions."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.labels = Labels()
        self.states: list[Codes | Pending] = []
        self.scratch = program.model.__new__(program.model)
        self.tables = [ValueTable(f"{program.where}: state variable {name!r}") for name in program.variables]
        self.memory: dict[str, Any] = vars(self.scratch)
        self.numbers: dict[Any, int] = {}
        """The number of each state."""
        self.initial = self._number(dict(zip(program.variables, program.initial, strict=True)))
        self.load(self.initial)
        self._calls = [Calls(action, self.scratch, program, self.labels) for action in program.actions]
        self._answers = {
            position: Answers(action, self.scratch, program)
            for position, action in enumerate(program.actions)
            if action.mark.returns is not None
        }
        self._recalls, self._goal_recall = self._remembering() if can_cache_methods(program) else ({}, None)
        self._try_actions = self._loop()

    @cached_property
    def null_gates(self) -> frozenset[str]:
        """The calls that may be answered with None."""
        return frozenset(self.program.actions[one].name for one, known in self._answers.items() if known.may_be_null)

    def is_pending(self, number: int) -> bool:
        """Say whether a call has been made in this state and its answer must follow."""
        return type(self.states[number]) is Pending

    def values(self, number: int) -> tuple[Any, ...]:
        """Return the values of the variables in a state; while a call is pending, those it was made in."""
        state = self.states[number]
        if isinstance(state, Pending):
            return self.values(state.base)
        return tuple(table.values_of[code] for table, code in zip(self.tables, state, strict=True))

    def load(self, number: int) -> Any:
        """Put a state into the scratch instance and return it, for goals and amounts."""
        self.memory.clear()
        self.memory.update(zip(self.program.variables, self.values(number), strict=True))
        return self.scratch

    def expand(self, number: int, labels: list[int], targets: list[int], *, calls: bool = True) -> None:
        """Append the transitions of a state to two lists, in the order of the model's methods and domains,
        calls with results last, or not at all.
        """
        state = self.states[number]
        if isinstance(state, Pending):
            self._expand_pending(state, labels, targets)
            return
        before = len(targets)
        try:
            self._try_actions(state, labels, targets)
        except OutplayError:
            raise
        except OverBudget as stop:
            raise stop.during(f"running {raising_call(stop, self)}") from None
        except GivenUp as raised:
            done = len(targets) - before
            del labels[len(labels) - done :], targets[before:]
            self._give_up(raised.recall)
            self.expand(number, labels, targets, calls=calls)
            return
        except MemoryError as error:
            raise memory_error(error, f"running {raising_call(error, self)}") from error
        except Exception as error:
            raise explained_step(error, self) from error
        if len(self.memory) != len(self.tables):
            raise self._blamed(number)
        if self._answers and calls:
            self._expand_returning(number, labels, targets)

    def goals_after_expanding(self, number: int) -> tuple[str, ...]:
        """Name the goals that hold in the state that was expanded last; none does while a call is pending."""
        state = self.states[number]
        if isinstance(state, Pending):
            return ()
        if self._goal_recall is not None:
            try:
                return self._goal_recall.holding(state)
            except GivenUp as raised:
                self._give_up(raised.recall)
                self.load(number)
        return self._goals_now()

    def holds(self, goal: str, number: int) -> bool:
        """Say whether a goal of the model holds in a state; never while a call is pending."""
        if self.is_pending(number):
            return False
        with blaming_user_code(f"asking goal {goal!r}"):
            return bool(self.program.goals[goal](self.load(number)))

    def group(self, number: int) -> Any:
        """Return the key of a state's group: the values of the model's grouping methods; a pending call is its own."""
        if self.is_pending(number):
            return number
        values = []
        for name, method in self.program.groups.items():
            with blaming_user_code(f"grouping by {name!r}"):
                values.append(method(self.load(number)))
            check_value(values[-1], f"{self.program.where}: group {name!r}")
        return tuple(values), value_shape(tuple(values))

    def describe(self, number: int) -> str:
        """Write a state for people: `queue=[["ann","hi"]] waiting={"bob"}`."""
        values = zip(self.program.variables, self.values(number), strict=True)
        text = " ".join(f"{name}={write_argument(value)}" for name, value in values) or "(no variables)"
        state = self.states[number]
        return f"{text} (waiting for the answer to {state.call.message})" if isinstance(state, Pending) else text

    def key(self, number: int) -> str:
        """Write the content of a state, the same in every process, run and hash seed."""
        values = zip(self.program.variables, self.values(number), strict=True)
        text = " ".join(f"{name}={portable_text(value)}" for name, value in values)
        state = self.states[number]
        if not isinstance(state, Pending):
            return text
        return f"{text} {self.program.actions[state.action].name}{portable_text(state.call.arguments)}"

    def value_counts(self) -> list[int]:
        """Count the different values that each variable has taken so far."""
        return [len(table.values_of) for table in self.tables]

    def _remembering(self) -> tuple[dict[int, ActionRecall], GoalRecall | None]:
        watched = Watched(self.program, self.tables)
        recalls = {i: ActionRecall(watched, calls) for i, calls in enumerate(self._calls) if not calls.returning}
        return recalls, GoalRecall(watched, self.program)

    def _loop(self) -> TryActions:
        load = self._goal_recall is None or bool(self._answers)
        known = (self.scratch, self.states, self.numbers)
        return action_loop(self.program, self.tables, self._calls, self._recalls, *known, load=load)

    def number_in(self, states: list[Codes | Pending], numbers: dict[Any, int]) -> None:
        """Find the states that were met elsewhere from now on."""
        self.states, self.numbers = states, numbers
        self._try_actions = self._loop()

    def _give_up(self, recall: Recall) -> None:
        """Call what is not worth remembering in every state from now on."""
        self._recalls = {position: kept for position, kept in self._recalls.items() if kept is not recall}
        self._goal_recall = None if self._goal_recall is recall else self._goal_recall
        self._try_actions = self._loop()

    def _goals_now(self) -> tuple[str, ...]:
        """Ask every goal in the state that is loaded."""
        kept, found = self.memory.copy(), []
        for name, test in self.program.goals.items():
            with blaming_user_code(f"asking goal {name!r}"):
                if test(self.scratch):
                    found.append(name)
        if self.memory != kept:
            raise ModelError(f"{self.program.where}: a goal changes the state: let goals only look")
        return tuple(found)

    def _number(self, memory: dict[str, Any]) -> int:
        codes = tuple([t.code(memory[name]) for t, name in zip(self.tables, self.program.variables, strict=True)])
        return self.number_of(codes)

    def number_of(self, state: Codes | Pending) -> int:
        """Return the number of a state, the next one where it has not been met."""
        number = self.numbers.get(state)
        if number is None:
            number = self.numbers[state] = len(self.states)
            self.states.append(state)
        return number

    def _expand_pending(self, state: Pending, labels: list[int], targets: list[int]) -> None:
        self.load(state.base)
        action = self.program.actions[state.action]
        channel = self.program.channel_of_call(action, state.call.arguments)
        for result, memory in self._allowed_answers(state.action, state.call.arguments):
            labels.append(self.labels.answer(action, result, channel))
            targets.append(self._number(memory))

    def answered(self, number: int) -> dict[Label, list[tuple[Label, int]]]:
        """Each call that can be asked here, with its answers and the states they lead to."""
        found: dict[Label, list[tuple[Label, int]]] = {}
        self.load(number)
        for position in self._answers:
            action = self.program.actions[position]
            for arguments, label in self._calls[position].listed():
                channel = self.program.channel_of_call(action, arguments)
                answers = found[self.labels.all[label]] = []
                for result, memory in self._allowed_answers(position, arguments):
                    answer = self.labels.all[self.labels.answer(action, result, channel)]
                    answers.append((answer, self._number(memory)))
        return found

    def may_ask(self, label: Label) -> bool:
        """Say whether a question may be asked in some state; what it requires has to hold when it takes effect."""
        for position in self._answers:
            if self.program.actions[position].name == label.gate:
                calls = self._calls[position]
                fixed = None if calls.always is None else {self.labels.all[number] for _, number in calls.always}
                return len(label.arguments) == len(calls.action.domains) and (fixed is None or label in fixed)
        return False

    def _expand_returning(self, number: int, labels: list[int], targets: list[int]) -> None:
        """A call with a result is enabled where some answer is; it leads to a state that waits for the answer."""
        for position in self._answers:
            for arguments, label in self._calls[position].listed():
                if self._allowed_answers(position, arguments):
                    labels.append(label)
                    targets.append(self.number_of(Pending(number, position, self.labels.all[label])))

    def _allowed_answers(self, position: int, arguments: tuple[Any, ...]) -> list[tuple[Any, dict[str, Any]]]:
        """List each answer the model allows to a call, with the values it leads to; the state stays as loaded."""
        action, current = self.program.actions[position], dict(self.memory)
        found = []
        for result in self._answers[position].listed():
            with blaming_user_code(f"running {action.name}{(*arguments, result)!r}"):
                enabled = action.function(self.scratch, *arguments, result)
            if self.memory.keys() != current.keys():
                raise undeclared_variables(self.program, action, self.memory)
            if enabled is not False:
                if enabled is not None and enabled is not True:
                    raise wrong_return_error(self.program, action, (*arguments, result), enabled)
                found.append((result, dict(self.memory)))
            self.memory.update(current)
        return found

    def _blamed(self, number: int) -> ModelError:
        """Find the action that assigned what it may not; only ever asked when something is wrong."""
        for calls in (calls for calls in self._calls if not calls.returning):
            for arguments, _ in calls.listed():
                self.load(number)
                calls.function(self.scratch, *arguments)
                if len(self.memory) != len(self.tables):
                    return undeclared_variables(self.program, calls.action, self.memory)
        self.load(number)
        for position in self._answers:
            for arguments, _ in self._calls[position].listed():
                try:
                    self._allowed_answers(position, arguments)
                except ModelError as error:
                    return error
        return ModelError(f"{self.program.where}: an action assigns what is no state variable: annotate it")
