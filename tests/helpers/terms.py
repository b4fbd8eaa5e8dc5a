"""Random typed terms and values for them, and a second evaluator by Python's own arithmetic."""

from __future__ import annotations

from random import Random
from typing import Any

from outplay.model.expressions.sorts import BOOLEAN, INTEGER, TEXT, Sort, enumeration, integer_sort
from outplay.model.expressions.term import Term, apply, literal, variable

COLOUR = enumeration("colour", "red green blue")
SORTS: dict[str, Sort] = {
    "x": INTEGER, "y": INTEGER, "n": integer_sort(-2, 5), "b": BOOLEAN, "c": BOOLEAN, "s": TEXT, "k": COLOUR,
}  # fmt: skip
SCOPE = {name: variable(name, sort) for name, sort in SORTS.items()} | {
    name: literal(name, COLOUR) for name in COLOUR.members
}
_BOOLEANS = ["and", "or", "not", "implies", "=", "!=", "<", "<=", ">", ">=", "if"]
_NUMBERS = ["+", "-", "*", "div", "mod", "negative", "if", "length"]


def random_values(rng: Random) -> dict[str, Any]:
    """A value for each variable."""
    small: dict[str, Any] = {name: sort.draw(rng) for name, sort in SORTS.items()}
    return small | {"x": rng.randint(-4, 4), "y": rng.randint(-4, 4)}


def random_term(rng: Random, sort: Sort, depth: int) -> Term:
    """A term of a sort, of at most so many levels."""
    if depth <= 1 or rng.random() < 0.15 or sort.base == COLOUR:
        return _leaf(rng, sort)
    if sort.base == BOOLEAN:
        return _condition(rng, depth - 1)
    if sort.base == TEXT:
        return apply("+", *(random_term(rng, TEXT, depth - 1) for _ in range(2)))
    return _number(rng, depth - 1)


def _leaf(rng: Random, sort: Sort) -> Term:
    names = [name for name, known in SORTS.items() if known.base == sort.base]
    if rng.random() < 0.6:
        return SCOPE[rng.choice(names)]
    return literal(rng.randint(-3, 6) if sort.base == INTEGER else sort.draw(rng), sort.base)


def _condition(rng: Random, depth: int) -> Term:
    operation = rng.choice(_BOOLEANS)
    if operation in ("=", "!="):
        sort = rng.choice([INTEGER, INTEGER, BOOLEAN, TEXT, COLOUR])
        return apply(operation, random_term(rng, sort, depth), random_term(rng, sort, depth))
    if operation in ("<", "<=", ">", ">="):
        return apply(operation, random_term(rng, INTEGER, depth), random_term(rng, INTEGER, depth))
    count = {"not": 1, "if": 3, "implies": 2}.get(operation, rng.randint(2, 3))
    return apply(operation, *(random_term(rng, BOOLEAN, depth) for _ in range(count)))


def _number(rng: Random, depth: int) -> Term:
    operation = rng.choice(_NUMBERS)
    if operation == "if":
        chosen = [random_term(rng, INTEGER, depth) for _ in range(2)]
        return apply("if", random_term(rng, BOOLEAN, depth), *chosen)
    if operation == "length":
        return apply("length", random_term(rng, TEXT, depth))
    count = {"negative": 1}.get(operation, rng.randint(2, 3) if operation in "+*" else 2)
    return apply(operation, *(random_term(rng, INTEGER, depth) for _ in range(count)))


def python_value(term: Term, values: dict[str, Any]) -> Any:
    """The value of a term by a second way: written as Python with all brackets, and evaluated by it."""

    def quotient(a: int, b: int) -> int:
        if b == 0:
            return 0
        return next(q for q in _around(a // b) if 0 <= a - b * q < abs(b))

    names = {"quotient": quotient, "rest": lambda a, b: a if b == 0 else a - b * quotient(a, b), "len": len}
    return eval(_python(term), names | values)  # of terms made here, never of a file


def _around(number: int) -> list[int]:
    return [number - 1, number, number + 1]


def _python(term: Term) -> str:
    if term.is_variable:
        return str(term.value)
    if term.is_literal:
        return f"({term.value!r})"
    parts = [_python(one) for one in term.arguments]
    if term.operation in ("div", "mod"):
        return f"{'quotient' if term.operation == 'div' else 'rest'}({', '.join(parts)})"
    if term.operation == "if":
        return f"({parts[1]} if {parts[0]} else {parts[2]})"
    if term.operation == "implies":
        return f"((not {parts[0]}) or {parts[1]})"
    if len(parts) == 1:
        return {"not": "(not {})", "negative": "(-{})", "length": "len({})"}[term.operation].format(parts[0])
    return "(" + f" {'==' if term.operation == '=' else term.operation} ".join(parts) + ")"
