"""Formatting numbers for people and for programs: one way to write them everywhere."""

from __future__ import annotations

import sys
from decimal import Context, Decimal
from fractions import Fraction


def float_or_fraction(value: Fraction | float) -> Fraction | float:
    """Return a number as a float, or as it is where no float comes near: too large or too small."""
    try:
        near = float(value)
    except OverflowError:
        return value
    return near if abs(near) >= sys.float_info.min or not value else value


def json_number(value: Fraction | float | None, exact: bool) -> float | str | None:
    """Return a number for JSON: a float, or a fraction where that was asked for or no float comes near.

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


def format_digits(value: Fraction | float, count: int = 7) -> str:
    """Format a number in this many digits, however large or small it is.

    >>> format_digits(0.1), format_digits(Fraction(1, 3), 2), format_digits(Fraction(1, 3**1000))
    ('0.1', '0.33', '7.563891e-478')
    """
    near = float_or_fraction(value)
    if isinstance(near, Fraction):
        return f"{Context(prec=count).divide(Decimal(near.numerator), Decimal(near.denominator)).normalize():g}"
    return f"{near:.{count}g}"


def format_rounded(value: Fraction | float) -> str:
    """Format a number in three digits, or whole where it is whole.

    >>> format_rounded(2000.0), format_rounded(Fraction(2, 3))
    ('2,000', '0.667')
    """
    return f"{int(value):,}" if value == int(value) else format_digits(value, 3)


def format_number(value: Fraction | float) -> str:
    """Format a number for people.

    >>> format_number(Fraction(3)), format_number(Fraction(2, 3)), format_number(0.1)
    ('3', '2/3 (0.6667)', '0.1')
    """
    if isinstance(value, float):
        return format_digits(value)
    return str(value) if value.denominator == 1 or value.denominator > 1000 else f"{value} ({format_digits(value, 4)})"


def format_probability(value: Fraction | float) -> str:
    """Format a probability for people, never rounded to certainty."""
    text = format_digits(value)
    return "just below 1" if text == "1" and value < 1 else text
