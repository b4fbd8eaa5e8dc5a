"""A strategy that breaks ties: of the moves that promise as much for the goal, the one that somebody else prefers.

What is promised stays promised, whichever of them is taken and however often that changes (`Answer.as_good`): each
comes nearer to the goal at no more than the proven cost, with no less than the proven probability, with the same odds
for the moves that are left, or with as many jokers and moves.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from outplay.strategy.answer import Answer
from outplay.strategy.strategy import Strategy

Preference = Callable[[int, Sequence[int]], int]
"""Takes the edge that is chosen otherwise, and all that are as good; names one of them."""


class Preferring:
    """The strategy of an answer, with ties left to a preference; what was taken at a vertex is kept until `moved`."""

    def __init__(self, answer: Answer, prefer: Preference) -> None:
        self._answer, self._prefer = answer, prefer
        self._strategy: Strategy = answer.persistent
        self._taken: dict[int, int] = {}

    def moved(self) -> None:
        """Something happened: it may be preferred otherwise from now on."""
        self._taken.clear()

    @property
    def start(self) -> Hashable:
        return self._strategy.start

    def edge(self, vertex: int, memory: Any) -> int | None:
        chosen = self._strategy.edge(vertex, memory)
        if chosen is None:
            return None
        if vertex not in self._taken:
            good = self._answer.as_good(vertex, memory)
            self._taken[vertex] = self._prefer(chosen, good) if chosen in good and len(good) > 1 else chosen
        return self._taken[vertex]

    def after(self, vertex: int, memory: Any) -> Hashable:
        return self._strategy.after(vertex, memory)

    def hopeless(self, vertex: int, memory: Any) -> bool:
        return self._strategy.hopeless(vertex, memory)
