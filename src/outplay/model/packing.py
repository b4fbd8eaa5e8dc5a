"""Values of models as JSON, for workers that step the same model.

What is read makes no objects but values, of classes that are loaded already, and runs nothing of theirs. A class of the
model's own file is named without its path, which may differ from machine to machine.
"""

from __future__ import annotations

import sys
from dataclasses import fields, is_dataclass
from enum import Enum, Flag
from fractions import Fraction
from typing import Any

from outplay.errors import ModelError
from outplay.model.values import Map

_FILE = "outplay_model_"
"""The beginning of the name of a module that was loaded from a file (load.py); the path stands behind its last `_`."""
_EXACT = 2**63
"""Whole numbers from here on are written in hexadecimal, which may have any length."""


def packed(value: Any) -> Any:
    """Write a value as what JSON can hold.

    >>> packed(("ann", 1, frozenset({b"x"})))
    ['t', 'ann', 1, ['s', ['b', '78']]]
    >>> unpacked(packed(Map(ann=(True, None, 1)))), unpacked(packed(Fraction(1, 3)))
    (Map({'ann': (True, None, 1)}), Fraction(1, 3))
    """
    kind = type(value)
    if value is None or kind in (bool, str):
        return value
    if kind is int:
        return value if -_EXACT < value < _EXACT else ["i", hex(value)]
    if kind is tuple:
        return ["t", *map(packed, value)]
    if kind is frozenset:
        return ["s", *map(packed, value)]
    if kind is bytes:
        return ["b", value.hex()]
    if kind is Fraction:
        return ["q", hex(value.numerator), hex(value.denominator)]
    if kind is Map:
        return ["m", *([packed(key), packed(held)] for key, held in value.items())]
    name = [kind.__module__, kind.__qualname__]
    if isinstance(value, Flag):
        return ["f", *name, packed(value.value)]
    if isinstance(value, Enum):
        return ["e", *name, value.name]
    return ["d", *name, *(packed(getattr(value, field.name)) for field in fields(value))]


def unpacked(written: Any) -> Any:
    """Read what `packed` has written.

    >>> unpacked(["e", "subprocess", "Popen", "ls"])
    Traceback (most recent call last):
    outplay.errors.ModelError: subprocess.Popen is no kind of value of this model: have all workers read the same model
    """
    if type(written) is not list:
        return written
    kind, *parts = written
    if kind == "t":
        return tuple(map(unpacked, parts))
    if kind == "s":
        return frozenset(map(unpacked, parts))
    if kind == "m":
        return Map((unpacked(key), unpacked(held)) for key, held in parts)
    if kind == "b":
        return bytes.fromhex(parts[0])
    if kind == "i":
        return int(parts[0], 16)
    if kind == "q":
        return Fraction(int(parts[0], 16), int(parts[1], 16))
    module, name, *inside = parts
    found = _class(module, name)
    if kind == "f":
        return found(unpacked(inside[0]))
    return found[inside[0]] if kind == "e" else _dataclass(found, map(unpacked, inside))


def _dataclass(kind: Any, values: Any) -> Any:
    made = object.__new__(kind)
    for field, value in zip(fields(kind), values, strict=True):
        object.__setattr__(made, field.name, value)
    return made


def _class(module: str, name: str) -> Any:
    """Find a kind of value among what is loaded."""
    found: Any = _module(module)
    for part in name.split("."):
        found = getattr(found, part, None)
    if isinstance(found, type) and (issubclass(found, Enum) or is_dataclass(found)):
        return found
    raise ModelError(f"{module}.{name} is no kind of value of this model: have all workers read the same model")


def _module(name: str) -> Any:
    if name in sys.modules or not name.startswith(_FILE):
        return sys.modules.get(name)
    stem = name.rpartition("_")[0]
    return next((module for known, module in sys.modules.items() if known.rpartition("_")[0] == stem), None)
