"""Simplification of terms, equal for all values of their variables: constants computed, sums collected.

This is no decision procedure. It keeps terms short that grow along a path, such as 0 + p + 0, and makes equal many
that are written differently.

Bounds on the same sum, put together: `x > 3 and x >= 2 and x <= 4` says `x = 4`.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from outplay.model.expressions.sorts import BOOLEAN, INTEGER, OPERATIONS
from outplay.model.expressions.term import FALSE, TRUE, Term, apply, conjunction, disjunction, literal

_OPPOSITES = {"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_COMPARISONS = frozenset(_OPPOSITES)
TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "!=": "!="}
"""Each comparison with its sides exchanged."""


@lru_cache(maxsize=50_000)  # terms are shared, and regions and paths ask for what they come to again and again
def simplify(term: Term) -> Term:
    """Simplify a term; it has the same value everywhere.

    >>> from outplay.model.expressions.term import variables
    >>> x, p = variables("x p")
    >>> simplify(0 + p + 2 * x - p), simplify((x + 1 > x) & ~(p < 3)), simplify((p + 1 == p) | (x == 2))
    (2 * x, p >= 3, x = 2)
    """
    return _rebuilt(term, [simplify(one) for one in term.arguments]) if term.arguments else term


def _rebuilt(term: Term, arguments: list[Term]) -> Term:
    operation = term.operation
    if all(one.is_literal for one in arguments):
        value = OPERATIONS[operation].compute(*(one.value for one in arguments))
        return literal(value, term.sort)
    if operation in ("and", "or"):
        return _joined(operation, arguments)
    if operation == "implies":
        return _joined("or", [negated(arguments[0]), arguments[1]])
    if operation == "not":
        return negated(arguments[0])
    if operation == "if":
        return _chosen(*arguments)
    if operation in _COMPARISONS:
        return _compared(operation, *arguments)
    if term.sort == INTEGER and operation in ("+", "-", "*", "negative"):
        return linear_sum(linear_form(apply(operation, *arguments)))
    return apply(operation, *arguments)


def negated(condition: Term) -> Term:
    """Negate a condition and simplify it, without a double negation."""
    if condition.operation == "not":
        return condition.arguments[0]
    if condition.is_literal:
        return FALSE if condition is TRUE else TRUE
    if condition.operation in _OPPOSITES:
        return apply(_OPPOSITES[condition.operation], *condition.arguments)
    if condition.operation in ("and", "or"):
        return _joined("or" if condition.operation == "and" else "and", [negated(one) for one in condition.arguments])
    return apply("not", condition)


def conjuncts(condition: Term) -> tuple[Term, ...]:
    """Return the conditions of which a condition is the conjunction."""
    return condition.arguments if condition.operation == "and" else () if condition is TRUE else (condition,)


def _joined(operation: str, arguments: Iterable[Term]) -> Term:
    neutral, absorbing = (TRUE, FALSE) if operation == "and" else (FALSE, TRUE)
    kept: dict[int, Term] = {}
    for one in arguments:
        for part in one.arguments if one.operation == operation else (one,):
            if part is absorbing or id(negated(part)) in kept:
                return absorbing
            if part is not neutral:
                kept[id(part)] = part
    return (conjunction if operation == "and" else disjunction)(kept.values())


def _chosen(condition: Term, chosen: Term, otherwise: Term) -> Term:
    if condition.is_literal:
        return chosen if condition is TRUE else otherwise
    if chosen is otherwise:
        return chosen
    if chosen is TRUE and otherwise is FALSE:
        return condition
    if chosen is FALSE and otherwise is TRUE:
        return negated(condition)
    return apply("if", condition, chosen, otherwise)


def _compared(operation: str, left: Term, right: Term) -> Term:
    if left is right:
        return literal(OPERATIONS[operation].compute(0, 0))
    if left.sort.base == BOOLEAN and (left.is_literal or right.is_literal):
        truth, other = (left, right) if left.is_literal else (right, left)
        return other if (truth is TRUE) == (operation == "=") else negated(other)
    if left.sort.base == INTEGER:
        difference = linear_form(apply("-", left, right))
        if len(difference) <= 1 and difference.keys() <= {TRUE}:
            return literal(OPERATIONS[operation].compute(difference.get(TRUE, 0), 0))
        return _cancelled(operation, left, right, difference)
    return apply(operation, left, right)


def _cancelled(operation: str, left: Term, right: Term, difference: dict[Term, int]) -> Term:
    """A comparison without what stands on both sides, `x > 5` for `x + 10 > 15`; as it is where nothing does."""
    sums = linear_form(left), linear_form(right)
    has_constant = [TRUE in known or one.is_literal for known, one in zip(sums, (left, right), strict=True)]
    if len(difference.keys() - {TRUE}) == sum(len(one.keys() - {TRUE}) for one in sums) and not all(has_constant):
        return apply(operation, left, right)
    constant = difference.pop(TRUE, 0)
    ahead = {term: factor for term, factor in difference.items() if factor > 0}
    behind = _scaled({term: factor for term, factor in difference.items() if factor < 0}, -1)
    if not ahead:
        return apply(TURNED[operation], linear_sum(behind), literal(constant))
    return apply(operation, linear_sum(ahead), linear_sum(_summed(behind, {TRUE: -constant})))


def linear_form(term: Term) -> dict[Term, int]:
    """Return the linear form of a sum: its terms with their factors; the constant stands under TRUE."""
    if term.is_literal:
        return {TRUE: int(term.value or 0)} if term.value else {}
    if term.operation == "negative":
        return _scaled(linear_form(term.arguments[0]), -1)
    if term.operation == "-":
        return _summed(linear_form(term.arguments[0]), _scaled(linear_form(term.arguments[1]), -1))
    if term.operation == "+":
        return _summed(*map(linear_form, term.arguments))
    if term.operation == "*":
        return _multiplied(term.arguments)
    return {term: 1}


def _multiplied(factors: tuple[Term, ...]) -> dict[Term, int]:
    number = OPERATIONS["*"].compute(*(one.value for one in factors if one.is_literal))
    others = [one for one in factors if not one.is_literal]
    if not others:
        return {TRUE: number} if number else {}
    return _scaled(linear_form(others[0]) if len(others) == 1 else {apply("*", *others): 1}, number)


def _summed(*parts: dict[Term, int]) -> dict[Term, int]:
    made: dict[Term, int] = {}
    for part in parts:
        for term, factor in part.items():
            made[term] = made.get(term, 0) + factor
    return {term: factor for term, factor in made.items() if factor}


def _scaled(part: dict[Term, int], factor: int) -> dict[Term, int]:
    return {term: factor * old for term, old in part.items()} if factor else {}


def linear_sum(part: dict[Term, int]) -> Term:
    """Return the sum of a linear form, its terms in the order of their text, so that equal sums are one term."""
    constant = part.get(TRUE, 0)
    terms = sorted((term for term in part if term is not TRUE), key=str)
    factors = [(term, part[term]) for term in terms]
    added: list[Term] = [term if factor == 1 else factor * term for term, factor in factors if factor > 0]
    taken: list[Term] = [term if factor == -1 else -factor * term for term, factor in factors if factor < 0]
    if constant > 0 or not terms:
        added.append(literal(constant))
    if constant < 0 and terms:
        taken.append(literal(-constant))
    made = (apply("+", *added) if len(added) > 1 else added[0]) if added else -taken.pop(0)
    for term in taken:
        made = made - term
    return made


_BOUNDS = {"<": -1, "<=": 0, ">": 1, ">=": 0, "!=": 0}
"""The distance from its number of a bound that includes it."""


def tightened_bounds(condition: Term) -> Term:
    """Simplify a condition by making the bounds on each sum of integers as narrow as they are together.

    >>> from outplay.model.expressions.term import variables
    >>> x, p = variables("x p")
    >>> tightened_bounds((x > 3) & (p + x > 2) & (x >= 2) & (x < 5) & (p + x > 6)), tightened_bounds((x > 3) & (x < 4))
    (x = 4 and p + x > 6, false)
    """
    ends: dict[Term, dict[bool, tuple[int, Term]]] = {}
    apart: dict[Term, dict[int, Term]] = {}
    others: list[Term] = []
    for one in conjuncts(simplify(condition)):
        bound = _bound(one)
        if bound is None:
            others.append(one)
        elif one.operation == "!=":
            apart.setdefault(bound[0], {})[bound[2]] = one
        else:
            _narrow(ends.setdefault(bound[0], {}), bound[1], bound[2], one)
    for whole, numbers in apart.items():
        others += _shifted(whole, ends.get(whole, {}), numbers)
    return simplify(conjunction([*(_written(whole, sides) for whole, sides in ends.items()), *others]))


def _narrow(sides: dict[bool, tuple[int, Term]], is_low: bool, number: int, one: Term) -> None:
    known = sides.get(is_low)
    if known is None or (number > known[0] if is_low else number < known[0]):
        sides[is_low] = number, one


def _shifted(whole: Term, sides: dict[bool, tuple[int, Term]], numbers: dict[int, Term]) -> list[Term]:
    """Numbers left out at the end of a range shift its bound; the others are said one by one."""
    left = dict(numbers)
    for is_low, (number, _) in list(sides.items()):
        while left.pop(number, None) is not None:
            number += 1 if is_low else -1
            sides[is_low] = number, apply(">=" if is_low else "<=", whole, literal(number))
    ends = {is_low: number for is_low, (number, _) in sides.items()}
    return [one for at, one in left.items() if ends.get(True, at) <= at <= ends.get(False, at)]


def _bound(one: Term) -> tuple[Term, bool, int] | None:
    """A sum without its constant, whether it is bounded from below, and by which number; sums begin with a plus."""
    if one.operation not in _BOUNDS or one.arguments[0].sort.base != INTEGER:
        return None
    parts = linear_form(apply("-", *one.arguments))
    constant = parts.pop(TRUE, 0)
    first = min(parts, key=str)
    operation, sign = (one.operation, 1) if parts[first] > 0 else (TURNED[one.operation], -1)
    whole = linear_sum({term: sign * factor for term, factor in parts.items()})
    return whole, operation in (">", ">="), -sign * constant + _BOUNDS[operation]


def _written(whole: Term, sides: dict[bool, tuple[int, Term]]) -> Term:
    """The bounds of a sum as they were written, or the only number between them."""
    if len(sides) == 2 and sides[True][0] >= sides[False][0]:
        return apply("=", whole, literal(sides[True][0])) if sides[True][0] == sides[False][0] else FALSE
    return conjunction(one for _, one in sides.values())
