"""Jokers: reach a goal with as little help of the system as possible, then in as few moves.

Definition (004, sections 6.4 and 6.8): a joker is played at a system vertex and lets the tester choose its edge. The
least number of jokers J is 0 at goals, the least of its targets at a tester vertex, and at a system vertex the largest
of its targets or, with a joker, one more than the least. The vertices with J at most k are the joker sets of 6.11: on
the game graph, where a choice of input is a vertex of its own, the paper's "all outputs and outcomes" are all edges.

The paper leaves open how to minimise the moves as well. With at most j jokers in all, T_j is 0 at goals, the least
moves + T_j at a tester vertex, and at a system vertex the largest moves + T_j over all edges or, with a joker, the
least moves + T_(j−1). The answer at v is T_J(v). A vertex that wins with fewer jokers may still be better off with the
ones that are left over, so pairs (jokers, moves) cannot be minimised vertex by vertex.

Bound: O(V + E) for J, and again for each number of jokers; vertices that are as near as help can bring them are left
out from then on, so long chains of jokers stay linear. What changes with the jokers in hand is noted, the rest is not.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.errors import UsageError
from outplay.game.assumption import Assumption
from outplay.game.graph import Game, Vertices
from outplay.game.targets import Target, find_target
from outplay.strategy.jokers import _kernels
from outplay.strategy.jokers.result import JokerResult, JokerSolution, JokerStrategy, NoJoker

Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]


def joker(game: Game, goal: str | Iterable[str], *, everywhere: bool = True) -> JokerResult:
    """Find the least jokers to a goal, or to the union of several, and with that many the least moves.

    Moves are counted from every vertex; with `everywhere=False` only as far as the initial vertex needs it, which is
    less work where other vertices need many more jokers.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("g", "tester", goals=["done"])
    >>> builder = builder.edge("s", "c", "?go").edge("c", "g", "!ok").edge("c", "s", "!again")
    >>> result = joker(builder.build(), "done")
    >>> result, result.plays_joker(1), result.game.label_of(result.edge(1))
    (JokerStrategy(to done with 1 joker in 2 moves), True, '!ok')
    """
    return joker_target(find_target(game, [goal] if isinstance(goal, str) else list(goal)), everywhere=everywhere)


def joker_target(target: Target, *, everywhere: bool = True) -> JokerResult:
    """Solve for a target that has been found already."""
    game = target.game
    refuse_fairness(game)
    layers = solve_layers(game, target.vertices)
    solution = solve_moves(game, target.vertices, layers, None if everywhere else layers.jokers_at(game.initial))
    if solution.jokers[game.initial] < 0:
        return no_joker(target, solution)
    return JokerStrategy(game, target.names, np.unique(target.vertices), solution)


def no_joker(target: Target, solution: JokerSolution) -> NoJoker:
    """Say that no help leads from the initial vertex to the target, with all that can be reached instead."""
    game = target.game
    return NoJoker(game, target.names, np.unique(target.vertices), solution, reachable(game, game.initial))


def refuse_fairness(game: Game) -> None:
    """Jokers are not defined where the system is only known to let the tester move some time (004, section 5)."""
    if game.origin.assumption is Assumption.INPUT_FAIR:
        raise UsageError("jokers are not defined under input-fair; use input-eager, output-eager or nondeterministic")


@dataclass(frozen=True, eq=False)
class Layers:
    """The joker sets as they are built (004, Definition 6.11)."""

    jokers: Ints
    """The joker rank: the least jokers that suffice; -1 where none do."""
    rank: Ints
    """The moves that suffice to the next joker or, where none is needed, to a goal: Table 6.1's attractor sets."""
    order: NDArray[np.uint32]
    starts: NDArray[np.int64]
    """Set k is new with `order[starts[k]:starts[k + 1]]`."""

    @property
    def count(self) -> int:
        return len(self.starts) - 1

    def jokers_at(self, vertex: int) -> int:
        """The least jokers from a vertex, -1 where none suffice."""
        return int(self.jokers[vertex])


def solve_layers(
    game: Game, goals: Vertices, *, closed: Flags | None = None, owner: NDArray[np.uint8] | None = None
) -> Layers:
    """Build the joker sets of all vertices; `closed` ones must not be entered, `owner` changes who chooses where."""
    size, incoming = game.vertex_count, game.incoming
    jokers, rank = np.full(size, -1, dtype=np.int32), np.full(size, -1, dtype=np.int32)
    if closed is not None:
        jokers[closed] = -2
    goals_in = _once(goals)
    goals_in = goals_in[jokers[goals_in] == -1]
    order, starts = np.zeros(size, dtype=np.uint32), np.zeros(size + 2, dtype=np.int64)
    count = best_for(_kernels.joker_layers, game.edge_count)(
        game.moves,
        game.owner if owner is None else owner,
        incoming.first,
        incoming.edge,
        incoming.source,
        goals_in,
        jokers,
        rank,
        np.diff(game.first).astype(np.int32),
        order,
        starts,
        *(np.zeros(2 * size + 1, dtype=np.uint32) for _ in range(3)),
    )
    rank[jokers < 0] = -1
    jokers[jokers < 0] = -1
    return Layers(jokers, rank, order[: starts[count]], starts[: count + 1])


def solve_moves(game: Game, goals: Vertices, layers: Layers, most: int | None = None) -> JokerSolution:
    """Count the least moves with at most so many jokers in all, up to `most` or what any vertex needs."""
    size, incoming = game.vertex_count, game.incoming
    starts_at = _once(goals)
    starts_at = starts_at[layers.jokers[starts_at] == 0]
    limit = layers.count - 1 if most is None else min(max(most, 0), layers.count - 1)
    worth = np.full(size, -1, dtype=np.int32)
    worth[starts_at] = 0
    found: list[NDArray[Any]] = [np.zeros(size, dtype=kind) for kind in (np.uint32, np.int32, np.int32, np.int32)]
    found[0][: len(starts_at)] = starts_at
    found[3][: len(starts_at)] = -1
    progress = np.array([0, limit, len(starts_at), 0], dtype=np.int64)
    queue_room = game.edge_count + size + 1
    fixed = (game.moves, game.owner, game.first, game.target, incoming.first, incoming.edge, incoming.source)
    working = (
        worth,
        *(np.zeros(size, dtype=np.int32) for _ in range(4)),
        np.zeros(size, dtype=np.uint8),
        np.zeros(size, dtype=np.uint32),
        np.zeros(2 * size + 4, dtype=np.uint32),
        *(np.zeros(queue_room, dtype=np.uint32) for _ in range(2)),
    )
    run = best_for(_kernels.joker_moves, game.edge_count)
    nearest = _nearest(game, starts_at, layers)
    while not run(*fixed, layers.order, layers.starts, nearest, *working, *found, progress):
        found = [np.concatenate([column, np.zeros(len(column) + size, dtype=column.dtype)]) for column in found]
    vertex, left, with_left, edge = (column[: progress[2]] for column in found)
    return JokerSolution(layers.jokers, _first(size, vertex, with_left), vertex, left, with_left, edge, limit)


def reachable(game: Game, start: int) -> Vertices:
    """All vertices that some play from a vertex passes through."""
    met = np.zeros(game.vertex_count, dtype=bool)
    met[start] = True
    stack = [start]
    while stack:
        for edge in game.edges_of(stack.pop()):
            after = int(game.target[edge])
            if not met[after]:
                met[after] = True
                stack.append(after)
    return np.flatnonzero(met).astype(np.uint32)


def _once(goals: Vertices) -> Vertices:
    """The goals in order, each once."""
    return np.unique(goals).astype(np.uint32)


def _nearest(game: Game, goals: Vertices, layers: Layers) -> Ints:
    """The moves to a goal when everyone helps."""
    nearest, incoming = np.full(game.vertex_count, -1, dtype=np.int32), game.incoming
    best_for(_kernels.helped_moves, game.edge_count)(
        game.moves,
        incoming.first,
        incoming.edge,
        incoming.source,
        goals,
        layers.jokers,
        nearest,
        *(np.zeros(2 * game.vertex_count + 1, dtype=np.uint32) for _ in range(2)),
    )
    return nearest


def _first(size: int, vertex: Vertices, moves: Ints) -> Ints:
    """The first note about each vertex: notes are in order of jokers, so writing them backwards leaves that one."""
    first = np.full(size, -1, dtype=np.int32)
    first[vertex[::-1]] = moves[::-1]
    return first
