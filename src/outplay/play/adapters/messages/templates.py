"""Templates: texts, lists and objects with holes, such as `{"to": "{recipient}"}`, that are filled in from a scope.

A hole names what it stands for: `{sender}` is a parameter of the label, `{json.items.0.id}` a part of a message,
`{env.TOKEN}` a variable of the environment. A text that is one hole alone becomes the value itself, with its type;
elsewhere the value is written into the text. `{{` and `}}` are braces. `{job:json.id}` goes by names: the server chose
the value, and the model calls the first one of that kind 1, the second 2, and so on. `{saved.last+1}` is one more, for
polls that ask for what comes next.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from outplay.errors import FormatError, did_you_mean
from outplay.play.adapters.messages.message import in_words

_PIECE = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
_HOLE = re.compile(r"(?:([A-Za-z_]\w*):)?([A-Za-z_][\w-]*(?:\.[\w-]+)*)(?:\+(\d{1,9}))?")


class Absent(Exception):
    """A hole stands for nothing: what it names is not in the message."""


@dataclass
class ChosenNames:
    """The names of values that the server chose: numbers from 1, for each kind of values by itself."""

    _known: dict[str, list[Any]] = field(default_factory=dict)
    _naming: threading.Lock = field(default_factory=threading.Lock)

    def name(self, kind: str, value: Any) -> int:
        """The name of a value, which gets the next number where it is new."""
        with self._naming:
            known = self._known.setdefault(kind, [])
            if value not in known:
                known.append(value)
            return known.index(value) + 1

    def value(self, kind: str, name: Any) -> Any:
        """The value behind a name; for one that the server never chose a text that it will not know."""
        known = self._known.get(kind, [])
        given = type(name) is int and 0 < name <= len(known)
        return known[name - 1] if given else f"no-such-{kind}-{in_words(name)}"


@dataclass(frozen=True)
class Scope:
    """The values of holes: by the first word of a hole, and the names of values."""

    values: Mapping[str, Any]
    names: ChosenNames
    sending: bool
    """Whether names become values, or values become names."""

    def of(self, hole: Hole) -> Any:
        """Return the value of a hole."""
        found: Any = self.values
        for n, step in enumerate(hole.path):
            found = _part(found, step)
            if found is _NOTHING:
                raise Absent(f"there is no {'.'.join(hole.path[: n + 1])}")
        if hole.plus:
            return _more(found, hole)
        if hole.kind is None:
            return found
        return self.names.value(hole.kind, found) if self.sending else self.names.name(hole.kind, found)


_NOTHING = object()


def _more(value: Any, hole: Hole) -> int:
    if type(value) is int or (isinstance(value, str) and value.isdecimal()):
        return int(value) + hole.plus
    raise Absent(f"{'.'.join(hole.path)} is no whole number")


def _part(whole: Any, step: str) -> Any:
    if isinstance(whole, Mapping):
        return whole.get(step, _NOTHING)
    if isinstance(whole, list | tuple) and step.isdigit() and int(step) < len(whole):
        return whole[int(step)]
    return _NOTHING


@dataclass(frozen=True)
class Hole:
    """One hole: the way to what it stands for, and of which kind the names are that it goes by."""

    path: tuple[str, ...]
    kind: str | None = None
    plus: int = 0

    @staticmethod
    def read(text: str, where: str) -> Hole:
        """Read what stands between the braces."""
        found = _HOLE.fullmatch(text.strip())
        if not found:
            raise FormatError(f"{where}: {{{text}}} is no hole; write {{name}}, {{json.part}} or {{kind:name}}")
        return Hole(tuple(found[2].split(".")), found[1], int(found[3] or 0))


@dataclass(frozen=True)
class Text:
    """A text with holes."""

    pieces: tuple[str | Hole, ...]

    @staticmethod
    def read(text: str, where: str) -> Text:
        """Read a text; `where` names its place in a complaint.

        >>> Text.read("/jobs/{id}?{{", "here").pieces
        ('/jobs/', Hole(path=('id',), kind=None, plus=0), '?{')
        """
        pieces, place = list[str | Hole](), 0
        for found in _PIECE.finditer(text):
            said: str | Hole = found[0][0]
            if found[1] is not None:
                said = Hole.read(found[1], where)
            elif len(found[0]) == 1:
                raise FormatError(f"{where}: a brace stands alone in {text!r}; write it twice, {said}{said}")
            pieces += [text[place : found.start()], said]
            place = found.end()
        return Text(tuple(_joined([*pieces, text[place:]])))

    @property
    def is_value(self) -> bool:
        """Whether it is one hole alone, and stands for a value of any type."""
        return len(self.pieces) == 1 and isinstance(self.pieces[0], Hole)

    def filled(self, scope: Scope) -> Any:
        """The value, or the text with the values written into it."""
        if self.is_value:
            return scope.of(self.pieces[0])  # type: ignore[arg-type]  # as was just seen
        return self.written(scope, in_words)

    def written(self, scope: Scope, how: Any) -> str:
        """The text, with each value written as a function says."""
        return "".join(piece if isinstance(piece, str) else how(scope.of(piece)) for piece in self.pieces)


def _joined(pieces: list[str | Hole]) -> Iterator[str | Hole]:
    """The pieces with neighbouring texts as one, and no empty ones."""
    text = ""
    for piece in pieces:
        if isinstance(piece, str):
            text += piece
            continue
        if text:
            yield text
        yield piece
        text = ""
    if text:
        yield text


def read_tree(value: Any, where: str) -> Any:
    """Read the texts of a tree of lists and objects as templates with holes."""
    if isinstance(value, str):
        return Text.read(value, where)
    if isinstance(value, list | tuple):
        return [read_tree(part, where) for part in value]
    return {key: read_tree(part, f"{where}.{key}") for key, part in value.items()} if isinstance(value, dict) else value


def filled(tree: Any, scope: Scope) -> Any:
    """Fill the holes of a tree of templates."""
    if isinstance(tree, Text):
        return tree.filled(scope)
    if isinstance(tree, list):
        return [filled(part, scope) for part in tree]
    return {key: filled(part, scope) for key, part in tree.items()} if isinstance(tree, dict) else tree


def holes(tree: Any) -> Iterator[Hole]:
    """Return all holes of a tree of templates."""
    if isinstance(tree, Text):
        yield from (piece for piece in tree.pieces if isinstance(piece, Hole))
    elif isinstance(tree, list | tuple):
        for part in tree:
            yield from holes(part)
    elif isinstance(tree, Mapping):
        yield from holes(list(tree.values()))


def refuse_unknown_holes(tree: Any, known: set[str], where: str) -> None:
    """Refuse holes in templates that can never stand for anything."""
    for hole in holes(tree):
        if hole.path[0] not in known:
            hint = did_you_mean(hole.path[0], known)
            raise FormatError(f"{where}: nothing is called {{{'.'.join(hole.path)}}}; {hint}")
