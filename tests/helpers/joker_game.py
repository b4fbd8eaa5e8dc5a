"""The joker game as van den Bos 2020 builds it: joker sets, attractor ranks, joker states, helping moves, joker
strategies.

Definitions 6.7 and 6.11 to 6.18, read on a game graph. A choice of input is there a vertex of its own behind an edge
that counts no move; so what the paper says of a state and an action is said of that vertex, "all outputs and outcomes"
are all its edges, and ranks count moves, not vertices. A joker is played at system vertices that have an edge to a
lower joker set; a tester vertex is a joker state when it can choose one of them without a move.

These strategies need the fewest jokers, but not the fewest moves: each set is left as soon as possible, whatever comes
then (6.8). `joker` minimises both. Bound: O(V + E).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from outplay.game.goals.target import Wanted, find_target
from outplay.game.graph import SYSTEM, Game, Vertices
from outplay.strategy.jokers.joker import JokerSets, joker_sets, refuse_fairness


@dataclass(frozen=True, eq=False)
class JokerGame:
    """The joker sets of a game for a goal, and what follows from them."""

    game: Game
    goals: tuple[str, ...]
    goal_vertices: Vertices
    sets: JokerSets

    def joker_rank(self, vertex: int) -> int | None:
        """The least jokers that suffice from a vertex (6.11); None where no help leads to the goal."""
        rank = int(self.sets.jokers[vertex])
        return None if rank < 0 else rank

    def attractor_rank(self, vertex: int) -> int | None:
        """The moves that suffice to the next joker state or, without jokers, to a goal (6.7); None beyond help."""
        rank = int(self.sets.rank[vertex])
        return None if rank < 0 else rank

    def joker_set(self, most: int) -> list[int]:
        """The vertices from which so many jokers suffice."""
        return [vertex for vertex, rank in enumerate(self.sets.jokers.tolist()) if 0 <= rank <= most]

    def helping_moves(self, vertex: int) -> list[int]:
        """The edges of a system vertex that lead to a lower joker set (6.15); none where no joker is played."""
        if self.game.owner[vertex] != SYSTEM or vertex in self._goal_set:
            return []
        return [edge for edge in self.game.edges_of(vertex) if self._nearer(vertex, edge)]

    def is_joker_state(self, vertex: int) -> bool:
        """Say whether the next move from a vertex asks for help (6.14)."""
        if self.game.owner[vertex] == SYSTEM:
            return bool(self.helping_moves(vertex))
        return vertex not in self._goal_set and any(self._asks(vertex, edge) for edge in self.game.edges_of(vertex))

    def strategy_moves(self, vertex: int) -> list[int]:
        """The edges that joker strategies choose from at a tester vertex, and helping moves at a system vertex (6.18).

        At a joker state those that lead to a helping move, elsewhere those that surely come nearer within the set, as
        long as no cycle is free of moves; explored games have none.
        """
        if self.game.owner[vertex] == SYSTEM:
            return self.helping_moves(vertex)
        if vertex in self._goal_set or self.joker_rank(vertex) is None:
            return []
        edges = self.game.edges_of(vertex)
        if self.is_joker_state(vertex):
            return [edge for edge in edges if self._asks(vertex, edge)]
        return [edge for edge in edges if self._attracts(vertex, edge)]

    @cached_property
    def _goal_set(self) -> frozenset[int]:
        return frozenset(self.goal_vertices.tolist())

    def _asks(self, vertex: int, edge: int) -> bool:
        """An edge without a move to a system vertex where help counts."""
        after = int(self.game.target[edge])
        same = self.sets.jokers[after] == self.sets.jokers[vertex]
        return bool(same and self.game.moves[edge] == 0 and self.helping_moves(after))

    def _nearer(self, vertex: int, edge: int) -> bool:
        beyond = self.joker_rank(int(self.game.target[edge]))
        return beyond is not None and beyond < int(self.sets.jokers[vertex])

    def _attracts(self, vertex: int, edge: int) -> bool:
        after = int(self.game.target[edge])
        if self.sets.jokers[after] != self.sets.jokers[vertex]:
            return False
        return int(self.sets.rank[after]) + int(self.game.moves[edge]) <= int(self.sets.rank[vertex])


def joker_game(game: Game, goal: Wanted) -> JokerGame:
    """Build the joker sets of a game for a goal.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("g", "tester", goals=["done"])
    >>> built = joker_game(builder.edge("s", "c", "?go").edge("c", "g", "!ok").edge("c", "s", "!no").build(), "done")
    >>> [built.joker_rank(vertex) for vertex in range(3)], built.is_joker_state(1), built.helping_moves(1)
    ([1, 1, 0], True, [1])
    """
    refuse_fairness(game)
    target = find_target(game, goal)
    sets = joker_sets(target.game, target.vertices)
    return JokerGame(target.game, target.names, target.vertices, sets)
