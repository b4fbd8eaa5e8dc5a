"""Domains: over which arguments an action is tried in a state, in an order that no hash seed changes.

A domain is a collection, the name of a constant, variable or method of the model, or a function of the model. What
hangs on constants alone is listed once; the rest is listed once for each value it takes.
"""

from __future__ import annotations

import inspect
import itertools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from outplay.errors import ModelError, OutplayError, did_you_mean
from outplay.model.label import INPUT, NEUTRAL, OUTPUT, Label, write_argument
from outplay.model.programs.actions import Action
from outplay.model.programs.budget import OverBudget, blame_user_code, blaming_user_code
from outplay.model.programs.guard import check_budget, memory_error
from outplay.model.programs.interning import ValueTable
from outplay.model.programs.program import Program
from outplay.model.values import Map, check_value, distinct_values, list_values, ordered, value_shape
from outplay.plurals import counted

_LOOK_EVERY = 5_000  # argument lists
_PLAIN = frozenset({type(None), bool, int, str})  # read from a label as what they are
_ALWAYS = -1  # instead of the code of values that are the same in every state
Listed = list[tuple[tuple[Any, ...], int]]


class Labels:
    """The labels met so far, numbered; knows which action each belongs to."""

    def __init__(self) -> None:
        self.all: list[Label] = []
        self.actions: list[Action] = []
        self._numbers: dict[str, int] = {}
        self._meanings: list[Any] = []

    def number(self, kind: str, action: Action, arguments: tuple[Any, ...]) -> int:
        """Number a label; two different argument lists that would read the same are refused."""
        label = Label(kind, action.name, arguments)
        meaning = (action, arguments, value_shape(arguments))
        number = self._numbers.setdefault(label.text, len(self.all))
        if number == len(self.all):
            self.all.append(label)
            self.actions.append(action)
            self._meanings.append(meaning)
        elif self._meanings[number] != meaning:
            raise ModelError(
                f"action {action.name!r}: the different arguments {self._meanings[number][1]!r} and "
                f"{arguments!r} are both written {label}: rename one of them"
            )
        return number

    def known(self, label: Label) -> int:
        """Return the number of a label that has one."""
        return self._numbers[label.text]

    def answer(self, action: Action, result: Any, channel: tuple[Any, ...] = ()) -> int:
        """Number the output that answers a call; where its channel is an argument, the answer repeats it."""
        return self.number(OUTPUT, action, (*channel, result))


class Calls:
    """The argument lists of one action in the state now loaded into the scratch instance."""

    def __init__(self, action: Action, scratch: Any, program: Program, labels: Labels) -> None:
        self.action, self.function, self.returning = action, action.function, action.mark.returns is not None
        self._scratch, self._memory = scratch, vars(scratch)
        self._where = f"{program.where}: action {action.name!r}"
        self._labels, self._kind = labels, _direction(action)
        domains = [_source(domain, program, self._where) for domain in action.domains.values()]
        self._fixed = [domain.values if isinstance(domain, Fixed) else None for domain in domains]
        self._places = [place for place, domain in enumerate(domains) if isinstance(domain, Variable)]
        self.variables = [domain.name for domain in domains if isinstance(domain, Variable)]
        self.questions = [
            Question(place, domain.function, action.name, self._where)
            for place, domain in enumerate(domains)
            if isinstance(domain, Asked)
        ]
        self._known: dict[Any, Listed] = {}
        self.always = None if self.variables or self.questions else self._listing(self._fixed)

    def listed(self) -> Listed:
        """List (arguments, label number): once for all, or once for each combination of values the domains take."""
        if self.always is not None:
            return self.always
        memory = self._memory
        # State values are kept objects (see interning.py): identity is enough and much faster than equality.
        key = [id(memory[name]) for name in self.variables]
        codes = [self._answer(question) for question in self.questions]
        found = self._known.get((*key, *codes))
        if found is None:
            found = self._known[*key, *codes] = self.listing([memory[name] for name in self.variables], codes)
        return found

    def listing(self, values: Iterable[Any], codes: Iterable[int]) -> Listed:
        """List (arguments, label number) where the variables have these values and the functions answer so."""
        current = list(self._fixed)
        for place, value in zip(self._places, values, strict=True):
            current[place] = value
        for question, code in zip(self.questions, codes, strict=True):
            # What the user's code makes of a set comes in the order of the hash seed: put it in one of our own.
            current[question.place] = ordered(question.answers.values_of[code])
        return self._listing(current)

    def _answer(self, question: Question) -> int:
        try:
            return question.code(self._scratch)
        except OutplayError:
            raise
        except MemoryError as error:
            raise memory_error(error, f"listing the values of {self.action.name}") from error
        except Exception as error:
            raise blame_user_code(error, f"listing the values of {self.action.name}") from error

    def _listing(self, domains: list[Any]) -> Listed:
        try:
            ranges = [_range(domain, f"{self._where}: its values") for domain in domains]
        except OverBudget as stop:
            raise stop.during(f"listing the values of {self._where}") from None
        doing = f"listing the {counted(math.prod(map(len, ranges)), 'argument list')} of {self.action.name}"
        found = []
        try:
            for count, arguments in enumerate(itertools.product(*ranges), 1):
                found.append((arguments, self._labels.number(self._kind, self.action, arguments)))
                if count % _LOOK_EVERY == 0:
                    check_budget()
        except OverBudget as stop:
            raise stop.during(doing) from None
        return found


def _direction(action: Action) -> str:
    """Inputs and outputs have one; a hidden step has none."""
    return NEUTRAL if action.mark.internal else INPUT if action.mark.controllable else OUTPUT


class Question:
    """A domain that the user's own function tells; what it answers is numbered like the values of a variable."""

    def __init__(self, place: int, function: Callable[[Any], Any], name: str, where: str) -> None:
        self.place, self._function, self._name, self._where = place, function, name, where
        self.answers = ValueTable(where)

    def code(self, model: Any) -> int:
        """Ask the model and return the code of its answer."""
        try:
            values = self._function(model)
            values = tuple(values) if type(values) in (list, range) else _frozen(values)
        except OverBudget as stop:
            raise stop.during(f"listing the values of {self._name}") from None
        table = self.answers
        try:
            code = table[values]
        except TypeError:
            check_value(values, f"{self._where}: its values")
            raise
        return table.typed(code, values) if table.suspect else code


class LoadedDomain:
    """The values of one domain in the state now loaded into the scratch instance."""

    def __init__(self, domain: Any, scratch: Any, program: Program, where: str) -> None:
        self._scratch, self._where = scratch, where
        self._source = _source(domain, program, where)
        self._met = ValueTable(where)
        self._written: dict[int, dict[str, Any]] = {}

    @property
    def is_fixed(self) -> bool:
        """Say whether the values are the same in every state."""
        return isinstance(self._source, Fixed)

    def listed(self) -> tuple[Any, ...]:
        """List the values in the state now loaded."""
        values = self._values()
        return _range(ordered(values) if isinstance(self._source, Asked) else values, self._where)

    def holding(self, argument: Any) -> tuple[Any, ...]:
        """The value that is written like an argument out of a label, if there is one in the state now loaded.

        Values are listed once for each collection of them that is met, and those of a range never.
        """
        values = self._values()
        if isinstance(values, range):
            return (argument,) if type(argument) is int and argument in values else ()
        if not self.is_fixed and _PLAIN.issuperset(map(type, values)):
            return (argument,) if any(argument == one and type(argument) is type(one) for one in values) else ()
        code = _ALWAYS if self.is_fixed else self._met.code(values)
        if code not in self._written:
            self._written[code] = {write_argument(value): value for value in _range(values, self._where)}
        written, known = write_argument(argument), self._written[code]
        return (known[written],) if written in known else ()

    def _values(self) -> Any:
        if isinstance(self._source, Fixed):
            return self._source.values
        if isinstance(self._source, Variable):
            return vars(self._scratch)[self._source.name]
        with blaming_user_code(f"listing {self._where}"):
            return _frozen(self._source.function(self._scratch))


class Answers(LoadedDomain):
    """The results a call with a result may be answered with."""

    def __init__(self, action: Action, scratch: Any, program: Program) -> None:
        super().__init__(
            action.mark.returns, scratch, program, f"{program.where}: the results of action {action.name!r}"
        )

    @property
    def may_be_null(self) -> bool:
        """Say whether None is among the results; where they hang on the state it may well be."""
        return not isinstance(self._source, Fixed) or any(value is None for value in self._source.values)


@dataclass(frozen=True)
class Fixed:
    """A domain that is the same in every state."""

    values: Any


@dataclass(frozen=True)
class Variable:
    """A domain that is the value of a state variable."""

    name: str


@dataclass(frozen=True)
class Asked:
    """A domain that the user's own function tells, state by state."""

    function: Callable[[Any], Any]


def _source(domain: Any, program: Program, where: str) -> Fixed | Variable | Asked:
    """Find where a domain comes from."""
    if not isinstance(domain, str):
        return Asked(domain) if _moves(domain) else Fixed(_fixed(domain, where))
    if domain in program.variables:
        return Variable(domain)
    if not hasattr(program.model, domain):
        known = [name for name in dir(program.model) if not name.startswith("_")]
        raise ModelError(f"{where}: the model has no {domain!r}; {did_you_mean(domain, known)}")
    value = inspect.getattr_static(program.model, domain)
    if isinstance(value, property):
        return Asked(attrgetter(domain))
    if isinstance(value, staticmethod | classmethod):
        return Asked(lambda model: getattr(model, domain)())
    return Asked(value) if _moves(value) else Fixed(_fixed(value, where))


def _moves(domain: Any) -> bool:
    """Say whether a domain has to be asked again in every state; an Enum class is callable but does not move."""
    return callable(domain) and not isinstance(domain, type)


def _fixed(domain: Any, where: str) -> Any:
    try:
        return _frozen(domain)
    except TypeError as error:
        raise ModelError(f"{where}: {error}") from None
    except OverBudget as stop:
        raise stop.during(f"listing the values of {where}") from None


def _frozen(domain: Any) -> Any:
    """Keep what cannot change, list what is only iterated once."""
    if type(domain) in (tuple, frozenset, Map, range):
        return domain
    if isinstance(domain, set):
        return frozenset(domain)
    if isinstance(domain, type) and issubclass(domain, Iterable):
        return tuple(iter(domain))  # type: ignore[call-overload]  # an Enum class
    if isinstance(domain, str) or not isinstance(domain, Iterable):
        raise TypeError(f"{domain!r} is no collection of values; write ({domain!r},) for a single one")
    return list_values(domain)


def _range(domain: Any, where: str) -> tuple[Any, ...]:
    values = ordered(domain) if isinstance(domain, frozenset) else list_values(domain)
    check_value(values, where)
    return distinct_values(values)
