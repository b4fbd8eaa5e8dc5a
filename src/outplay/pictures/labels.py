"""Labels and numbers as people read them in a picture."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from outplay.model.label import DELTA, INPUT, OUTPUT, TAU


def role_of(label: str) -> str:
    """Which colour a label gets."""
    if label in (DELTA, TAU, "wait"):
        return "silence"
    return {INPUT: "input", OUTPUT: "output"}.get(label[:1], "plain")


def written(number: Fraction | Any) -> str:
    """Write an exact number shortly; nothing for a number that is absent.

    >>> written(Fraction(1, 3)), written(Fraction(3)), written(Fraction(1234567, 10**7)), written(None)
    ('1/3', '3', '0.1235', '')
    """
    if number is None:
        return ""
    exact = str(number)
    return exact if len(exact) <= 6 else f"{float(number):.4g}"
