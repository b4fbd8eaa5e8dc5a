"""Array kernels that put vertices in an order of solving: plain functions that numba can compile (see compiling.py)."""

from __future__ import annotations

from typing import Any, NamedTuple


class Search(NamedTuple):
    """The arrays that a search for components writes: its findings and its work space."""

    component: Any
    """Of each vertex, from 1; -1 where it is not inside."""
    finished: Any
    """The vertices inside, each after all it leads to, so far as circles allow."""
    about: Any
    """Four numbers for each vertex side by side, so that one look into memory finds them all: when it was found, the
    earliest vertex it leads back to, the next edge to follow, and its component."""
    stack: Any
    """The vertices found whose components are not known yet."""
    path: Any
    """The vertices whose edges are being followed, each found from the one before."""
    answer: Any
    """Of each vertex on the path, the next edge of the folded vertex that is passed through now; 0 if there is none."""


def strong_components(first: Any, target: Any, inside: Any, folded: Any, search: Search) -> int:
    """Number the strongly connected components, those that lead nowhere else first (Tarjan).

    Vertices that are `folded` are passed through: an edge to one leads where its edges lead. Returns how many
    components there are; no edge leads from one to a later one. O(V + E).
    """
    component, finished, about, _, path, answer = search
    all_open(inside, search)
    found, depth, stacked, done, components = 0, -1, 0, 0, 0
    for root in range(len(inside)):
        if component[root] == 0:
            found, depth, stacked = found + 1, 0, stacked + 1
            enter(root, found, depth, stacked, first, search)
        while depth >= 0:
            vertex = path[depth]
            at = 4 * vertex
            earliest, edge, end = about[at + 1], about[at + 2], first[vertex + 1]
            place, stop = answer[depth], 0
            if place > 0:
                stop = first[target[edge - 1] + 1]
            beyond = vertex
            while True:  # a function for what is next would take as long again
                if place < stop:
                    beyond = target[place]
                    place += 1
                elif edge < end:
                    beyond = target[edge]
                    edge += 1
                    if folded[beyond] != 0:
                        place, stop = first[beyond], first[beyond + 1]
                        continue
                else:
                    beyond = vertex
                    break
                to = 4 * beyond
                if about[to + 3] != 0:
                    continue
                if about[to] == 0:
                    break
                earliest = min(earliest, about[to])
            about[at + 1], about[at + 2] = earliest, edge
            if beyond != vertex:
                answer[depth] = place if place < stop else 0
                found, depth, stacked = found + 1, depth + 1, stacked + 1
                enter(beyond, found, depth, stacked, first, search)
                continue
            finished[done] = vertex
            done += 1
            depth -= 1
            if depth >= 0 and earliest < about[4 * path[depth] + 1]:
                about[4 * path[depth] + 1] = earliest
            if earliest == about[at]:
                components += 1
                stacked = close(vertex, components, stacked, search)
    return components


def all_open(inside: Any, search: Search) -> None:
    """No vertex is found, and none inside has a component."""
    component, about = search.component, search.about
    for vertex in range(len(inside)):
        component[vertex] = 0 if inside[vertex] else -1
        about[4 * vertex] = 0
        about[4 * vertex + 3] = component[vertex]


def enter(vertex: int, found: int, depth: int, stacked: int, first: Any, search: Search) -> None:
    """Go on to a vertex that is found now; `stacked` counts it."""
    about, stack, path, answer = search.about, search.stack, search.path, search.answer
    about[4 * vertex] = found
    about[4 * vertex + 1] = found
    about[4 * vertex + 2] = first[vertex]
    stack[stacked - 1] = vertex
    path[depth] = vertex
    answer[depth] = 0


def close(vertex: int, number: int, stacked: int, search: Search) -> int:
    """Give a number to the component of the vertex that was found first of it; how many vertices have none yet."""
    component, about, stack = search.component, search.about, search.stack
    while True:
        stacked -= 1
        member = stack[stacked]
        component[member] = number
        about[4 * member + 3] = number
        if member == vertex:
            return stacked


def sort_by(key: Any, order: Any, start: Any, listed: Any) -> None:
    """List the vertices of `order` by their keys, those of the same key as they came.

    On entry `start` is 0 and has two places more than the greatest key. O(V).
    """
    for place in range(len(order)):
        start[key[order[place]] + 1] += 1
    for row in range(1, len(start)):
        start[row] += start[row - 1]
    for place in range(len(order)):
        row = key[order[place]]
        listed[start[row]] = order[place]
        start[row] += 1
