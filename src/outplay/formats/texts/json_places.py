"""Where something stands in a JSON text: asked only when something is wrong, so reading itself keeps no places.

A place is a path of keys and positions, such as `("edges", 3, "cost")`. The text is walked again from its start, with
the standard decoder for whatever lies beside the path.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence

from outplay.formats.texts.source import position

Path = Sequence[str | int]

_TOKEN = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[{}\[\]:,]|[^\s{}\[\]:,"]+', re.DOTALL)
_BETWEEN = re.compile(r"[\s,:]*")


def locate(text: str, path: Path) -> tuple[int, int]:
    """Return line and column of the key or list entry at the end of a path, or of the last part of it that exists.

    >>> locate('{"edges": [{"cost": 1},\\n {"cost": -1}]}', ("edges", 1, "cost"))
    (2, 3)
    """
    place = value = _skip(text, 0)
    for step in path:
        found = _entries(text, value).get(step)
        if found is None:
            break
        place, value = found
    return position(text, place)


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


def second_key(text: str) -> tuple[str, int]:
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


def find_token(text: str, wanted: Callable[[str], bool]) -> tuple[str, int]:
    """Find the first string, number or word that is wanted, and where it stands."""
    return next((token.group(), token.start()) for token in _TOKEN.finditer(text) if wanted(token.group()))
