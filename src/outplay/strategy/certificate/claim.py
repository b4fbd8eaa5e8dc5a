"""The questions of the checkers of bounded reachability, and how they refuse an answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from graphlib import TopologicalSorter

import numpy as np

from outplay.errors import CertificateError
from outplay.game.graph import TESTER, Game, Vertices
from outplay.strategy.orders import Order


@dataclass(frozen=True, eq=False)
class Claim:
    """An answer to be checked: what it says for each vertex, and what of that is said to be exact and settled."""

    game: Game
    goal_vertices: Vertices
    steps: int
    order: Order
    tolerance: float
    """0 where all numbers are exact."""
    settled: int | None
    value_of: Callable[[int], tuple[Fraction | float, Fraction | float]]
    changes: Callable[[int], list[tuple[int, int | None]]]
    """For a vertex the moves, each with the number of moves left from which on it is made."""

    @property
    def final(self) -> int:
        """With more moves left than that nothing changes."""
        return self.steps if self.settled is None else self.settled


def refusal(game: Game, vertex: int, left: int, what: str) -> CertificateError:
    """The error for one vertex with this many moves left."""
    return CertificateError(
        f"the checker refuses the answer at vertex {game.names[vertex]!r} with {left} move{'s' * (left != 1)} left: "
        f"{what}; this is a defect of outplay, please report it with the model"
    )


def changes_by_left(claim: Claim) -> dict[int, dict[int, int | None]]:
    """The claimed changes of moves: for each number of moves left those vertices where the move is new, and the move.

    Moves must be edges of tester vertices that are no goals, and nothing may change once the answer is called settled.
    """
    game, goals = claim.game, set(claim.goal_vertices.tolist())
    found: dict[int, dict[int, int | None]] = {}
    for vertex in range(game.vertex_count):
        for left, edge in claim.changes(vertex):
            if game.owner[vertex] != TESTER or vertex in goals:
                raise refusal(game, vertex, left, "there is nothing to choose, but a move is claimed")
            if edge is not None and edge not in game.edges_of(vertex):
                raise refusal(game, vertex, left, "the chosen edge does not leave the vertex")
            if edge is not None and game.moves[edge] > left:
                raise refusal(game, vertex, left, "the chosen edge takes more moves than are left")
            if not 0 <= left <= claim.final:
                raise refusal(game, vertex, left, "the move changes outside the steps claimed")
            found.setdefault(left, {})[vertex] = edge
    return found


def upwards(game: Game, goals: set[int]) -> list[int]:
    """All vertices, each after those it reaches by edges of 0 moves, which are in the same layer."""
    free = np.flatnonzero(game.moves == 0).tolist()
    sorter = TopologicalSorter[int]()
    for edge in free:
        if int(game.source[edge]) not in goals:
            sorter.add(int(game.source[edge]), int(game.target[edge]))
    late = list(sorter.static_order())
    return [*sorted(set(range(game.vertex_count)) - set(late)), *late]
