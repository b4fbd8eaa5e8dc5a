"""The parts of registry entries: functions that are named and imported when first used, and declared options."""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from outplay.errors import UsageError

_WORDS = {int: "a whole number", float: "a number", bool: "true or false"}
Function = TypeVar("Function", bound=Callable[..., Any])


def flag(name: str) -> str:
    """Write an option as on the command line.

    >>> flag("time_limit")
    '--time-limit'
    """
    return f"--{name.replace('_', '-')}"


@dataclass(frozen=True)
class DeclaredOption:
    """One option: what it means, of which kind it is, and what it is unless it is said."""

    help: str
    kind: type = int
    """int, float, str, or bool for a flag."""
    default: Any = None
    least: int = 1
    below: int | None = None
    """Between these a number has to be."""
    choices: tuple[str, ...] = ()
    """Of a text; any where there are none."""
    metavar: str = ""
    """The placeholder for the value in the help, where it is no plain number or text."""

    def read(self, name: str, text: str) -> Any:
        """The value that a text stands for.

        >>> DeclaredOption("How wide.").read("width", "3")
        3
        >>> DeclaredOption("How wide.").read("width", "0")
        Traceback (most recent call last):
        outplay.errors.UsageError: --width 0: it should be a whole number from 1
        """
        value = self._parsed(text)
        if value is None or not self._has(value):
            raise UsageError(f"{flag(name)} {text}: it should be {self._words}")
        return value

    def refuse_other(self, name: str, value: Any) -> None:
        """Refuse a value that it cannot have, such as a file may say.

        >>> DeclaredOption("How wide.").refuse_other("width", True)
        Traceback (most recent call last):
        outplay.errors.UsageError: --width True: it should be a whole number from 1
        >>> DeclaredOption("What for.", str).refuse_other("until", 3)
        Traceback (most recent call last):
        outplay.errors.UsageError: --until 3: it should be a text
        """
        fits = type(value) is self.kind or (self.kind is float and type(value) is int)
        if not (fits and self._has(value)):
            raise UsageError(f"{flag(name)} {value!r:.200}: it should be {self._words}")

    def _has(self, value: Any) -> bool:
        if self.kind in (int, float):
            return bool(self.least <= value < (math.inf if self.below is None else self.below))
        return not self.choices or value in self.choices

    def _parsed(self, text: str) -> Any:
        if self.kind is bool:
            return {"true": True, "false": False}.get(text.lower())
        try:
            return self.kind(text)
        except ValueError:
            return None

    @property
    def _words(self) -> str:
        if self.choices:
            return f"one of {', '.join(self.choices)}"
        least = f" from {self.least}" if self.kind in (int, float) else ""
        return _WORDS.get(self.kind, "a text") + least + ("" if self.below is None else f", and below {self.below}")


def imported(function: str | Function) -> Function:
    """The function of a reference; a function itself as it is.

    >>> imported("math:gcd")(4, 6)
    2
    """
    if not isinstance(function, str):
        return function
    module, _, name = function.partition(":")
    found: Function = getattr(importlib.import_module(module), name)
    return found
