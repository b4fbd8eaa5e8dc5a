"""Array kernels on game graphs: plain functions that numba can compile (see compiling.py)."""

from __future__ import annotations

from typing import Any


def by_target(first: Any, target: Any, start: Any, edge: Any, source: Any) -> None:
    """Sort edges by target, in one pass of counting: `edge` and `source` lie in rows of their target.

    On entry `start` is 0 everywhere and has one place per vertex and two more; on return the edges into v are
    `edge[start[v]:start[v + 1]]`, in ascending order. O(V + E).
    """
    for place in range(len(target)):
        start[target[place] + 2] += 1
    for vertex in range(2, len(start)):
        start[vertex] += start[vertex - 1]
    for vertex in range(len(first) - 1):
        for place in range(first[vertex], first[vertex + 1]):
            row = target[place] + 1
            edge[start[row]] = place
            source[start[row]] = vertex
            start[row] += 1


def reach(first: Any, target: Any, start: Any, met: Any, stack: Any) -> None:
    """Mark all vertices that can be reached from a vertex; `stack` has room for each of them once. O(V + E)."""
    met[start] = True
    stack[0] = start
    size = 1
    while size > 0:
        size -= 1
        vertex = stack[size]
        for edge in range(first[vertex], first[vertex + 1]):
            after = target[edge]
            if not met[after]:
                met[after] = True
                stack[size] = after
                size += 1
