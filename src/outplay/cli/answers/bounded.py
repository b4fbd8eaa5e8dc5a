"""Bounded: the best probability within so many moves, then the least worst cost."""

from __future__ import annotations

from typing import Any

from outplay.cli.answers.base import Answer, Wishes, counted, likely, met, number, plain
from outplay.game.target import Target
from outplay.strategy.bounded import Bounded, Odds, bounded
from outplay.strategy.certificate.bounded import check_bounded
from outplay.strategy.certificate.checker import Certificate


class BoundedAnswer(Answer):
    """What `--objective bounded` says."""

    def __init__(self, target: Target, wishes: Wishes) -> None:
        self.result: Bounded = bounded(target.game, target, wishes.steps)
        self.game, self.goals, self.goal_vertices = self.result.game, self.result.goals, self.result.goal_vertices
        self._exact = wishes.exact

    def check(self) -> Certificate:
        return check_bounded(self.result)

    def value(self, vertex: int) -> Any:
        odds: Odds = self.result.value_of(vertex)
        return {"probability": number(odds.probability, self._exact), "cost": number(odds.cost, self._exact)}

    def strategy(self) -> dict[str, Any]:
        listed = {vertex: self.result.changes(vertex) for vertex in range(self.game.vertex_count)}
        return {
            self.game.names[vertex]: [[left, None if edge is None else self.move(edge)] for left, edge in changes]
            for vertex, changes in listed.items()
            if changes
        }

    def more(self) -> dict[str, Any]:
        return {"steps": self.result.steps}

    def edges(self) -> list[int]:
        return [edge for vertex in range(self.game.vertex_count) if (edge := self._edge(vertex)) is not None]

    def told(self) -> tuple[str, list[str]]:
        odds, steps = self.result.value, counted(self.result.steps, "move")
        if not odds.probability:
            return f"{self.goal} cannot be reached within {steps}", []
        followed = met(self.game, self.goal_vertices.tolist(), self._edge)
        moves = [(vertex, edge) for vertex in followed if (edge := self._edge(vertex)) is not None]
        sentence = (
            f"{self.goal} is reached within {steps} with probability {likely(odds.probability)}, "
            f"at cost {plain(odds.cost)} at worst"
        )
        return sentence, [f"{self.move_words(vertex, edge)}" for vertex, edge in moves]

    def _edge(self, vertex: int) -> int | None:
        """The first move with all moves left; later ones are in the JSON."""
        return self.result.edge(vertex, self.result.steps)
