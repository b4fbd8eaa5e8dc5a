"""Array kernels of expected costs in a forecast: plain functions that numba can compile (see compiling.py).

Each answers for one target and the initial vertex only, in work space made once for thousands of targets.
"""

from __future__ import annotations

from typing import Any


def surely_in_the_end(
    owner: Any,
    first: Any,
    target: Any,
    in_first: Any,
    in_source: Any,
    goals: Any,
    initial: int,
    alive: Any,
    met: Any,
    queue: Any,
) -> int:
    """Find where a strategy reaches the goal with probability 1 (001, section 2; pruned to a fixpoint).

    `alive` says where; the first numbers in `queue`, as many as are returned, are these vertices, goals first and then
    outwards. Returns 0 as soon as the initial vertex is not among them.
    """
    count = len(owner)
    for vertex in range(count):
        alive[vertex] = 1
    kept = count
    while True:
        for vertex in range(count):
            met[vertex] = 0
        filled = 0
        for goal in goals:
            met[goal] = 2
            queue[filled] = goal
            filled += 1
        for vertex in range(count):
            if owner[vertex] == 1 and alive[vertex] > 0 and met[vertex] == 0:
                for edge in range(first[vertex], first[vertex + 1]):
                    if alive[target[edge]] == 0:
                        met[vertex] = 1  # chance may lead out: as good as lost
                        break
        looked = 0
        while looked < filled:
            vertex = queue[looked]
            looked += 1
            for place in range(in_first[vertex], in_first[vertex + 1]):
                before = in_source[place]
                if met[before] == 0 and alive[before] > 0:
                    met[before] = 2
                    queue[filled] = before
                    filled += 1
        for vertex in range(count):
            alive[vertex] = 1 if met[vertex] == 2 else 0
        if alive[initial] == 0:
            return 0
        if filled == kept:
            return filled
        kept = filled


def expected_cost(
    owner: Any,
    first: Any,
    target: Any,
    chance: Any,
    cost: Any,
    queue: Any,
    kept: int,
    goal_count: int,
    initial: int,
    alive: Any,
    epsilon: float,
    most: int,
    value: Any,
    choice: Any,
    length: Any,
) -> tuple[float, float]:
    """Bound the least expected cost among strategies that reach the goal with probability 1 (001, section 2).

    `value` rises from 0 and so stays below the truth. From time to time the greedy strategy is looked at: `length`,
    which satisfies length >= 1 + P length, bounds its number of steps, so it arrives, and a value that misses its
    equation by at most d costs at most value + d length. Ends when the two bounds are within `epsilon` of each other,
    relatively, or after `most` sweeps: then the upper one is infinite. So it ends also where going round for nothing
    keeps the values too low.
    """
    for vertex in range(len(owner)):
        value[vertex] = 0.0
        length[vertex] = 0.0
        choice[vertex] = -1
    sweeps, pause = 0, 8
    while sweeps < most:
        for _ in range(pause):
            for place in range(goal_count, kept):
                vertex = queue[place]
                if owner[vertex] == 1:
                    best = 0.0
                    for edge in range(first[vertex], first[vertex + 1]):
                        best += chance[edge] * (cost[edge] + value[target[edge]])
                else:
                    best = -1.0
                    for edge in range(first[vertex], first[vertex + 1]):
                        if alive[target[edge]] > 0:
                            offer = cost[edge] + value[target[edge]]
                            if best < 0.0 or offer < best:
                                best = offer
                                choice[vertex] = edge
                value[vertex] = best
        sweeps += pause
        # A rough bound on the steps is enough, and often the one found before still holds.
        for _ in range(pause):
            gap = 0.0
            for place in range(goal_count, kept):
                vertex = queue[place]
                total = 1.0
                if owner[vertex] == 1:
                    for edge in range(first[vertex], first[vertex + 1]):
                        total += chance[edge] * length[target[edge]]
                else:
                    total += length[target[choice[vertex]]]
                gap = max(gap, total - length[vertex])
                length[vertex] = max(length[vertex], total)
            if gap < 0.25:
                break
        worst, gap = 0.0, 0.0
        for place in range(goal_count, kept):
            vertex = queue[place]
            missing, total = -value[vertex], 1.0 - length[vertex]
            if owner[vertex] == 1:
                for edge in range(first[vertex], first[vertex + 1]):
                    missing += chance[edge] * (cost[edge] + value[target[edge]])
                    total += chance[edge] * length[target[edge]]
            else:
                missing += cost[choice[vertex]] + value[target[choice[vertex]]]
                total += length[target[choice[vertex]]]
            worst, gap = max(worst, missing), max(gap, total)
        if gap < 1.0:
            above = value[initial] + worst * length[initial] / (1.0 - gap)
            if above - value[initial] <= epsilon * above:
                return value[initial], above
        pause = min(2 * pause, 512)
    return value[initial], float("inf")
