"""The checker of sure wins: confirms them from the definition, in exact arithmetic.

A claim of sure win is a value (None where nothing is guaranteed), a rank and a choice for each vertex. It is right if
  1. goals are worth 0;
  2. at a tester vertex with a value, the chosen edge leaves it, leads to a smaller rank and costs
     value − value(target), and no edge offers less; at a system vertex with a value there is an edge, all lead to
     smaller ranks, and the largest cost + value(target) is the value;
  3. at a tester vertex without value no edge leads to one with a value; at a system vertex without value some edge
     leads to one without, or there is no edge at all.
The falling rank shows that the strategy arrives, zero-cost cycles or not; the inequalities hold for every strategy, so
by induction along any other winning strategy none is cheaper. Bound: O(V + E) exact operations.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from fractions import Fraction

from outplay.game.graph import SYSTEM, Game
from outplay.strategy.certificate.checker import Certificate, Checker


def check_win(
    game: Game,
    goals: Collection[int],
    values: Sequence[Fraction | None],
    ranks: Sequence[int],
    choices: Sequence[int],
) -> Certificate:
    """Check a claim of sure win for all vertices, or raise CertificateError with the first place that is wrong."""
    return _WinChecker(game, values, ranks, choices).confirm(goals)


class _WinChecker(Checker):
    def __init__(
        self, game: Game, values: Sequence[Fraction | None], ranks: Sequence[int], choices: Sequence[int]
    ) -> None:
        super().__init__(game, values, ranks, choices)
        # One common denominator makes every number whole: exact, and ten times faster than adding fractions.
        table = [Fraction(cost if cost is not None else 0) for cost in game.cost.table]
        scale = math.lcm(*{f.denominator for f in table}, *{v.denominator for v in values if v is not None})
        table_whole = [int(cost * scale) for cost in table]
        self.costs = [table_whole[row] for row in game.cost.index.tolist()]
        self.values = [None if value is None else int(value * scale) for value in values]
        self.ranks, self.choices = ranks, choices

    def check_goal(self, vertex: int) -> None:
        self.ensure(self.values[vertex] == 0, vertex, "a goal is not worth 0")

    def check(self, vertex: int, edges: range) -> None:
        value = self.values[vertex]
        if value is None:
            self.check_lost(vertex, edges)
        elif self.owner[vertex] == SYSTEM:
            self.check_system(vertex, edges, value)
        else:
            self.check_tester(vertex, edges, value)

    def check_lost(self, vertex: int, edges: range) -> None:
        safe = [edge for edge in edges if self.values[self.target[edge]] is not None]
        if self.owner[vertex] == SYSTEM:
            self.ensure(not edges or len(safe) < len(edges), vertex, "called lost, but every answer leads to a win")
        else:
            self.ensure(not safe, vertex, "called lost, but a move leads to a win")

    def check_system(self, vertex: int, edges: range, value: int) -> None:
        self.ensure(len(edges) > 0, vertex, "has no moves and is no goal, but is called winnable")
        worst = max(self.offer(vertex, edge) for edge in edges)
        self.ensure(worst == value, vertex, "the worst answer does not cost what is claimed")
        for edge in edges:
            self.ensure(self.ranks[self.target[edge]] < self.ranks[vertex], vertex, "an answer does not come nearer")

    def check_tester(self, vertex: int, edges: range, value: int) -> None:
        choice = self.choices[vertex]
        self.ensure(choice in edges, vertex, "the chosen edge does not leave the vertex")
        self.ensure(self.offer(vertex, choice) == value, vertex, "the chosen edge does not cost what is claimed")
        self.ensure(
            self.ranks[self.target[choice]] < self.ranks[vertex], vertex, "the chosen edge does not come nearer"
        )
        for edge in edges:
            beyond = self.values[self.target[edge]]
            self.ensure(beyond is None or self.costs[edge] + beyond >= value, vertex, "a cheaper move is left out")

    def offer(self, vertex: int, edge: int) -> int:
        beyond = self.values[self.target[edge]]
        if beyond is None:
            raise self.wrong(vertex, "a move leads to a lost vertex")
        offered: int = self.costs[edge] + beyond
        return offered
