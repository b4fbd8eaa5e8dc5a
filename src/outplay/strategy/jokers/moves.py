"""The least moves with at most 0, 1, 2, … jokers in hand, on top of the joker sets (see joker.py for the equations)."""

from __future__ import annotations

import numpy as np

from outplay.compiling import best_for
from outplay.game.algebra import graph_arrays
from outplay.game.graph import TESTER, Game, Vertices
from outplay.strategy.jokers import _kernels
from outplay.strategy.jokers.joker_answers import JokerSolution
from outplay.strategy.jokers.sets import Ints, JokerSets, joker_sets


def solve_moves(game: Game, goals: Vertices, sets: JokerSets, most: int | None = None) -> JokerSolution:
    """Count the least moves with at most so many jokers in all, up to `most` or what any vertex needs."""
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
