"""What is computed with terms: their value, their free variables, and terms put in the place of variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from outplay.errors import ModelError
from outplay.model.expressions.operations import LITERAL, OPERATIONS, VARIABLE, Value
from outplay.model.expressions.term import Term, apply


def evaluate(term: Term, values: Mapping[str, Value]) -> Any:
    """The value of a term where its variables have values.

    >>> from outplay.model.expressions.term import variables
    >>> x, p = variables("x p")
    >>> evaluate(x + 2 * p, {"x": 1, "p": 3}), evaluate((x < p) & (p != 3), {"x": 1, "p": 3})
    (7, False)
    """
    operation = term.operation
    if operation == LITERAL:
        return term.value
    if operation == VARIABLE:
        try:
            return values[str(term.value)]
        except KeyError:
            raise ModelError(f"{term} has no value") from None
    if operation == "and":
        return all(evaluate(one, values) for one in term.arguments)
    if operation == "or":
        return any(evaluate(one, values) for one in term.arguments)
    if operation == "if":
        condition, chosen, otherwise = term.arguments
        return evaluate(chosen if evaluate(condition, values) else otherwise, values)
    return OPERATIONS[operation].compute(*[evaluate(one, values) for one in term.arguments])


def free_variables(*terms: Term) -> dict[str, Term]:
    """The variables that terms speak of, by name, in the order in which they are met.

    >>> from outplay.model.expressions.term import variables
    >>> x, p = variables("x p")
    >>> list(free_variables(p + x * p))
    ['p', 'x']
    """
    found: dict[str, Term] = {}
    seen: set[int] = set()

    def walk(term: Term) -> None:
        if id(term) in seen:
            return
        seen.add(id(term))
        if term.operation == VARIABLE:
            found.setdefault(str(term.value), term)
        for one in term.arguments:
            walk(one)

    for term in terms:
        walk(term)
    return found


def substitute(term: Term, terms: Mapping[str, Term]) -> Term:
    """The term with other terms in the place of its variables, all at once.

    >>> from outplay.model.expressions.term import variables
    >>> x, p = variables("x p")
    >>> substitute(x - p, {"x": p, "p": x + 1})
    p - (x + 1)
    """
    return _substitute(term, terms, {})


def _substitute(term: Term, terms: Mapping[str, Term], known: dict[int, Term]) -> Term:
    if term.operation == VARIABLE:
        return terms.get(str(term.value), term)
    if not term.arguments:
        return term
    made = known.get(id(term))
    if made is None:
        arguments = [_substitute(one, terms, known) for one in term.arguments]
        same = all(new is old for new, old in zip(arguments, term.arguments, strict=True))
        made = known[id(term)] = term if same else apply(term.operation, *arguments)
    return made
