"""Counts in words: one of something is told in the singular, any other number in the plural."""

from __future__ import annotations


def counted(count: int, noun: str) -> str:
    """This many of something, in the singular or the plural.

    >>> counted(1, "joker"), counted(2000, "move"), counted(2, "switch"), counted(0, "vertex"), counted(3, "try")
    ('1 joker', '2,000 moves', '2 switches', '0 vertices', '3 tries')
    """
    return f"{count:,} {noun if count == 1 else _plural(noun)}"


def _plural(noun: str) -> str:
    for ending, many in (("ch", "ches"), ("vertex", "vertices"), ("try", "tries")):
        if noun.endswith(ending):
            return f"{noun.removesuffix(ending)}{many}"
    return f"{noun}s"


def times(count: int) -> str:
    """Count the times that something happened.

    >>> times(1), times(2), times(3)
    ('once', 'twice', '3 times')
    """
    return {1: "once", 2: "twice"}.get(count, f"{count:,} times")
