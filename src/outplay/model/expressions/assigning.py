"""Assignments: what variables become, all at once, as terms over what they were.

`x := x + p, y := x` gives y the old x. Where a dialect assigns one after the other, `in_turn` puts the earlier ones
into the later ones, so that there is one meaning only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

from outplay.errors import ModelError, did_you_mean
from outplay.model.expressions.computing import substitute
from outplay.model.expressions.reading import TermReader
from outplay.model.expressions.sorts import IntegerSort, Sort
from outplay.model.expressions.term import TRUE, Term, conjunction, literal
from outplay.model.expressions.tokens import ExpressionError, Words

Assignment: TypeAlias = Mapping[str, Term]
"""What each variable named becomes; the others stay."""


def assignments(words: Words, scope: Mapping[str, Term], variables: Mapping[str, Sort]) -> dict[str, Term]:
    """Take assignments, apart by commas or semicolons, that happen at once, from a row of words, as far as they go.

    >>> from outplay.model.expressions.sorts import INTEGER
    >>> from outplay.model.expressions.term import variable
    >>> scope = {name: variable(name) for name in "xyp"}
    >>> assignments(Words("x := x + p, y := x"), scope, {"x": INTEGER, "y": INTEGER})
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
    """Write assignments as they are read."""
    return ", ".join(f"{name} := {term}" for name, term in assignment.items())


def in_turn(steps: Iterable[tuple[str, Term]]) -> dict[str, Term]:
    """Assignments that happen one after the other, as ones that happen at once.

    >>> from outplay.model.expressions.term import variables
    >>> x, y = variables("x y")
    >>> in_turn([("x", x + 1), ("y", x * 2), ("x", y)])
    {'x': (x + 1) * 2, 'y': (x + 1) * 2}
    """
    made: dict[str, Term] = {}
    for name, term in steps:
        made[name] = substitute(term, made)
    return made


def fits(term: Term, sort: Sort) -> Term:
    """The condition under which a term has a value of a sort: its bounds, where it has some."""
    if term.sort.base != sort.base:
        raise ModelError(f"{term} is of sort {term.sort.base}, not {sort.base}")
    if term.is_literal:
        return TRUE if sort.contains(term.value) else literal(False)
    if not isinstance(sort, IntegerSort) or term.sort == sort:
        return TRUE
    low = [] if sort.low is None else [term >= sort.low]
    return conjunction([*low, *([] if sort.high is None else [term <= sort.high])])
