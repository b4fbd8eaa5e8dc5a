"""A strategy: on the vertices of a game, with a memory, the next move of the tester.

Every answer of a solver has one. Most choose by the vertex alone; others remember how many moves were made, or how many
jokers are left. A follower (`outplay.tester.follower`) plays it, live or to write it out as a test case.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray


class Strategy(Protocol):
    """The tester's move at a vertex, given a memory."""

    @property
    def start(self) -> Hashable:
        """The memory at the beginning of a play."""

    def edge(self, vertex: int, memory: Any) -> int | None:
        """The edge the tester takes; None where it has nothing to choose, and waits."""

    def after(self, vertex: int, memory: Any) -> Hashable:
        """The memory after the move made at a vertex of the system or, where nobody answers, of the tester."""

    def hopeless(self, vertex: int, memory: Any) -> bool:
        """Say whether the goal is out of reach."""


@runtime_checkable
class Listening(Protocol):
    """A strategy that also goes by what was seen, where several answers of the system lead to the same vertex."""

    def heard(self, memory: Any, label: str) -> Hashable:
        """The memory after a label was seen; it comes after that of the move."""


class Positional:
    """One edge for each vertex, whenever the play comes there: nothing to remember."""

    start = None

    def __init__(self, choice: NDArray[Any], lost: NDArray[np.bool_]) -> None:
        self._choice, self._lost = choice, lost

    def edge(self, vertex: int, memory: None) -> int | None:
        edge = int(self._choice[vertex])
        return None if edge < 0 else edge

    def after(self, vertex: int, memory: None) -> None:
        return None

    def hopeless(self, vertex: int, memory: None) -> bool:
        return bool(self._lost[vertex])
