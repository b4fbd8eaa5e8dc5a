"""Guides: what a solver's answer comes down to while playing: where to go now, and whether there is any point.

Every answer becomes a guide. Most choose by the vertex alone; a bounded strategy also looks at the moves made so far.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from outplay.game.graph import TESTER
from outplay.strategy.bounded import Bounded
from outplay.strategy.chance.answers import Expectation, Likelihood
from outplay.strategy.hope import hope
from outplay.strategy.jokers.result import JokerStrategy, NoJoker
from outplay.strategy.result import NoStrategy, Strategy

Answer: TypeAlias = Strategy | NoStrategy | Bounded | Expectation | Likelihood | JokerStrategy | NoJoker


class Guide(Protocol):
    """Knows the way during a play."""

    def edge(self, vertex: int, made: int) -> int | None:
        """Return the edge to take after so many moves; None to wait."""

    def hopeless(self, vertex: int, made: int) -> bool:
        """Say whether the goal is out of reach."""


class Positional:
    """One edge for each vertex, whenever the play comes there."""

    def __init__(self, choice: NDArray[Any], lost: NDArray[np.bool_]) -> None:
        self._choice, self._lost = choice, lost

    def edge(self, vertex: int, made: int) -> int | None:
        edge = int(self._choice[vertex])
        return None if edge < 0 else edge

    def hopeless(self, vertex: int, made: int) -> bool:
        return bool(self._lost[vertex])


class Timed:
    """The edge depends on how many moves are left."""

    def __init__(self, result: Bounded) -> None:
        self._result = result
        self._goals = set(result.goal_vertices.tolist())

    def edge(self, vertex: int, made: int) -> int | None:
        left = self._result.steps - made
        return self._result.edge(vertex, left) if left > 0 else None

    def hopeless(self, vertex: int, made: int) -> bool:
        own = self._result.game.owner[vertex] == TESTER and vertex not in self._goals
        return bool(made >= self._result.steps or (own and self.edge(vertex, made) is None))


def guide(answer: Answer) -> Guide:
    """Make a guide of a solver's answer; where nothing can be forced, a sure win hopes for the shortest way."""
    if isinstance(answer, Strategy | NoStrategy):
        solution = hope(answer)
        return Positional(solution.choice, solution.worth < 0)
    if isinstance(answer, Expectation):
        return Positional(answer.bounds.choice, np.isinf(answer.bounds.high))
    if isinstance(answer, Likelihood):
        return Positional(answer.bounds.choice, answer.bounds.high == 0)
    if isinstance(answer, Bounded):
        return Timed(answer)
    return Positional(*_with_jokers(answer))


def _with_jokers(answer: JokerStrategy | NoJoker) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The tester's own moves: jokers are the system's to grant."""
    owner = answer.game.owner
    edges = [answer.edge(vertex) if owner[vertex] == TESTER else None for vertex in range(len(owner))]
    choice = np.array([-1 if edge is None else edge for edge in edges], dtype=np.int64)
    return choice, answer.jokers < 0
