"""Array kernels that put vertices in an order of solving: plain functions that numba can compile (see compiling.py)."""

from __future__ import annotations

from typing import Any


def strong_components(
    first: Any, target: Any, inside: Any, folded: Any, about: Any, stack: Any, path: Any, answer: Any, finished: Any
) -> int:
    """Number the strongly connected components, those that lead nowhere else first (Tarjan).

    `about` holds four numbers for each vertex side by side, so that one look into memory finds them all: when it was
    found (0 at first), the earliest vertex it leads back to, the next edge to follow, and its component, 0 at first for
    the vertices `inside` and -1 for others. Vertices that are `folded` are passed through: an edge to one leads where
    its edges lead. On return components count from 1, and no edge leads from one to a later one; `finished` lists the
    vertices inside, each after all it leads to, so far as circles allow. Returns how many components there are.
    O(V + E).
    """
    for vertex in range(len(inside)):
        about[4 * vertex] = 0
        about[4 * vertex + 3] = 0 if inside[vertex] else -1
    done = 0
    components = 0
    found = 0
    stacked = 0
    for root in range(len(first) - 1):
        if about[4 * root] > 0 or about[4 * root + 3] < 0:
            continue
        depth = 0
        path[0] = root
        answer[0] = 0
        found += 1
        about[4 * root] = found
        about[4 * root + 1] = found
        about[4 * root + 2] = first[root]
        stack[stacked] = root
        stacked += 1
        while depth >= 0:
            vertex = path[depth]
            at = 4 * vertex
            edge = about[at + 2]
            place = answer[depth]
            end = first[vertex + 1]
            deeper = False
            while edge < end:
                beyond = target[edge]
                if folded[beyond] == 0:
                    edge += 1
                else:
                    place = max(place, first[beyond])
                    if place == first[beyond + 1]:
                        place = 0
                        edge += 1
                        continue
                    beyond = target[place]
                    place += 1
                to = 4 * beyond
                if about[to + 3] != 0:
                    continue
                if about[to] == 0:
                    found += 1
                    about[to] = found
                    about[to + 1] = found
                    about[to + 2] = first[beyond]
                    stack[stacked] = beyond
                    stacked += 1
                    answer[depth] = place
                    depth += 1
                    path[depth] = beyond
                    answer[depth] = 0
                    deeper = True
                    break
                if about[to] < about[at + 1]:
                    about[at + 1] = about[to]
            about[at + 2] = edge
            if deeper:
                continue
            depth -= 1
            finished[done] = vertex
            done += 1
            if depth >= 0 and about[at + 1] < about[4 * path[depth] + 1]:
                about[4 * path[depth] + 1] = about[at + 1]
            if about[at + 1] == about[at]:
                components += 1
                while True:
                    stacked -= 1
                    member = stack[stacked]
                    about[4 * member + 3] = components
                    if member == vertex:
                        break
    return components


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
