"""Bounds on the same sum, put together: `x > 3 and x >= 2 and x <= 4` says `x = 4`."""

from __future__ import annotations

from outplay.model.expressions.simplifying import TURNED, conjuncts, from_linear, linear, simplify
from outplay.model.expressions.sorts import INTEGER
from outplay.model.expressions.term import FALSE, TRUE, Term, apply, conjunction, literal

_BOUNDS = {"<": -1, "<=": 0, ">": 1, ">=": 0, "!=": 0}
"""How far from its number a bound is that includes it."""


def tightened(condition: Term) -> Term:
    """A condition with the bounds on each sum of integers as narrow as they are together; the same for all values.

    >>> from outplay.model.expressions.term import variables
    >>> x, p = variables("x p")
    >>> tightened((x > 3) & (p + x > 2) & (x >= 2) & (x < 5) & (p + x > 6)), tightened((x > 3) & (x < 4))
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
    parts = linear(apply("-", *one.arguments))
    constant = parts.pop(TRUE, 0)
    first = min(parts, key=str)
    operation, sign = (one.operation, 1) if parts[first] > 0 else (TURNED[one.operation], -1)
    whole = from_linear({term: sign * factor for term, factor in parts.items()})
    return whole, operation in (">", ">="), -sign * constant + _BOUNDS[operation]


def _written(whole: Term, sides: dict[bool, tuple[int, Term]]) -> Term:
    """The bounds of a sum as they were written, or the only number between them."""
    if len(sides) == 2 and sides[True][0] >= sides[False][0]:
        return apply("=", whole, literal(sides[True][0])) if sides[True][0] == sides[False][0] else FALSE
    return conjunction(one for _, one in sides.values())
