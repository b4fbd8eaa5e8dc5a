"""Numbers for people and for programs: one way to write them, whoever tells."""

from __future__ import annotations

from fractions import Fraction


def json_number(value: Fraction | float | None, exact: bool) -> float | str | None:
    """A number as JSON: a float, or a fraction where that was asked for."""
    if value is None:
        return None
    if exact:
        whole = Fraction(value)
        return f"{whole.numerator}/{whole.denominator}"
    try:
        return float(value)
    except OverflowError:  # beyond all floats: as good as infinite
        return None


def plain(value: Fraction | float) -> str:
    """A number for people.

    >>> plain(Fraction(3)), plain(Fraction(2, 3)), plain(0.1)
    ('3', '2/3 (0.6667)', '0.1')
    """
    if isinstance(value, float):
        return f"{value:.7g}"
    return str(value) if value.denominator == 1 or value.denominator > 1000 else f"{value} ({float(value):.4g})"


def probability_words(value: Fraction | float) -> str:
    """A probability for people, never rounded to certainty."""
    text = plain(float(value))
    return "just below 1" if text == "1" and value < 1 else text


def counted(count: int, noun: str) -> str:
    """So many of something, in the singular or the plural.

    >>> counted(1, "joker"), counted(2000, "move")
    ('1 joker', '2,000 moves')
    """
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def times(count: int) -> str:
    """How often something happened.

    >>> times(1), times(2), times(3)
    ('once', 'twice', '3 times')
    """
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")
