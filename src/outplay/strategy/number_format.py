"""Numbers for people and for programs: one way to write them, whoever tells."""

from __future__ import annotations

import sys
from decimal import Context, Decimal
from fractions import Fraction


def float_or_fraction(value: Fraction | float) -> Fraction | float:
    """A float, or the number itself where none comes near: it is too large, or so small that its digits are lost."""
    try:
        near = float(value)
    except OverflowError:
        return value
    return near if abs(near) >= sys.float_info.min or not value else value


def json_number(value: Fraction | float | None, exact: bool) -> float | str | None:
    """A number as JSON: a float, or a fraction where that was asked for or no float comes near.

    >>> json_number(Fraction(1, 4), exact=False), json_number(Fraction(1, 4), exact=True), json_number(None, exact=True)
    (0.25, '1/4', None)
    """
    if value is None:
        return None
    near = float_or_fraction(value)
    if isinstance(near, float) and not exact:
        return near
    whole = Fraction(value)
    return f"{whole.numerator}/{whole.denominator}"


def digits(value: Fraction | float, count: int = 7) -> str:
    """A number in this many digits, however large or small it is.

    >>> digits(0.1), digits(Fraction(1, 3), 2), digits(Fraction(1, 3**1000))
    ('0.1', '0.33', '7.563891e-478')
    """
    near = float_or_fraction(value)
    if isinstance(near, Fraction):
        return f"{Context(prec=count).divide(Decimal(near.numerator), Decimal(near.denominator)).normalize():g}"
    return f"{near:.{count}g}"


def rounded(value: Fraction | float) -> str:
    """A number where three digits are enough: whole where it is whole.

    >>> rounded(2000.0), rounded(Fraction(2, 3))
    ('2,000', '0.667')
    """
    return f"{int(value):,}" if value == int(value) else digits(value, 3)


def plain(value: Fraction | float) -> str:
    """A number for people.

    >>> plain(Fraction(3)), plain(Fraction(2, 3)), plain(0.1)
    ('3', '2/3 (0.6667)', '0.1')
    """
    if isinstance(value, float):
        return digits(value)
    return str(value) if value.denominator == 1 or value.denominator > 1000 else f"{value} ({digits(value, 4)})"


def probability_words(value: Fraction | float) -> str:
    """A probability for people, never rounded to certainty."""
    text = digits(value)
    return "just below 1" if text == "1" and value < 1 else text
