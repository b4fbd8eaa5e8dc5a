"""Values that the state of a model may hold, compared by content and not by the objects that hold it.

Allowed are None, bool, int, str, bytes, Fraction, Enum members, tuple, frozenset, frozen dataclasses and `Map`, all the
way down. Anything else would be compared by identity (exploring would never come round) or could change under our
hands. True, 1 and Fraction(1) are equal for Python but different values here: `value_key` tells them apart.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum, Flag
from fractions import Fraction
from itertools import islice
from typing import Any, TypeVar

from outplay.errors import ModelError
from outplay.plurals import counted

K = TypeVar("K")
V = TypeVar("V")

ATOMS = frozenset({type(None), bool, int, str, bytes, Fraction})
_TEXTS = frozenset({type(None), str, bytes})  # equal to nothing of another type
_PIECE = 10_000  # values
_REMEDIES = {
    list: "use a tuple",
    set: "use a frozenset",
    dict: "use an outplay.Map",
    bytearray: "use bytes",
    float: "use a Fraction or an int (floats make equal states differ by rounding)",
}


class Map(Mapping[K, V]):
    """A mapping that cannot change: updates make a new one. It iterates in a canonical order.

    >>> ages = Map(bob=3, ann=1)
    >>> ages
    Map({'ann': 1, 'bob': 3})
    >>> ages.set("ann", 2)["ann"], ages["ann"]
    (2, 1)
    >>> ages.without("bob")
    Map({'ann': 1})
    """

    __slots__ = ("_hash", "_items")

    def __init__(self, items: Mapping[K, V] | Iterable[tuple[K, V]] = (), /, **named: V) -> None:
        given: dict[Any, V] = dict(items)
        given.update(named)
        self._items: dict[K, V] = {key: given[key] for key in ordered(given)}
        self._hash: int | None = None

    def __getitem__(self, key: K) -> V:
        return self._items[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def set(self, key: K, value: V) -> Map[K, V]:
        """Return the same map with one entry added or replaced."""
        return Map({**self._items, key: value})

    def without(self, key: K) -> Map[K, V]:
        """Return the same map with one entry left out."""
        return Map({other: value for other, value in self._items.items() if other != key})

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._items.items()))
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Map) and self._items == other._items

    def __reduce__(self) -> tuple[Any, ...]:
        return Map, (self._items,)  # without the hash, which another process would not find

    def __repr__(self) -> str:
        return f"Map({self._items!r})"


def ordered(values: Iterable[Any]) -> tuple[Any, ...]:
    """Put values of a model's state into an order that depends on nothing but the values.

    >>> ordered({"b", "a"}), ordered({2, True, "x", None})
    (('a', 'b'), (None, True, 2, 'x'))
    """
    listed = list(values)
    if len({type(value) for value in listed}) == 1 and type(listed[0]) in (int, str):
        return tuple(sorted(listed))
    return tuple(sorted(listed, key=sort_key))


def list_values(values: Iterable[Any], most: int | None = None) -> tuple[Any, ...]:
    """List values in pieces small enough to be interrupted; raise an error where there are more than `most`.

    >>> list_values(range(3))
    (0, 1, 2)
    """
    found: list[Any] = []
    left = iter(values)
    while piece := tuple(islice(left, _PIECE)):
        found += piece
        if most is not None and len(found) > most:
            raise ModelError(f"more than {counted(most, 'value')}: give a collection, or a function of the model")
    return tuple(found)


def sort_key(value: Any) -> tuple[Any, ...]:
    """Return a key under which all allowed state values can be sorted together."""
    kind = type(value)
    if value is None:
        return ("",)
    if kind in (bool, int, Fraction, str, bytes):
        return (kind.__name__, value)
    if isinstance(value, Enum):
        place = value.value if isinstance(value, Flag) else list(type(value)).index(value)
        return ("enum", kind.__qualname__, place)
    if kind is tuple:
        return ("tuple", len(value), tuple(map(sort_key, value)))
    if kind is frozenset:
        return ("zfrozenset", len(value), tuple(sorted(map(sort_key, value))))
    if kind is Map:
        return ("zmap", len(value), tuple((sort_key(k), sort_key(v)) for k, v in value.items()))
    if is_dataclass(value):
        return ("zz" + kind.__qualname__, tuple(sort_key(getattr(value, f.name)) for f in fields(value)))
    raise _unfit(value, "has no canonical order")


def holds_numbers(value: Any) -> bool:
    """Say whether a value holds, anywhere, something that may equal a value of another type."""
    if isinstance(value, tuple | frozenset):
        return not _TEXTS.issuperset(map(type, value)) and any(map(holds_numbers, value))
    if isinstance(value, Map):
        return any(holds_numbers(part) for entry in value.items() for part in entry)
    return type(value) not in _TEXTS


def is_deeply_nested(value: Any, most: int = 100) -> bool:
    """Say whether the tuples, sets and maps of a value are nested deeper than this many levels; without recursion."""
    layer = [value]
    for _ in range(most):
        layer = [
            part
            for one in layer
            if isinstance(one, tuple | frozenset | Map)
            for part in (one.values() if isinstance(one, Map) else one)
        ]
    return bool(layer)


def check_value(value: Any, where: str) -> None:
    """Raise ModelError, naming the place and the remedy, unless a value is allowed to the bottom."""
    kind = type(value)
    if kind in ATOMS or isinstance(value, Enum):
        return
    if kind is tuple or kind is frozenset:
        if ATOMS.issuperset(map(type, value)):
            return
        for position, member in enumerate(value):
            check_value(member, f"{where}[{position}]" if kind is tuple else f"a member of {where}")
    elif kind is Map:
        for key, member in value.items():
            check_value(key, f"a key of {where}")
            check_value(member, f"{where}[{key!r}]")
    elif is_dataclass(value) and not isinstance(value, type) and _is_frozen(kind):
        for field in fields(value):
            if not field.compare:
                raise ModelError(
                    f"{where}.{field.name} is left out of comparisons, so states that differ there would be taken for "
                    "one: drop compare=False"
                )
            check_value(getattr(value, field.name), f"{where}.{field.name}")
    else:
        raise ModelError(f"{where} holds a {kind.__name__} ({_short(value)}), which a state cannot: {_remedy(value)}")


def _unfit(value: Any, why: str) -> ModelError:
    """The error for a value that no state can hold, with what to use instead."""
    return ModelError(f"a {type(value).__name__} {why} ({_short(value)}): {_remedy(value)}")


def _is_frozen(kind: Any) -> bool:
    return bool(kind.__dataclass_params__.frozen) and bool(kind.__dataclass_params__.eq)


def _remedy(value: Any) -> str:
    for kind, remedy in _REMEDIES.items():
        if isinstance(value, kind):
            return remedy
    if is_dataclass(value) and not isinstance(value, type):
        return "declare it @dataclass(frozen=True), comparing by value (no eq=False)"
    if isinstance(value, tuple):
        return "use a plain tuple or a frozen dataclass"
    return "use None, bool, int, str, bytes, Fraction, Enum, tuple, frozenset, a frozen dataclass or outplay.Map"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "…"


def distinct_values(values: Iterable[Any]) -> tuple[Any, ...]:
    """Return values without repetitions; True and 1 are different.

    >>> distinct_values([1, 2, True, 1])
    (1, 2, True)
    """
    return tuple({(value, value_shape(value)): value for value in values}.values())


def portable_text(value: Any) -> str:
    """Write a value as text that tells it apart from all others, the same in every process, run and hash seed.

    Types of one name are taken for the same type, wherever they were defined.

    >>> [portable_text(value) for value in (1, True, "1", Fraction(1), None, ("a", b"b"), frozenset({2, 1}), Map(a=1))]
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
        return f"({','.join(map(portable_text, value))})"
    if kind is frozenset:
        return f"{{{','.join(sorted(map(portable_text, value)))}}}"
    if kind is Map:
        return f"Map{{{','.join(sorted(f'{portable_text(k)}:{portable_text(v)}' for k, v in value.items()))}}}"
    if is_dataclass(value):
        return f"{kind.__qualname__}({','.join(portable_text(getattr(value, field.name)) for field in fields(value))})"
    raise _unfit(value, "cannot be written as a key")


def value_shape(value: Any) -> Any:
    """Return the types a value is made of: equal values with equal shapes are the same value.

    >>> value_shape((1, 2)) == value_shape((1, True)), value_shape(frozenset({1})) == value_shape(frozenset({True}))
    (False, False)
    """
    kind = type(value)
    if kind is tuple:
        kinds = tuple(map(type, value))
        return kinds if ATOMS.issuperset(kinds) else tuple(map(value_shape, value))
    if kind is frozenset:
        kinds_met = set(map(type, value))
        if len(kinds_met) == 1 and ATOMS.issuperset(kinds_met):
            return (kind, kinds_met.pop())
        return (kind, frozenset((value_shape(member), member) for member in value))
    if kind is Map:
        return (kind, frozenset((value_shape(k), k, value_shape(v)) for k, v in value.items()))
    if kind not in ATOMS and is_dataclass(value):
        return (kind, tuple(value_shape(getattr(value, field.name)) for field in fields(value)))
    return kind
