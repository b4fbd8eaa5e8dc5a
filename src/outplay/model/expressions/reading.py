"""Reading terms from text, and the tokens of that text.

Expressions as text, cut into words, each with its place.

Expressions read from text; nothing in it is ever run.

    condition  =  a implies b  |  a or b  |  a and b  |  not a  |  a = b < c <= d  |  if a then b else c
    term       =  a + b - c  |  a * b div c mod d  |  -a  |  (a)  |  length(text)  |  name  |  12  |  "text"  |  true

with `==`, `&&`, `||`, `!`, `=>` and `->` for equal, and, or, not and implies. Comparisons may be chained:
`1 <= p <= 10`. Names stand for the terms they have in a scope: variables, constants and members of enumerations.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from outplay.errors import ModelError, did_you_mean
from outplay.model.expressions.sorts import OPERATIONS
from outplay.model.expressions.term import FALSE, TRUE, Term, apply, conjunction, literal

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


def _tokens_of(text: str) -> list[TextPart]:
    """The words of a text, and its end.

    >>> [part.text for part in _tokens_of('x.y >= 12 && p\\' != "a b"')]
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
        self._parts = _tokens_of(text)
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


DEEPEST = 80  # levels of brackets and signs in a text
KEYWORDS = frozenset(["and", "or", "not", "implies", "if", "then", "else", "div", "mod", "true", "false", "length"])
COMPARISON = OPERATIONS["="].binds
_MORE = {"==": "=", "&&": "and", "||": "or", "=>": "implies", "->": "implies"}
_WRITTEN = [name for name in OPERATIONS if name not in ("negative", "length", "if", "not")]

Binary = Callable[[Term, Term], Term]


def _binary(operation: str) -> tuple[int, Binary]:
    return OPERATIONS[operation].binds, lambda left, right: apply(operation, left, right)


SYMBOLS: dict[str, tuple[int, Binary]] = {
    **{name: _binary(name) for name in _WRITTEN},
    **{symbol: _binary(name) for symbol, name in _MORE.items()},
}


def read_term(text: str, scope: Mapping[str, Term]) -> Term:
    """Read a term from text whose names stand for the terms of a scope.

    >>> from outplay.model.expressions.term import variables
    >>> x, p = variables("x p")
    >>> read_term("1 <= p <= 10 and (x + p) * 2 != 7", {"x": x, "p": p})
    1 <= p and p <= 10 and (x + p) * 2 != 7
    >>> read_term("p + q", {"p": p})
    Traceback (most recent call last):
    outplay.model.expressions.reading.ExpressionError: no name 'q'; known: p (at character 5)
    """
    words = Words(text)
    term = TermReader(words, scope).expression()
    if not words.is_done:
        raise words.error(f"{words.shown} after the end of the expression")
    return term


def _text(part: TextPart) -> str:
    try:
        text = str(json.loads(part.text))
    except ValueError as error:
        raise ExpressionError(f"{part.text[:40]} is no quoted text: {error}", part.offset) from None
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ExpressionError(f"{part.text[:40]} holds half a character; write it whole", part.offset)
    return text


class TermReader:
    """Reads expressions out of a row of words; what symbols mean is a table, which dialects change."""

    def __init__(
        self,
        words: Words,
        scope: Mapping[str, Term],
        symbols: Mapping[str, tuple[int, Binary]] = SYMBOLS,
    ) -> None:
        self._words = words
        self._scope = scope
        self._symbols = symbols
        self._depth = 0

    def expression(self, least: int = 0) -> Term:
        """Read as much as binds at least so tightly."""
        self._depth += 1
        if self._depth > DEEPEST:
            raise self._words.error(f"nested deeper than {DEEPEST} levels; write it simpler")
        term = self._operand()
        while (binds := self._binds()) >= max(least, 1):
            term = self._compared(term) if binds == COMPARISON else self._joined(term, binds)
        self._depth -= 1
        return term

    def _binds(self) -> int:
        part = self._words.next
        return self._symbols[part.text][0] if part.kind != "text" and part.text in self._symbols else -1

    def _joined(self, left: Term, binds: int) -> Term:
        part = self._words.take()
        right = self.expression(binds if binds == OPERATIONS["implies"].binds else binds + 1)
        return self._built(part, self._symbols[part.text][1], left, right)

    def _compared(self, left: Term) -> Term:
        """A chain of comparisons holds where each of them does."""
        found = []
        while self._binds() == COMPARISON:
            part = self._words.take()
            right = self.expression(COMPARISON + 1)
            found.append(self._built(part, self._symbols[part.text][1], left, right))
            left = right
        return conjunction(found)

    def _built(self, part: TextPart, build: Callable[..., Term], *arguments: Any) -> Term:
        try:
            return build(*arguments)
        except ExpressionError:
            raise
        except ModelError as error:
            raise ExpressionError(str(error), part.offset) from None

    def _operand(self) -> Term:
        part = self._words.take()
        if part.kind == "number":
            return literal(int(part.text))
        if part.kind == "text":
            return literal(_text(part))
        if part.text in ("not", "!", "-"):
            operation = "negative" if part.text == "-" else "not"
            least = OPERATIONS["negative" if part.text != "not" else "not"].binds
            return self._built(part, lambda one: apply(operation, one), self.expression(least))
        if part.text == "(":
            inside = self.expression()
            self._words.expect(")")
            return inside
        if part.text == "if":
            return self._choice(part)
        if part.text == "length":
            self._words.expect("(")
            inside = self.expression()
            self._words.expect(")")
            return self._built(part, lambda one: apply("length", one), inside)
        return self._name(part)

    def _choice(self, part: TextPart) -> Term:
        condition = self.expression()
        self._words.expect("then")
        chosen = self.expression()
        self._words.expect("else")
        return self._built(part, lambda *parts: apply("if", *parts), condition, chosen, self.expression())

    def _name(self, part: TextPart) -> Term:
        if part.kind == "name" and part.text in self._scope:
            return self._scope[part.text]
        if part.text in ("true", "false"):
            return TRUE if part.text == "true" else FALSE
        if part.kind == "name" and part.text not in KEYWORDS:
            raise ExpressionError(
                f"no name {part.text[:40]!r}; {did_you_mean(part.text[:40], self._scope)}", part.offset
            )
        what = "the end" if part.kind == "end" else repr(part.text)
        raise ExpressionError(f"{what} where a term is needed", part.offset)
