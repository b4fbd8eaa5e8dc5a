"""Values to send, made from JSON schemas: a few to choose from for a parameter, one that is fixed for all else.

Patterns are not matched, since those of a stranger may take for ever; whoever fills in the model gives better values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Any

from outplay.scaffolding.openapi.openapi_document import OpenApi

_CHOICES = 3
_LISTED = 8  # values of an enumeration
_LONGEST = 200  # characters
_NUMBER = 2**63
_DEPTH = 6
_STEPS = 300  # schemas that one value is made of
_FORMATS: Mapping[str, tuple[str, ...]] = {
    "date": ("2024-02-29",),
    "date-time": ("2024-02-29T12:00:00Z",),
    "time": ("12:00:00Z",),
    "uuid": ("00000000-0000-4000-8000-000000000001", "00000000-0000-4000-8000-000000000002"),
    "email": ("ann@example.org", "bob@example.org"),
    "uri": ("https://example.org/a",),
    "hostname": ("example.org",),
    "ipv4": ("192.0.2.1",),
    "ipv6": ("2001:db8::1",),
    "byte": ("YQ==",),
}


class SchemaValues:
    """Values for the schemas of one document."""

    def __init__(self, document: OpenApi) -> None:
        self._document = document
        self._left = _STEPS

    def choices(self, schema: Any) -> tuple[Any, ...]:
        """Values for a parameter of a model: texts, whole numbers, truth values; none where the schema has no such."""
        found = self.whole(schema)
        kind = _type(found)
        if kind not in ("string", "integer", "number", "boolean"):
            return ()
        listed = [found["const"]] if "const" in found else found.get("enum")
        if isinstance(listed, list):
            return _different(listed, lambda value: _plain(value) and value is not None, _LISTED)
        given = [found[key] for key in ("example", "default") if key in found]
        given += found["examples"] if isinstance(found.get("examples"), list) else []
        return _different([*given, *_made(found, kind)], _OF[kind], _CHOICES)

    def fixed(self, schema: Any) -> Any:
        """One value for a schema, as TOML can hold it; small, also where the schema contains itself."""
        self._left = _STEPS
        return self._fixed(schema, 0)

    def whole(self, schema: Any) -> dict[str, Any]:
        """A schema with its references followed: all of `allOf`, the first of `oneOf` and `anyOf`."""
        self._left = _STEPS
        return self._whole(schema, 0)

    def _whole(self, schema: Any, depth: int) -> dict[str, Any]:
        self._left -= 1
        found = self._document.resolved(schema)
        if depth > _DEPTH or self._left < 0:
            return found
        parts = found["allOf"] if isinstance(found.get("allOf"), list) else []
        for key in ("oneOf", "anyOf"):
            if isinstance(found.get(key), list):
                some = (each for each in found[key] if self._document.resolved(each).get("type") != "null")
                parts = [*parts, *islice(some, 1)]
        for part in parts[:_LISTED]:
            found = _both(self._whole(part, depth + 1), found)
        return found

    def _fixed(self, schema: Any, depth: int) -> Any:
        found = self._whole(schema, 0)
        for value in [found[key] for key in ("const", "example", "default") if key in found]:
            if _plain(value):
                return value
        if isinstance(found.get("enum"), list):
            return next((value for value in found["enum"] if _plain(value) and value is not None), "a")
        kind = _type(found)
        if kind == "object":
            return self._object(found, depth)
        if kind == "array":
            enough = depth >= _DEPTH or self._left < 0
            return [] if enough else [self._fixed(found.get("items"), depth + 1)]
        some = _different(_made(found, kind), _OF.get(kind, _plain), 1)
        if kind == "number" and not some and isinstance(found.get("minimum"), int | float):
            return found["minimum"]
        return some[0] if some else "a"

    def _object(self, found: dict[str, Any], depth: int) -> dict[str, Any]:
        if depth >= _DEPTH:
            return {}
        return {name: self._fixed(part, depth + 1) for name, part in sent_properties(found).items() if self._left > 0}


def sent_properties(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the properties of an OpenAPI object that get values: the required ones, or the first few where none is."""
    known = schema.get("properties")
    known = known if isinstance(known, dict) else {}
    required = schema.get("required")
    names = [name for name in required if isinstance(name, str)] if isinstance(required, list) else []
    chosen = names or [name for name, part in known.items() if not _is_read_only(part)][:4]
    return {name: known.get(name, {}) for name in chosen[:20] if not _is_read_only(known.get(name))}


def _is_read_only(part: Any) -> bool:
    return isinstance(part, dict) and part.get("readOnly") is True


def _both(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Two schemas that both hold."""
    made = {**first, **second}
    if isinstance(first.get("properties"), dict) and isinstance(second.get("properties"), dict):
        made["properties"] = {**first["properties"], **second["properties"]}
    if isinstance(first.get("required"), list) and isinstance(second.get("required"), list):
        made["required"] = [*first["required"], *second["required"]]
    return made


def _type(schema: Mapping[str, Any]) -> str:
    kinds = schema.get("type")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    kind = next((each for each in kinds if isinstance(each, str) and each != "null"), None)
    if kind is not None:
        return kind
    if isinstance(schema.get("properties"), dict):
        return "object"
    return "array" if "items" in schema else "string"


def _made(schema: Mapping[str, Any], kind: str) -> Iterator[Any]:
    """Values of a type, within the bounds of the schema."""
    if kind == "boolean":
        yield from (True, False)
    elif kind in ("integer", "number"):
        low, high = _bound(schema, "minimum", "exclusiveMinimum"), _bound(schema, "maximum", "exclusiveMaximum")
        several = schema.get("multipleOf")
        step = several if type(several) is int and 0 < several < _NUMBER else 1
        first = 1 if low is None else int(-(-low // step)) * step
        first = int(high // step) * step if high is not None and low is None and first > high else first
        yield from (n for n in (first, first + step) if (low is None or n >= low) and (high is None or n <= high))
    elif kind == "string":
        shortest, longest = schema.get("minLength"), schema.get("maxLength")
        texts = _FORMATS.get(str(schema.get("format")), ("a", "b"))
        for text in texts:
            wide = text.ljust(min(shortest, _LONGEST), text[-1]) if type(shortest) is int else text
            yield wide[: max(longest, 0)] if type(longest) is int else wide


def _bound(schema: Mapping[str, Any], closed: str, opened: str) -> int | float | None:
    """A bound that a whole number may have: one that excludes a number moves by one."""
    value, excluded = schema.get(closed), schema.get(opened)
    away = 1 if closed == "minimum" else -1
    if excluded is True and _is_number(value):
        return value + away  # type: ignore[operator]  # as was just seen
    if _is_number(excluded):
        value = excluded + away  # type: ignore[operator]  # likewise
    return value if _is_number(value) else None


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) < _NUMBER


def _plain(value: Any) -> bool:
    """Say whether a value is a text, a whole number or a truth value of a size to write down."""
    if isinstance(value, str):
        return len(value) <= _LONGEST
    return isinstance(value, bool) or (type(value) is int and abs(value) < _NUMBER)


_OF: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: isinstance(value, str) and _plain(value),
    "integer": lambda value: type(value) is int and _plain(value),
    "number": lambda value: type(value) is int and _plain(value),
    "boolean": lambda value: isinstance(value, bool),
}


def _different(values: Any, wanted: Callable[[Any], bool], most: int) -> tuple[Any, ...]:
    """The first of them that are wanted, each once."""
    found = dict[tuple[type, Any], Any]()
    for value in values:
        if len(found) < most and wanted(value):
            found.setdefault((type(value), value), value)
    return tuple(found.values())
