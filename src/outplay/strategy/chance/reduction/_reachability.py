"""Array kernels about who can arrive where: plain functions that numba can compile (see compiling.py)."""

from __future__ import annotations

from typing import NamedTuple

from outplay.game.algebra import Array, Graph


class CutArrays(NamedTuple):
    """The arrays of the cut, and work space; made once for any number of goals, as the kernel cleans it."""

    level: Array
    """-1 where the goal is reached with probability 1 by some strategy, else the round of the cut."""
    distance: Array
    """The number of steps from which a vertex came into play; 0 at goals."""
    left: Array
    parent: Array
    queue: Array
    doubtful: Array


def cut_levels(graph: Graph, goals: Array, cut: CutArrays, stop: int) -> int:
    """Cut what cannot reach a goal, then answers that lead there, then what cannot reach a goal without them, and on.

    Every vertex in play has a parent, a step nearer to the goals; only vertices that lose theirs are looked at again,
    so a round costs what it touches. It ends when the vertex `stop` is cut: then the others are left open. Returns the
    number of rounds.
    """
    owner, first, target, in_first, in_source = graph.owner, graph.first, graph.target, graph.in_first, graph.in_source
    level, distance, left, parent, queue = cut.level, cut.distance, cut.left, cut.parent, cut.queue
    filled, doubts = _doubt_all(graph, goals, cut)
    rounds = 0
    while True:
        read = 0
        while read < filled:  # a doubtful vertex with an edge to one in play comes into play
            vertex = queue[read]
            read += 1
            for place in range(in_first[vertex], in_first[vertex + 1]):
                before = in_source[place]
                if level[before] == -2:
                    level[before] = -1
                    parent[before] = vertex
                    distance[before] = distance[vertex] + 1
                    queue[filled] = before
                    filled += 1
        filled = _cannot_arrive(cut, doubts, rounds)
        if filled == 0:
            return rounds
        read = 0
        while read < filled:  # one answer that is cut cuts its vertex; a vertex of the tester goes with its last move
            vertex = queue[read]
            read += 1
            for place in range(in_first[vertex], in_first[vertex + 1]):
                before = in_source[place]
                if level[before] != -1 or parent[before] == before:
                    continue
                reached = level[vertex] + 1
                if owner[before] == 0:
                    left[before] -= 1
                    if left[before] > 0:
                        continue
                    reached = 0
                    for edge in range(first[before], first[before + 1]):
                        reached = max(reached, level[target[edge]])
                level[before] = reached
                rounds = max(rounds, reached)
                queue[filled] = before
                filled += 1
        rounds += 1
        if stop >= 0 and level[stop] >= 0:
            return rounds
        doubts = _lose_parents(graph, cut, filled)
        filled = _find_parents(graph, cut, doubts)


def _doubt_all(graph: Graph, goals: Array, cut: CutArrays) -> tuple[int, int]:
    """Goals are in play and everything else is doubtful; how many of each."""
    first, level, distance, left = graph.first, cut.level, cut.distance, cut.left
    parent, queue, doubtful = cut.parent, cut.queue, cut.doubtful
    for vertex in range(len(level)):
        level[vertex] = -2
        distance[vertex] = 0
        left[vertex] = first[vertex + 1] - first[vertex]
    filled = 0
    for place in range(len(goals)):
        vertex = goals[place]
        level[vertex] = -1
        parent[vertex] = vertex
        queue[filled] = vertex
        filled += 1
    doubts = 0
    for vertex in range(len(level)):
        if level[vertex] == -2:
            doubtful[doubts] = vertex
            doubts += 1
    return filled, doubts


def _cannot_arrive(cut: CutArrays, doubts: int, rounds: int) -> int:
    """The doubtful ones that did not come into play cannot arrive; how many."""
    level, queue, doubtful = cut.level, cut.queue, cut.doubtful
    filled = 0
    for place in range(doubts):
        vertex = doubtful[place]
        if level[vertex] == -2:
            level[vertex] = rounds
            queue[filled] = vertex
            filled += 1
    return filled


def _lose_parents(graph: Graph, cut: CutArrays, filled: int) -> int:
    """Mark those that lost their parent as doubtful, and everybody behind them; return how many."""
    in_first, in_source = graph.in_first, graph.in_source
    level, parent, queue, doubtful = cut.level, cut.parent, cut.queue, cut.doubtful
    doubts = 0
    read = 0
    while read < filled + doubts:
        vertex = queue[read] if read < filled else doubtful[read - filled]
        read += 1
        for place in range(in_first[vertex], in_first[vertex + 1]):
            before = in_source[place]
            if level[before] == -1 and parent[before] == vertex:
                level[before] = -2
                doubtful[doubts] = before
                doubts += 1
    return doubts


def _find_parents(graph: Graph, cut: CutArrays, doubts: int) -> int:
    """A doubtful vertex with another edge to one in play has that for its parent; how many do."""
    first, target, level, distance = graph.first, graph.target, cut.level, cut.distance
    parent, queue, doubtful = cut.parent, cut.queue, cut.doubtful
    filled = 0
    for place in range(doubts):
        vertex = doubtful[place]
        for edge in range(first[vertex], first[vertex + 1]):
            if level[target[edge]] == -1:
                level[vertex] = -1
                parent[vertex] = target[edge]
                distance[vertex] = distance[target[edge]] + 1
                queue[filled] = vertex
                filled += 1
                break
    return filled


def arrive(graph: Graph, goals: Array, free: Array, choice: Array, rank: Array, queue: Array) -> int:
    """Rank vertices by the number of steps in which the choices may arrive at a goal.

    On entry `choice` holds the tester's edges; where it is -2, an edge that `free` allows is chosen here. The rank is
    -1 where they cannot arrive. Returns how many vertices, goals included, have a rank. O(V + E).
    """
    owner, in_first, in_edge, in_source = graph.owner, graph.in_first, graph.in_edge, graph.in_source
    for vertex in range(len(rank)):
        rank[vertex] = -1
    filled = 0
    for place in range(len(goals)):
        rank[goals[place]] = 0
        queue[filled] = goals[place]
        filled += 1
    read = 0
    while read < filled:
        vertex = queue[read]
        read += 1
        for place in range(in_first[vertex], in_first[vertex + 1]):
            before = in_source[place]
            if rank[before] >= 0:
                continue
            edge = in_edge[place]
            if owner[before] == 0 and choice[before] != edge:
                if choice[before] != -2 or free[edge] == 0:
                    continue
                choice[before] = edge
            rank[before] = rank[vertex] + 1
            queue[filled] = before
            filled += 1
    return filled
