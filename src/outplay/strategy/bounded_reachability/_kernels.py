"""Array kernels of bounded reachability: plain functions that numba can compile (see compiling.py).

Equations are those of Nachmanson et al. 2004, section 3.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from outplay.game.algebra import Array, Graph


class LayerGraph(NamedTuple):
    """The edges of a game as layers are computed from them, and the vertices in the order of that."""

    first: Array
    twice_target: Array
    """Twice the target of each edge: where its probability lies in a layer."""
    moves: Array
    owner: Array
    order: Array
    """All vertices but the goals, those without edges of 0 moves first, so that the targets of such edges are done."""
    goals: Array
    none: Any
    """The value for no edge."""
    one: Any
    """An unsigned 1: it keeps indices unsigned, which compiled code likes better."""


class EdgeNumbers(NamedTuple):
    """The weight and the cost of each edge, looked up in tables."""

    weight_row: Array
    weight_table: Array
    cost_row: Array
    cost_table: Array


class Scale(NamedTuple):
    """The scale of probabilities: floats as they are, whole numbers by a scale that grows from layer to layer."""

    unit: Any
    """A goal's 1 in the first layer."""
    growth: Any
    tolerance: Any
    """The share by which probabilities may differ and still be called equal."""


class ChoiceNotes(NamedTuple):
    """The tester's edges, and where they change: those of the i-th layer computed lie up to `until[i]`."""

    choice: Array
    vertex: Array
    edge: Array
    until: Array
    settled: Array
    """One number: 1 as soon as a layer equals the one before."""


def zero_levels(graph: Graph, counts: Array, is_goal: Array, waits: Array, level: Array, stack: Array) -> int:
    """Number vertices by their longest path of edges that count nothing, and return how many were numbered.

    On entry `level` is 0 everywhere and `waits[v]` the number of such edges that leave v, 0 at goals, whose edges are
    ignored. Vertices on or before a cycle of such edges keep `waits` above 0. O(V + E).
    """
    in_first, in_edge, in_source = graph.in_first, graph.in_edge, graph.in_source
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
            if counts[in_edge[place]] == 0 and is_goal[before] == 0:
                level[before] = max(level[before], level[vertex] + 1)
                waits[before] -= 1
                if waits[before] == 0:
                    stack[filled] = before
                    filled += 1
    return numbered


def layers(graph: LayerGraph, numbers: EdgeNumbers, scale: Scale, values: Array, notes: ChoiceNotes, begin: int) -> int:
    """Compute layers `begin`, `begin + 1`, … and return the number of the last one.

    Layer k holds for each vertex side by side the probability and the cost with k moves left; it lies in
    `values[k % len(values)]`, so two rows are enough where only the last layer is wanted. Numbers may be floats, or
    whole numbers of any length. The run ends when `until` is full, when the notes have no room for another layer, or
    when a layer equals the one before.
    """
    goals, until, room = graph.goals, notes.until, len(notes.vertex) - len(graph.order)
    unit, used = scale.unit, 0
    for done in range(len(until)):
        left = begin + done
        if done > 0 and used > room:
            return left - 1
        below, here = values[(left - 1) % len(values)], values[left % len(values)]
        for goal in goals:
            here[goal + goal] = unit
        used, changed = _layer(graph, numbers, scale, below, here, left > 0, notes, used)
        unit = unit * scale.growth
        until[done] = used
        if left > 0 and not changed:
            notes.settled[0] = 1
            return left
    return begin + len(until) - 1


def _layer(
    graph: LayerGraph, numbers: EdgeNumbers, scale: Scale, below: Array, here: Array, moving: bool, notes: ChoiceNotes,
    used: int,
) -> tuple[int, bool]:  # fmt: skip
    """Compute the layer `here` by the one `below`; return how many changes of edges are noted, and if it differs.

    A tester vertex takes the cheapest among the edges whose probability is at most the share `tolerance` below the
    best, the one it had before if that is among them, and gives up where nothing can be won.
    """
    first, twice_target, moves, owner = graph.first, graph.twice_target, graph.moves, graph.owner
    weight_row, weight_table = numbers.weight_row, numbers.weight_table
    cost_row, cost_table = numbers.cost_row, numbers.cost_table
    growth, tolerance, none, one = scale.growth, scale.tolerance, graph.none, graph.one
    choice, noted_vertex, noted_edge = notes.choice, notes.vertex, notes.edge
    nothing = scale.unit - scale.unit
    changed = False
    for vertex in graph.order:
        at = vertex + vertex
        chance, worst = nothing, nothing
        if owner[vertex] == 1:
            # A choice point: the sum of p * P (equation 2) and the largest cost + C (equation 3).
            for edge in range(first[vertex], first[vertex + one]):
                to = twice_target[edge]
                if moves[edge] == 0:
                    chance += weight_table[weight_row[edge]] * here[to]
                    worst = max(worst, cost_table[cost_row[edge]] + here[to + one])
                elif moving:
                    chance += weight_table[weight_row[edge]] * below[to]
                    worst = max(worst, cost_table[cost_row[edge]] + below[to + one])
        else:
            # A state: the highest P, then the least cost + C among those whose P is called equal.
            best = nothing
            for edge in range(first[vertex], first[vertex + one]):
                if moves[edge] == 0:
                    best = max(best, weight_table[weight_row[edge]] * here[twice_target[edge]])
                elif moving:
                    best = max(best, weight_table[weight_row[edge]] * below[twice_target[edge]])
            chosen, held = none, choice[vertex]
            if best > nothing:
                enough = best - tolerance * best
                for edge in range(first[vertex], first[vertex + one]):
                    to = twice_target[edge]
                    if moves[edge] == 0:
                        offered = weight_table[weight_row[edge]] * here[to]
                        price = cost_table[cost_row[edge]] + here[to + one]
                    elif moving:
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
    return used, changed
