"""Labels: one observable step, written `?post bob 3`, `!deliver "two words"`, `delta` or `tau`.

A label is a direction, a gate and typed arguments. Its written form is its identity: two labels are the same when they
read the same, so graphs, traces and messages of the system can be compared without knowing the model's types. Text is
written bare where it can be read as nothing else, all the rest as compact JSON where that exists: the text "3" is
`"3"`, the number is `3`. Words are apart by white space; what is neither a value nor such space between words is kept
just as it was said, letter by letter.

Structured values as text: lists, sets, maps and records, in which only the spaces between the parts mean nothing.

    value  = "text" | word | [items] | (items) | {items} | Name(items)
    items  = nothing, or item, item, …
    item   = value, or key: value within { }

`[1, 2]` and `[1,2]` are one value; `[1 23]` is none of this grammar, so each of its letters counts.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Container, Iterator
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import Any

from outplay.errors import FormatError
from outplay.model.values import Map, ordered

SPACES = " \t\r\n\f\v"
"""The characters between words. Other spaces, such as one that forbids a line break, are letters of the text they stand
in.
"""

_PART = re.compile(r'[ \t\r\n\f\v]*(?:("(?:[^"\\]|\\.)*")|([^ \t\r\n\f\v,:"()\[\]{}]+\(?)|([,:()\[\]{}]))')
_CLOSES = {"(": ")", "[": "]", "{": "}"}


def compact_structured(text: str) -> str | None:
    """Write a structured label argument without the spaces between its parts; None where the text is none.

    >>> compact_structured('[ 1, "two words" ]'), compact_structured("Point( 1 , 2 )"), compact_structured("[1 23]")
    ('[1,"two words"]', 'Point(1,2)', None)
    """
    parts = list(_parts(text))
    return "".join(parts) if parts and _well_formed(parts) else None


def _written_text(text: str) -> str:
    """Write text in quotes, readable where it can be."""
    written = json.dumps(text, ensure_ascii=False)
    # Half a surrogate pair is a Python str but no text that a file or a pipe could carry.
    return written if written.isprintable() else json.dumps(text)


def _parts(text: str) -> Iterator[str]:
    """Cut a text into quoted texts, words and marks; nothing where it cannot be cut so."""
    position, end = 0, len(text.rstrip(SPACES))
    while position < end:
        found = _PART.match(text, position)
        if not found:
            yield ","  # a comma at the end is not well formed
            return
        quoted, word, mark = found.groups()
        try:
            yield _written_text(json.loads(quoted)) if quoted else word or mark
        except ValueError:
            yield ","
            return
        position = found.end()


def _well_formed(parts: list[str]) -> bool:
    """Walk over the parts with a stack of what has to close; `before` is what a part may follow."""
    open_: list[str] = []
    before = ","  # as after a comma, a value has to come
    for part in parts:
        if part[-1] in _CLOSES and part[0] != '"':
            fits, kind = before != "value", "open"
            open_.append(_CLOSES[part[-1]])
        elif part in _CLOSES.values():
            fits, kind = before in ("value", "open") and open_[-1:] == [part], "value"
            open_ = open_[:-1]
        elif part in (",", ":"):
            fits = before == "value" and bool(open_) and (part == "," or open_[-1] == "}")
            kind = part
        else:
            fits, kind = before != "value", "value"
        if not fits:
            return False
        before = kind
    return before == "value" and not open_


INPUT, OUTPUT, DELTA, TAU, NEUTRAL = "?", "!", "delta", "tau", ""

_WORDS_THAT_MEAN_VALUES = {"true", "false", "null"}
_INTEGER = re.compile(r"-?(0|[1-9][0-9]*)")
_MOST_DIGITS = 4000  # Python refuses to read numbers much longer than this
_FRACTION_OR_BYTES = re.compile(r"-?[0-9]+/[0-9]+|0x[0-9a-f]*")
# A token is a run of quoted strings, balanced-looking brackets and other characters; brackets are checked by hand.
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_OPEN, _CLOSE = "([{", ")]}"


class Written(ABC):
    """Something with a direction, whose written form is its identity."""

    kind: str

    @property
    @abstractmethod
    def text(self) -> str:
        """The written form."""

    @property
    def is_input(self) -> bool:
        return self.kind == INPUT

    @property
    def is_output(self) -> bool:
        return self.kind == OUTPUT

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.text)

    def __repr__(self) -> str:
        return self.text


@dataclass(frozen=True, eq=False, repr=False)
class Label(Written):
    """One step that tester and system can both see.

    >>> Label("!", "deliver", ("two words", 3))
    !deliver "two words" 3
    >>> Label.parse("?post bob 3").arguments
    ('bob', 3)
    """

    kind: str
    gate: str = ""
    arguments: tuple[Any, ...] = ()

    @cached_property
    def text(self) -> str:
        """The written form, which is also the identity."""
        return self.kind if self.kind in (DELTA, TAU) else self.kind + self.message

    @cached_property
    def message(self) -> str:
        """The message on the wire: the label without its direction."""
        return " ".join([self.gate, *map(write_argument, self.arguments)])

    @property
    def only(self) -> Label:
        """A label is the offer with one member, itself (see `outplay.model.offer`)."""
        return self

    def __contains__(self, label: object) -> bool:
        return self == label

    def sample(self, rng: Random) -> Label:
        """Draw a member, of which there is but one."""
        return self

    def narrowed(self, other: Container[object]) -> Label | None:
        """Itself, where another offer has it too."""
        return self if self in other else None

    @classmethod
    def parse(cls, text: str) -> Label:
        """Read a label with its direction."""
        text = text.strip(SPACES)
        if text in (DELTA, TAU):
            return cls(text)
        if text[:1] not in (INPUT, OUTPUT):
            raise FormatError(f"label {text!r} has no direction: write ?{text} for an input or !{text} for an output")
        return cls.from_message(text[0], text[1:])

    @classmethod
    def from_message(cls, kind: str, message: str) -> Label:
        """Read the label that a line on the wire stands for, its arguments normalised."""
        tokens = list(label_tokens(message))
        if not tokens:
            raise FormatError("a message needs at least one word")
        return cls(kind, tokens[0], tuple(map(read_argument, tokens[1:])))


SILENCE = Label(DELTA)


class Verbatim(str):
    """A structured argument as read from text: written again just as it stands."""


def write_argument(value: Any) -> str:
    """Write one argument of a label.

    >>> [write_argument(v) for v in ("bob", "two words", "3", 3, True, None, ("a", 1), frozenset({2, 1}))]
    ['bob', '"two words"', '"3"', '3', 'true', 'null', '["a",1]', '{1,2}']
    """
    if isinstance(value, Verbatim):
        return str(value)
    if isinstance(value, str) and not isinstance(value, Enum) and _is_bare(value):
        return value
    return _structured(value)


def _is_bare(text: str) -> bool:
    """Say whether text, written without quotes, is one token that is read as this very text."""
    return (
        bool(text)
        and text.isprintable()
        and not any(mark in text for mark in ' "' + _OPEN + _CLOSE)
        and not _INTEGER.fullmatch(text)
        and not _FRACTION_OR_BYTES.fullmatch(text)
        and text not in _WORDS_THAT_MEAN_VALUES
    )


def _structured(value: Any) -> str:
    if isinstance(value, Enum):
        return value.name or str(value.value)  # a Flag without any bit has no name
    if isinstance(value, str):
        return _written_text(value)
    if value is None or isinstance(value, bool | int):
        return json.dumps(value)
    if isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    if isinstance(value, bytes):
        return "0x" + value.hex()
    if isinstance(value, tuple):
        return "[" + ",".join(map(_structured, value)) + "]"
    if isinstance(value, frozenset):
        return "{" + ",".join(map(_structured, ordered(value))) + "}"
    if isinstance(value, Map):
        return "{" + ",".join(f"{_structured(k)}:{_structured(v)}" for k, v in value.items()) + "}"
    if is_dataclass(value):
        parts = (_structured(getattr(value, field.name)) for field in fields(value))
        return f"{type(value).__name__}({','.join(parts)})"
    raise FormatError(f"a {type(value).__name__} cannot be written in a label: {value!r}")


def read_argument(token: str) -> Any:
    """Read one argument of a label as a typed value; structured ones are normalised, and what is no value is kept.

    >>> [read_argument(t) for t in ("bob", '"3"', "3", "007", "true", '["a", 1]', "[1 23]")]
    ['bob', '3', 3, '007', True, '["a",1]', '[1 23]']
    """
    if _INTEGER.fullmatch(token):
        return int(token) if len(token) <= _MOST_DIGITS else Verbatim(token)
    if token in _WORDS_THAT_MEAN_VALUES:
        return json.loads(token)
    if token.startswith('"') and _STRING.fullmatch(token):
        return _read_string(token)
    if any(mark in token for mark in '"' + _OPEN + _CLOSE):
        tidied = compact_structured(token)
        return Verbatim(token if tidied is None else tidied)
    return Verbatim(token) if _FRACTION_OR_BYTES.fullmatch(token) else token


def _read_string(token: str) -> str:
    try:
        return str(json.loads(token))
    except ValueError as error:
        raise FormatError(f"{token} is no quoted text: {error}") from None


def label_tokens(message: str) -> Iterator[str]:
    """Split at white space outside quotes and brackets."""
    token, depth, position = "", 0, 0
    while position < len(message):
        mark = message[position]
        if mark == '"':
            quoted = _STRING.match(message, position)
            if not quoted:
                raise FormatError(f"a quote is opened and never closed: {message[position : position + 40]}")
            token += quoted.group()
            position = quoted.end()
            continue
        depth += (mark in _OPEN) - (mark in _CLOSE)
        if mark in SPACES and depth <= 0:
            if token:
                yield token
            token = ""
        else:
            token += mark
        position += 1
    if depth > 0:
        raise FormatError(f"a bracket is opened and never closed: {message[:40]}")
    if token:
        yield token
