"""Array kernels of bounded reachability: plain functions that numba can compile (see compiling.py)."""

from __future__ import annotations

from typing import Any


def zero_levels(
    in_first: Any, in_edge: Any, in_source: Any, moves: Any, is_goal: Any, waits: Any, level: Any, stack: Any
) -> int:
    """Number vertices by their longest path of edges that count no move, and return how many were numbered.

    On entry `level` is 0 everywhere and `waits[v]` the number of such edges that leave v, 0 at goals, whose edges are
    ignored. Vertices on or before a cycle of such edges keep `waits` above 0. O(V + E).
    """
    filled = 0
    for vertex in range(len(waits)):
        if waits[vertex] == 0:
            stack[filled] = vertex
            filled += 1
    numbered = 0
    while filled > 0:
        filled -= 1
        vertex = stack[filled]
        numbered += 1
        for place in range(in_first[vertex], in_first[vertex + 1]):
            before = in_source[place]
            if moves[in_edge[place]] == 0 and is_goal[before] == 0:
                level[before] = max(level[before], level[vertex] + 1)
                waits[before] -= 1
                if waits[before] == 0:
                    stack[filled] = before
                    filled += 1
    return numbered


def layers(
    first: Any,
    twice_target: Any,
    moves: Any,
    owner: Any,
    order: Any,
    goals: Any,
    weight_row: Any,
    weight_table: Any,
    cost_row: Any,
    cost_table: Any,
    values: Any,
    choice: Any,
    begin: int,
    unit: Any,
    growth: Any,
    tolerance: Any,
    noted_vertex: Any,
    noted_edge: Any,
    noted_until: Any,
    settled: Any,
    none: Any,
    one: Any,
) -> int:
    """Compute layers `begin`, `begin + 1`, … and return the number of the last one.

    Layer k holds for each vertex side by side the probability and the cost with k moves left; it lies in
    `values[k % len(values)]`, so two rows are enough where only the last layer is wanted. Vertices come in `order`,
    those without edges of 0 moves first, so that the targets of such edges are done. Numbers may be floats, or whole
    numbers of any length: then the scale grows from layer to layer by `growth`, and `unit` is a goal's 1 in the first.

    A tester vertex takes the cheapest among the edges whose probability is at most the share `tolerance` below the
    best, the one it had before if that is among them, and gives up where nothing can be won; `choice` is the edge or
    `none`. Each change of it is noted, those of layer `begin + i` up to `noted_until[i]`. The run ends when
    `noted_until` is full, when the notes have no room for another layer, or when a layer equals the one before; only
    then `settled[0]` becomes 1. `one` is an unsigned 1: it keeps indices unsigned, which compiled code likes better.
    """
    nothing = unit - unit
    used = 0
    for done in range(len(noted_until)):
        left = begin + done
        if done > 0 and used + len(order) > len(noted_vertex):
            return left - 1
        below, here = values[(left - 1) % len(values)], values[left % len(values)]
        for goal in goals:
            here[goal + goal] = unit
        changed = False
        for vertex in order:
            at = vertex + vertex
            chance, worst = nothing, nothing
            if owner[vertex] == 1:
                for edge in range(first[vertex], first[vertex + one]):
                    to = twice_target[edge]
                    if moves[edge] == 0:
                        chance += weight_table[weight_row[edge]] * here[to]
                        worst = max(worst, cost_table[cost_row[edge]] + here[to + one])
                    elif left > 0:
                        chance += weight_table[weight_row[edge]] * below[to]
                        worst = max(worst, cost_table[cost_row[edge]] + below[to + one])
            else:
                best = nothing
                for edge in range(first[vertex], first[vertex + one]):
                    if moves[edge] == 0:
                        best = max(best, weight_table[weight_row[edge]] * here[twice_target[edge]])
                    elif left > 0:
                        best = max(best, weight_table[weight_row[edge]] * below[twice_target[edge]])
                chosen, held = none, choice[vertex]
                if best > nothing:
                    enough = best - tolerance * best
                    for edge in range(first[vertex], first[vertex + one]):
                        to = twice_target[edge]
                        if moves[edge] == 0:
                            offered = weight_table[weight_row[edge]] * here[to]
                            price = cost_table[cost_row[edge]] + here[to + one]
                        elif left > 0:
                            offered = weight_table[weight_row[edge]] * below[to]
                            price = cost_table[cost_row[edge]] + below[to + one]
                        else:
                            continue
                        if offered >= enough and (chosen == none or price < worst or (price == worst and edge == held)):
                            chosen, chance, worst = edge, offered, price
                if chosen != held:
                    choice[vertex] = chosen
                    noted_vertex[used] = vertex
                    noted_edge[used] = chosen
                    used += 1
            if chance != below[at] * growth or worst != below[at + one]:
                changed = True
            here[at] = chance
            here[at + one] = worst
        unit = unit * growth
        noted_until[done] = used
        if left > 0 and not changed:
            settled[0] = 1
            return left
    return begin + len(noted_until) - 1
