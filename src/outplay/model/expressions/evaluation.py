"""Evaluation of terms: their values, substitution, and assignments.

What is computed with terms: their value, their free variables, and terms put in the place of variables.

Assignments: what variables become, all at once, as terms over what they were. `x := x + p, y := x` gives y the old x.
Where a dialect assigns one after the other, `simultaneous_assignments` puts the earlier ones into the later ones, so
that there is one meaning only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from outplay.errors import ModelError, did_you_mean
from outplay.model.expressions.reading import ExpressionError, TermReader, Words
from outplay.model.expressions.sorts import LITERAL, OPERATIONS, VARIABLE, IntegerSort, Sort, Value
from outplay.model.expressions.term import TRUE, Term, apply, conjunction, literal


def evaluate(term: Term, values: Mapping[str, Value]) -> Any:
    """Return the value of a term for these values of its variables.

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
    """Return the variables of terms by name, in the order in which they are met.

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
    """Replace variables of a term by other terms, all at once.

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


Assignment: TypeAlias = Mapping[str, Term]
"""The new value of each variable named; the others stay."""


def read_assignments(words: Words, scope: Mapping[str, Term], variables: Mapping[str, Sort]) -> dict[str, Term]:
    """Read simultaneous assignments, apart by commas or semicolons, from a row of words, as far as they go.

    >>> from outplay.model.expressions.sorts import INTEGER
    >>> from outplay.model.expressions.term import variable
    >>> scope = {name: variable(name) for name in "xyp"}
    >>> read_assignments(Words("x := x + p, y := x"), scope, {"x": INTEGER, "y": INTEGER})
    {'x': x + p, 'y': x}
    """
    made: dict[str, Term] = {}
    while not words.is_done:
        place = words.next
        name = words.name("a variable")
        if name not in variables:
            raise ExpressionError(f"{name[:40]!r} is no variable; {did_you_mean(name[:40], variables)}", place.offset)
        if name in made:
            raise ExpressionError(f"{name} is assigned twice; keep one", place.offset)
        words.expect(":=")
        term = TermReader(words, scope).expression()
        if term.sort.base != variables[name].base:
            what = f"{name} is of sort {variables[name]}, but {term} is of sort {term.sort.base}"
            raise ExpressionError(what, place.offset)
        made[name] = term
        if not words.take_if(",", ";"):
            break
    return made


def write_assignment(assignment: Assignment) -> str:
    """Write an assignment of a term to a variable in the form in which it is read."""
    return ", ".join(f"{name} := {term}" for name, term in assignment.items())


def simultaneous_assignments(steps: Iterable[tuple[str, Term]]) -> dict[str, Term]:
    """Turn assignments that happen one after the other into ones that happen at once.

    >>> from outplay.model.expressions.term import variables
    >>> x, y = variables("x y")
    >>> simultaneous_assignments([("x", x + 1), ("y", x * 2), ("x", y)])
    {'x': (x + 1) * 2, 'y': (x + 1) * 2}
    """
    made: dict[str, Term] = {}
    for name, term in steps:
        made[name] = substitute(term, made)
    return made


def fits_sort(term: Term, sort: Sort) -> Term:
    """Return the condition under which the value of a term is within the bounds of a sort, where it has bounds."""
    if term.sort.base != sort.base:
        raise ModelError(f"{term} is of sort {term.sort.base}, not {sort.base}")
    if term.is_literal:
        return TRUE if sort.contains(term.value) else literal(False)
    if not isinstance(sort, IntegerSort) or term.sort == sort:
        return TRUE
    low = [] if sort.low is None else [term >= sort.low]
    return conjunction([*low, *([] if sort.high is None else [term <= sort.high])])
