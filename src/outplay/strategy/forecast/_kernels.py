"""Array kernels of the forecast: plain functions that numba can compile (see compiling.py).

Help and where a goal is reached with probability 1 come from the solvers' own kernels (`joker_sets`, `cut_levels`).
Those below answer for the initial vertex only, and stay beside the solvers' for a reason that is given with each, in
milliseconds a goal on the examples chat and tcp (1,662 and 301 edges once transitions are split), compiled.
`order` is an order of the vertices in which every edge that counts no move leads to an earlier vertex, so that one
sweep settles what is known within so many moves.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from outplay.strategy.arrays import Array, Graph


class SweepArrays(NamedTuple):
    """Work space of the sweeps, a number for each vertex."""

    value: Array
    length: Array
    choice: Array


def cheapest_within(
    graph: Graph, cost: Array, order: Array, is_goal: Array, initial: int, old: Array, new: Array
) -> tuple[Any, int]:
    """Return the least worst cost of a sure win, and the least number of moves within which it can be guaranteed.

    After round k `new` holds the least worst cost within k moves, -1 where none is sure (Nachmanson et al. 2004,
    section 3, with every probability 1). The rounds end when nothing changes: then nothing ever will.

    Sure win's kernel counts no moves. That of bounded reachability cannot tell a sure win from one that fails once in
    1e12 plays, except in whole numbers, which are not compiled: 33 ms in place of 0.02 for chat, 5.6 for tcp.
    """
    owner, first, target, moves = graph.owner, graph.first, graph.target, graph.moves
    for vertex in range(len(owner)):
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
    graph: Graph, chance: Array, order: Array, is_goal: Array, initial: int, steps: int, old: Array, new: Array
) -> Any:
    """Return the best probability of being at a goal after at most so many moves (the same, equation 2).

    The kernel of bounded reachability finds worst costs and the strategy for each number of moves as well: 0.61 ms in
    place of 0.09 for chat, 0.30 in place of 0.05 for tcp.
    """
    owner, first, target, moves = graph.owner, graph.first, graph.target, graph.moves
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


def expected_cost(
    graph: Graph,
    chance: Array,
    cost: Array,
    kept: Array,
    level: Array,
    sweeps: SweepArrays,
    initial: int,
    epsilon: float,
    most: int,
) -> tuple[float, float]:
    """Bound the least expected cost among strategies that reach the goal with probability 1 (Blass et al. 2005).

    `kept` are the vertices, goals left out, from which that can be done, those near the goals first; `level` is -1
    there and at goals. `value` rises from 0 and so stays below the truth. From time to time the greedy strategy is
    looked at: `length`, which satisfies length >= 1 + P length, bounds its number of steps, so it arrives, and a value
    that misses its equation by at most d costs at most value + d length. Ends when the two bounds are within `epsilon`
    of each other, relatively, or after `most` sweeps: then the upper one is infinite. So it ends also where going round
    for nothing keeps the values too low.

    The solver of least expected costs takes the game apart first, for each goal anew, and runs uncompiled on so small
    a game: 47 ms in place of 2.9 for chat, 7.6 in place of 0.16 for tcp; it would be 1.9 and 1.1 with all its kernels
    compiled. Uncompiled, on models of some twenty edges, whole forecasts take up to 1.6 times as long with it.
    """
    owner, first, target = graph.owner, graph.first, graph.target
    value, length, choice = sweeps.value, sweeps.length, sweeps.choice
    for vertex in range(len(owner)):
        value[vertex] = 0.0
        length[vertex] = 0.0
        choice[vertex] = -1
    swept, pause = 0, 8
    while swept < most:
        # v = min (cost + P v) over the edges that stay where the goal is reached with probability 1.
        for _ in range(pause):
            for vertex in kept:
                if owner[vertex] == 1:
                    best = 0.0
                    for edge in range(first[vertex], first[vertex + 1]):
                        best += chance[edge] * (cost[edge] + value[target[edge]])
                else:
                    best = -1.0
                    for edge in range(first[vertex], first[vertex + 1]):
                        if level[target[edge]] == -1:
                            offer = cost[edge] + value[target[edge]]
                            if best < 0.0 or offer < best:
                                best = offer
                                choice[vertex] = edge
                value[vertex] = best
        swept += pause

        # A rough bound on the steps is enough, and often the one found before still holds.
        for _ in range(pause):
            gap = 0.0
            for vertex in kept:
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

        # By how much the values and the lengths miss their equations, at worst.
        worst, gap = 0.0, 0.0
        for vertex in kept:
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
