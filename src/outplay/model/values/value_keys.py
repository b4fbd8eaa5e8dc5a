"""What tells values apart: True, 1 and Fraction(1) are equal for Python, but different values of a state."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from enum import Enum, Flag
from fractions import Fraction
from typing import Any

from outplay.model.values.values import ATOMS, Map, unfit


def distinct(values: Iterable[Any]) -> tuple[Any, ...]:
    """The values without those that were there before: True and 1 are different.

    >>> distinct([1, 2, True, 1])
    (1, 2, True)
    """
    return tuple({(value, shape(value)): value for value in values}.values())


def portable(value: Any) -> str:
    """Write a value so that it is told apart from all others, the same in every process, run and hash seed.

    Types of one name are taken for the same type, wherever they were defined.

    >>> [portable(value) for value in (1, True, "1", Fraction(1), None, ("a", b"b"), frozenset({2, 1}), Map(a=1))]
    ['1', 'True', '"1"', '1/1', 'None', '("a",0x62)', '{1,2}', 'Map{"a":1}']
    """
    kind = type(value)
    if value is None or kind in (bool, int):
        return str(value)
    if kind is str:
        return json.dumps(value)
    if kind is bytes:
        return "0x" + str(value.hex())
    if kind is Fraction:
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, Enum):
        return f"{kind.__qualname__}.{value.value if isinstance(value, Flag) else value.name}"
    if kind is tuple:
        return f"({','.join(map(portable, value))})"
    if kind is frozenset:
        return f"{{{','.join(sorted(map(portable, value)))}}}"
    if kind is Map:
        return f"Map{{{','.join(sorted(f'{portable(k)}:{portable(v)}' for k, v in value.items()))}}}"
    if is_dataclass(value):
        return f"{kind.__qualname__}({','.join(portable(getattr(value, field.name)) for field in fields(value))})"
    raise unfit(value, "cannot be written as a key")


def shape(value: Any) -> Any:
    """Return the types a value is made of: equal values with equal shapes are the same value.

    >>> shape((1, 2)) == shape((1, True)), shape(frozenset({1})) == shape(frozenset({True}))
    (False, False)
    """
    kind = type(value)
    if kind is tuple:
        kinds = tuple(map(type, value))
        return kinds if ATOMS.issuperset(kinds) else tuple(map(shape, value))
    if kind is frozenset:
        kinds_met = set(map(type, value))
        if len(kinds_met) == 1 and ATOMS.issuperset(kinds_met):
            return (kind, kinds_met.pop())
        return (kind, frozenset((shape(member), member) for member in value))
    if kind is Map:
        return (kind, frozenset((shape(k), k, shape(v)) for k, v in value.items()))
    if kind not in ATOMS and is_dataclass(value):
        return (kind, tuple(shape(getattr(value, field.name)) for field in fields(value)))
    return kind
