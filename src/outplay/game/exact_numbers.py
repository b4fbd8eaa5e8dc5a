"""Exact numbers in arrays: a short table of the distinct values, and for each place the row it uses.

A game of millions of edges has few distinct costs and probabilities. The table keeps them as fractions, the index takes
one to four bytes a place, and floats are made from both when a solver asks.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from outplay.errors import GameError

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
_DIGITS = 300  # above and below the line: sums stay in the range of floats, and nobody can ask for 10 ** 999999999


@dataclass(frozen=True, eq=False)
class Exact:
    """A column of exact numbers; `None` in the table stands for a number that is absent."""

    table: tuple[Fraction | None, ...]
    index: NDArray[Any]

    @cached_property
    def floats(self) -> NDArray[np.float64]:
        """The column as floats, absent numbers as NaN."""
        table = np.array([np.nan if value is None else float(value) for value in self.table] or [0.0])
        return np.asarray(table[self.index], dtype=np.float64)

    @cached_property
    def denominator(self) -> int:
        """The least number that makes every value whole when multiplied by it."""
        return math.lcm(*(value.denominator for value in self.table if value is not None))

    def scaled(self) -> list[int]:
        """The table times the denominator, as whole numbers."""
        return [0 if value is None else int(value * self.denominator) for value in self.table]

    def __getitem__(self, place: int) -> Fraction | None:
        return self.table[int(self.index[place])]

    def __len__(self) -> int:
        return len(self.index)

    def taken(self, places: NDArray[Any]) -> Exact:
        """The same table at other places."""
        return Exact(self.table, self.index[places])

    def extended(self, value: Any, count: int) -> Exact:
        """The same numbers and this many times another one at the end."""
        rows = np.append(self.index, np.full(count, len(self.table)))
        return exact_column([*self.table, value], rows.astype(np.int64))

    def same(self, other: Exact) -> bool:
        """Say whether both columns hold the same numbers."""
        return self.table == other.table and np.array_equal(self.index, other.index)


def exact_column(table: Sequence[Any], index: ArrayLike) -> Exact:
    """Make a column of exact numbers from a table and an index; the table is sorted and unused rows are dropped."""
    values = [None if value is None else read_fraction(value) for value in table]
    places = np.asarray(index)
    if places.size and (int(places.min()) < 0 or int(places.max()) >= len(values)):
        raise GameError(f"an index of numbers points outside its table of {len(values)}; number its rows from 0")
    used = np.flatnonzero(np.bincount(places, minlength=len(values))) if places.size else np.array([], dtype=int)
    order = sorted({values[row] for row in used}, key=lambda value: (value is not None, value or 0))
    rank = {value: row for row, value in enumerate(order)}
    renumber = np.array([rank.get(value, 0) for value in values] or [0], dtype=smallest_index_type(len(order)))
    return Exact(tuple(order), renumber[places] if places.size else np.zeros(0, dtype=np.uint8))


def exact_column_of(values: Iterable[Any]) -> Exact:
    """Make a column of exact numbers from the numbers themselves.

    >>> column = exact_column_of([1, "1/2", None, 0.5])
    >>> column.table, column.index.tolist()
    ((None, Fraction(1, 2), Fraction(1, 1)), [2, 1, 0, 1])
    """
    if isinstance(values, np.ndarray) and values.dtype != object:
        table, index = np.unique(values, return_inverse=True)
        return exact_column(table.tolist(), index)
    rows: dict[Any, int] = {}
    places = [rows.setdefault(value, len(rows)) for value in values]
    return exact_column(list(rows), np.array(places, dtype=np.int64))


def constant_column(value: Any, count: int) -> Exact:
    """Make a column of exact numbers that holds one number everywhere."""
    return Exact((None if value is None else read_fraction(value),) if count else (), np.zeros(count, dtype=np.uint8))


def read_fraction(value: Any) -> Fraction:
    """Read an exact number: an int, a fraction, a float as its shortest decimal, or text such as "1/3"."""
    try:
        made = value if type(value) is Fraction else _read(value.item() if isinstance(value, np.generic) else value)
    except (ValueError, TypeError, ZeroDivisionError, OverflowError):
        raise GameError(f'{_shown(value)} is no number; write 3, 0.5 or "1/3"') from None
    if max(abs(made.numerator), made.denominator) > 10**_DIGITS:
        raise _too_long(value)
    return made


def _read(value: Any) -> Fraction:
    text = repr(value) if isinstance(value, float) else value
    if isinstance(text, str):
        power = text.lower().partition("e")[2]
        if power and abs(int(power)) > 10 * _DIGITS:  # never write such a number out
            raise _too_long(value)
    return Fraction(text)


def _too_long(value: Any) -> GameError:
    return GameError(f"{_shown(value)} is too long a number; at most {_DIGITS} digits above and below the line")


def _shown(value: Any) -> str:
    try:
        text = repr(value)
    except ValueError:
        return "this"  # more digits than Python is willing to print
    return text if len(text) <= 60 else f"{text[:50]}…"


def smallest_index_type(count: int) -> type[np.unsignedinteger[Any]]:
    """Return the smallest integer type that can index this many rows of a table of exact numbers."""
    return np.uint8 if count <= 1 << 8 else np.uint16 if count <= 1 << 16 else np.uint32
