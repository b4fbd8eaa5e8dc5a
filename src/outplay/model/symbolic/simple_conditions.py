"""Conditions that need no solver: each variable within bounds of its own, or fixed by an equation.

Most guards of practice are so: `p = x` with a known x, `1 <= p <= 10`, `last or bit`. A solver has to decide the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import cast

from outplay.model.expressions.evaluation import substitute
from outplay.model.expressions.simplifying import TURNED, conjuncts, simplify
from outplay.model.expressions.sorts import BOOLEAN, Enumeration, IntegerSort, Sort, Value
from outplay.model.expressions.term import FALSE, TRUE, Term, conjunction, literal
from outplay.model.offer import draw_integer

_NEAR = 3  # values at the ends of a range that are drawn most


@dataclass(frozen=True)
class Room:
    """The possible values of one variable: those of its sort, from a least to a greatest one where there are such, but
    a few.
    """

    sort: Sort
    low: int | None = None
    high: int | None = None
    without: frozenset[Value] = frozenset()

    def narrowed(self, comparison: str, value: Value) -> Room:
        """Return the values that are left where the variable compares so with a value."""
        if comparison == "!=":
            return replace(self, without=self.without | {value})
        number = int(value or 0)
        if comparison in ("<", "<="):
            high = number - (comparison == "<")
            return replace(self, high=high if self.high is None else min(high, self.high))
        low = number + (comparison == ">")
        return replace(self, low=low if self.low is None else max(low, self.low))

    def values(self) -> tuple[Value, ...] | None:
        """All values, where the sort or the bounds make them few enough to be listed."""
        sort = IntegerSort("", self.low, self.high) if isinstance(self.sort, IntegerSort) else self.sort
        listed = sort.values()
        return None if listed is None else tuple(value for value in listed if value not in self.without)

    def draw(self, rng: Random) -> Value:
        """Draw a value: ends of the range and small numbers most, all of it now and then."""
        listed = self.values()
        if listed is not None:
            ends = [*listed[:_NEAR], *listed[-_NEAR:]]
            return rng.choice(ends if rng.random() < 0.5 else listed)
        while True:
            value = self._drawn(rng)
            if value not in self.without:
                return value

    def _drawn(self, rng: Random) -> Value:
        if not isinstance(self.sort, IntegerSort):
            return cast(Value, self.sort.draw(rng))
        step = rng.randrange(_NEAR) if rng.random() < 0.5 else abs(draw_integer(rng))
        if self.low is not None:
            return self.low + (step if self.high is None else step % (self.high - self.low + 1))
        return draw_integer(rng) if self.high is None else self.high - step


@dataclass(frozen=True)
class Region:
    """Values for some variables: fixed ones, and rooms that are independent of each other."""

    fixed: Mapping[str, Value] = field(default_factory=dict)
    rooms: Mapping[str, Room] = field(default_factory=dict)

    def values(self, name: str) -> tuple[Value, ...] | None:
        """All values of a variable, where they are few enough to be listed."""
        return (self.fixed[name],) if name in self.fixed else self.rooms[name].values()

    @property
    def is_empty(self) -> bool:
        """Say whether no values are in it."""
        return any(room.values() == () for room in self.rooms.values())

    def draw(self, rng: Random) -> dict[str, Value]:
        """Draw values of all variables."""
        return {**self.fixed, **{name: room.draw(rng) for name, room in self.rooms.items()}}


EMPTY = Region(rooms={"": Room(BOOLEAN, without=frozenset({False, True}))})


def simple_region(condition: Term, sorts: Mapping[str, Sort]) -> Region | None:
    """Return the values of each variable for which a simple condition holds; None where they are no such region.

    >>> from outplay.model.expressions.sorts import INTEGER
    >>> from outplay.model.expressions.term import between, variables
    >>> p, q = variables("p q")
    >>> found = simple_region(between(1, p, 3) & (q == 7) & (p != 2), {"p": INTEGER, "q": INTEGER})
    >>> found.fixed, found.rooms["p"].values()
    ({'q': 7}, (1, 3))
    """
    fixed: dict[str, Value] = {}
    left = simplify(condition)
    while (solved := _solved(conjuncts(left), sorts)) is not None:
        name, value = solved
        if not sorts[name].contains(value):
            return EMPTY
        fixed[name] = value
        left = simplify(substitute(left, {name: literal(value, sorts[name])}))
    if left is FALSE:
        return EMPTY
    rooms = {name: _room(sort) for name, sort in sorts.items() if name not in fixed}
    for part in conjuncts(left):
        bound = _bound(part)
        if bound is None or bound[0] not in rooms:
            return None
        name, comparison, value = bound
        rooms[name] = rooms[name].narrowed(comparison, value)
    return Region(fixed, rooms)


def _room(sort: Sort) -> Room:
    return Room(sort, sort.low, sort.high) if isinstance(sort, IntegerSort) else Room(sort)


def _solved(parts: Iterable[Term], sorts: Mapping[str, Sort]) -> tuple[str, Value] | None:
    """A variable that a part of the condition fixes."""
    for part in parts:
        if part.is_variable and part.value in sorts:
            return str(part.value), True
        if part.operation == "not" and part.arguments[0].is_variable and part.arguments[0].value in sorts:
            return str(part.arguments[0].value), False
        bound = _bound(part)
        if bound is not None and bound[1] == "=" and bound[0] in sorts:
            return bound[0], bound[2]
    return None


def _bound(part: Term) -> tuple[str, str, Value] | None:
    """A comparison of a variable with a value: its name, how it compares, and the value."""
    if part.operation not in TURNED:
        return None
    left, right = part.arguments
    if left.is_literal:
        left, right, comparison = right, left, TURNED[part.operation]
    else:
        comparison = part.operation
    return (str(left.value), comparison, right.value) if left.is_variable and right.is_literal else None


def interesting_values(condition: Term, sorts: Mapping[str, Sort]) -> dict[str, list[Value]]:
    """Return values at which a condition may turn: its constants and their neighbours, by the variable's sort."""
    numbers = sorted({number for one in _constants(condition) for number in (one - 1, one, one + 1)} | {0, 1, -1})
    texts = [str(one.value) for one in _literals(condition) if isinstance(one.value, str)]
    found: dict[str, list[Value]] = {}
    for name, sort in sorts.items():
        listed = sort.values() if isinstance(sort, Enumeration) or sort == BOOLEAN else None
        candidates: list[Value] = list(listed) if listed is not None else [*numbers, *texts, ""]
        found[name] = [value for value in candidates if sort.contains(value)]
    return found


def _literals(condition: Term) -> list[Term]:
    found: dict[int, Term] = {}
    stack = [condition]
    while stack:
        one = stack.pop()
        if id(one) not in found:
            found[id(one)] = one
            stack.extend(one.arguments)
    return [one for one in found.values() if one.is_literal]


def _constants(condition: Term) -> list[int]:
    return [one.value for one in _literals(condition) if isinstance(one.value, int) and one.value is not TRUE.value]


def disjuncts(condition: Term, most: int = 16) -> list[Term]:
    """Split a condition into alternative conjunctions; leave it whole where these would be too many.

    >>> from outplay.model.expressions.term import variables
    >>> p, q = variables("p q")
    >>> disjuncts(((p == 1) | (p == 2)) & (q > 0))
    [p = 1 and q > 0, p = 2 and q > 0]
    """
    found: list[list[Term]] = [[]]
    for part in conjuncts(simplify(condition)):
        choices = part.arguments if part.operation == "or" else (part,)
        found = [[*one, choice] for one in found for choice in choices]
        if len(found) > most:
            return [condition]
    return [simplify(conjunction(parts)) for parts in found]
