"""Jokers: reach a goal with as little help of the system as possible, then in as few moves.

Definition (van den Bos 2020, sections 6.4 and 6.8): a joker is played at a system vertex and lets the tester choose its
edge. The least number of jokers J is 0 at goals, the least of its targets at a tester vertex, and at a system vertex
the largest of its targets or, with a joker, one more than the least. The vertices with J at most k are the joker sets
of 6.11: on the game graph, where a choice of input is a vertex of its own, "all outputs and outcomes" are all edges.

Van den Bos leaves open how to minimise the moves as well. With at most j jokers in all, T_j is 0 at goals, the least
moves + T_j at a tester vertex, and at a system vertex the largest moves + T_j over all edges or, with a joker, the
least moves + T_(j−1). The answer at v is T_J(v). A vertex that wins with fewer jokers may still be better off with the
ones that are left over, so pairs (jokers, moves) cannot be minimised vertex by vertex.

Bound: O(V + E) for J, and again for each number of jokers; vertices that are as near as help can bring them are left
out from then on, so long chains of jokers stay linear. What changes with the jokers in hand is noted, the rest is not.

The joker sets: set k holds the vertices from which k jokers suffice (van den Bos 2020, Definition 6.11).
Each is the attractor of the one before and of the system vertices with an edge into it. Bound: O(V + E).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.errors import UsageError
from outplay.game.algebra import graph_arrays, reachable
from outplay.game.assumption import Assumption
from outplay.game.goals.target import Target, Wanted, find_target
from outplay.game.graph import TESTER, Game, Vertices
from outplay.registries import imported
from outplay.strategy.answer import Answer
from outplay.strategy.arrays import NOWHERE
from outplay.strategy.jokers import _kernels
from outplay.strategy.jokers.joker_answers import JokerSolution, JokerStrategy, NoJoker

Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]


def joker(game: Game, goal: Wanted, *, everywhere: bool = True) -> JokerStrategy | NoJoker:
    """Find the least jokers to a goal, or to the union of several, and with that many the least moves.

    Moves are counted from every vertex; with `everywhere=False` only as far as the initial vertex needs it, which is
    less work where other vertices need many more jokers.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("g", "tester", goals=["done"])
    >>> builder = builder.edge("s", "c", "?go").edge("c", "g", "!ok").edge("c", "s", "!again")
    >>> result = joker(builder.build(), "done")
    >>> result, result.plays_joker(1), result.game.label_of(result.edge(1))
    (JokerStrategy(done needs 1 joker, in at most 2 moves), True, '!ok')
    """
    target = find_target(game, goal)
    game = target.game
    refuse_fairness(game)
    sets = joker_sets(game, target.vertices)
    solution = solve_joker_moves(game, target.vertices, sets, None if everywhere else sets.jokers_at(game.initial))
    if solution.jokers[game.initial] < 0:
        return no_joker(target, solution, everywhere=everywhere)
    return JokerStrategy(game, target.goal, np.unique(target.vertices), solution, everywhere=everywhere)


def least_help(game: Game, goal: Wanted, *, everywhere: bool = True, price: str | None = None) -> Answer:
    """Solve a game for the fewest jokers and then the fewest moves, or for the least price and then the least cost."""
    if price is None:
        return joker(game, goal, everywhere=everywhere)
    found: Answer = imported("outplay.strategy.jokers.priced:joker_for")(game, goal, price)
    return found


def no_joker(target: Target, solution: JokerSolution, *, everywhere: bool = True) -> NoJoker:
    """Return the error that no joker leads to the target from the initial vertex, with what can be reached instead."""
    game = target.game
    around = np.flatnonzero(reachable(game, game.initial)).astype(np.uint32)
    return NoJoker(game, target.goal, np.unique(target.vertices), solution, blocking=around, everywhere=everywhere)


def refuse_fairness(game: Game) -> None:
    """Refuse jokers where the system is only known to let the tester move some time: none are defined there."""
    if game.origin.assumption is Assumption.INPUT_FAIR:
        raise UsageError("jokers are not defined under input-fair; use input-eager, output-eager or nondeterministic")


def solve_joker_moves(game: Game, goals: Vertices, sets: JokerSets, most: int | None = None) -> JokerSolution:
    """Count the least moves with at most this many jokers in all, up to `most` or what any vertex needs."""
    size, graph = game.vertex_count, graph_arrays(game)
    inside = np.unique(goals).astype(np.uint32)
    inside = inside[sets.jokers[inside] == 0]
    limit = sets.count - 1 if most is None else min(max(most, 0), sets.count - 1)
    # When everyone helps, as if all vertices were the tester's, nothing is nearer than this.
    alone = np.full(size, TESTER, dtype=np.uint8)
    nearest = joker_sets(game, inside, closed=sets.jokers < 0, owner=alone).rank
    known = _kernels.SetOrder(sets.order, sets.starts, nearest)
    state, queue = _move_arrays(size), _move_queue(size, game.edge_count)
    state.worth[inside] = 0
    changes = _changes(size)
    changes.vertex[: len(inside)] = inside
    changes.edge[: len(inside)] = -1
    progress = _kernels.Resumption(*np.array([[0], [len(inside)], [0]], dtype=np.int64))
    run = best_for(_kernels.joker_moves, game.edge_count)
    while not run(graph, known, state, queue, changes, progress, limit):
        more = _changes(len(changes.vertex) + size)
        changes = _kernels.Changes(*map(np.concatenate, zip(changes, more, strict=True)))
    notes = _kernels.Changes(*(column[: progress.found[0]] for column in changes))
    return JokerSolution(sets.jokers, _first(size, notes.vertex, notes.moves), notes, limit)


def _move_arrays(size: int) -> _kernels.MoveArrays:
    worth, pending, active = np.full(size, -1, np.int32), np.zeros(size, np.uint8), np.zeros(size, np.uint32)
    offer, most, left, choice = (np.zeros(size, dtype=np.int32) for _ in range(4))
    return _kernels.MoveArrays(worth, offer, most, left, choice, pending, active)


def _move_queue(size: int, edges: int) -> _kernels.MoveQueue:
    head = np.zeros(2 * size + 4, dtype=np.uint32)
    return _kernels.MoveQueue(head, *(np.zeros(edges + size + 1, dtype=np.uint32) for _ in range(2)))


def _changes(room: int) -> _kernels.Changes:
    return _kernels.Changes(np.zeros(room, dtype=np.uint32), *(np.zeros(room, dtype=np.int32) for _ in range(3)))


def _first(size: int, vertex: Vertices, moves: Ints) -> Ints:
    """The first note about each vertex: notes are in order of jokers, so writing them backwards leaves that one."""
    first = np.full(size, -1, dtype=np.int32)
    first[vertex[::-1]] = moves[::-1]
    return first


@dataclass(frozen=True, eq=False)
class JokerSets:
    """The joker sets in the order in which they are built."""

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


def joker_sets(
    game: Game, goals: Vertices, *, closed: Flags | None = None, owner: NDArray[np.uint8] | None = None
) -> JokerSets:
    """Build the joker sets of all vertices; `closed` ones must not be entered, `owner` changes who chooses where."""
    sets = joker_set_arrays(game.vertex_count)
    if closed is not None:
        sets.jokers[closed] = -2
    inside = np.unique(goals).astype(np.uint32)
    inside = inside[sets.jokers[inside] != -2]
    run = best_for(_kernels.joker_sets, game.edge_count)
    count = run(graph_arrays(game, owner), inside, sets, NOWHERE)
    jokers, rank = sets.jokers, sets.rank
    rank[jokers < 0] = -1
    jokers[jokers < 0] = -1
    return JokerSets(jokers, rank, sets.order[: sets.starts[count]], sets.starts[: count + 1])


def joker_set_arrays(vertices: int) -> _kernels.SetArrays:
    """Allocate the arrays of the joker sets of this many vertices."""
    jokers, rank, left = (np.zeros(vertices, dtype=np.int32) for _ in range(3))
    order, starts = np.zeros(vertices, dtype=np.uint32), np.zeros(vertices + 2, dtype=np.int64)
    here, ahead, asked = (np.zeros(2 * vertices + 1, dtype=np.uint32) for _ in range(3))
    return _kernels.SetArrays(jokers, rank, order, starts, left, here, ahead, asked)
