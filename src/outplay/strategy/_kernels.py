"""Array kernels of the solvers: plain functions that numba can compile (see compiling.py)."""

from __future__ import annotations

from typing import Any


def sure_win(
    source: Any,
    cost: Any,
    owner: Any,
    in_first: Any,
    in_edge: Any,
    goals: Any,
    value: Any,
    choice: Any,
    rank: Any,
    left: Any,
    heap_value: Any,
    heap_vertex: Any,
) -> int:
    """Settle winnable vertices in the order of their worst-case cost (000, section 4), in Dijkstra's time.

    On entry `value` and `choice` are -1 everywhere and `left` holds the out-degrees; the heaps have room for one entry
    per edge and goal, and one more (they start at 1). A vertex of the tester is settled by its cheapest settled
    successor, one of the system by its last. `rank` is the number of steps that suffice. Returns how many are settled.
    """
    size = 0
    for goal in goals:
        value[goal] = 0
        size += 1
        heap_value[size] = 0
        heap_vertex[size] = goal
    settled = 0
    while size > 0:
        worth = heap_value[1]
        vertex = heap_vertex[1]
        last_worth = heap_value[size]
        last_vertex = heap_vertex[size]
        size -= 1
        hole = 1
        child = 2
        while child <= size:
            if child < size and heap_value[child + 1] < heap_value[child]:
                child += 1
            if heap_value[child] >= last_worth:
                break
            heap_value[hole] = heap_value[child]
            heap_vertex[hole] = heap_vertex[child]
            hole = child
            child = 2 * hole
        heap_value[hole] = last_worth
        heap_vertex[hole] = last_vertex
        if left[vertex] < 0:
            continue  # settled before, at this or a better value
        left[vertex] = -1
        settled += 1
        steps = rank[vertex] + 1
        for place in range(in_first[vertex], in_first[vertex + 1]):
            edge = in_edge[place]
            before = source[edge]
            if left[before] < 0 or (value[before] == 0 and rank[before] == 0):
                continue  # settled, or a goal: goals are worth nothing more
            offer = cost[edge] + worth
            if owner[before] == 1:
                left[before] -= 1
                value[before] = max(value[before], offer)
                rank[before] = max(rank[before], steps)
                if left[before] > 0:
                    continue
                offer = value[before]
            else:
                if value[before] >= 0 and value[before] <= offer:
                    continue
                value[before] = offer
                choice[before] = edge
                rank[before] = steps
            size += 1
            hole = size
            while hole > 1 and heap_value[hole >> 1] > offer:
                heap_value[hole] = heap_value[hole >> 1]
                heap_vertex[hole] = heap_vertex[hole >> 1]
                hole = hole >> 1
            heap_value[hole] = offer
            heap_vertex[hole] = before
    return settled
