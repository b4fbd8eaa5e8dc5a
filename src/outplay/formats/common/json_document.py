"""Reading JSON that people write: one object, no key twice, no half characters, every error at its place.

The text is read with the standard decoder, which keeps no places; they are looked for when something is wrong. A place
is a path of keys and positions, such as `("edges", 3, "cost")`. The text is walked again from its start, with the
standard decoder for whatever lies beside the path.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from outplay.errors import FormatError, OutplayError, did_you_mean
from outplay.formats.common.source import Source, line_and_column

Path = Sequence[str | int]

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)
_BETWEEN = re.compile(r"[\s,:]*")


def _locate(text: str, path: Path) -> tuple[int, int]:
    """Return line and column of the key or list entry at the end of a path, or of the last part of it that exists.

    >>> _locate('{"edges": [{"cost": 1},\\n {"cost": -1}]}', ("edges", 1, "cost"))
    (2, 3)
    """
    place = value = _skip(text, 0)
    for step in path:
        found = _entries(text, value).get(step)
        if found is None:
            break
        place, value = found
    return line_and_column(text, place)


def _entries(text: str, start: int) -> dict[str | int, tuple[int, int]]:
    """Map each key of an object, or position of a list, to where it starts and where its value does."""
    decoder = json.JSONDecoder()
    found: dict[str | int, tuple[int, int]] = {}
    if text[start] not in "{[":
        return found
    keyed, place = text[start] == "{", _skip(text, start + 1)
    while text[place] not in "}]":
        key, end = decoder.raw_decode(text, place) if keyed else (len(found), place)
        value = _skip(text, end)
        found[key] = place, value
        _, end = decoder.raw_decode(text, value)
        place = _skip(text, end)
    return found


def _skip(text: str, start: int) -> int:
    between = _BETWEEN.match(text, start)
    return between.end() if between else start


def _second_key(text: str) -> tuple[str, int]:
    """Find the first key that stands twice in one object, and where it stands again."""
    keys: list[set[str]] = []
    last = ""
    start = 0
    for token in _TOKEN.finditer(text):
        word = token.group()
        if word in "{[":
            keys.append(set())
        elif word in "}]":
            keys.pop()
        elif word == ":":
            key = json.loads(last)
            if key in keys[-1]:
                return key, start
            keys[-1].add(key)
        last, start = word, token.start()
    raise AssertionError("no key stands twice")


def _find_token(text: str, wanted: Callable[[str], bool]) -> tuple[str, int]:
    """Find the first string, number or word that is wanted, and where it stands."""
    return next((token.group(), token.start()) for token in _TOKEN.finditer(text) if wanted(token.group()))


NUMBER = "write a number of at most 300 digits, such as 2 or 0.5"
KINDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", dict: "an object"}
TEXTS = "a list of texts"
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


class InvalidDocument(OutplayError):
    """Something is wrong at a place in the document, a path of keys and positions."""

    def __init__(self, what: str, *path: str | int) -> None:
        super().__init__(what)
        self.path = path


@contextmanager
def within_place(*path: str | int) -> Iterator[None]:
    """Add a place of a JSON document to whatever `InvalidDocument` is raised inside."""
    try:
        yield
    except InvalidDocument as error:
        raise InvalidDocument(str(error), *path, *error.path) from None


class Twice(ValueError):
    """A key stands twice in one object."""


def finite_number(word: str) -> float:
    """Read a number of a JSON document; one that is infinite or no number is refused."""
    number = float(word)
    if not math.isfinite(number):
        raise ValueError(word)
    return number


def load_json_document(source: Source, *, kind: str, number: Callable[[str], Any] = finite_number) -> dict[str, Any]:
    """Read the one object of a JSON document whose `format` is `kind`, such as `outplay-suite/1`."""
    document = decode_json(source, number)
    refuse_half_characters(source)
    if not isinstance(document, dict):
        raise source.error(1, 1, f'one JSON object is needed; start with {{"format": "{kind}"')
    if document.get("format") != kind:
        line, column = _locate(source.text, ("format",))
        given = clipped(document.get("format"))
        raise source.error(line, column, f'format is {given}, not {kind!r}; write "format": "{kind}"')
    return document


def decode_json(source: Source, number: Callable[[str], Any] = finite_number) -> Any:
    """Read JSON in which no key stands twice in one object; `number` reads numbers that are not whole."""
    text = source.text
    try:
        return json.loads(text, object_pairs_hook=unique_keys, parse_float=number, parse_constant=number)
    except (ValueError, OutplayError, RecursionError) as error:
        raise decoding_error(source, error, number) from None


def decoding_error(source: Source, error: Exception, number: Callable[[str], Any] = finite_number) -> FormatError:
    """Return the error for a JSON text that the decoder refused, with its line and column."""
    if isinstance(error, json.JSONDecodeError):
        return source.error(error.lineno, error.colno, f"{error.msg}; mend the JSON there")
    if isinstance(error, Twice):
        key, offset = _second_key(source.text)
        return source.error_at(offset, repeated_key(key))
    if isinstance(error, RecursionError):
        return source.error(1, 1, "nested too deeply; lists of flat objects are enough")
    # Python itself refuses whole numbers of thousands of digits.
    word, offset = _find_token(source.text, lambda word: word[0] in "-0123456789NI" and not _reads(number, word))
    return source.error_at(offset, f"{clipped(word, str)} is no number that can be read; {NUMBER}")


def _reads(number: Callable[[str], Any], word: str) -> bool:
    try:
        number(word)
    except (OutplayError, ValueError):
        return False
    return True


def placed_error(source: Source, error: InvalidDocument) -> FormatError:
    """Return an error of a JSON document with the line and column it belongs to."""
    return source.error(*_locate(source.text, error.path), str(error))


def refuse_unknown_fields(entry: dict[str, Any], known: Collection[str]) -> None:
    """Refuse fields of a JSON object that no reader of the document knows."""
    for key in entry:
        if key not in known:
            raise InvalidDocument(f"unknown field {clipped(key)}; {did_you_mean(key[:30], known)}", key)


def text_field(entry: dict[str, Any], key: str, default: str | None = None) -> str:
    """Return a field of a JSON object that is text; it must be there unless there is a default."""
    value = entry.get(key, default)
    if not isinstance(value, str):
        what = "is missing" if value is None and key not in entry else f"is {clipped(value)}"
        raise InvalidDocument(f'{key} {what}; write "{key}": "…"', key)
    return value


def list_field(entry: dict[str, Any], key: str) -> list[Any]:
    """Return a field of a JSON object that is a list; it must be there."""
    value = entry.get(key)
    if not isinstance(value, list):
        raise InvalidDocument(f'{key} is {"missing" if key not in entry else "no list"}; write "{key}": […]', key)
    return value


def typed_field(entry: dict[str, Any], key: str, kind: type, default: Any) -> Any:
    """Return a field of a JSON object that has this type; a missing or null one has the default."""
    value = entry.get(key)
    if value is None:
        return default
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise mistyped(key, value, KINDS[kind])
    return value


def texts_field(value: Any, key: str) -> tuple[str, ...]:
    """Return a field of a JSON object that holds a list of texts."""
    if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
        raise mistyped(key, value, TEXTS)
    return tuple(value)


def mistyped(key: str, value: Any, wanted: str) -> InvalidDocument:
    """Return the error for a field of a JSON object with a value of the wrong type."""
    return InvalidDocument(f"{key} is {clipped(value)} and should be {wanted}", key)


def clipped(value: Any, write: Callable[[Any], str] = repr) -> str:
    """Write a value of a JSON document for an error message, cut where it is long."""
    text = str(value) if isinstance(value, Fraction) else write(value)
    return text if len(text) <= 60 else f"{text[:50]}…"


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Make a JSON object of its pairs; a key that stands twice is refused."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise Twice
    return made


def repeated_key(key: str) -> str:
    """Return the message about a key that stands twice in a JSON object."""
    return f"key {clipped(key)} twice in one object; keep one"


def refuse_half_characters(source: Source) -> None:
    """Refuse JSON text such as "\\ud800", half a character that no file or screen can show."""
    if not _HALF.search(source.text):
        return

    def is_half(word: str) -> bool:
        return word[0] == '"' and any("\ud800" <= letter <= "\udfff" for letter in json.loads(word))

    try:
        word, offset = _find_token(source.text, is_half)
    except StopIteration:
        return
    raise source.error_at(offset, f"{clipped(word, str)} holds half a character; write it whole")
