"""Array kernels of tours: the network simplex method and Euler's walk, plain functions numba can compile."""

from __future__ import annotations

from typing import Any, NamedTuple


class Carried(NamedTuple):
    """Edges, what each costs, and how much it carries."""

    source: Any
    target: Any
    cost: Any
    flow: Any


class Tree(NamedTuple):
    """A tree of vertices: the parent, the edge to it, whether that leads upwards, the depth and the height.

    The children of a vertex are linked through `child`, `after` and `before`; -1 ends a list.
    """

    parent: Any
    by_edge: Any
    upwards: Any
    depth: Any
    height: Any
    child: Any
    after: Any
    before: Any


class CheapestPaths(NamedTuple):
    """The cheapest paths, written down vertex by vertex, with the heap of those that wait."""

    distance: Any
    by_edge: Any
    wanted: Any
    heap: Any
    place: Any
    settled: Any


def balance(carried: Any, tree: Any, block: int, edge: int, pivots: int) -> int:
    """Find the flow of least cost by the network simplex method, from a tree that carries any flow.

    Edges carry any amount. Heights make cost + height[source] - height[target] 0 on the edges of the tree. An edge
    where this is below 0, the lowest in a block of edges, enters: it takes on as much as its circle allows, and the
    edge of the tree that is empty first, the last of them on the way round from the top, leaves (Cunningham's rule, so
    that it cannot go round for ever). After this many pivots it stops; returns the edge to go on with, or -1 where no
    edge enters any more.
    """
    source, target, cost, flow = carried.source, carried.target, carried.cost, carried.flow
    parent, by_edge, upwards, depth, height = tree.parent, tree.by_edge, tree.upwards, tree.depth, tree.height
    child, after, before = tree.child, tree.after, tree.before
    root = len(parent) - 1
    while pivots > 0:
        pivots -= 1
        entering, lowest, edge = _entering(source, target, cost, height, block, edge)
        if entering < 0:
            return -1
        tail = source[entering]
        head = target[entering]
        top = _common_ancestor(parent, depth, tail, head)
        # On the way round the flow goes down from the top to the tail, and up from the head to the top.
        amount = -1
        cut = root
        on_tail_side = True
        vertex = tail
        while vertex != top:
            if upwards[vertex] and (amount < 0 or flow[by_edge[vertex]] < amount):
                amount = flow[by_edge[vertex]]
                cut = vertex
            vertex = parent[vertex]
        vertex = head
        while vertex != top:
            if not upwards[vertex] and (amount < 0 or flow[by_edge[vertex]] <= amount):
                amount = flow[by_edge[vertex]]
                cut = vertex
                on_tail_side = False
            vertex = parent[vertex]
        if amount > 0:
            flow[entering] += amount
            _send(parent, by_edge, upwards, flow, tail, top, -amount)
            _send(parent, by_edge, upwards, flow, head, top, amount)
        # The part below the cut is hung up by the entering edge: parents change from there to the cut.
        vertex = tail if on_tail_side else head
        hung = vertex
        above = head if on_tail_side else tail
        link = entering
        up = on_tail_side
        while True:
            old_parent = parent[vertex]
            old_link = by_edge[vertex]
            old_up = upwards[vertex]
            _unlink(child, after, before, old_parent, vertex)
            parent[vertex] = above
            by_edge[vertex] = link
            upwards[vertex] = up
            _link(child, after, before, above, vertex)
            if vertex == cut:
                break
            above = vertex
            link = old_link
            up = not old_up
            vertex = old_parent
        _lift(parent, child, after, depth, height, hung, -lowest if on_tail_side else lowest)
    return edge


def _entering(source: Any, target: Any, cost: Any, height: Any, block: int, edge: int) -> Any:
    """The edge of the next block with one to enter, the lowest there, by how much, and where to look on."""
    edges = len(cost)
    entering = -1
    lowest = 0
    looked = 0
    counted = 0
    while looked < edges and not (counted == block and entering >= 0):
        if counted == block:
            counted = 0
        reduced = cost[edge] + height[source[edge]] - height[target[edge]]
        if reduced < lowest:
            lowest = reduced
            entering = edge
        edge += 1
        if edge == edges:
            edge = 0
        looked += 1
        counted += 1
    return entering, lowest, edge


def _common_ancestor(parent: Any, depth: Any, one: int, other: int) -> int:
    """The lowest vertex above two."""
    while one != other:
        if depth[one] >= depth[other]:
            one = parent[one]
        else:
            other = parent[other]
    return one


def _send(parent: Any, by_edge: Any, upwards: Any, flow: Any, vertex: int, top: int, upward: Any) -> None:
    """Let the edges of the tree from a vertex to the top carry so much more upwards."""
    while vertex != top:
        flow[by_edge[vertex]] += upward if upwards[vertex] else -upward
        vertex = parent[vertex]


def _unlink(child: Any, after: Any, before: Any, parent: int, vertex: int) -> None:
    """Take a vertex out of the children of another."""
    if before[vertex] >= 0:
        after[before[vertex]] = after[vertex]
    else:
        child[parent] = after[vertex]
    if after[vertex] >= 0:
        before[after[vertex]] = before[vertex]


def _link(child: Any, after: Any, before: Any, parent: int, vertex: int) -> None:
    """Make a vertex the first child of another."""
    after[vertex] = child[parent]
    before[vertex] = -1
    if child[parent] >= 0:
        before[child[parent]] = vertex
    child[parent] = vertex


def _lift(parent: Any, child: Any, after: Any, depth: Any, height: Any, hung: int, lift: Any) -> None:
    """Give all that hangs below a vertex its new depth and height."""
    depth[hung] = depth[parent[hung]] + 1
    height[hung] += lift
    vertex = hung
    while True:
        if child[vertex] >= 0:
            vertex = child[vertex]
        else:
            while vertex != hung and after[vertex] < 0:
                vertex = parent[vertex]
            if vertex == hung:
                break
            vertex = after[vertex]
        depth[vertex] = depth[parent[vertex]] + 1
        height[vertex] += lift


def nearest_supply(first: Any, outgoing: Any, target: Any, cost: Any, source: Any, supply: Any, paths: Any) -> int:
    """Find for each vertex the edge on a cheapest way from what supplies, and how much is wanted behind it.

    On entry `by_edge` is -1, `place` is -1 and `wanted` 0. Only ways that something is wanted behind are kept: there
    `wanted` is positive, and `by_edge` is -1 where the way begins. Returns how many vertices are reached; they are
    listed in `settled`, nearest first. O(E log V).
    """
    distance, by_edge, wanted = paths.distance, paths.by_edge, paths.wanted
    heap, place, settled = paths.heap, paths.place, paths.settled
    waiting = 0
    for vertex in range(len(supply)):
        if supply[vertex] > 0:
            heap[waiting] = vertex
            place[vertex] = waiting
            waiting += 1
    done = 0
    while waiting > 0:
        vertex = heap[0]
        waiting -= 1
        if waiting > 0:
            _sink(heap, place, distance, heap[waiting], waiting)
        place[vertex] = -2
        settled[done] = vertex
        done += 1
        for at in range(first[vertex], first[vertex + 1]):
            edge = outgoing[at]
            beyond = target[edge]
            if place[beyond] == -2:
                continue
            length = distance[vertex] + cost[edge]
            fresh = place[beyond] == -1
            if fresh or length < distance[beyond]:
                distance[beyond] = length
                by_edge[beyond] = edge
                _rise(heap, place, distance, beyond, waiting if fresh else place[beyond])
                waiting += fresh
    for back in range(done):
        vertex = settled[done - 1 - back]
        if supply[vertex] < 0:
            wanted[vertex] -= supply[vertex]
        if by_edge[vertex] >= 0:
            wanted[source[by_edge[vertex]]] += wanted[vertex]
    return done


def _rise(heap: Any, place: Any, distance: Any, vertex: int, at: int) -> None:
    """Put a vertex into the heap at a place or above it, where it belongs by its distance."""
    key = distance[vertex]
    while at > 0:
        above = (at - 1) >> 1
        other = heap[above]
        if distance[other] <= key:
            break
        _settle(heap, place, other, at)
        at = above
    _settle(heap, place, vertex, at)


def _sink(heap: Any, place: Any, distance: Any, vertex: int, size: int) -> None:
    """Put a vertex into the heap at the top or below it, where it belongs by its distance."""
    key = distance[vertex]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        if below + 1 < size and distance[heap[below + 1]] < distance[heap[below]]:
            below += 1
        other = heap[below]
        if key <= distance[other]:
            break
        _settle(heap, place, other, at)
        at = below
    _settle(heap, place, vertex, at)


def _settle(heap: Any, place: Any, vertex: int, at: int) -> None:
    heap[at] = vertex
    place[vertex] = at


def euler(
    out_first: Any, out_edge: Any, target: Any, times: Any, start: int, following: Any, path: Any, walk: Any
) -> int:
    """Write the edges of a closed walk from `start` that takes each edge this many times, last edge first (Hierholzer).

    On entry `following` is a copy of the row starts, and every vertex is entered as often as it is left; `times` is
    used up as far as can be reached. `path` has room for one edge more than there are steps. Returns the length.
    """
    depth = 0
    written = 0
    vertex = start
    while True:
        at = following[vertex]
        last = out_first[vertex + 1]
        while at < last and times[out_edge[at]] == 0:
            at += 1
        following[vertex] = at
        if at < last:
            edge = out_edge[at]
            times[edge] -= 1
            path[depth] = edge
            depth += 1
            vertex = target[edge]
        elif depth > 0:
            depth -= 1
            edge = path[depth]
            walk[written] = edge
            written += 1
            vertex = target[path[depth - 1]] if depth > 0 else start
        else:
            return written
