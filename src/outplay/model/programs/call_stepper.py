"""A model program whose actions are calls, stepped one call at a time: what it does, with which answer, in a state.

A call that was recorded brings its own arguments, so no domain is ever listed together with others: each argument is
looked up among its own values, where they are the same in every state once for all, else in the state in which the call
takes effect. `channel = "client"` on the class names the argument that is the channel; the answer then repeats it.

Actions that cannot change the state, found by their code: a read of `self.value` is one, whatever it returns. Only what
is certain counts: the code assigns no attribute, and all it does with `self` is to read variables and plain constants.
Their values cannot be changed, so nothing that is done with them changes the state.
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from outplay.errors import FormatError, ModelError, OutplayError, did_you_mean
from outplay.model.label import Label, write_argument
from outplay.model.programs.action_loop import wrong_return_error
from outplay.model.programs.actions import Action
from outplay.model.programs.budget import OverBudget, blame_user_code
from outplay.model.programs.domains import Answers, LoadedDomain
from outplay.model.programs.guard import memory_error
from outplay.model.programs.interning import ValueTable
from outplay.model.programs.program import Program
from outplay.model.programs.step_errors import undeclared_variables

_READS = ("LOAD_FAST", "LOAD_FAST_BORROW", "LOAD_FAST_LOAD_FAST", "LOAD_FAST_BORROW_LOAD_FAST_BORROW")


def is_pure_method(function: Callable[..., Any], program: Program) -> bool:
    """Say whether a method of a model surely leaves the state as it is.

    >>> from outplay import Model
    >>> class Register(Model):
    ...     value: int = 0
    ...     def read(self, result): return result == self.value
    ...     def write(self, value): self.value = value
    ...     def clear(self): self.write(0)
    >>> program = Program(Register)
    >>> [is_pure_method(method, program) for method in (Register.read, Register.write, Register.clear)]
    [True, False, False]
    """
    if not inspect.isfunction(function) or program.model.__getattribute__ is not object.__getattribute__:
        return False
    own = function.__code__.co_varnames[0]
    if own in function.__code__.co_cellvars:  # a function inside may do anything with it
        return False
    steps = [step for step in dis.get_instructions(function) if step.opname != "CACHE"]
    if any(step.opname in ("STORE_ATTR", "DELETE_ATTR") for step in steps):
        return False
    pairs = zip(steps, [*steps[1:], steps[-1]], strict=True)
    return all(_is_read(step, following, own, program) for step, following in pairs if own in _names(step))


def _names(step: dis.Instruction) -> tuple[Any, ...]:
    """Return the variables of an instruction; some have two."""
    return step.argval if isinstance(step.argval, tuple) else (step.argval,)


def _is_read(step: dis.Instruction, following: dis.Instruction, own: str, program: Program) -> bool:
    """Say whether an instruction about `self` only reads it to look at a plain attribute."""
    if step.opname not in _READS or own in _names(step)[:-1] or following.opname != "LOAD_ATTR":
        return False
    name = str(following.argval)
    plain = inspect.getattr_static(program.model, name, None)
    return name in program.variables or not (callable(plain) or hasattr(plain, "__get__"))


Targets = tuple[int, ...]


class AskedCall:
    """A call with its arguments, as the model knows them; empty where it depends on the state what an argument is."""

    def __init__(self, called: CalledAction, label: Label, arguments: list[tuple[Any, ...]]) -> None:
        self.called, self.label, self.arguments = called, label, arguments
        self.channel = None if called.channel is None else write_argument(label.arguments[called.channel])


class Effect:
    """A call with its answer, or with any; remembers what it does in each state."""

    __slots__ = ("answer", "asked", "is_pure", "known", "results")

    def __init__(self, asked: AskedCall, answer: Label | None) -> None:
        self.asked, self.answer = asked, answer
        self.results = asked.called.fixed_results(answer)
        """The results that the answer may stand for; None where they have to be asked for in each state."""
        self.is_pure = asked.called.is_pure
        """Whether it surely changes nothing, wherever it is allowed."""
        self.known: dict[int, Targets] = {}


class CallStepper:
    """The states of a model program, numbered as calls lead to them."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._scratch = program.model.__new__(program.model)
        self._memory: dict[str, Any] = vars(self._scratch)
        self._tables = [ValueTable(f"{program.where}: state variable {name!r}") for name in program.variables]
        self._states: list[Targets] = []
        self._numbers: dict[Targets, int] = {}
        self._questions: dict[str, AskedCall] = {}
        self._effects: dict[tuple[str, str | None], Effect] = {}
        self.initial = self._number(dict(zip(program.variables, program.initial, strict=True)), {}, ())
        self._load(self.initial)
        for action in program.actions:
            if not action.mark.controllable:
                raise ModelError(
                    f"{program.where}: action {action.name!r} is an output that answers no call, and a history holds "
                    "calls alone: judge by a model of calls, each @controllable(returns=…)"
                )
        self._actions = {
            action.name: CalledAction(action, self._scratch, program)
            for action in program.actions
            if action.mark.returns is not None
        }

    def question(self, label: Label) -> AskedCall:
        """Read a question; one that the model can never take is refused."""
        known = self._questions.get(label.text)
        if known is None:
            known = self._questions[label.text] = self._called(label).question(label)
        return known

    def effect(self, asked: AskedCall, answer: Label | None) -> Effect:
        """The call with this answer, or with any where none is known; one that answers no such question is refused."""
        key = (asked.label.text, None if answer is None else answer.text)
        if key not in self._effects:
            if answer is not None:
                asked.called.check_answer(asked, answer)
            self._effects[key] = Effect(asked, answer)
        return self._effects[key]

    def after(self, effect: Effect, state: int) -> Targets:
        """The states that a call may lead to from a state; none where the model does not allow it there."""
        found = effect.known.get(state)
        if found is None:
            before = self._load(state)
            found = effect.known[state] = tuple(dict.fromkeys(self._targets(effect, state, before)))
        return found

    def describe(self, state: int) -> str:
        """Write a state for people: `value=3`."""
        values = zip(self.program.variables, self._values(state), strict=True)
        return " ".join(f"{name}={write_argument(value)}" for name, value in values) or "(no variables)"

    def _called(self, label: Label) -> CalledAction:
        if label.gate in self._actions:
            return self._actions[label.gate]
        if any(action.name == label.gate for action in self.program.actions):
            raise FormatError(f"{label.gate} is no call in {self.program.name}: mark it @controllable(returns=…)")
        raise FormatError(f"{self.program.name} has no call {label.gate!r}; {did_you_mean(label.gate, self._actions)}")

    def _targets(self, effect: Effect, state: int, before: dict[str, Any]) -> Iterable[int]:
        arguments = effect.asked.called.arguments_now(effect.asked)
        if arguments is None:
            return
        results = effect.results
        for result in effect.asked.called.results_now(effect.answer) if results is None else results:
            if self._allows(effect.asked.called.action, (*arguments, result)):
                yield self._number(self._memory, before, self._states[state])
            self._memory.update(before)

    def _allows(self, action: Action, arguments: tuple[Any, ...]) -> bool:
        """Call the user's method, which leaves its changes in the scratch instance."""
        doing = f"running {action.name}{arguments!r}"
        try:
            enabled = action.function(self._scratch, *arguments)
        except OutplayError:
            raise
        except OverBudget as stop:
            raise stop.during(doing) from None
        except MemoryError as error:
            raise memory_error(error, doing) from error
        except Exception as error:
            raise blame_user_code(error, doing) from error
        if len(self._memory) != len(self._tables):
            raise undeclared_variables(self.program, action, self._memory)
        if enabled is not None and enabled is not True and enabled is not False:
            raise wrong_return_error(self.program, action, arguments, enabled)
        return enabled is not False

    def _number(self, memory: dict[str, Any], before: dict[str, Any], codes: Targets) -> int:
        """Number the state in the memory; what is still the object it was before has the code it had."""
        names = self.program.variables
        state = tuple(
            codes[place] if codes and memory[name] is before[name] else table.code(memory[name])
            for place, (table, name) in enumerate(zip(self._tables, names, strict=True))
        )
        number = self._numbers.setdefault(state, len(self._states))
        if number == len(self._states):
            self._states.append(state)
        return number

    def _values(self, state: int) -> list[Any]:
        return [table.values_of[code] for table, code in zip(self._tables, self._states[state], strict=True)]

    def _load(self, state: int) -> dict[str, Any]:
        before = dict(zip(self.program.variables, self._values(state), strict=True))
        self._memory.clear()
        self._memory.update(before)
        return before


class CalledAction:
    """An action that is a call: its arguments and answers, looked up by how they are written."""

    def __init__(self, action: Action, scratch: Any, program: Program) -> None:
        self.action = action
        self.parameters = tuple(action.domains)
        named = getattr(program.model, "channel", None)
        self.channel = self.parameters.index(named) if named in self.parameters else None
        where = f"{program.where}: action {action.name!r}"
        self._domains = [LoadedDomain(domain, scratch, program, where) for domain in action.domains.values()]
        self._answers = Answers(action, scratch, program)
        self.is_pure = is_pure_method(action.function, program)

    def question(self, label: Label) -> AskedCall:
        """Read a question whose arguments are values the model knows."""
        if len(label.arguments) != len(self._domains):
            names = "".join(f" {name.upper()}" for name in self.parameters)
            raise FormatError(f"{label} has {len(label.arguments)} arguments; write ?{self.action.name}{names}")
        found = [
            domain.holding(argument) if domain.is_fixed else ()
            for domain, argument in zip(self._domains, label.arguments, strict=True)
        ]
        for place, (domain, values) in enumerate(zip(self._domains, found, strict=True)):
            if domain.is_fixed and not values:
                written = write_argument(label.arguments[place])
                raise FormatError(
                    f"{label}: {written} is no value of {self.parameters[place]!r} in the model: mend the line, or "
                    "extend the values there"
                )
        return AskedCall(self, label, found)

    def check_answer(self, asked: AskedCall, answer: Label) -> None:
        """Refuse what does not read as an answer to the question; whether its result is right is not looked at."""
        before = () if asked.channel is None else (asked.channel,)
        written = tuple(map(write_argument, answer.arguments))
        if answer.gate != self.action.name or len(written) != len(before) + 1 or written[:-1] != before:
            pattern = " ".join([f"!{self.action.name}", *before, "RESULT"])
            raise FormatError(f"{answer} does not answer {asked.label}; write {pattern}")

    def arguments_now(self, asked: AskedCall) -> tuple[Any, ...] | None:
        """The arguments in the state now loaded; None where one of them is no value there."""
        found: list[Any] = []
        for domain, values, argument in zip(self._domains, asked.arguments, asked.label.arguments, strict=True):
            held = values or domain.holding(argument)
            if not held:
                return None
            found += held
        return tuple(found)

    def fixed_results(self, answer: Label | None) -> tuple[Any, ...] | None:
        """Return the values that a known answer may stand for in every state; None where that depends on the state."""
        return self.results_now(answer) if answer is not None and self._answers.is_fixed else None

    def results_now(self, answer: Label | None) -> tuple[Any, ...]:
        """Return the values that an answer may stand for in the state now loaded; all results where the answer is
        unknown.
        """
        return self._answers.listed() if answer is None else self._answers.holding(answer.arguments[-1])
