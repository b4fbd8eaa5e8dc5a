"""The parts that all checkers share, and their answer.

A checker confirms a solver's answer from the definition, in exact arithmetic, and shares no code with any solver.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sized
from dataclasses import dataclass

from outplay.errors import CertificateError
from outplay.game.graph import Game


@dataclass(frozen=True)
class Certificate:
    """The checker confirmed the claim on all these vertices and edges."""

    vertices: int
    edges: int


class Checker(ABC):
    """The base of the checkers of all kinds of claims: the bare graph, the walk over it, and how to refuse."""

    def __init__(self, game: Game, *arrays: Sized) -> None:
        sizes = {len(array) for array in arrays}
        if sizes != {game.vertex_count}:
            raise CertificateError(f"a claim for {sizes} vertices about a game of {game.vertex_count}")
        self.first, self.target, self.owner = game.first.tolist(), game.target.tolist(), game.owner.tolist()
        self.game = game

    def confirm(self, goals: Iterable[int]) -> Certificate:
        """Check every vertex, or raise where one is wrong."""
        goal_set = set(goals)
        for vertex in range(self.game.vertex_count):
            if vertex in goal_set:
                self.check_goal(vertex)
            else:
                self.check(vertex, range(self.first[vertex], self.first[vertex + 1]))
        return Certificate(self.game.vertex_count, self.game.edge_count)

    @abstractmethod
    def check_goal(self, vertex: int) -> None:
        """Check the claim at a goal."""

    @abstractmethod
    def check(self, vertex: int, edges: range) -> None:
        """Check the claim at any other vertex, with its edges."""

    def ensure(self, holds: bool, vertex: int, what: str) -> None:
        if not holds:
            raise self.wrong(vertex, what)

    def wrong(self, vertex: int, what: str) -> CertificateError:
        return CertificateError(
            f"the checker refuses the answer at vertex {self.game.names[vertex]!r}: {what}; "
            "this is a defect of outplay, please report it with the model"
        )
