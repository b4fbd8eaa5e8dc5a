"""Array kernels of the joker solvers: plain functions that numba can compile (see compiling.py).

Definitions and sections are those of van den Bos 2020.
"""

from __future__ import annotations

from typing import NamedTuple

from outplay.game.algebra import Array, Graph


class SetArrays(NamedTuple):
    """The joker sets as they are built, and work space; made once for any number of goals, as the kernel cleans it."""

    jokers: Array
    """The number of the set a vertex is new in, -1 where it is in none; -2 where it must not be entered."""
    rank: Array
    """The moves within the set."""
    order: Array
    """The vertices as they are settled, those of set k from `starts[k]`."""
    starts: Array
    left: Array
    here: Array
    ahead: Array
    asked: Array


class SetOrder(NamedTuple):
    """The joker sets for `joker_moves`: set k is new with `order[starts[k]:starts[k + 1]]`."""

    order: Array
    starts: Array
    nearest: Array
    """The moves from each vertex when everybody helps."""


class MoveArrays(NamedTuple):
    """The knowledge of `joker_moves` about each vertex, and the vertices it still looks at."""

    worth: Array
    """The moves with at most this many jokers as the level says, -1 where these do not suffice."""
    offer: Array
    most: Array
    left: Array
    choice: Array
    pending: Array
    active: Array


class MoveQueue(NamedTuple):
    """A queue of vertices by their moves: `head` is the first entry of each number of moves, 0 for none."""

    head: Array
    vertex: Array
    following: Array


class Changes(NamedTuple):
    """The changes by a further joker, in order of settling."""

    vertex: Array
    left: Array
    """The jokers in hand."""
    moves: Array
    """Those that suffice with this many jokers, or more until the next change at the vertex."""
    edge: Array
    """The one chosen, -1 for none."""


class Resumption(NamedTuple):
    """The point where `joker_moves` goes on when it is called again with more room: arrays of one number, as they are
    written.
    """

    level: Array
    found: Array
    count: Array


def joker_sets(graph: Graph, goals: Array, sets: SetArrays, stop: int) -> int:
    """Build the joker sets one on top of the other (Definition 6.11); return how many there are.

    Each is an attractor, filled in the order of moves: `here` holds vertices at the present number of moves, `ahead`
    those one move further. A vertex of the system that some edge leads into the set, but not all, is `asked`: with a
    joker it belongs to the next set. Where all vertices are the tester's there is one set, and `rank` counts the moves
    to a goal when all help. It ends when the vertex `stop` is settled: then what comes later is left open.
    """
    owner, moves, first = graph.owner, graph.moves, graph.first
    in_first, in_edge, in_source = graph.in_first, graph.in_edge, graph.in_source
    jokers, rank, order, starts, left = sets.jokers, sets.rank, sets.order, sets.starts, sets.left
    here, ahead, asked = sets.here, sets.ahead, sets.asked
    for vertex in range(len(owner)):
        jokers[vertex] = -2 if jokers[vertex] == -2 else -1
        rank[vertex] = -1
        left[vertex] = first[vertex + 1] - first[vertex]

    settled, waiting, asking, layer = 0, 0, 0, 0
    for goal in goals:
        rank[goal] = 0
        here[waiting] = goal
        waiting += 1
    while True:
        # Set k: the attractor (Definition 6.7) of the goals, or of the vertices where a joker leads into set k - 1.
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
                if vertex == stop:
                    starts[layer + 1] = settled
                    return layer + 1
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

        # The vertices of the next set at which jokers are played: those of Definition 6.14.
        layer += 1
        here, asked = asked, here
        waiting, asking = asking, 0


def joker_moves(
    graph: Graph, sets: SetOrder, state: MoveArrays, queue: MoveQueue, changes: Changes, progress: Resumption, last: int
) -> int:
    """Settle the least moves with at most 0, 1, 2, … `last` jokers; return 0 when `changes` has no room for a level.

    Level by level, `worth` goes from the moves with one joker less to those with one more. Only vertices that are new
    or still above `nearest`, what they take when all help, are looked at: no joker improves the others.
    """
    order, starts, nearest = sets.order, sets.starts, sets.nearest
    worth, pending, active = state.worth, state.pending, state.active
    level, found, count = progress.level[0], progress.found[0], progress.count[0]
    complete = 1
    while level <= last:
        if found + count + starts[level + 1] - starts[level] > len(changes.vertex):
            complete = 0
            break
        for place in range(starts[level], starts[level + 1]):
            if worth[order[place]] < 0:
                active[count] = order[place]
                count += 1
        for place in range(count):
            pending[active[place]] = 1
        used, least = first_offers(graph, state, queue, level, count)
        found = settle_moves(graph, state, queue, changes, level, used, least, found)

        # No joker improves a vertex that is as near as help can bring it: it is not looked at again.
        still = 0
        for place in range(count):
            if worth[active[place]] > nearest[active[place]]:
                active[still] = active[place]
                still += 1
        count = still
        level += 1
    progress.level[0], progress.found[0], progress.count[0] = level, found, count
    return complete


def first_offers(graph: Graph, state: MoveArrays, queue: MoveQueue, level: int, count: int) -> tuple[int, int]:
    """The first offers of T_j to the active vertices, queued; return how many there are, and the least.

    Edges to settled vertices and, with a joker, the least moves + T_(j-1) of their targets.
    """
    owner, moves, first, target = graph.owner, graph.moves, graph.first, graph.target
    worth, offer, most, left = state.worth, state.offer, state.most, state.left
    choice, pending, active = state.choice, state.pending, state.active
    head, queued_vertex, queued_next = queue.head, queue.vertex, queue.following
    used, least = 0, len(head)
    for place in range(count):
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
            queued_vertex[used] = vertex
            queued_next[used] = head[best]
            head[best] = used
            least = min(least, best)
    return used, least


def settle_moves(
    graph: Graph, state: MoveArrays, queue: MoveQueue, changes: Changes, level: int, used: int, least: int, found: int
) -> int:
    """T_j in the order of moves, from `used` offers in the queue; return how many changes have been found by then.

    It is the least moves + T_j of a tester vertex, the largest of a system vertex or, if that is less, what it was
    offered with a joker.
    """
    owner, moves = graph.owner, graph.moves
    in_first, in_edge, in_source = graph.in_first, graph.in_edge, graph.in_source
    worth, offer, most, left = state.worth, state.offer, state.most, state.left
    choice, pending = state.choice, state.pending
    head, queued_vertex, queued_next = queue.head, queue.vertex, queue.following
    found_vertex, found_left, found_moves, found_edge = changes.vertex, changes.left, changes.moves, changes.edge
    queued, value = used, least
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
            found_left[found] = level
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
    return found
