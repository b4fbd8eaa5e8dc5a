"""The array kernel of sure win: a plain function that numba can compile (see compiling.py)."""

from __future__ import annotations

from typing import NamedTuple

from outplay.game.algebra import Array, Graph


class Costs(NamedTuple):
    """The cost of an edge is `table[row[edge]]`, a whole number."""

    row: Array
    table: Array


class BucketQueue(NamedTuple):
    """A queue of (value, vertex) whose least value never falls: buckets on several levels (Denardo and Fox 1979).

    An entry lies on the level of the highest byte in which its value differs from the last one taken out, in the bucket
    of that byte, and moves down at most once per level. Entries start at 1; there must be room for one per edge and
    goal.
    """

    value: Array
    vertex: Array
    following: Array
    """The next entry of the same bucket, 0 for none."""
    head: Array
    """The first entry of each bucket, 256 buckets a level, 0 for none."""
    filled: Array
    """The number of entries of each level above the lowest, so that numbers of hundreds of bytes cost no look at each
    of
    their buckets."""


def sure_win(graph: Graph, costs: Costs, goals: Array, about: Array, queue: BucketQueue) -> int:
    """Settle winnable vertices in the order of their worst-case cost (Nachmanson et al. 2004, section 4).

    `about` holds four numbers for each vertex side by side, so that one look into memory finds them all: value (-1 at
    first), rank (0), edges left (the out-degree; -1 when settled) and choice (-1). A vertex of the tester is settled by
    its cheapest settled successor, one of the system by its last; the rank is the number of steps that suffice.
    Returns how many are settled.
    """
    owner, in_first, in_edge, in_source = graph.owner, graph.in_first, graph.in_edge, graph.in_source
    cost_row, cost_table = costs.row, costs.table
    queued_value, queued_vertex, following = queue.value, queue.vertex, queue.following
    head, filled = queue.head, queue.filled

    # Goals are worth 0: C(goal) = 0.
    used = 0
    last = cost_table[0] - cost_table[0]
    for goal in goals:
        about[4 * goal] = 0
        used += 1
        queued_value[used] = 0
        queued_vertex[used] = goal
        _put(used, 0, last, following, head, filled)
    settled = 0
    while True:
        bucket = last & 255
        while bucket < 256 and head[bucket] == 0:
            bucket += 1
        if bucket == 256:
            last = _next_above(last, queued_value, following, head, filled)
            if last < 0:
                return settled
            continue

        # The least value of the queue is final, as no edge costs less than nothing.
        last = (last | 255) - 255 + bucket
        entry = head[bucket]
        head[bucket] = following[entry]
        vertex = queued_vertex[entry]
        if about[4 * vertex + 2] < 0:
            continue  # settled before, at this or a better value
        about[4 * vertex + 2] = -1
        settled += 1

        # C(v) = min (cost + C) over the edges of a tester vertex, max (cost + C) over those of a system vertex.
        steps = about[4 * vertex + 1] + 1
        for place in range(in_first[vertex], in_first[vertex + 1]):
            before = in_source[place]
            at = 4 * before
            if about[at + 2] < 0 or (about[at] == 0 and about[at + 1] == 0):
                continue  # settled, or a goal: goals are worth nothing more
            edge = in_edge[place]
            offer = cost_table[cost_row[edge]] + last
            if owner[before] == 1:
                about[at + 2] -= 1
                about[at] = max(about[at], offer)
                about[at + 1] = max(about[at + 1], steps)
                if about[at + 2] > 0:
                    continue
                offer = about[at]
            else:
                if about[at] >= 0 and about[at] <= offer:
                    continue
                about[at] = offer
                about[at + 1] = steps
                about[at + 3] = edge
            used += 1
            queued_value[used] = offer
            queued_vertex[used] = before
            _put(used, offer, last, following, head, filled)


def _put(entry: int, value: int, last: int, following: Array, head: Array, filled: Array) -> None:
    """Put an entry into the bucket of its value, on the level of the highest byte that differs from the last one's."""
    apart = value ^ last
    level = 0
    while (apart >> (8 * level)) > 255:
        level += 1
    filled[level] += 1
    bucket = 256 * level + ((value >> (8 * level)) & 255)
    following[entry] = head[bucket]
    head[bucket] = entry


def _next_above(last: int, value: Array, following: Array, head: Array, filled: Array) -> int:
    """Move the next bucket above down where the lowest level is empty; return the least value in it, -1 for none."""
    level = 1
    while level < len(filled) and filled[level] == 0:
        level += 1
    if level == len(filled):
        return -1
    bucket = 256 * level + ((last >> (8 * level)) & 255) + 1
    while head[bucket] == 0:
        bucket += 1
    entry = head[bucket]
    head[bucket] = 0
    least = value[entry]
    other = following[entry]
    while other > 0:
        least = min(least, value[other])
        other = following[other]
    while entry > 0:
        other = following[entry]
        filled[level] -= 1
        _put(entry, value[entry], least, following, head, filled)
        entry = other
    return least  # type: ignore[no-any-return]
