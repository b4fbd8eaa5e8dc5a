"""Elimination of quantifiers: for which values of the others there is a value of a variable that meets a condition.

Definition (Cooper 1972, where the variable has no factor). With growing p, comparisons `p > t`, `p = t` … begin to hold
only at their terms or right behind them. So there is a p that meets a condition without negations exactly where the
condition holds far below all terms, or at one of these points; or, the same from above, where the points may be fewer.
Texts are compared as equal only: one that is none of the terms is enough beside them. Variables with few values are
tried one by one. Where the variable has a factor, is multiplied, or stands in a sum of texts, nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from outplay.model.expressions.evaluation import free_variables, substitute
from outplay.model.expressions.simplifying import (
    TURNED,
    conjuncts,
    linear_form,
    linear_sum,
    negated,
    simplify,
)
from outplay.model.expressions.sorts import BOOLEAN, INTEGER, TEXT
from outplay.model.expressions.term import FALSE, TRUE, Term, apply, conjunction, disjunction, literal

_FEW = 16  # values that are tried one by one
_LOW, _HIGH, _OTHER = "from below", "from above", "other than all terms"
_FAR = {
    _LOW: {"<": TRUE, "<=": TRUE, "!=": TRUE, ">": FALSE, ">=": FALSE, "=": FALSE},
    _HIGH: {"<": FALSE, "<=": FALSE, "!=": TRUE, ">": TRUE, ">=": TRUE, "=": FALSE},
    _OTHER: {"!=": TRUE, "=": FALSE},
}
"""Whether a comparison of a variable with a term holds far away from it."""
_STEPS = {_LOW: {">": 1, ">=": 0, "=": 0, "!=": 1}, _HIGH: {"<": -1, "<=": 0, "=": 0, "!=": -1}, _OTHER: {"=": 0}}
"""The distance behind its term at which a comparison begins to hold."""


class _Unsolvable(Exception):
    """The variable stands where this method does not look."""


def eliminate_exists(chosen: Iterable[Term], condition: Term) -> Term | None:
    """Eliminate an existential quantifier over some variables of a condition; None where that cannot be done.

    >>> from outplay.model.expressions.term import between, variables
    >>> x, p = variables("x p")
    >>> eliminate_exists([p], between(1, p, 10) & (x + p > 15))
    x > 5
    >>> eliminate_exists([p], (p > x) & (p < x + 1)), eliminate_exists([p], p * p == x)
    (false, None)
    """
    left = simplify(condition)
    for one in chosen:
        try:
            left = simplify(_without(one, left))
        except _Unsolvable:
            return None
    return left


def _without(one: Term, condition: Term) -> Term:
    name = str(one.value)
    if name not in free_variables(condition):
        return condition
    if condition.operation == "or":
        return disjunction(_without(one, part) for part in condition.arguments)
    apart = [part for part in conjuncts(condition) if name not in free_variables(part)]
    rest = conjunction(part for part in conjuncts(condition) if name in free_variables(part))
    return conjunction([*apart, _tried(one, name, rest)])


def _tried(one: Term, name: str, condition: Term) -> Term:
    listed = one.sort.values()
    if listed is not None and len(listed) <= _FEW:
        return _any(substitute(condition, {name: literal(value, one.sort)}) for value in listed)
    plain = conjunction([*_bounds(one), _plain(condition, name)])
    atoms = dict[tuple[str, Term], None]()
    _replaced(plain, name, lambda atom: _noted(atom, name, atoms))
    sides = [_LOW, _HIGH] if one.sort.base == INTEGER else [_OTHER]
    points = [_points(side, atoms) for side in sides]
    fewest = min(range(len(sides)), key=lambda at: len(points[at]))
    far = _replaced(plain, name, lambda atom: _FAR[sides[fewest]][_solved(atom, name)[0]])
    return _any([far, *(substitute(plain, {name: point}) for point in points[fewest])])


def _points(side: str, atoms: Iterable[tuple[str, Term]]) -> list[Term]:
    """Return the points where comparisons begin to hold, coming from one side."""
    found = dict[Term, None]()
    for comparison, term in atoms:
        step = _STEPS[side].get(comparison)
        if step is not None:
            found[simplify(apply("+", term, literal(step))) if step else term] = None
    return list(found)


def _noted(atom: Term, name: str, atoms: dict[tuple[str, Term], None]) -> Term:
    atoms[_solved(atom, name)] = None
    return atom


def _bounds(one: Term) -> list[Term]:
    low, high = getattr(one.sort, "low", None), getattr(one.sort, "high", None)
    return ([] if low is None else [one >= low]) + ([] if high is None else [one <= high])


def _any(conditions: Iterable[Term]) -> Term:
    return disjunction(simplify(one) for one in conditions)


def _solved(atom: Term, name: str) -> tuple[str, Term]:
    """A comparison as one of the variable itself with a term."""
    if atom.operation not in TURNED:
        raise _Unsolvable
    left, right = atom.arguments
    if left.sort.base == INTEGER:
        parts = linear_form(apply("-", left, right))
        own = [term for term in parts if name in free_variables(term)]
        if len(own) != 1 or not own[0].is_variable or abs(parts[own[0]]) != 1:
            raise _Unsolvable
        factor = parts.pop(own[0])
        rest = {term: -factor * number for term, number in parts.items()}
        return (atom.operation if factor > 0 else TURNED[atom.operation]), linear_sum(rest)
    own_side, other = (left, right) if left.is_variable and left.value == name else (right, left)
    if not own_side.is_variable or own_side.value != name or name in free_variables(other) or left.sort.base != TEXT:
        raise _Unsolvable
    return atom.operation, other


def _replaced(condition: Term, name: str, of_atom: Callable[[Term], Term]) -> Term:
    """A condition with something in the place of each comparison that speaks of a variable."""
    if name not in free_variables(condition):
        return condition
    if condition.operation in ("and", "or", "not"):
        return apply(condition.operation, *(_replaced(one, name, of_atom) for one in condition.arguments))
    return of_atom(condition)


def _plain(condition: Term, name: str) -> Term:
    """A condition in which no `if` and no Boolean is compared where a variable matters."""
    if name not in free_variables(condition):
        return condition
    operation, parts = condition.operation, condition.arguments
    if operation in ("and", "or", "not", "implies"):
        return simplify(apply(operation, *(_plain(one, name) for one in parts)))
    if operation == "if":
        return _plain(_cases(parts[0], parts[1], parts[2]), name)
    if operation in ("=", "!=") and parts[0].sort.base == BOOLEAN:
        other = parts[1] if operation == "=" else negated(parts[1])
        return _plain(_cases(parts[0], other, negated(other)), name)
    choice = next((one for one in _choices(condition)), None)
    if choice is None:
        return condition
    asked, chosen, otherwise = choice.arguments
    return _plain(_cases(asked, _instead(condition, choice, chosen), _instead(condition, choice, otherwise)), name)


def _cases(asked: Term, chosen: Term, otherwise: Term) -> Term:
    return simplify((asked & chosen) | (negated(asked) & otherwise))


def _choices(term: Term) -> Iterable[Term]:
    for one in term.arguments:
        yield from _choices(one)
    if term.operation == "if":
        yield term


def _instead(term: Term, old: Term, new: Term) -> Term:
    if term is old:
        return new
    return term if not term.arguments else apply(term.operation, *(_instead(one, old, new) for one in term.arguments))
