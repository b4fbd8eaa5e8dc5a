"""Repeated execution on a budget (Wang et al. 2013, sections 6 and 7.2), as kernels that numba compiles.

The system chooses its answers by chance, all alike likely. Visiting a vertex costs 1, starting again costs `reset`. The
testers of the paper go through paths from the initial vertex and start again when the system diverts them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

GMU, S15, S2, S3, S4, WALK, OURS, WRONG = range(8)


def paths_to_all(first: Any, target: Any, initial: int) -> list[list[int]]:
    """A suite for the game as if it were deterministic: the shortest paths to the leaves of a breadth-first tree."""
    before, queue, inner = {initial: -1}, [initial], set[int]()
    for vertex in queue:
        for after in target[first[vertex] : first[vertex + 1]].tolist():
            if after not in before:
                before[after] = vertex
                inner.add(vertex)
                queue.append(after)
    found = []
    for leaf in (vertex for vertex in queue if vertex not in inner):
        path, vertex = list[int](), leaf
        while vertex >= 0:
            path.append(vertex)
            vertex = before[vertex]
        found.append(path[::-1])
    return found


def play(
    first: Any, target: Any, owner: Any, initial: int, steps: Any, start: Any, kind: int, budget: int, reset: int,
    seed: int, spent_at: Any,
) -> int:  # fmt: skip
    """Play one kind of tester until the budget is spent; return how many vertices were visited, each with its price."""
    np.random.seed(seed)
    visited = np.zeros(len(owner), dtype=np.bool_)
    if kind == WALK:
        return walk(first, target, initial, budget, reset, visited, spent_at)
    return follow_paths(first, target, owner, steps, start, kind, budget, reset, visited, spent_at)


def walk(first: Any, target: Any, initial: int, budget: int, reset: int, visited: Any, spent_at: Any) -> int:
    """Go at random."""
    vertex, spent, count = initial, 0, 0
    while spent < budget and count < len(visited):
        spent += 1
        if not visited[vertex]:
            visited[vertex] = True
            spent_at[count] = spent
            count += 1
        degree = first[vertex + 1] - first[vertex]
        if degree == 0:
            vertex = initial
            spent += reset
        else:
            vertex = target[first[vertex] + np.random.randint(degree)]
    return count


def follow_paths(
    first: Any, target: Any, owner: Any, steps: Any, start: Any, kind: int, budget: int, reset: int, visited: Any,
    spent_at: Any,
) -> int:  # fmt: skip
    """Pick paths of a suite again and again, each until its end or until the system goes elsewhere."""
    paths = len(start) - 1
    executed = np.zeros(paths, dtype=np.bool_)
    spent, count, turn = 0, 0, 0
    while spent < budget and count < len(owner) and (kind != GMU or turn < paths):
        chosen = pick(kind, turn, owner, steps, start, executed, visited)
        executed[chosen] = True
        spent += reset if turn else 0
        turn += 1
        place = start[chosen]
        vertex = steps[place]
        while spent < budget:
            spent += 1
            if not visited[vertex]:
                visited[vertex] = True
                spent_at[count] = spent
                count += 1
            place += 1
            if place >= start[chosen + 1] or vertex != steps[place - 1]:
                break  # at the end, or diverted
            vertex = steps[place]
            if owner[steps[place - 1]]:
                degree = first[steps[place - 1] + 1] - first[steps[place - 1]]
                vertex = target[first[steps[place - 1]] + np.random.randint(degree)]
    return count


def pick(kind: int, turn: int, owner: Any, steps: Any, start: Any, executed: Any, visited: Any) -> int:
    """The path with the greatest promise: pgain of section 6, ties by lot."""
    if kind == GMU:
        return turn
    best, chosen = -1.0, 0
    for path in range(len(start) - 1):
        new, answers = 0, 0
        for place in range(start[path], start[path + 1]):
            new += not visited[steps[place]]
            answers += owner[steps[place]]
        lot = np.random.random()
        if kind == S15:
            gain = lot + (0.0 if executed[path] else 1.0)
        elif kind == S2:
            gain = lot + (1.0 if new else 0.0)
        elif kind == S3:
            gain = lot * new
        else:
            gain = lot * new / max(answers, 1)
        if gain > best:
            best, chosen = gain, path
    return chosen
