"""Repeated execution on a budget (Wang et al. 2013, sections 6 and 7.2), as kernels that numba compiles.

The system chooses its answers by chance, all alike likely. Visiting a vertex costs 1, starting again costs `reset`. The
paper's testers go through paths from the initial vertex and start again when the system diverts them. Ours re-plans: it
takes the way of least expected cost to anything new, with a reset where that is cheaper, from wherever the system went.
"""

from __future__ import annotations

from typing import Any

import numpy as np

GMU, S15, S2, S3, S4, WALK, OURS = range(7)
_FAR = 1e7
_ROUNDS = 100  # of value iteration at a time: it starts from the costs before, so they catch up with rare vertices


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
    seed: int,
) -> int:  # fmt: skip
    """Play one kind of tester until the budget is spent, and return how many vertices were visited."""
    np.random.seed(seed)
    visited = np.zeros(len(owner), dtype=np.bool_)
    if kind == WALK:
        return walk(first, target, initial, budget, reset, visited)
    if kind == OURS:
        return replan(first, target, owner, initial, budget, reset, visited)
    return follow_paths(first, target, owner, steps, start, kind, budget, reset, visited)


def walk(first: Any, target: Any, initial: int, budget: int, reset: int, visited: Any) -> int:
    """Go at random."""
    vertex, spent, count = initial, 0, 0
    while spent < budget:
        spent += 1
        count += not visited[vertex]
        visited[vertex] = True
        degree = first[vertex + 1] - first[vertex]
        if degree == 0:
            vertex = initial
            spent += reset
        else:
            vertex = target[first[vertex] + np.random.randint(degree)]
    return count


def follow_paths(
    first: Any, target: Any, owner: Any, steps: Any, start: Any, kind: int, budget: int, reset: int, visited: Any
) -> int:
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
            count += not visited[vertex]
            visited[vertex] = True
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


def replan(first: Any, target: Any, owner: Any, initial: int, budget: int, reset: int, visited: Any) -> int:
    """Go where the expected cost to anything new is least; costs are found anew whenever something was."""
    ahead = np.zeros(len(owner))
    vertex, spent, count = initial, 0, 0
    while spent < budget:
        spent += 1
        if not visited[vertex]:
            visited[vertex] = True
            count += 1
            if count == len(owner):
                return count
            improve(first, target, owner, initial, reset, visited, ahead)
        if ahead[vertex] >= _FAR:
            return count  # nothing new can come
        again = reset + 1 + ahead[initial]
        if ahead[vertex] >= again - 1e-9:
            spent += reset
            vertex = initial
        elif owner[vertex]:
            vertex = target[first[vertex] + np.random.randint(first[vertex + 1] - first[vertex])]
        else:
            best = -1
            for edge in range(first[vertex], first[vertex + 1]):
                if best < 0 or beyond(target[edge], visited, ahead) < beyond(target[best], visited, ahead):
                    best = edge
            vertex = target[best]
    return count


def improve(first: Any, target: Any, owner: Any, initial: int, reset: int, visited: Any, ahead: Any) -> None:
    """Value iteration from below: the least expected cost to something new; it only grows while more is visited."""
    for _ in range(_ROUNDS):
        change = 0.0
        for vertex in range(len(owner)):
            if not visited[vertex]:
                continue
            value, degree = _FAR, first[vertex + 1] - first[vertex]
            total = 0.0
            for edge in range(first[vertex], first[vertex + 1]):
                cost = 1 + beyond(target[edge], visited, ahead)
                total += cost
                value = min(value, cost)
            if owner[vertex] and degree:
                value = total / degree
            value = min(value, reset + 1 + beyond(initial, visited, ahead), _FAR)
            change = max(change, (value - ahead[vertex]) / (1 + value))
            ahead[vertex] = max(ahead[vertex], value)
        if change < 1e-3:
            return


def beyond(vertex: int, visited: Any, ahead: Any) -> float:
    """What is ahead of a vertex; nothing, if it is new itself."""
    return ahead[vertex] if visited[vertex] else 0.0
