"""Sorts: the types of values that expressions compute with.

Booleans, integers, integers within bounds, enumerations and texts. An integer within bounds is an integer wherever it
is computed with; the bounds say which values a variable or parameter may take.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random
from typing import Any

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

    >>> byte = integers(0, 255)
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


def integers(low: int, high: int) -> IntegerSort:
    """The integers from a least to a greatest one."""
    if low > high:
        raise ModelError(f"there is no integer in {low}..{high}: write the smaller bound first")
    return IntegerSort(f"{low}..{high}", low, high)


def enumeration(name: str, members: str | Iterable[str]) -> Enumeration:
    """An enumeration; its members may be given as words of one text.

    >>> enumeration("colour", "red green").values()
    ('red', 'green')
    """
    words = tuple(members.split() if isinstance(members, str) else members)
    if not words or len(set(words)) < len(words):
        raise ModelError(f"enumeration {name}: name one member or more, each once")
    return Enumeration(name, words)
