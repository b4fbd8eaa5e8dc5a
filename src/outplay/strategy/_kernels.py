"""The array kernel of sure win: a plain function that numba can compile (see compiling.py)."""

from __future__ import annotations

from typing import NamedTuple

from outplay.strategy.arrays import Array, Graph


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
    """How many entries each level above the lowest has, so that numbers of hundreds of bytes cost no look at each of
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
    queued_value, queued_vertex, queued_next = queue.value, queue.vertex, queue.following
    head, filled = queue.head, queue.filled

    # Goals are worth 0: C(goal) = 0.
    used = 0
    for goal in goals:
        about[4 * goal] = 0
        used += 1
        queued_value[used] = 0
        queued_vertex[used] = goal
        queued_next[used] = head[0]
        head[0] = used
    settled = 0
    last = cost_table[0] - cost_table[0]
    while True:
        bucket = last & 255
        while bucket < 256 and head[bucket] == 0:
            bucket += 1
        if bucket == 256:
            # The lowest level is empty: the next bucket above moves down, measured from the least value in it.
            level = 1
            while level < len(filled) and filled[level] == 0:
                level += 1
            if level == len(filled):
                return settled
            bucket = 256 * level + ((last >> (8 * level)) & 255) + 1
            while head[bucket] == 0:
                bucket += 1
            entry = head[bucket]
            head[bucket] = 0
            last = queued_value[entry]
            following = queued_next[entry]
            while following > 0:
                last = min(last, queued_value[following])
                following = queued_next[following]
            while entry > 0:
                following = queued_next[entry]
                apart = queued_value[entry] ^ last
                filled[level] -= 1
                below = 0
                while (apart >> (8 * below)) > 255:
                    below += 1
                filled[below] += 1
                bucket = 256 * below + ((queued_value[entry] >> (8 * below)) & 255)
                queued_next[entry] = head[bucket]
                head[bucket] = entry
                entry = following
            continue

        # The least value of the queue is final, as no edge costs less than nothing.
        last = (last | 255) - 255 + bucket
        entry = head[bucket]
        head[bucket] = queued_next[entry]
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
            apart = offer ^ last
            level = 0
            while (apart >> (8 * level)) > 255:
                level += 1
            filled[level] += 1
            bucket = 256 * level + ((offer >> (8 * level)) & 255)
            used += 1
            queued_value[used] = offer
            queued_vertex[used] = before
            queued_next[used] = head[bucket]
            head[bucket] = used
