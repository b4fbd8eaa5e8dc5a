"""Values of labels as JSON and back: numbers stay exact, lists become tuples, objects become maps."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from fractions import Fraction
from typing import Any

from outplay.model.label import Verbatim
from outplay.model.values.values import Map, ordered

_LONGEST = 400  # digits


def from_json(value: Any) -> Any:
    """A part of a JSON document as a value that a label can hold.

    >>> from_json([1, {"a": None}])
    (1, Map({'a': None}))
    """
    if isinstance(value, list):
        return tuple(from_json(part) for part in value)
    return Map({key: from_json(part) for key, part in value.items()}) if isinstance(value, dict) else value


def parsed(text: str | bytes) -> Any:
    """Read JSON, with decimals as exact fractions; what is no JSON, `NaN` included, raises ValueError.

    >>> parsed('{"price": 1.10}')
    {'price': Fraction(11, 10)}
    """
    try:
        return json.loads(text, parse_float=_exact, parse_constant=_refused)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def to_json(value: Any) -> Any:
    """An argument of a label as a part of a JSON document.

    >>> to_json((1, Map(a=Fraction(1, 2)), frozenset({"b"})))
    [1, {'a': 0.5}, ['b']]
    """
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, Verbatim):
        return _structured(value)
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else float(value)
    if isinstance(value, tuple | list):
        return [to_json(part) for part in value]
    if isinstance(value, frozenset):
        return [to_json(part) for part in ordered(value)]
    if isinstance(value, Mapping):
        return {str(key): to_json(part) for key, part in value.items()}
    if is_dataclass(value):
        return {field.name: to_json(getattr(value, field.name)) for field in fields(value)}
    return value.hex() if isinstance(value, bytes) else value


def in_words(value: Any) -> str:
    """A value as a piece of a text: of a path, a header or a topic.

    >>> in_words("a b"), in_words(True), in_words((1, "x")), in_words(Fraction(1, 2))
    ('a b', 'true', '[1,"x"]', '0.5')
    """
    plain = to_json(value)
    return plain if isinstance(plain, str) else json.dumps(plain, separators=(",", ":"), ensure_ascii=False)


def _structured(text: Verbatim) -> Any:
    """A structured argument as it was read from a trace: its value where it is JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return str(text)


def _exact(text: str) -> Fraction | str:
    """A number with a point or an exponent; one too large to be a number of anything stays text."""
    exponent = text.lower().partition("e")[2] or "0"
    return Fraction(text) if len(text) < _LONGEST and abs(int(exponent)) < _LONGEST else text


def _refused(name: str) -> None:
    raise ValueError(f"{name} is no JSON")
