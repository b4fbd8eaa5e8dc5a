"""Reading a JSON document that people write: one object, no key twice, no half characters, every error at its place.

The file is read with the standard decoder; where something is wrong the text is walked again to find the place.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from typing import Any

from outplay.errors import FormatError, OutplayError, did_you_mean
from outplay.formats.json_places import find_token, locate, second_key
from outplay.formats.source import Source


class Wrong(OutplayError):
    """Something is wrong at a place in the document, a path of keys and positions."""

    def __init__(self, what: str, *path: str | int) -> None:
        super().__init__(what)
        self.path = path


class _Twice(Exception):
    """A key stands twice in one object."""


def load(source: Source, *, kind: str) -> dict[str, Any]:
    """Read the one object of a document whose `format` is `kind`, such as `outplay-suite/1`."""
    text = source.text
    try:
        document = json.loads(text, object_pairs_hook=_unique, parse_constant=_no_constant)
    except json.JSONDecodeError as error:
        raise source.error(error.lineno, error.colno, f"{error.msg}; mend the JSON there") from None
    except _Twice:
        key, offset = second_key(text)
        raise source.error_at(offset, f"key {shown(key)} twice in one object; keep one") from None
    except ValueError:  # NaN, and whole numbers of thousands of digits
        raise source.error(1, 1, "a number that cannot be read; there are none in this format") from None
    except RecursionError:
        raise source.error(1, 1, "nested too deeply; lists of flat objects are enough") from None
    _refuse_halves(source)
    if not isinstance(document, dict):
        raise source.error(1, 1, f'one JSON object is needed; start with {{"format": "{kind}"')
    if document.get("format") != kind:
        line, column = locate(text, ("format",))
        given = shown(document.get("format"))
        raise source.error(line, column, f'format is {given}, not {kind!r}; write "format": "{kind}"')
    return document


def placed(source: Source, error: Wrong) -> FormatError:
    """The error with its line and column."""
    return source.error(*locate(source.text, error.path), str(error))


def refuse_unknown(entry: dict[str, Any], known: Collection[str]) -> None:
    """Refuse fields that nobody reads."""
    for key in entry:
        if key not in known:
            raise Wrong(f"unknown field {shown(key)}; {did_you_mean(key[:30], known)}", key)


def text_of(entry: dict[str, Any], key: str, default: str | None = None) -> str:
    """A field that is text; it must be there unless there is a default."""
    value = entry.get(key, default)
    if not isinstance(value, str):
        what = "is missing" if value is None and key not in entry else f"is {shown(value)}"
        raise Wrong(f'{key} {what}; write "{key}": "…"', key)
    return value


def list_of(entry: dict[str, Any], key: str) -> list[Any]:
    """A field that is a list; it must be there."""
    value = entry.get(key)
    if not isinstance(value, list):
        raise Wrong(f'{key} is {"missing" if key not in entry else "no list"}; write "{key}": […]', key)
    return value


def shown(value: Any, write: Callable[[Any], str] = repr) -> str:
    """Show a value of the document on one line, cut where it is long."""
    text = write(value)
    return text if len(text) <= 60 else f"{text[:50]}…"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise _Twice
    return made


def _no_constant(word: str) -> Any:
    raise ValueError(word)


def _refuse_halves(source: Source) -> None:
    """Refuse text such as "\\ud800", half a character that no file or screen can show."""
    if "\\u" not in source.text:
        return

    def is_half(word: str) -> bool:
        return word[0] == '"' and any("\ud800" <= letter <= "\udfff" for letter in json.loads(word))

    try:
        word, offset = find_token(source.text, is_half)
    except StopIteration:
        return
    raise source.error_at(offset, f"{shown(word, str)} holds half a character; write it whole")
