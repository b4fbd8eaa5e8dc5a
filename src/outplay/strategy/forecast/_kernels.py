"""Array kernels of the forecast: plain functions that numba can compile (see compiling.py).

Each answers for one target and the initial vertex only. Arrays that are work space are made once for thousands of
targets and cleaned here. `order` is an order of the vertices in which every edge that counts no move leads to an
earlier vertex, so that one sweep settles what is known within so many moves.
"""

from __future__ import annotations

from typing import Any


def help_needed(
    owner: Any,
    first: Any,
    in_first: Any,
    in_edge: Any,
    in_source: Any,
    moves: Any,
    goals: Any,
    initial: int,
    left: Any,
    rank: Any,
    choice: Any,
    layer: Any,
    now: Any,
    later: Any,
) -> int:
    """Count how often the system must help in the worst case (004, section 6.5); -1 where no help suffices.

    Layer 0 is the set from which the goal can be forced; layer j + 1 adds what can force its way into layer j or to a
    system vertex with an edge into it. Within a layer vertices are settled in the order of the moves that suffice.
    `choice` is the tester's edge; at a system vertex the first that was settled, which leads to the layer below where
    help is wanted and stays in the layer elsewhere. Linear in the edges, and a look at all vertices for each layer.
    """
    count = len(owner)
    for vertex in range(count):
        left[vertex] = first[vertex + 1] - first[vertex]
        rank[vertex] = -1
        choice[vertex] = -1
        layer[vertex] = -1
    filled, waiting, level, helps = 0, 0, 0, 0
    for goal in goals:
        left[goal] = -1
        rank[goal] = 0
        now[filled] = goal
        filled += 1
    while True:
        while filled > 0:
            filled -= 1
            vertex = now[filled]
            if layer[vertex] >= 0:
                continue
            layer[vertex] = helps
            left[vertex] = -1
            if vertex == initial:
                return helps
            for place in range(in_first[vertex], in_first[vertex + 1]):
                before = in_source[place]
                if left[before] < 0:
                    continue
                edge = in_edge[place]
                offer = level + moves[edge]
                if owner[before] == 1:
                    left[before] -= 1
                    rank[before] = max(rank[before], offer)
                    if choice[before] < 0:
                        choice[before] = edge
                    if left[before] > 0:
                        continue
                    offer = rank[before]
                else:
                    if 0 <= rank[before] <= offer:
                        continue
                    rank[before] = offer
                    choice[before] = edge
                if offer <= level:
                    now[filled] = before
                    filled += 1
                else:
                    later[waiting] = before
                    waiting += 1
        if waiting > 0:
            now, later = later, now
            filled, waiting = waiting, 0
            level += 1
            continue
        helps += 1
        for vertex in range(count):
            if owner[vertex] == 1 and left[vertex] > 0 and choice[vertex] >= 0:
                left[vertex] = -1  # settled now: what it might be led to without help counts no more
                rank[vertex] = level
                now[filled] = vertex
                filled += 1
        if filled == 0:
            return -1


def cheapest_within(
    owner: Any,
    first: Any,
    target: Any,
    moves: Any,
    cost: Any,
    order: Any,
    is_goal: Any,
    initial: int,
    old: Any,
    new: Any,
) -> tuple[Any, int]:
    """Return the least worst cost of a sure win, and the least number of moves within which it can be guaranteed.

    After round k `new` holds the least worst cost within k moves, -1 where none is sure (000, section 3, with every
    probability 1). The rounds end when nothing changes: then nothing ever will.
    """
    count = len(owner)
    for vertex in range(count):
        old[vertex] = -1
    found, rounds, needed = old[initial], 0, 0
    while True:
        changed = False
        for vertex in order:
            if is_goal[vertex] > 0:
                new[vertex] = 0
                continue
            best = old[initial] - old[initial] - 1
            for edge in range(first[vertex], first[vertex + 1]):
                beyond = old[target[edge]] if moves[edge] > 0 else new[target[edge]]
                if owner[vertex] == 1:
                    if beyond < 0:
                        best = beyond
                        break
                    best = max(best, beyond + cost[edge])
                elif beyond >= 0 and (best < 0 or beyond + cost[edge] < best):
                    best = beyond + cost[edge]
            new[vertex] = best
            if best != old[vertex]:
                changed = True
        if new[initial] != found:
            found, needed = new[initial], rounds
        if not changed and rounds > 0:
            return found, needed
        old, new = new, old
        rounds += 1


def likely_within(
    owner: Any,
    first: Any,
    target: Any,
    moves: Any,
    chance: Any,
    order: Any,
    is_goal: Any,
    initial: int,
    steps: int,
    old: Any,
    new: Any,
) -> Any:
    """Return the best probability of being at a goal after at most so many moves (000, section 3)."""
    for vertex in range(len(owner)):
        old[vertex] = 0.0
    for round_ in range(steps + 1):
        changed = False
        for vertex in order:
            if is_goal[vertex] > 0:
                new[vertex] = 1.0
                continue
            best = 0.0
            for edge in range(first[vertex], first[vertex + 1]):
                beyond = old[target[edge]] if moves[edge] > 0 else new[target[edge]]
                if owner[vertex] == 1:
                    best += chance[edge] * beyond
                else:
                    best = max(best, beyond)
            new[vertex] = best
            if best != old[vertex]:
                changed = True
        if new[initial] >= 1.0 or (not changed and round_ > 0):
            break
        old, new = new, old
    # After the last round the two have changed places.
    return max(old[initial], new[initial])
