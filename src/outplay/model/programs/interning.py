"""Numbering the values of one state variable, so that a state becomes a short tuple of small numbers.

Looking a value up is one look into a dictionary. Only a variable that holds numbers somewhere can meet equal values of
different types (1 and True); for those the types are compared too.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from enum import Enum
from typing import Any

from outplay.model.values import check_value, holds_numbers, value_shape


class ValueTable(dict[Any, int]):
    """From value to code; a value met for the first time is checked to the bottom and gets the next code."""

    def __init__(self, where: str) -> None:
        super().__init__()
        self.where = where
        self.values_of: list[Any] = []
        """The first object met with each value: later ones are replaced by it, so identity means equality."""
        self.suspect = _text_enums_exist()
        """Some value holds numbers: equal values may be of different types, so ask `typed` as well."""
        self._shapes: list[Any] = []
        self._variants: dict[Any, int] = {}

    def __missing__(self, value: Any) -> int:
        code = self._admit(value)
        self[value] = code
        return code

    def typed(self, code: int, value: Any) -> int:
        """Return the code of this very value, where `code` is that of an equal one, perhaps of another type."""
        if value is self.values_of[code]:
            return code
        form = value_shape(value)
        if form == self._shapes[code]:
            return code
        variant = self._variants.get((value, form))
        if variant is None:
            variant = self._variants[value, form] = self._admit(value)
        return variant

    def code(self, value: Any) -> int:
        """Return the code of a value."""
        try:
            found = self[value]
        except TypeError:
            check_value(value, self.where)
            raise
        return self.typed(found, value) if self.suspect else found

    def _admit(self, value: Any) -> int:
        """Give a value the next code; whatever interrupts this, for want of memory or time, leaves no gap."""
        check_value(value, self.where)
        code = len(self.values_of)
        self._shapes[code:] = [value_shape(value)]
        self.suspect = self.suspect or holds_numbers(value)
        self.values_of.append(value)
        return code


def _text_enums_exist() -> bool:
    """Say whether there are Enums whose members equal plain text; the standard library's own are no model's values."""
    return any(
        issubclass(kind, Enum) and kind.__module__.partition(".")[0] not in sys.stdlib_module_names
        for base in (str, bytes)
        for kind in _descendants(base)
    )


def _descendants(kind: type[Any]) -> Iterator[type[Any]]:
    for child in kind.__subclasses__():
        yield child
        yield from _descendants(child)
