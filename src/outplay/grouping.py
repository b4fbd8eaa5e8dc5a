"""Things sorted into groups by what they have in common."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Member = TypeVar("Member")


def grouped(pairs: Iterable[tuple[Key, Member]], keys: Iterable[Key] = ()) -> dict[Key, list[Member]]:
    """For each key the members that come with it, in their order; keys named beforehand come first, if need be empty.

    >>> grouped([("even", 2), ("odd", 3), ("even", 4)])
    {'even': [2, 4], 'odd': [3]}
    """
    found: dict[Key, list[Member]] = {key: [] for key in keys}
    for key, member in pairs:
        found.setdefault(key, []).append(member)
    return found
