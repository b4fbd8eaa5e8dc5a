"""Numbers in files: read and written exactly, as they stand."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import numpy as np

from outplay.errors import GameError
from outplay.game.tables import Exact, exact, fraction

NUMBER = "write a number of at most 300 digits, such as 2, 0.5 or 1/3"
_EXACT = re.compile(r"(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?|[0-9]++/[0-9]++")
_MOST_DIGITS = 18  # of a number that counts something
_SHORT_DECIMAL = 17  # digits; longer ones are written as fractions


def whole(text: str) -> int | None:
    """Read a number that counts something: decimal digits only, no leading zeros, at most 18 of them."""
    if not (text.isascii() and text.isdigit()) or len(text) > _MOST_DIGITS or (text[0] == "0" and text != "0"):
        return None
    return int(text)


def exact_number(text: str) -> Fraction | None:
    """Read a number exactly as it stands.

    >>> exact_number("0.1"), exact_number("2/6"), exact_number("1e-3"), exact_number("nan")
    (Fraction(1, 10), Fraction(1, 3), Fraction(1, 1000), None)
    """
    if not _EXACT.fullmatch(text):
        return None
    try:
        return fraction(text)
    except GameError:
        return None


def written_number(value: Fraction) -> str:
    """Write a number so that it is read again exactly: as a decimal where a short one exists.

    >>> written_number(Fraction(1, 8)), written_number(Fraction(1, 3)), written_number(Fraction(2))
    ('0.125', '1/3', '2')
    """
    if value.denominator == 1:
        return str(value.numerator)
    rest, places = value.denominator, 0
    while rest % 10 in (2, 4, 5, 6, 8, 0) and places <= _SHORT_DECIMAL:
        rest, places = rest // _common_ten(rest), places + 1
    if rest != 1 or places > _SHORT_DECIMAL:
        return f"{value.numerator}/{value.denominator}"
    digits = f"{value * 10**places}".rjust(places + 1, "0")
    return f"{digits[:-places]}.{digits[-places:]}"


def _common_ten(number: int) -> int:
    return (2 if number % 2 == 0 else 1) * (5 if number % 5 == 0 else 1)


class NumberColumn:
    """Collects exact numbers by their text; what stands a million times is read once."""

    def __init__(self) -> None:
        self._rows: dict[Any, int] = {}
        self.table: list[Fraction | None] = []
        self.index: list[int] = []

    def row(self, key: Any) -> int | None:
        """The row of a text that has been read before."""
        return self._rows.get(key)

    def new_row(self, key: Any, value: Fraction | None) -> int:
        """Keep a number under its text."""
        self.table.append(value)
        self._rows[key] = len(self.table) - 1
        return len(self.table) - 1

    def exact(self) -> Exact:
        """The numbers collected in `index`."""
        return exact(self.table, np.array(self.index, dtype=np.int64))
