"""Array kernels of the joker solvers: plain functions that numba can compile (see compiling.py)."""

from __future__ import annotations

from typing import Any


def joker_layers(
    moves: Any,
    owner: Any,
    in_first: Any,
    in_edge: Any,
    in_source: Any,
    goals: Any,
    jokers: Any,
    rank: Any,
    left: Any,
    order: Any,
    starts: Any,
    here: Any,
    ahead: Any,
    asked: Any,
) -> int:
    """Build the joker sets one on top of the other (004, Definition 6.11); return how many there are.

    Each is an attractor, filled in the order of moves: `here` holds vertices at the present number of moves, `ahead`
    those one move further. A vertex of the system that some edge leads into the set, but not all, is `asked`: with a
    joker it belongs to the next set. `jokers` is -1 at first, -2 for vertices that must not be entered; `rank` is the
    number of moves within the set, -1 at first; `left` starts as the out-degree. `order` lists the vertices as they
    are settled, those of set k from `starts[k]`.
    """
    settled, waiting, asking, layer = 0, 0, 0, 0
    for goal in goals:
        rank[goal] = 0
        here[waiting] = goal
        waiting += 1
    while True:
        starts[layer] = settled
        near = 0
        while waiting > 0:
            later = 0
            while waiting > 0:
                waiting -= 1
                vertex = here[waiting]
                if jokers[vertex] != -1:
                    continue
                jokers[vertex] = layer
                rank[vertex] = near
                order[settled] = vertex
                settled += 1
                for place in range(in_first[vertex], in_first[vertex + 1]):
                    before = in_source[place]
                    if jokers[before] != -1:
                        continue
                    offer = near + moves[in_edge[place]]
                    if owner[before] == 1:
                        if rank[before] < 0:
                            asked[asking] = before
                            asking += 1
                        rank[before] = max(rank[before], offer)
                        left[before] -= 1
                        if left[before] > 0:
                            continue
                        offer = rank[before]
                    else:
                        if rank[before] >= 0 and rank[before] <= offer:
                            continue
                        rank[before] = offer
                    if offer == near:
                        here[waiting] = before
                        waiting += 1
                    else:
                        ahead[later] = before
                        later += 1
            here, ahead = ahead, here
            waiting = later
            near += 1
        if starts[layer] == settled:
            return layer
        layer += 1
        here, asked = asked, here
        waiting, asking = asking, 0


def helped_moves(
    moves: Any,
    in_first: Any,
    in_edge: Any,
    in_source: Any,
    goals: Any,
    jokers: Any,
    nearest: Any,
    here: Any,
    ahead: Any,
) -> int:
    """Count the moves to a goal when all help, among vertices with `jokers` from 0; return how many get there."""
    settled, waiting, near = 0, 0, 0
    for goal in goals:
        nearest[goal] = 0
        here[waiting] = goal
        waiting += 1
    while waiting > 0:
        later = 0
        while waiting > 0:
            waiting -= 1
            vertex = here[waiting]
            if nearest[vertex] < near:
                continue  # met again after it was reached with fewer moves
            settled += 1
            for place in range(in_first[vertex], in_first[vertex + 1]):
                before = in_source[place]
                offer = near + moves[in_edge[place]]
                if jokers[before] < 0 or (nearest[before] >= 0 and nearest[before] <= offer):
                    continue
                nearest[before] = offer
                if offer == near:
                    here[waiting] = before
                    waiting += 1
                else:
                    ahead[later] = before
                    later += 1
        here, ahead = ahead, here
        waiting = later
        near += 1
    return settled


def joker_moves(
    moves: Any,
    owner: Any,
    first: Any,
    target: Any,
    in_first: Any,
    in_edge: Any,
    in_source: Any,
    order: Any,
    starts: Any,
    nearest: Any,
    worth: Any,
    offer: Any,
    most: Any,
    left: Any,
    choice: Any,
    pending: Any,
    active: Any,
    head: Any,
    queued_vertex: Any,
    queued_next: Any,
    found_vertex: Any,
    found_level: Any,
    found_moves: Any,
    found_edge: Any,
    progress: Any,
) -> int:
    """Settle the least moves with at most 0, 1, 2, … jokers in all; return 0 when `found` has no room for a level.

    Level by level, `worth` goes from the moves with one joker less to those with one more. Only vertices that are new
    or still above `nearest`, what they take when all help, are looked at: no joker improves the others. What changes
    is noted in `found`: vertex, level, moves and the edge chosen (-1 for none), in the order of settling.
    `progress` holds the next level, the last one, how much is found and how many vertices are active.
    """
    level, last, found, count = progress[0], progress[1], progress[2], progress[3]
    while level <= last:
        if found + count + starts[level + 1] - starts[level] > len(found_vertex):
            progress[0], progress[2], progress[3] = level, found, count
            return 0
        for place in range(starts[level], starts[level + 1]):
            if worth[order[place]] < 0:
                active[count] = order[place]
                count += 1
        for place in range(count):
            pending[active[place]] = 1
        used, queued, value = 0, 0, len(head)
        for place in range(count):
            # First offers: edges to settled vertices, and jokers into what one joker less makes of their targets.
            vertex = active[place]
            mine, best, largest, unknown = owner[vertex] == 0, -1, 0, 0
            choice[vertex] = -1
            for out in range(first[vertex], first[vertex + 1]):
                after = target[out]
                beyond = worth[after] + moves[out]
                known = pending[after] == 0 and worth[after] >= 0
                if (known if mine else level > 0 and worth[after] >= 0) and (best < 0 or beyond < best):
                    best = beyond
                    choice[vertex] = out
                if known:
                    largest = max(largest, beyond)
                else:
                    unknown += 1
            if not mine and unknown == 0 and (best < 0 or largest <= best):
                best = largest
                choice[vertex] = -1
            offer[vertex], most[vertex], left[vertex] = best, largest, unknown
            if best >= 0:
                used += 1
                queued += 1
                queued_vertex[used] = vertex
                queued_next[used] = head[best]
                head[best] = used
                value = min(value, best)
        while queued > 0:
            entry = head[value]
            if entry == 0:
                value += 1
                continue
            head[value] = queued_next[entry]
            queued -= 1
            vertex = queued_vertex[entry]
            if pending[vertex] == 0:
                continue  # settled before, at this or a better value
            pending[vertex] = 0
            if worth[vertex] != value:
                worth[vertex] = value
                found_vertex[found] = vertex
                found_level[found] = level
                found_moves[found] = value
                found_edge[found] = choice[vertex]
                found += 1
            for place in range(in_first[vertex], in_first[vertex + 1]):
                before = in_source[place]
                if pending[before] == 0:
                    continue
                out = in_edge[place]
                beyond = value + moves[out]
                if owner[before] == 1:
                    most[before] = max(most[before], beyond)
                    left[before] -= 1
                    if left[before] > 0:
                        continue
                    beyond = most[before]
                    if beyond == offer[before]:
                        choice[before] = -1  # as good without a joker
                    out = -1
                if offer[before] >= 0 and offer[before] <= beyond:
                    continue
                offer[before] = beyond
                choice[before] = out
                used += 1
                queued += 1
                queued_vertex[used] = before
                queued_next[used] = head[beyond]
                head[beyond] = used
        still = 0
        for place in range(count):
            if worth[active[place]] > nearest[active[place]]:
                active[still] = active[place]
                still += 1
        count = still
        level += 1
    progress[0], progress[2], progress[3] = level, found, count
    return 1
