"""What all checkers share, and what they answer.

A checker confirms a solver's answer from the definition, in exact arithmetic, and shares no code with any solver.
"""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass

from outplay.errors import CertificateError
from outplay.game.graph import Game


@dataclass(frozen=True)
class Certificate:
    """The checker confirmed the claim on all these vertices and edges."""

    vertices: int
    edges: int


class Checker:
    """What the checkers of all kinds of claims share: the bare graph, and how to refuse."""

    def __init__(self, game: Game, *columns: Sized) -> None:
        sizes = {len(column) for column in columns}
        if sizes != {game.vertex_count}:
            raise CertificateError(f"a claim for {sizes} vertices about a game of {game.vertex_count}")
        self.first, self.target, self.owner = game.first.tolist(), game.target.tolist(), game.owner.tolist()
        self.game = game

    def ensure(self, holds: bool, vertex: int, what: str) -> None:
        if not holds:
            raise self.wrong(vertex, what)

    def wrong(self, vertex: int, what: str) -> CertificateError:
        return CertificateError(
            f"the checker refuses the answer at vertex {self.game.names[vertex]!r}: {what}; "
            "this is a defect of outplay, please report it with the model"
        )
