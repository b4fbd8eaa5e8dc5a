"""Sure win: reach the goal whatever the system does."""

from __future__ import annotations

from typing import Any

from outplay.cli.answers.base import Answer, Wishes, counted, met, number, plain
from outplay.game.target import Target
from outplay.strategy.certificate.checker import Certificate
from outplay.strategy.certificate.win import check_win
from outplay.strategy.win import NoSureWin, win

LISTED = 10_000


class WinAnswer(Answer):
    """What `--objective win` says."""

    def __init__(self, target: Target, wishes: Wishes) -> None:
        self.result = win(target.game, target)
        self.game, self.goals, self.goal_vertices = self.result.game, self.result.goals, self.result.goal_vertices
        self._exact = wishes.exact
        self._solution = self.result.solution

    def check(self) -> Certificate:
        solution = self._solution
        return check_win(
            self.game,
            self.goal_vertices.tolist(),
            solution.values(),
            solution.rank.tolist(),
            solution.choice.tolist(),
        )

    def value(self, vertex: int) -> Any:
        return number(self._solution.value(vertex), self._exact)

    def strategy(self) -> dict[str, Any]:
        return {self.game.names[vertex]: self.move(edge) for vertex, edge in self._solution.moves()}

    def more(self) -> dict[str, Any]:
        if isinstance(self.result, NoSureWin):
            return {"blocking": [self.game.names[vertex] for vertex in self.result.blocking[:LISTED].tolist()]}
        return {}

    def edges(self) -> list[int]:
        return [edge for _, edge in self._solution.moves()]

    def told(self) -> tuple[str, list[str]]:
        if isinstance(self.result, NoSureWin):
            blocking = self.result.blocking.tolist()
            sentence = f"{self.goal} cannot be forced: the system can stay within {len(blocking):,} vertices"
            return sentence, [self.vertex_words(vertex) for vertex in blocking]
        followed = met(self.game, self.goal_vertices.tolist(), self._solution.edge)
        moves = [(vertex, edge) for vertex in followed if (edge := self._solution.edge(vertex)) is not None]
        cost, steps = plain(self.result.value), counted(self._longest(followed), "step")
        sentence = f"{self.goal} can be forced at cost {cost}, in at most {steps}"
        return sentence, [self.move_words(vertex, edge) for vertex, edge in moves]

    def _longest(self, followed: list[int]) -> int:
        """The most labels the play can take; ranks fall along the strategy, so nearer vertices are done first."""
        most: dict[int, int] = {}
        goals, target = set(self.goal_vertices.tolist()), self.game.target
        for vertex in sorted(followed, key=self._solution.rank.tolist().__getitem__):
            chosen = self._solution.edge(vertex)
            edges = [] if vertex in goals else self.game.edges_of(vertex) if chosen is None else [chosen]
            most[vertex] = max((int(self.game.moves[e]) + most[int(target[e])] for e in edges), default=0)
        return most[self.game.initial]
