"""Domains: over which arguments an action is tried in a state, in an order that no hash seed changes.

A domain is a collection, the name of a constant, variable or method of the model, or a function of the model. What
hangs on constants alone is listed once; the rest is listed once for each value it takes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import Any

from outplay.errors import ModelError, did_you_mean
from outplay.model.actions import Action
from outplay.model.blame import blaming
from outplay.model.label import INPUT, OUTPUT, Label
from outplay.model.program import Program
from outplay.model.values import Map, check_value, ordered, shape

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
        meaning = (action, arguments, shape(arguments))
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

    def answer(self, action: Action, result: Any) -> int:
        """Number the output that answers a call."""
        return self.number(OUTPUT, action, (result,))


class Calls:
    """The argument lists of one action in the state now loaded into the scratch instance."""

    def __init__(self, action: Action, scratch: Any, program: Program, labels: Labels) -> None:
        self.action, self.function, self.returning = action, action.function, action.mark.returns is not None
        self._scratch, self._program, self._labels = scratch, program, labels
        self._kind = INPUT if action.mark.controllable else OUTPUT
        self._places = [
            _place(domain, program, f"{program.where}: action {action.name!r}") for domain in action.domains.values()
        ]
        self._moving = [(index, source) for index, (source, fixed) in enumerate(self._places) if not fixed]
        self._fixed = [source if fixed else None for source, fixed in self._places]
        self._by_identity: dict[Any, Listed] = {}
        self._by_value: dict[Any, Listed] = {}
        self._all = None if self._moving else self._listing(self._fixed)
        only_variables = all(source in program.variables for _, source in self._moving)
        self._variables = [str(source) for _, source in self._moving] if only_variables else None

    def listed(self) -> Listed:
        """List (arguments, label number), constants from the start, the rest remembered by the values it hangs on."""
        if self._all is not None:
            return self._all
        if self._variables is not None:
            memory = vars(self._scratch)
            # State values are kept objects (see stepping.py), so identity is enough and much faster than equality.
            key: Any = (
                id(memory[self._variables[0]])
                if len(self._variables) == 1
                else tuple([id(memory[name]) for name in self._variables])
            )
            known = self._by_identity.get(key)
            if known is None:
                known = self._by_identity[key] = self._listing(self._current())
            return known
        current = self._current()
        key = tuple(current[index] for index, _ in self._moving)
        key = (key, shape(key))
        found = self._by_value.get(key)
        if found is None:
            found = self._by_value[key] = self._listing(current)
        return found

    def _current(self) -> list[Any]:
        current = list(self._fixed)
        with blaming(f"listing the values of {self.action.name}"):
            for index, source in self._moving:
                value = getattr(self._scratch, source) if isinstance(source, str) else source(self._scratch)
                current[index] = _frozen(value() if isinstance(source, str) and callable(value) else value)
        return current

    def _listing(self, domains: list[Any]) -> Listed:
        ranges = [
            _range(domain, f"{self._program.where}: the values of action {self.action.name!r}") for domain in domains
        ]
        return [
            (arguments, self._labels.number(self._kind, self.action, arguments))
            for arguments in itertools.product(*ranges)
        ]


def answers(action: Action, scratch: Any, program: Program) -> tuple[Any, ...]:
    """List the results a call may be answered with in the state now loaded."""
    where = f"{program.where}: the results of action {action.name!r}"
    source, fixed = _place(action.mark.returns, program, where)
    if fixed:
        return _range(source, where)
    with blaming(f"listing the results of {action.name}"):
        value = getattr(scratch, source) if isinstance(source, str) else source(scratch)
        return _range(_frozen(value() if isinstance(source, str) and callable(value) else value), where)


def _place(domain: Any, program: Program, where: str) -> tuple[Any, bool]:
    """Return where a domain comes from, and whether it is the same in every state."""
    if isinstance(domain, str):
        if domain in program.variables:
            return domain, False
        if not hasattr(program.model, domain):
            known = [name for name in dir(program.model) if not name.startswith("_")]
            raise ModelError(f"{where}: the model has no {domain!r}; {did_you_mean(domain, known)}")
        value = getattr(program.model, domain)
        return (domain, False) if _moves(value) else (_fixed(value, where), True)
    return (domain, False) if _moves(domain) else (_fixed(domain, where), True)


def _moves(domain: Any) -> bool:
    """Say whether a domain has to be asked again in every state; an Enum class is callable but does not move."""
    return isinstance(domain, property) or (callable(domain) and not isinstance(domain, type))


def _fixed(domain: Any, where: str) -> Any:
    try:
        return _frozen(domain)
    except TypeError as error:
        raise ModelError(f"{where}: {error}") from None


def _frozen(domain: Any) -> Any:
    """Keep what cannot change, list what is only iterated once."""
    if isinstance(domain, tuple | frozenset | range | Map):
        return domain
    if isinstance(domain, set):
        return frozenset(domain)
    if isinstance(domain, type) and issubclass(domain, Iterable):
        return tuple(iter(domain))  # type: ignore[call-overload]  # an Enum class
    if isinstance(domain, str) or not isinstance(domain, Iterable):
        raise TypeError(f"{domain!r} is no collection of values; write ({domain!r},) for a single one")
    return tuple(domain)


def _range(domain: Any, where: str) -> tuple[Any, ...]:
    values = ordered(domain) if isinstance(domain, frozenset) else tuple(domain)
    check_value(values, where)
    return tuple({(value, shape(value)): value for value in values}.values())
