"""Expressions read from text; nothing in it is ever run.

    condition  =  a implies b  |  a or b  |  a and b  |  not a  |  a = b < c <= d  |  if a then b else c
    term       =  a + b - c  |  a * b div c mod d  |  -a  |  (a)  |  length(text)  |  name  |  12  |  "text"  |  true

with `==`, `&&`, `||`, `!`, `=>` and `->` for equal, and, or, not and implies. Comparisons may be chained:
`1 <= p <= 10`. Names stand for the terms they have in a scope: variables, constants and members of enumerations.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from outplay.errors import ModelError, did_you_mean
from outplay.model.expressions.operations import OPERATIONS
from outplay.model.expressions.term import FALSE, TRUE, Term, apply, conjunction, literal
from outplay.model.expressions.tokens import ExpressionError, TextPart, Words

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
    """Read an expression whose names stand for the terms of a scope.

    >>> from outplay.model.expressions.term import variables
    >>> x, p = variables("x p")
    >>> read_term("1 <= p <= 10 and (x + p) * 2 != 7", {"x": x, "p": p})
    1 <= p and p <= 10 and (x + p) * 2 != 7
    >>> read_term("p + q", {"p": p})
    Traceback (most recent call last):
    outplay.model.expressions.tokens.ExpressionError: no name 'q'; known: p (at character 5)
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
