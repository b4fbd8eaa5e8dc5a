"""The questions of the page: parameters of a request, each read as what it should be or refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from outplay.errors import UsageError

LONGEST = 100_000
"""Letters of a parameter; whole files have a bound of their own."""


@dataclass(frozen=True)
class Asked:
    """The parameters of one request.

    >>> Asked({"vertex": "3", "goal": "done"}).number("vertex", 10)
    3
    """

    given: Mapping[str, Any]

    def text(self, name: str, default: str | None = None, *, longest: int = LONGEST) -> str:
        """A text; refused where it is missing and has no default."""
        value = self.given.get(name, default)
        if not isinstance(value, str) or len(value) > longest:
            raise UsageError(f"{name} is missing, too long or no text")
        return value

    def number(self, name: str, below: int, default: int | None = None) -> int:
        """A whole number from 0 on that is below another."""
        value = self.given.get(name, default)
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
            value = int(value)
        if type(value) is not int or not 0 <= value < below:
            raise UsageError(f"{name} is a whole number from 0 to {below - 1}")
        return value

    def numbers(self, name: str, below: int) -> list[int]:
        """A list of whole numbers below another."""
        value = self.given.get(name, [])
        if not isinstance(value, list) or not all(type(one) is int and 0 <= one < below for one in value):
            raise UsageError(f"{name} is a list of whole numbers from 0 to {below - 1}")
        return value

    def flag(self, name: str) -> bool:
        """Whether something is asked for."""
        return self.given.get(name) in (True, "true", "1")
