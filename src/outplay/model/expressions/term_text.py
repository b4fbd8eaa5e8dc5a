"""Terms written as text, in the syntax that `reading` reads, with no more brackets than are needed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from outplay.model.expressions.operations import LITERAL, OPERATIONS, VARIABLE
from outplay.model.expressions.sorts import Enumeration

if TYPE_CHECKING:  # terms write themselves by what is here
    from outplay.model.expressions.term import Term


def write_term(term: Term) -> str:
    """Write a term.

    >>> from outplay.model.expressions.term import variables, if_then_else
    >>> x, y = variables("x y")
    >>> write_term(-(x - (y - 1)) * 2), write_term(~((x < 1) | (y == 2))), write_term(if_then_else(x > y, x, y) + 1)
    ('-(x - (y - 1)) * 2', 'not (x < 1 or y = 2)', '(if x > y then x else y) + 1')
    """
    if term.operation == LITERAL:
        return _literal(term)
    if term.operation == VARIABLE:
        return str(term.value)
    if term.operation == "if":
        condition, chosen, otherwise = map(write_term, term.arguments)
        return f"if {condition} then {chosen} else {otherwise}"
    known = OPERATIONS[term.operation]
    if term.operation == "length":
        return f"length({write_term(term.arguments[0])})"
    if len(term.arguments) == 1:
        if term.operation == "not":
            return "not " + _inside(term.arguments[0], known.binds)
        return known.symbol + _inside(term.arguments[0], known.binds + 1)  # two signs in a row would be one word
    # Only the first argument may bind as loosely as the operation itself: a - (b - c) keeps its brackets.
    first = known.binds + 1 if term.operation == "implies" or known.binds == 5 else known.binds
    last = known.binds if term.operation == "implies" else known.binds + 1
    parts = [_inside(one, last if place else first) for place, one in enumerate(term.arguments)]
    return f" {known.symbol} ".join(parts)


def _inside(term: Term, binds: int) -> str:
    text = write_term(term)
    if term.operation in (LITERAL, VARIABLE):
        return f"({text})" if text.startswith("-") else text
    return text if OPERATIONS[term.operation].binds >= binds else f"({text})"


def _literal(term: Term) -> str:
    if isinstance(term.value, bool):
        return "true" if term.value else "false"
    if isinstance(term.value, str) and not isinstance(term.sort, Enumeration):
        return json.dumps(term.value, ensure_ascii=False)
    return str(term.value)
