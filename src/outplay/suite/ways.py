"""Ways: what a solver's answer says at a vertex, with a memory that is part of the test case's states.

Most answers look at the vertex alone, a bounded one also at the moves made, a joker strategy at the jokers left.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Protocol

from outplay.strategy.bounded import Bounded
from outplay.strategy.guide import Answer, Guide, guide
from outplay.strategy.jokers.result import JokerResult, JokerStrategy, NoJoker


class Way(Protocol):
    """Where to go at a vertex, given a memory."""

    @property
    def start(self) -> Hashable:
        """The memory at the beginning."""

    def edge(self, vertex: int, memory: Any) -> int | None:
        """The edge the tester takes; None where it has nothing to choose."""

    def hopeless(self, vertex: int, memory: Any) -> bool:
        """Say whether the goal is out of reach."""

    def after(self, vertex: int, memory: Any) -> Hashable:
        """The memory after the move made at a vertex of the system or, where nobody answers, of the tester."""


class Guided:
    """A way along a guide; `timed` where the number of moves made matters to it, else it is not kept."""

    start = 0

    def __init__(self, guide: Guide, *, timed: bool = False) -> None:
        self._guide, self._timed = guide, timed

    def edge(self, vertex: int, memory: int) -> int | None:
        return self._guide.edge(vertex, memory)

    def hopeless(self, vertex: int, memory: int) -> bool:
        return self._guide.hopeless(vertex, memory)

    def after(self, vertex: int, memory: int) -> int:
        return memory + self._timed


class WithJokers:
    """The way of a joker strategy: each joker played is gone, whether or not the system helped."""

    def __init__(self, strategy: JokerResult) -> None:
        self._strategy = strategy
        self.start = int(strategy.jokers[strategy.game.initial])

    def edge(self, vertex: int, memory: int) -> int | None:
        return self._strategy.edge(vertex, memory)

    def hopeless(self, vertex: int, memory: int) -> bool:
        return not 0 <= int(self._strategy.jokers[vertex]) <= memory

    def after(self, vertex: int, memory: int) -> int:
        return memory - self._strategy.plays_joker(vertex, memory)


def way_of(answer: Answer) -> Way:
    """The way of an answer."""
    if isinstance(answer, JokerStrategy | NoJoker):
        return WithJokers(answer)
    return Guided(guide(answer), timed=isinstance(answer, Bounded))
