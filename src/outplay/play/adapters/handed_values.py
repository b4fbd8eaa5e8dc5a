"""Values handed to another process as JSON: whatever the text says, reading it calls nothing but makers of values.

Numbers, texts, true, false and null stand for themselves; all else is a list that begins with its kind. Members of
enums and dataclasses are named by module and class, so the other side has to have them too.

    ["tuple", 1, ["bytes", "6162"], ["enum", "shop.colours", "Colour", "RED"]]
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import reduce
from typing import Any

from outplay.errors import FormatError
from outplay.model.label import Verbatim
from outplay.model.values.values import Map

_PLAIN = (type(None), bool, int, float, str)
_LISTED: dict[type, str] = {tuple: "tuple", list: "list", set: "set", frozenset: "frozenset"}
_MAPPED: dict[type, str] = {dict: "dict", Map: "map"}
_MADE: dict[str, Callable[..., Any]] = {
    **{name: kind for kind, name in (_LISTED | _MAPPED).items()},
    "bytes": bytes.fromhex,
    "fraction": Fraction,
    "verbatim": Verbatim,
}


def handed(value: Any) -> Any:
    """The JSON form of a value.

    >>> handed((1, frozenset({b"ab"}), {"half": Fraction(1, 2)}))
    ['tuple', 1, ['frozenset', ['bytes', '6162']], ['dict', ['half', ['fraction', '1/2']]]]
    """
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind in _LISTED:
        return [_LISTED[kind], *map(handed, value)]
    if kind in _MAPPED:
        return [_MAPPED[kind], *([handed(key), handed(member)] for key, member in value.items())]
    if kind is bytes:
        return ["bytes", value.hex()]
    if kind in (Fraction, Verbatim):
        return [kind.__name__.lower(), str(value)]
    if isinstance(value, Enum) and value.name:
        return ["enum", kind.__module__, kind.__qualname__, value.name]
    if is_dataclass(kind):
        parts = ([field.name, handed(getattr(value, field.name))] for field in fields(value))
        return ["record", kind.__module__, kind.__qualname__, *parts]
    raise FormatError(f"a {kind.__name__} cannot be handed to another process")


def received(given: Any) -> Any:
    """The value again; an error where this side does not have its type.

    >>> received(handed((1, frozenset({b"ab"}), {"half": Fraction(1, 2)})))
    (1, frozenset({b'ab'}), {'half': Fraction(1, 2)})
    """
    if not isinstance(given, list):
        return given
    kind, *parts = given
    if kind in _LISTED.values():
        return _MADE[kind](map(received, parts))
    if kind in _MAPPED.values():
        return _MADE[kind]((received(key), received(member)) for key, member in parts)
    if kind in _MADE:
        return _MADE[kind](*parts)
    module, name, *members = parts
    named = reduce(getattr, name.split("."), importlib.import_module(module))
    if kind == "enum" and isinstance(named, type) and issubclass(named, Enum):
        return named[members[0]]
    if kind == "record" and isinstance(named, type) and is_dataclass(named):
        made = object.__new__(named)
        for field, member in members:
            object.__setattr__(made, field, received(member))
        return made
    raise FormatError(f"{module}.{name} is no {kind}")
