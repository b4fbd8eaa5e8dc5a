"""Kernels of the tester that re-plans (replanning.py), which also rehearse it. See compiling.py for how they are run.

`near` is the least expected cost from a vertex to the next new item, `ahead` the same with a share of what the one
after it will cost: else the tester would take what is nearest though it ends the play, and leave the rest for another.
Where play can rest, starting again for `again` is one more move. What the system answers is estimated: each edge has a
weight to begin with, and one more for each time it was seen.
"""

from __future__ import annotations

from typing import Any, NamedTuple

FAR = 1e12
SHARE = 0.3
PRIME, FACTOR = 2147483647, 48271  # Park and Miller's generator of chance, which is the same compiled and plain


class Ground(NamedTuple):
    """A game as the kernels read it."""

    system: Any
    rests: Any
    first: Any
    target: Any
    price: Any
    item: Any
    weight: Any
    in_first: Any
    in_edge: Any
    in_source: Any


class Known(NamedTuple):
    """The knowledge of a tester: items seen, answers counted, from where anything new can come, and what it costs."""

    seen: Any
    count: Any
    fruitful: Any
    near: Any
    ahead: Any
    stack: Any


class RehearsalLimits(NamedTuple):
    """The limits of a rehearsal, and the cost of starting again."""

    again: float
    rounds: int
    """Of value iteration after something new was seen."""
    plays: int
    steps: int
    """Edges in a play that cost something."""
    budget: float


class FirstSeen(NamedTuple):
    """The amount spent, and the number of the play, when each new item was seen."""

    spent: Any
    play: Any


def find_fruitful(ground: Ground, known: Known) -> None:
    """Mark the vertices from which some play shows something new: backwards from the edges that do."""
    first, item = ground.first, ground.item
    in_first, in_source = ground.in_first, ground.in_source
    seen, fruitful, stack = known.seen, known.fruitful, known.stack
    height = 0
    for vertex in range(len(fruitful)):
        fruitful[vertex] = False
        for edge in range(first[vertex], first[vertex + 1]):
            if item[edge] >= 0 and not seen[item[edge]]:
                fruitful[vertex] = True
        if fruitful[vertex]:
            stack[height] = vertex
            height += 1
    while height:
        height -= 1
        vertex = stack[height]
        for place in range(in_first[vertex], in_first[vertex + 1]):
            before = in_source[place]
            if not fruitful[before]:
                fruitful[before] = True
                stack[height] = before
                height += 1


def cost_along(
    edge: int, target: Any, price: Any, item: Any, seen: Any, cost: Any, beyond: Any, share: float
) -> float:  # fmt: skip
    """The cost by an edge: up to a new item if it shows one, with a share of what lies beyond that."""
    if item[edge] >= 0 and not seen[item[edge]]:
        return price[edge] + share * beyond[target[edge]]  # type: ignore[no-any-return]
    return price[edge] + cost[target[edge]]  # type: ignore[no-any-return]


def backed_up(
    vertex: int, ground: Ground, known: Known, cost: Any, share: float, initial: int, again: float
) -> float:  # fmt: skip
    """The cost at a vertex by those of its neighbours."""
    system, rests, first, target = ground.system, ground.rests, ground.first, ground.target
    price, item, weight = ground.price, ground.item, ground.weight
    seen, count, fruitful, near = known.seen, known.count, known.fruitful, known.near
    start, end, value = first[vertex], first[vertex + 1], FAR
    if end > start and (fruitful[vertex] or not rests[vertex]):
        total, weights = 0.0, 0.0
        for edge in range(start, end):
            along = cost_along(edge, target, price, item, seen, cost, near, share)
            value = min(value, along)
            total += (weight[edge] + count[edge]) * along
            weights += weight[edge] + count[edge]
        if system[vertex]:
            value = total / weights
    if rests[vertex] or end == start:
        value = min(value, again + cost[initial])
    return min(value, FAR)


def update_costs(ground: Ground, known: Known, initial: int, again: float, rounds: int, start: int, end: int) -> None:
    """Bring the costs at some vertices up to date, again and again until they change by little, at most so often.

    This is value iteration from the costs before. What takes more rounds, because it is rare, is caught up with later;
    until then it looks nearer than it is.
    """
    for _ in range(rounds):
        change = 0.0
        for back in range(1, end - start + 1):
            vertex = end - back  # explored games number vertices from the start, so the far ones come first
            for turn in range(2):  # one place for both, since what a kernel calls is compiled into it each time
                cost = known.near if turn == 0 else known.ahead
                value = backed_up(vertex, ground, known, cost, SHARE * turn, initial, again)
                change = max(change, abs(value - cost[vertex]) / (1.0 + value))
                cost[vertex] = value
        if change < 1e-3:
            return


def best_edge(vertex: int, ground: Ground, known: Known) -> int:
    """The edge of least cost; -1 where there is none."""
    target, price, item, seen = ground.target, ground.price, ground.item, known.seen
    best, least = -1, 0.0
    for edge in range(ground.first[vertex], ground.first[vertex + 1]):
        along = cost_along(edge, target, price, item, seen, known.ahead, known.near, SHARE)
        if best < 0 or along < least:
            best, least = edge, along
    return best


def improve(ground: Ground, known: Known, initial: int, again: float, rounds: int) -> None:
    """Find which vertices are fruitful, and the costs of all vertices."""
    find_fruitful(ground, known)
    update_costs(ground, known, initial, again, rounds, 0, len(known.near))


def answer(vertex: int, first: Any, chance: Any, at: float) -> int:
    """The edge that chance takes, by a number below 1."""
    edge = first[vertex]
    while edge + 1 < first[vertex + 1] and at >= chance[edge]:
        at -= chance[edge]
        edge += 1
    return edge  # type: ignore[no-any-return]


def rehearse(
    ground: Ground,
    known: Known,
    chance: Any,
    initial: int,
    at_start: int,
    limits: RehearsalLimits,
    seed: int,
    first_seen: Any,
) -> int:
    """Play against a system that answers by chance; return how many items were seen.

    A play ends after this many steps, or where starting again is cheaper; all ends with the budget. The vertex at the
    start, which shows the item `at_start`, costs 1 like every other.
    """
    system, rests, first, price = ground.system, ground.rests, ground.first, ground.price
    seen, fruitful, ahead = known.seen, known.fruitful, known.ahead
    again, budget, rounds = limits.again, limits.budget, limits.rounds
    spent_at, play_at = first_seen.spent, first_seen.play
    lot, spent, found = seed % (PRIME - 1) + 1, 0.0, 0
    for _ in range(10):
        lot = lot * FACTOR % PRIME
    surprised = True
    for play in range(limits.plays):
        vertex, left, new = initial, limits.steps, at_start
        spent += again if play else 1.0
        while spent <= budget:
            if new >= 0 and not seen[new]:
                seen[new] = True
                spent_at[found], play_at[found] = spent, play
                found += 1
                surprised = True
            if surprised:
                find_fruitful(ground, known)
            start, end = (0, len(fruitful)) if surprised else (vertex, vertex + 1)
            update_costs(ground, known, initial, again, rounds if surprised else 1, start, end)
            surprised = False
            if not fruitful[initial] and not fruitful[vertex]:
                return found
            if left <= 0 or first[vertex] == first[vertex + 1]:
                break
            if rests[vertex] and ahead[vertex] >= again + ahead[initial] - 1e-9:
                break
            edge = best_edge(vertex, ground, known)
            if system[vertex]:
                lot = lot * FACTOR % PRIME
                edge = answer(vertex, first, chance, lot / PRIME)
                known.count[edge] += 1.0
            spent += price[edge]
            left -= 1 if price[edge] > 0.0 else 0
            new, vertex = ground.item[edge], ground.target[edge]
        if spent > budget:
            return found
    return found
