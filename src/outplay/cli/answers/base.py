"""What the answers to all objectives have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from outplay.game.graph import Game, Vertices
from outplay.strategy.certificate.checker import Certificate

SHOWN = 20


@dataclass(frozen=True)
class Wishes:
    """The options of an objective; each objective looks at its own."""

    steps: int = 100
    method: str = "auto"
    epsilon: float | None = None
    exact: bool = False
    everywhere: bool = True
    """Values are wanted at all vertices, not only at the start."""


class Answer(ABC):
    """A solver's result, ready to be checked, printed and drawn."""

    result: Any
    """What the solver returned, to be played."""
    game: Game
    goals: tuple[str, ...]
    goal_vertices: Vertices

    @abstractmethod
    def check(self) -> Certificate:
        """Have the checker confirm the result; it raises when it does not."""

    @abstractmethod
    def value(self, vertex: int) -> Any:
        """The value of a vertex, as JSON."""

    @abstractmethod
    def strategy(self) -> dict[str, Any]:
        """The moves by the name of the vertex, as JSON."""

    def more(self) -> dict[str, Any]:
        """What else the objective has to say, as JSON."""
        return {}

    @abstractmethod
    def edges(self) -> list[int]:
        """The chosen edges, for a picture."""

    @abstractmethod
    def told(self) -> tuple[str, list[str]]:
        """One sentence for people, and lines below it."""

    def move(self, edge: int) -> dict[str, str]:
        """A move as JSON."""
        return {"edge": self.game.edge_names[edge], "label": self.game.label_of(edge)}

    def move_words(self, vertex: int, edge: int) -> str:
        """A move for people."""
        return f"{self.vertex_words(vertex)}: {self.game.label_of(edge) or self.game.edge_names[edge]}"

    def vertex_words(self, vertex: int) -> str:
        """A vertex with the state it stands for."""
        about = self.game.about(vertex)
        return f"{self.game.names[vertex]} ({about})" if about else self.game.names[vertex]

    @property
    def goal(self) -> str:
        return " or ".join(self.goals)


def met(game: Game, goals: Iterable[int], edge_at: Callable[[int], int | None]) -> list[int]:
    """The vertices a play can come to from the start when the strategy is followed, nearest first."""
    ends, order = set(goals), [game.initial]
    seen = set(order)
    for vertex in order:
        if vertex in ends:
            continue
        chosen = edge_at(vertex)
        edges = game.edges_of(vertex) if chosen is None else [chosen]
        new = [after for edge in edges if (after := int(game.target[edge])) not in seen]
        seen.update(new)
        order += dict.fromkeys(new)
    return order


def number(value: Fraction | float | None, exact: bool) -> float | str | None:
    """A number as JSON: a float, or a fraction where that was asked for."""
    if value is None:
        return None
    if exact:
        whole = Fraction(value)
        return f"{whole.numerator}/{whole.denominator}"
    try:
        return float(value)
    except OverflowError:  # beyond all floats: as good as infinite
        return None


def plain(value: Fraction | float) -> str:
    """A number for people."""
    if isinstance(value, float):
        return f"{value:.7g}"
    return str(value) if value.denominator == 1 or value.denominator > 1000 else f"{value} ({float(value):.4g})"


def likely(value: Fraction | float) -> str:
    """A probability for people, never rounded to certainty."""
    text = plain(float(value))
    return "just below 1" if text == "1" and value < 1 else text


def counted(count: int, what: str) -> str:
    """So many of something, in the singular or the plural."""
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"
