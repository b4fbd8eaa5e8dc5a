"""Terms: typed expressions, frozen and shared, written in Python as the mathematics is.

Equal terms are one and the same object, so they are compared by identity and subterms are stored once. `==` builds the
term "is equal"; whether two terms are the same is `a is b`, or the truth of `a == b`. `&`, `|` and `~` are and, or and
not; they bind tighter than comparisons, so write `(x > 1) & (x < 5)`, or `between(1, x, 5)` for bounds on both sides.

>>> x, p = variables("x p", INTEGER)
>>> between(1, p, 10) & (x + p != 3)
1 <= p and p <= 10 and x + p != 3
>>> (x + 1) is (x + 1), bool(x == x), bool(x == p)
(True, True, False)

Terms written as text, in the syntax that `reading` reads, with no more brackets than are needed.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from weakref import WeakValueDictionary

from outplay.errors import ModelError
from outplay.model.expressions.sorts import (
    BOOLEAN,
    INTEGER,
    LITERAL,
    OPERATIONS,
    TEXT,
    VARIABLE,
    Enumeration,
    Sort,
    Value,
)

DEEPEST = 200  # levels of a term; whoever walks one may recurse
LARGEST = 100_000  # nodes of a term written out

_shared: WeakValueDictionary[tuple[Any, ...], Term] = WeakValueDictionary()


def _infix(operation: str, *, swapped: bool = False) -> Callable[[Term, Any], Term]:
    """An operator of Python that builds a term; `swapped` for terms on the right of values."""

    def build(self: Term, other: Any) -> Term:
        return apply(operation, other, self) if swapped else apply(operation, self, other)

    return build


class Term:
    """An expression: a literal, a variable, or an operation on terms. Made by the functions here and by operators."""

    __slots__ = ("__weakref__", "arguments", "depth", "operation", "size", "sort", "value")

    operation: str
    arguments: tuple[Term, ...]
    value: Value
    """The value of a literal, or the name of a variable."""
    sort: Sort
    depth: int
    size: int

    __add__, __radd__ = _infix("+"), _infix("+", swapped=True)
    __sub__, __rsub__ = _infix("-"), _infix("-", swapped=True)
    __mul__, __rmul__ = _infix("*"), _infix("*", swapped=True)
    __floordiv__, __mod__ = _infix("div"), _infix("mod")
    __lt__, __le__, __gt__, __ge__ = _infix("<"), _infix("<="), _infix(">"), _infix(">=")
    __eq__, __ne__ = _infix("="), _infix("!=")  # type: ignore[assignment]
    __and__, __rand__ = _infix("and"), _infix("and", swapped=True)
    __or__, __ror__ = _infix("or"), _infix("or", swapped=True)

    def __neg__(self) -> Term:
        return apply("negative", self)

    def __invert__(self) -> Term:
        return apply("not", self)

    __hash__ = object.__hash__

    def __bool__(self) -> bool:
        # `a == b` as a question of Python asks whether they are the same term, so that terms can be keys and members.
        if self.operation in ("=", "!="):
            same = self.arguments[0] is self.arguments[1]
            return same if self.operation == "=" else not same
        raise ModelError(
            f"{self} is a term and neither true nor false: join conditions with & and |, bounds with between()"
        )

    def __iter__(self) -> Iterator[Term]:
        raise ModelError(f"{self} is a term and has no members")

    def __reduce__(self) -> tuple[Any, ...]:
        return _term, (self.operation, self.arguments, self.value, self.sort)

    def __repr__(self) -> str:
        return _write_term(self)

    @property
    def is_literal(self) -> bool:
        return self.operation == LITERAL

    @property
    def is_variable(self) -> bool:
        return self.operation == VARIABLE


def _term(operation: str, arguments: tuple[Term, ...], value: Value, sort: Sort) -> Term:
    # The type belongs to the key, for True equals 1; so do the identities of the arguments, for == builds terms.
    key = (operation, tuple(map(id, arguments)), type(value), value, sort)
    known = _shared.get(key)
    if known is not None:
        return known
    made = object.__new__(Term)
    made.operation, made.arguments, made.value, made.sort = operation, arguments, value, sort
    made.depth = 1 + max((one.depth for one in arguments), default=0)
    made.size = 1 + sum(one.size for one in arguments)
    if made.depth > DEEPEST or made.size > LARGEST:
        raise ModelError(f"an expression of more than {DEEPEST} levels or {LARGEST:,} parts: write it simpler")
    _shared[key] = made
    return made


def variable(name: str, sort: Sort = INTEGER) -> Term:
    """Return a variable of a sort as a term."""
    return _term(VARIABLE, (), name, sort)


def variables(names: str, sort: Sort = INTEGER) -> tuple[Term, ...]:
    """Return variables of one sort as terms, their names as words of one text."""
    return tuple(variable(name, sort) for name in names.split())


def literal(value: Value, sort: Sort | None = None) -> Term:
    """Return a value as a term; a text is a member of an enumeration where that sort is given.

    >>> literal(3), literal("red").sort.name, literal(True)
    (3, 'text', true)
    """
    if sort is not None:
        if not sort.contains(value):
            raise ModelError(f"{value!r} is no value of {sort}")
        return _term(LITERAL, (), value, sort.base)
    for known in (BOOLEAN, INTEGER, TEXT):
        if known.contains(value):
            return _term(LITERAL, (), value, known)
    raise ModelError(f"{value!r} is no value that expressions know: use bool, int or str")


def literals(values: Mapping[str, Value], sorts: Mapping[str, Sort]) -> dict[str, Term]:
    """Return values as terms, each of the sort of its name."""
    return {name: literal(value, sorts[name]) for name, value in values.items()}


TRUE, FALSE = literal(True), literal(False)


def apply(operation: str, *given: Any) -> Term:
    """Apply an operation to terms or values as a new term, its sorts checked; a sum takes any number of them."""
    arguments = _lifted(given)
    known = OPERATIONS[operation]
    sort = known.result([one.sort.base for one in arguments])
    if sort is None:
        shown = f" {known.symbol} ".join(f"({one}: {one.sort.base})" for one in arguments)
        raise ModelError(f"{known.symbol} takes {known.takes}, not {shown}")
    if known.is_flat and arguments[0].operation == operation:
        arguments = (*arguments[0].arguments, *arguments[1:])
    if operation == "negative" and arguments[0].is_literal:
        return literal(known.compute(arguments[0].value))  # `-3` has one meaning, so that what is written is read alike
    return _term(operation, arguments, None, sort)


def conjunction(conditions: Any) -> Term:
    """Return the term that all of several conditions hold; true where there is none."""
    listed = tuple(conditions)
    return TRUE if not listed else listed[0] if len(listed) == 1 else apply("and", *listed)


def disjunction(conditions: Any) -> Term:
    """Return the term that one of several conditions holds; false where there is none."""
    listed = tuple(conditions)
    return FALSE if not listed else listed[0] if len(listed) == 1 else apply("or", *listed)


def between(low: Any, middle: Any, high: Any) -> Term:
    """Return the condition low <= middle <= high on terms."""
    return apply("and", apply("<=", low, middle), apply("<=", middle, high))


def implies(condition: Any, consequence: Any) -> Term:
    """Return the term that a consequence holds wherever a condition does."""
    return apply("implies", condition, consequence)


def if_then_else(condition: Any, chosen: Any, otherwise: Any) -> Term:
    """Return the term that is one term where a condition holds and another elsewhere."""
    return apply("if", condition, chosen, otherwise)


def _lifted(given: tuple[Any, ...]) -> tuple[Term, ...]:
    """Values as terms; texts are members of the enumeration they are held against."""
    named = next((one.sort for one in given if isinstance(one, Term) and isinstance(one.sort, Enumeration)), None)
    return tuple(
        one if isinstance(one, Term) else literal(one, named if isinstance(one, str) else None) for one in given
    )


def _write_term(term: Term) -> str:
    """Write a term.

    >>> from outplay.model.expressions.term import variables, if_then_else
    >>> x, y = variables("x y")
    >>> _write_term(-(x - (y - 1)) * 2), _write_term(~((x < 1) | (y == 2))), _write_term(if_then_else(x > y, x, y) + 1)
    ('-(x - (y - 1)) * 2', 'not (x < 1 or y = 2)', '(if x > y then x else y) + 1')
    """
    if term.operation == LITERAL:
        return _literal(term)
    if term.operation == VARIABLE:
        return str(term.value)
    if term.operation == "if":
        condition, chosen, otherwise = map(_write_term, term.arguments)
        return f"if {condition} then {chosen} else {otherwise}"
    known = OPERATIONS[term.operation]
    if term.operation == "length":
        return f"length({_write_term(term.arguments[0])})"
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
    text = _write_term(term)
    if term.operation in (LITERAL, VARIABLE):
        return f"({text})" if text.startswith("-") else text
    return text if OPERATIONS[term.operation].binds >= binds else f"({text})"


def _literal(term: Term) -> str:
    if isinstance(term.value, bool):
        return "true" if term.value else "false"
    if isinstance(term.value, str) and not isinstance(term.sort, Enumeration):
        return json.dumps(term.value, ensure_ascii=False)
    return str(term.value)
