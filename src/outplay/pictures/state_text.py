"""State values read from their text: `queue=[["ann","hi"]] waiting={"bob"}` becomes a tree that can be compared.

    state = name=value name=value …
    value = "text" | word | [items] | (items) | {items} | Name(items)
    items = nothing, or item, item, …
    item  = value, or key: value within { }, or name=value within Name( )

What is no such text is one value by itself. Two trees differ at paths: `queue[0]`, `waiting{"bob"}`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

_PART = re.compile(r'\s*("(?:[^"\\]|\\.)*"|[()\[\]{},:=]|[^\s()\[\]{},:="]+)')
_CLOSES = {"(": ")", "[": "]", "{": "}"}
MOST_DEEP = 50


@dataclass(frozen=True)
class Group:
    """A value with parts: what opens it, its name if it has one, and its parts by key."""

    mark: str
    name: str
    parts: Mapping[str, Any]

    def json(self) -> dict[str, Any]:
        parts = [[key, _plain(value)] for key, value in self.parts.items()]
        return {"mark": self.mark, "name": self.name, "parts": parts}


def read_state(text: str) -> dict[str, Any]:
    """Read the variables of a state from its text, by name; one without a name where the text says no more.

    >>> read_state('n=3 queue=[["ann", "hi"]]')["queue"].parts["0"].parts["1"]
    '"hi"'
    >>> read_state("at idle")
    {'state': 'at idle'}
    """
    try:
        reader = _Reader(text)
        found = dict(reader.variables())
    except (ValueError, IndexError):
        return {"state": text}
    return found or {"state": text}


def state_json(text: str) -> list[list[Any]]:
    """Return the variables of a state, read from its text, as JSON for the page."""
    return [[name, _plain(value)] for name, value in read_state(text).items()]


def _plain(value: Any) -> Any:
    return value.json() if isinstance(value, Group) else value


class _Reader:
    def __init__(self, text: str) -> None:
        self._parts, end = [], 0
        text = text.rstrip()
        while end < len(text):
            found = _PART.match(text, end)
            if not found:
                raise ValueError(text)
            self._parts.append(found[1])
            end = found.end()
        self._at = 0

    def variables(self) -> Iterator[tuple[str, Any]]:
        while self._at < len(self._parts):
            name = self._next()
            if not re.fullmatch(r"[^\W\d][\w.]*", name) or self._next() != "=":
                raise ValueError(name)
            yield name, self._value(0)

    def _next(self) -> str:
        self._at += 1
        return self._parts[self._at - 1]

    def _here(self) -> str:
        return self._parts[self._at] if self._at < len(self._parts) else ""

    def _value(self, depth: int) -> Any:
        part = self._next()
        if depth > MOST_DEEP or part in ")]},:=":
            raise ValueError(part)
        if part in _CLOSES:
            return self._group("", part, depth)
        if self._here() == "(":
            return self._group(part, self._next(), depth)
        return part

    def _group(self, name: str, mark: str, depth: int) -> Group:
        parts: dict[str, Any] = {}
        while self._here() != _CLOSES[mark]:
            key, value = str(len(parts)), self._value(depth + 1)
            if self._here() in (":", "=") and self._here():
                self._next()
                key, value = text_of(value), self._value(depth + 1)
            elif mark == "{":
                key = text_of(value)
            parts[key] = value
            if self._here() == ",":
                self._next()
            elif self._here() != _CLOSES[mark]:
                raise ValueError(self._here())
        self._next()
        return Group(mark, name, parts)


def text_of(value: Any) -> str:
    """Write a value of a state as text on one line."""
    if not isinstance(value, Group):
        return str(value)
    keyed = value.mark == "{" or value.name
    shown = [
        f"{key}: {text_of(part)}" if keyed and key != text_of(part) and not key.isdigit() else text_of(part)
        for key, part in value.parts.items()
    ]
    return f"{value.name}{value.mark}{', '.join(shown)}{_CLOSES[value.mark]}"


def differences(before: str, after: str) -> list[tuple[str, str | None, str | None]]:
    """Return the differences of two states, as deep as their texts can be told apart: a path, and both values.

    >>> differences('q=[1,[2,3]] w={"a"}', 'q=[1,[2,4]] w={"a","b"}')
    [('q[1][1]', '3', '4'), ('w{"b"}', None, '"b"')]
    """
    earlier, later = read_state(before), read_state(after)
    names = [*earlier, *(name for name in later if name not in earlier)]
    return [one for name in names for one in _differences(name, earlier.get(name), later.get(name))]


def _differences(path: str, before: Any, after: Any) -> Iterator[tuple[str, str | None, str | None]]:
    if (
        isinstance(before, Group)
        and isinstance(after, Group)
        and (before.mark, before.name) == (after.mark, after.name)
    ):
        close = _CLOSES[before.mark]
        for key in [*before.parts, *(key for key in after.parts if key not in before.parts)]:
            yield from _differences(f"{path}{before.mark}{key}{close}", before.parts.get(key), after.parts.get(key))
    elif before != after:
        yield path, None if before is None else text_of(before), None if after is None else text_of(after)
