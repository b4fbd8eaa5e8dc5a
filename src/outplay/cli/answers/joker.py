"""Jokers: how much help the goal needs, and how many moves it then takes."""

from __future__ import annotations

from typing import Any

from outplay.cli.answers.base import Answer, Wishes, counted, met
from outplay.game.graph import SYSTEM
from outplay.game.target import Target
from outplay.strategy.certificate.checker import Certificate
from outplay.strategy.certificate.joker import check_joker
from outplay.strategy.jokers.answer import NoJoker
from outplay.strategy.jokers.joker import joker

LISTED = 10_000


class JokerAnswer(Answer):
    """What `--objective joker` says."""

    def __init__(self, target: Target, wishes: Wishes) -> None:
        self.result = joker(target.game, target, everywhere=wishes.everywhere)
        self._limit = None if wishes.everywhere else self.result.solution.limit
        self.game, self.goals, self.goal_vertices = self.result.game, self.result.goals, self.result.goal_vertices

    def check(self) -> Certificate:
        return check_joker(self.game, self.goal_vertices.tolist(), self.result.solution.claim(), self._limit)

    def value(self, vertex: int) -> Any:
        found = self.result.value_of(vertex)
        return None if found is None else {"jokers": found.jokers, "moves": found.moves}

    def strategy(self) -> dict[str, Any]:
        return {self.game.names[vertex]: self.move(edge) for vertex, edge in self._moves(range(self.game.vertex_count))}

    def more(self) -> dict[str, Any]:
        if isinstance(self.result, NoJoker):
            return {"blocking": [self.game.names[vertex] for vertex in self.result.blocking[:LISTED].tolist()]}
        return {}

    def edges(self) -> list[int]:
        return [edge for _, edge in self._moves(range(self.game.vertex_count))]

    def told(self) -> tuple[str, list[str]]:
        found = self.result.value_of(self.game.initial)
        if isinstance(self.result, NoJoker) or found is None:
            return f"{self.goal} is impossible, whatever help the system gives", []
        needs = f"needs {counted(found.jokers, 'joker')}" if found.jokers else "can be forced without jokers"
        followed = met(self.game, self.goal_vertices.tolist(), self.result.edge)
        return f"{self.goal} {needs}, in at most {counted(found.moves, 'move')}", [
            self.move_words(vertex, edge) + (" (joker)" if self.game.owner[vertex] == SYSTEM else "")
            for vertex, edge in self._moves(followed)
        ]

    def _moves(self, vertices: Any) -> list[tuple[int, int]]:
        return [(vertex, edge) for vertex in vertices if (edge := self.result.edge(vertex)) is not None]
