"""JSON read bit by bit, for documents that are too large to be kept: one value at a time, each with its place.

The reader goes along an object or a list and hands out the values in it as pieces; what it has passed is forgotten.
So it needs memory for the largest piece only, and a piece has a limit. As with whole documents, no key stands twice in
one object, numbers are finite, and every error is `file:line:column: what; what to do`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from outplay.errors import FormatError
from outplay.formats.common.json_document import (
    decoding_error,
    finite_number,
    refuse_half_characters,
    repeated_key,
    unique_keys,
)
from outplay.formats.common.source import LARGEST, Source

_SPACE = re.compile(r"[ \t\n\r]*")
_CUT = 16  # characters: a word, number or escape that the end of what was read cuts through is refused within this many
_SHOWN = 64  # characters: a complaint shows fewer of what is wrong
_DECODER = json.JSONDecoder(object_pairs_hook=unique_keys, parse_float=finite_number, parse_constant=finite_number)


@dataclass(frozen=True)
class Piece:
    """A value, and the text it stands in, which knows its place in the file."""

    value: Any
    source: Source

    def error(self, what: str) -> FormatError:
        """An error at the beginning of it."""
        return self.source.error(1, 1, what)


class JsonStream:
    """A JSON text that is read as it is asked for.

    >>> stream = JsonStream("file", ['{"a": [1, ', '2], "b"', ': {}}'])
    >>> for key in stream.members():
    ...     entries = stream.entries() if stream.peek() == "[" else [stream.value()]
    ...     print(key.value, [entry.value for entry in entries])
    a [1, 2]
    b [{}]
    """

    def __init__(self, name: str, texts: Iterable[str], *, largest: int = LARGEST) -> None:
        self._name, self._texts, self._largest = name, iter(texts), largest
        self._text, self._at = "", 0
        self._first, self._column, self._known = 1, 1, 0  # the place of the offset that is known

    def peek(self) -> str:
        """The first letter of what comes next; nothing at the end."""
        while True:
            space = _SPACE.match(self._text, self._at)
            self._at = space.end() if space else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def members(self) -> Iterator[Piece]:
        """The keys of the object that comes next; whoever gets one has to take its value before the next one."""
        seen = set[str]()
        for _ in self._parts("{", "}"):
            if self.peek() != '"':
                raise self.error("Expecting property name enclosed in double quotes; mend the JSON there")
            key = self.value()
            if key.value in seen:
                raise key.error(repeated_key(key.value))
            seen.add(key.value)
            self._take(":")
            yield key

    def entries(self) -> Iterator[Piece]:
        """The entries of the list that comes next, one after the other."""
        for _ in self._parts("[", "]"):
            yield self.value()

    def value(self) -> Piece:
        """Whatever comes next, whole."""
        self.peek()
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                place = error.pos - self._at
                cut = error.pos >= len(self._text) - _CUT or error.msg.startswith("Unterminated string")
                if cut and self._more():
                    continue
                raise self._here(len(self._text)).error_at(place, f"{error.msg}; mend the JSON there") from None
            except (ValueError, RecursionError) as error:
                self._read_on(_SHOWN)
                raise decoding_error(self._here(len(self._text)), error) from None
            if end + _CUT <= len(self._text) or not self._more():  # else a number may go on
                break
        self._refuse_large(end)
        piece = Piece(value, self._here(end))
        refuse_half_characters(piece.source)
        self._at = end
        return piece

    def end(self) -> None:
        """Nothing more may come."""
        if self.peek():
            raise self.error("Extra data; mend the JSON there")

    def error(self, what: str) -> FormatError:
        """An error at what comes next."""
        self.peek()
        return self._here(self._at).error(1, 1, what)

    def _parts(self, opening: str, closing: str) -> Iterator[None]:
        self._take(opening)
        if self.peek() == closing:
            self._at += 1
            return
        while True:
            yield
            if self.peek() == closing:
                self._at += 1
                return
            self._take(",")

    def _take(self, letter: str) -> None:
        if self.peek() != letter:
            raise self.error(f"Expecting '{letter}' delimiter; mend the JSON there")
        self._at += 1

    def _here(self, end: int) -> Source:
        """The text from here on, with its place."""
        lines = self._text.count("\n", self._known, self._at)
        if lines:
            self._first += lines
            self._column = self._at - self._text.rfind("\n", self._known, self._at)
        else:
            self._column += self._at - self._known
        self._known = self._at
        return Source(self._name, self._text[self._at : end], self._first, self._column)

    def _read_on(self, count: int) -> None:
        """Have this many letters more, as far as there are any."""
        wanted = len(self._text) - self._at + count
        while len(self._text) - self._at < wanted and self._more():
            pass

    def _more(self) -> bool:
        """Read on, and forget what was passed; as much again as there is, so that long pieces are tried few times."""
        self._refuse_large(len(self._text))
        texts, wanted = list[str](), max(1, len(self._text) - self._at)
        while wanted > 0 and (text := next(self._texts, None)) is not None:
            texts.append(text)
            wanted -= len(text)
        if not any(texts):
            return False
        self._here(self._at)
        self._text, self._at, self._known = self._text[self._at :] + "".join(texts), 0, 0
        return True

    def _refuse_large(self, end: int) -> None:
        if end - self._at > self._largest:
            what = f"a piece larger than {self._largest:,} characters; raise --max-bytes or make it smaller"
            raise self._here(end).error(1, 1, what)
