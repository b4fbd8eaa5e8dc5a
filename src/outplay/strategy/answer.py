"""What a solver answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from outplay.game.graph import Game, Vertices
from outplay.strategy.strategy import Strategy


@dataclass(frozen=True, eq=False)
class Answer(ABC):
    """A solver's answer for all vertices of a game, with the strategy that goes with it."""

    game: Game
    goals: tuple[str, ...]
    goal_vertices: Vertices

    @property
    @abstractmethod
    def strategy(self) -> Strategy:
        """How the tester moves."""

    @property
    def persistent(self) -> Strategy:
        """How the tester moves in live play, where it goes on after the system did not do what was hoped for."""
        return self.strategy
