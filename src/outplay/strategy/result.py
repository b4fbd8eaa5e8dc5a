"""What a solver answers: a strategy with its guarantee, or that there is none, with the set that proves it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from outplay.game.graph import SYSTEM, Game, Vertices


@dataclass(frozen=True, eq=False)
class Solution:
    """Per vertex: the guaranteed cost, the tester's edge, and the number of steps that suffice."""

    worth: NDArray[Any]
    """Cost times `denominator`; -1 where nothing is guaranteed."""
    denominator: int
    choice: NDArray[np.int64]
    """The edge to take; -1 at system vertices, goals and where nothing is guaranteed."""
    rank: NDArray[np.int64]

    def value(self, vertex: int) -> Fraction | None:
        """The least cost that suffices whatever the system does, or None."""
        worth = int(self.worth[vertex])
        return None if worth < 0 else Fraction(worth, self.denominator)

    def values(self) -> list[Fraction | None]:
        """The values of all vertices."""
        return [None if worth < 0 else Fraction(worth, self.denominator) for worth in self.worth.tolist()]

    def edge(self, vertex: int) -> int | None:
        """The edge the tester takes at a vertex of its own; None where it has nothing to choose."""
        edge = int(self.choice[vertex])
        return None if edge < 0 else edge

    def moves(self) -> Iterator[tuple[int, int]]:
        """All choices as (vertex, edge)."""
        for vertex in np.flatnonzero(self.choice >= 0).tolist():
            yield vertex, int(self.choice[vertex])


@dataclass(frozen=True, eq=False)
class Strategy:
    """The tester reaches the goal from the initial vertex whatever the system does, at no more than `value`."""

    game: Game
    goals: tuple[str, ...]
    goal_vertices: Vertices
    solution: Solution

    @property
    def value(self) -> Fraction:
        """The least cost that is sure to suffice."""
        value = self.solution.value(self.game.initial)
        assert value is not None
        return value

    def __repr__(self) -> str:
        return f"Strategy(to {', '.join(self.goals)} at cost {self.value})"


@dataclass(frozen=True, eq=False)
class NoStrategy:
    """The system can keep the tester from the goal for ever, by staying inside `blocking`."""

    game: Game
    goals: tuple[str, ...]
    goal_vertices: Vertices
    solution: Solution
    blocking: Vertices

    @property
    def value(self) -> None:
        return None

    def __repr__(self) -> str:
        return f"NoStrategy(to {', '.join(self.goals)}: the system can stay within {len(self.blocking)} vertices)"


Result: TypeAlias = Strategy | NoStrategy


def blocking_set(game: Game, lost: NDArray[np.bool_]) -> Vertices:
    """Return lost vertices the system can keep the play in: all the tester's moves, one answer of the system each."""
    found = np.zeros(game.vertex_count, dtype=bool)
    stack = [game.initial]
    found[game.initial] = True
    while stack:
        vertex = stack.pop()
        inside = [int(game.target[edge]) for edge in game.edges_of(vertex) if lost[game.target[edge]]]
        if game.owner[vertex] == SYSTEM:
            # One answer is enough; one that leads where we have been keeps the set small.
            inside = sorted(inside, key=lambda target: not found[target])[:1]
        for target in inside:
            if not found[target]:
                found[target] = True
                stack.append(target)
    return np.flatnonzero(found).astype(np.uint32)
