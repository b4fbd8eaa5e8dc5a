"""Sorts of terms, and the operations on them.

Sorts: the types of values that expressions compute with. Booleans, integers, integers within bounds, enumerations and
texts. An integer within bounds is an integer wherever it is computed with; the bounds say which values a variable or
parameter may take.

The operations of expressions: which sorts they take and give, how they are written, and what they compute. All are
total, so that a guard has a value for all data. Division is that of SMT-LIB: `a mod b` is never negative and `a = b *
(a div b) + a mod b`; by zero the quotient is 0 and the rest is a.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, TypeAlias

from outplay.errors import ModelError
from outplay.model.offer import draw_integer

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
MOST_LISTED = 100_000  # values of one sort that are listed one by one


@dataclass(frozen=True)
class Sort:
    """A type of values. Its name is how it is written in files."""

    name: str

    @property
    def base(self) -> Sort:
        """The sort that terms are compared by: integers within bounds are integers."""
        return self

    def contains(self, value: Any) -> bool:
        """Say whether a value is of this sort; True is no integer, and 1 is no Boolean."""
        raise NotImplementedError

    def draw(self, rng: Random) -> Any:
        """Draw a value."""
        raise NotImplementedError

    def values(self) -> tuple[Any, ...] | None:
        """All values, where they are few enough to be listed."""
        return None

    def __str__(self) -> str:
        return self.name


class BooleanSort(Sort):
    """True and false."""

    def contains(self, value: Any) -> bool:
        return type(value) is bool

    def draw(self, rng: Random) -> bool:
        return rng.random() < 0.5

    def values(self) -> tuple[Any, ...]:
        return (False, True)


@dataclass(frozen=True)
class IntegerSort(Sort):
    """All integers, or those from a least to a greatest one.

    >>> byte = integer_sort(0, 255)
    >>> byte.contains(255), byte.contains(256), byte.contains(True), byte
    (True, False, False, IntegerSort(name='0..255', low=0, high=255))
    """

    low: int | None = None
    high: int | None = None

    @property
    def base(self) -> Sort:
        return INTEGER

    def contains(self, value: Any) -> bool:
        above = self.low is None or self.low <= value if type(value) is int else False
        return above and (self.high is None or value <= self.high)

    def draw(self, rng: Random) -> int:
        if self.low is not None and self.high is not None:
            return rng.randint(self.low, self.high)
        return draw_integer(rng)

    def values(self) -> tuple[Any, ...] | None:
        if self.low is None or self.high is None or self.high - self.low >= MOST_LISTED:
            return None
        return tuple(range(self.low, self.high + 1))


class TextSort(Sort):
    """All texts."""

    def contains(self, value: Any) -> bool:
        return isinstance(value, str)

    def draw(self, rng: Random) -> str:
        return "".join(rng.choice(_LETTERS) for _ in range(rng.randrange(8)))


@dataclass(frozen=True)
class Enumeration(Sort):
    """A few names, which are values of their own and equal to nothing else."""

    members: tuple[str, ...] = ()

    def contains(self, value: Any) -> bool:
        return type(value) is str and value in self.members

    def draw(self, rng: Random) -> str:
        return rng.choice(self.members)

    def values(self) -> tuple[Any, ...]:
        return self.members


BOOLEAN = BooleanSort("boolean")
INTEGER = IntegerSort("integer")
TEXT = TextSort("text")


def integer_sort(low: int, high: int) -> IntegerSort:
    """Return the sort of the integers from a least to a greatest one."""
    if low > high:
        raise ModelError(f"there is no integer in {low}..{high}: write the smaller bound first")
    return IntegerSort(f"{low}..{high}", low, high)


def enumeration(name: str, members: str | Iterable[str]) -> Enumeration:
    """Return the sort of an enumeration; its members may be given as words of one text.

    >>> enumeration("colour", "red green").values()
    ('red', 'green')
    """
    words = tuple(members.split() if isinstance(members, str) else members)
    if not words or len(set(words)) < len(words):
        raise ModelError(f"enumeration {name}: name one member or more, each once")
    return Enumeration(name, words)


Value: TypeAlias = bool | int | str | None

LITERAL, VARIABLE = "literal", "variable"
_MOST_BITS = 10_000  # of a number that is computed; Python itself writes no number much longer
_LONGEST_TEXT = 100_000  # characters


@dataclass(frozen=True)
class Operation:
    """An operation: its symbol, how tightly it binds, what it takes, the sort it gives, and its value."""

    symbol: str
    binds: int
    takes: str
    result: Callable[[Sequence[Sort]], Sort | None]
    """The sort of the result for these sorts, or None where it does not take them."""
    compute: Callable[..., Any]
    is_flat: bool = False
    """(a + b) + c is a + b + c."""


def _divide(number: int, by: int) -> int:
    """The quotient whose rest is never negative; 0 where the divisor is.

    >>> _divide(7, 2), _divide(-7, 2), _divide(7, -2), _divide(-7, -2), _divide(7, 0)
    (3, -4, -3, 4, 0)
    """
    if by == 0:
        return 0
    return number // by if by > 0 else -(number // -by)


def _rest(number: int, by: int) -> int:
    """Return the remainder of a division, never negative; the number itself where the divisor is 0."""
    return number if by == 0 else number % abs(by)


def _all(takes: Sort, gives: Sort) -> Callable[[Sequence[Sort]], Sort | None]:
    return lambda sorts: gives if all(sort == takes for sort in sorts) else None


def _alike(sorts: Sequence[Sort]) -> Sort | None:
    return BOOLEAN if sorts[0] == sorts[1] else None


def _added(sorts: Sequence[Sort]) -> Sort | None:
    return sorts[0] if sorts[0] in (INTEGER, TEXT) and all(sort == sorts[0] for sort in sorts) else None


def _chosen(sorts: Sequence[Sort]) -> Sort | None:
    return sorts[1] if sorts[0] == BOOLEAN and sorts[1] == sorts[2] else None


def _sum(*values: Any) -> Any:
    if isinstance(values[0], int):
        return _small(sum(values))
    if sum(map(len, values)) > _LONGEST_TEXT:
        raise ModelError(f"a text of more than {_LONGEST_TEXT:,} characters is computed: bound it by a guard")
    return "".join(values)


def _product(*values: int) -> int:
    made = 1
    for value in values:
        made = _small(made * value)
    return made


def _small(number: int) -> int:
    if number.bit_length() > _MOST_BITS:
        raise ModelError("a number of more than 3,000 digits is computed: bound it by a guard")
    return number


_NUMBERS, _TRUTHS = _all(INTEGER, INTEGER), _all(BOOLEAN, BOOLEAN)
_COMPARED = _all(INTEGER, BOOLEAN)

OPERATIONS: dict[str, Operation] = {
    "implies": Operation("implies", 1, "Booleans", _TRUTHS, lambda a, b: not a or b),
    "or": Operation("or", 2, "Booleans", _TRUTHS, lambda *values: any(values), True),
    "and": Operation("and", 3, "Booleans", _TRUTHS, lambda *values: all(values), True),
    "not": Operation("not", 4, "a Boolean", _TRUTHS, lambda a: not a),
    "=": Operation("=", 5, "two of one sort", _alike, lambda a, b: a == b),
    "!=": Operation("!=", 5, "two of one sort", _alike, lambda a, b: a != b),
    "<": Operation("<", 5, "integers", _COMPARED, lambda a, b: a < b),
    "<=": Operation("<=", 5, "integers", _COMPARED, lambda a, b: a <= b),
    ">": Operation(">", 5, "integers", _COMPARED, lambda a, b: a > b),
    ">=": Operation(">=", 5, "integers", _COMPARED, lambda a, b: a >= b),
    "+": Operation("+", 6, "integers, or texts", _added, _sum, True),
    "-": Operation("-", 6, "integers", _NUMBERS, lambda a, b: _small(a - b)),
    "*": Operation("*", 7, "integers", _NUMBERS, _product, True),
    "div": Operation("div", 7, "integers", _NUMBERS, _divide),
    "mod": Operation("mod", 7, "integers", _NUMBERS, _rest),
    "negative": Operation("-", 8, "an integer", _NUMBERS, lambda a: -a),
    "length": Operation("length", 9, "a text", _all(TEXT, INTEGER), len),
    "if": Operation("if", 0, "a Boolean and two of one sort", _chosen, lambda c, a, b: a if c else b),
}
