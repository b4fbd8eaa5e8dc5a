"""Expressions as text, cut into words, each with its place."""

from __future__ import annotations

import re
from dataclasses import dataclass

from outplay.errors import ModelError

LONGEST = 100_000  # characters of one text
MOST_DIGITS = 1000  # of a number written down
_WORD = re.compile(
    r"""\s*(?:(?P<number>[0-9]+)|(?P<name>[^\W\d]\w*(?:[.][^\W\d]\w*)*(?:@[0-9]+|'*))"""
    r"""|(?P<text>"(?:[^"\\\n]|\\.)*")|(?P<symbol>===|!==|:=|==|!=|<=|>=|=>|->|&&|\|\||\+\+|--|\+=|-=|\*=|[^\s\w"]))"""
)


class ExpressionError(ModelError):
    """A text is no expression; `offset` says where in it, `what` is the complaint without the place."""

    def __init__(self, what: str, offset: int) -> None:
        super().__init__(f"{what} (at character {offset + 1})")
        self.what = what
        self.offset = offset


@dataclass(frozen=True)
class TextPart:
    """A word of an expression: what it is (number, name, text, symbol, end), how it is written, and where."""

    kind: str
    text: str
    offset: int


def tokens_of(text: str) -> list[TextPart]:
    """The words of a text, and its end.

    >>> [part.text for part in tokens_of('x.y >= 12 && p\\' != "a b"')]
    ['x.y', '>=', '12', '&&', "p'", '!=', '"a b"', '']
    """
    if len(text) > LONGEST:
        raise ExpressionError(f"longer than {LONGEST:,} characters; write it in parts", 0)
    parts, place = [], 0
    while found := _WORD.match(text, place):
        kind = str(found.lastgroup)
        if kind == "number" and found.end(kind) - found.start(kind) > MOST_DIGITS:
            raise ExpressionError(
                f"a number of more than {MOST_DIGITS:,} digits; write a smaller one", found.start(kind)
            )
        parts.append(TextPart(kind, found[kind], found.start(kind)))
        place = found.end()
    rest = text[place:]
    if rest.strip():
        where = place + len(rest) - len(rest.lstrip())
        raise ExpressionError(f"{text[where : where + 20]!r} cannot be read; close the quote", where)
    return [*parts, TextPart("end", "", len(text))]


class Words:
    """The words of a text, taken one after the other."""

    def __init__(self, text: str) -> None:
        self._parts = tokens_of(text)
        self._place = 0

    @property
    def next(self) -> TextPart:
        """The word that comes next; the end stays."""
        return self._parts[self._place]

    @property
    def is_done(self) -> bool:
        return self.next.kind == "end"

    def take(self) -> TextPart:
        """Take the next word."""
        part = self.next
        self._place = min(self._place + 1, len(self._parts) - 1)
        return part

    def take_if(self, *texts: str) -> bool:
        """Take the next word if it is one of these."""
        found = self.next.kind != "text" and self.next.text in texts
        if found:
            self.take()
        return found

    def expect(self, text: str) -> TextPart:
        """Take the word that has to be next."""
        if self.next.text != text or self.next.kind == "text":
            raise self.error(f"{self.shown} where {text!r} is needed")
        return self.take()

    def name(self, what: str) -> str:
        """Take a name that may be chosen freely."""
        if self.next.kind != "name":
            raise self.error(f"{self.shown} is no name of {what}")
        return self.take().text

    @property
    def shown(self) -> str:
        """The next word for people."""
        text = self.next.text
        return "the end" if self.is_done else repr(text if len(text) <= 40 else text[:40] + "…")

    def error(self, what: str) -> ExpressionError:
        """A complaint at the next word."""
        return ExpressionError(what, self.next.offset)
