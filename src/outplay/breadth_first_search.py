"""The vertices that can be reached from somewhere, found breadth first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Place = TypeVar("Place", bound=Hashable)


def nearest_first(starts: Iterable[Place], onward: Callable[[Place], Iterable[Place]]) -> dict[Place, Place]:
    """All that can be reached, nearest first, each with the place it was first met from; a start is met from itself.

    >>> nearest_first([1], lambda number: [number * 2 % 10, number + 3] if number < 5 else [])
    {1: 1, 2: 1, 4: 1, 5: 2, 8: 4, 7: 4}
    """
    before = {start: start for start in starts}
    queue = deque(before)
    while queue:
        place = queue.popleft()
        for target in onward(place):
            if target not in before:
                before[target] = place
                queue.append(target)
    return before
