"""Sure win: reach a goal whatever the system does, at the least worst-case cost.

Definition (Nachmanson et al. 2004, section 4): a vertex is winnable when some strategy reaches a goal from it in
finitely many moves against every behaviour of the system; its value is the least worst-case sum of costs over such
strategies. A goal is worth 0, a tester vertex min over its edges of cost + value, a system vertex max over all its
edges, provided all lead to winnable vertices. Bound: O(V + E log C) for path costs up to C; parallel edges and zero
costs included. Nachmanson et al. count distinct successors when they initialise and edges when they relax; here both
count edges.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from outplay.game.goals.target import Wanted, find_target
from outplay.game.graph import Game
from outplay.plurals import counted
from outplay.strategy.answer import Answer, Blocked
from outplay.strategy.attractor import Solution, blocking_set, optimistic_completion, solve_attractor
from outplay.strategy.certificate.check_win import check_win
from outplay.strategy.certificate.checker import Certificate
from outplay.strategy.number_format import format_number
from outplay.strategy.strategy import Positional


def win(game: Game, goal: Wanted) -> SureWin | NoSureWin:
    """Solve a game for a sure win: a goal, or the union of several, whatever the system does.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("g", "tester", goals=["done"])
    >>> game = builder.edge("s", "c", "?go").edge("c", "g", "!ok").edge("c", "g", "!slow", cost=5).build()
    >>> win(game, "done")
    SureWin(done can be forced at cost 6, in at most 2 steps)
    """
    target = find_target(game, goal)
    game = target.game
    solution = solve_attractor(game, target.vertices)
    if solution.worth[game.initial] >= 0:
        return SureWin(game, target.goal, target.vertices, solution)
    return NoSureWin(game, target.goal, target.vertices, solution, blocking=blocking_set(game, solution.worth < 0))


@dataclass(frozen=True, eq=False, repr=False)
class WinAnswer(Answer):
    """The bound that suffices from every vertex."""

    solution: Solution

    @cached_property
    def optimistic(self) -> Solution:
        """The solution, completed by the shortest way to be lucky where nothing can be forced."""
        return optimistic_completion(self.game, self.goal_vertices, self.solution)

    @property
    def strategy(self) -> Positional:
        return Positional(self.optimistic.choice, self.optimistic.worth < 0)

    def value_of(self, vertex: int) -> Fraction | None:
        """The least cost that suffices from a vertex whatever the system does, or None."""
        return self.solution.value(vertex)

    def chosen(self, vertex: int) -> int | None:
        return self.solution.edge(vertex)

    def as_good(self, vertex: int, memory: Any = None) -> tuple[int, ...]:
        """Edges of the same cost that come nearer; where nothing can be forced, the ways to be as lucky."""
        game, solution = self.game, self.solution if self.solution.worth[vertex] >= 0 else self.optimistic
        value, rank = solution.value(vertex), solution.rank

        def is_as_good(edge: int) -> bool:
            target = int(game.target[edge])
            beyond = solution.value(target)
            return beyond is not None and rank[target] < rank[vertex] and (game.cost[edge] or 0) + beyond == value

        return () if solution.edge(vertex) is None else tuple(filter(is_as_good, game.edges_of(vertex)))

    def check(self) -> Certificate:
        solution = self.solution
        claim = solution.values(), solution.rank.tolist(), solution.choice.tolist()
        return check_win(self.game, self.goal_vertices.tolist(), *claim)


@dataclass(frozen=True, eq=False, repr=False)
class SureWin(WinAnswer):
    """The tester reaches the goal from the initial vertex whatever the system does, at no more than `value`."""

    @property
    def value(self) -> Fraction:
        """The least cost that is sure to suffice."""
        value = self.solution.value(self.game.initial)
        assert value is not None
        return value

    @property
    def sentence(self) -> str:
        steps = counted(self._longest(), "step")
        return f"{self.goal} can be forced at cost {format_number(self.value)}, in at most {steps}"

    def _longest(self) -> int:
        """The most labels the play can take; ranks fall along the strategy, so nearer vertices are done first."""
        most: dict[int, int] = {}
        goals, target = set(self.goal_vertices.tolist()), self.game.target
        for vertex in sorted(self.met(), key=self.solution.rank.tolist().__getitem__):
            chosen = self.chosen(vertex)
            edges = [] if vertex in goals else self.game.edges_of(vertex) if chosen is None else [chosen]
            most[vertex] = max((int(self.game.moves[e]) + most[int(target[e])] for e in edges), default=0)
        return most[self.game.initial]


@dataclass(frozen=True, eq=False, repr=False)
class NoSureWin(WinAnswer, Blocked):
    """The system can keep the tester from the goal for ever, by staying inside `blocking`."""

    @property
    def sentence(self) -> str:
        return f"{self.goal} cannot be forced: the system can stay within {counted(len(self.blocking), 'vertex')}"

    def lines(self) -> list[str]:
        return [self.vertex_words(vertex) for vertex in self.blocking.tolist()]
