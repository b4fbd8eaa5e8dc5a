"""Layers: on which a node lies, and in which order, so that few lines cross.

Layers: every node at its distance from the initial one, and links cut into pieces that join neighbouring layers. The
first step of the layered method (Sugiyama, Tagawa, Toda, *Methods for visual understanding of hierarchical system
structures*, IEEE Trans. SMC 11(2), 1981), with two changes for automata and games. Layers are distances from the start,
so a reader can count moves; what leads back stays a back edge. And labels are cells of their own in layers between
those of the nodes (as in Gansner, Koutsofios, North, Vo, *A technique for drawing directed graphs*, IEEE Trans. Softw.
Eng. 19(3), 1993, section 5.3), so that text gets its room before anything is drawn.

Nodes lie in even layers, labels in odd ones. A link that passes layers gets a dummy cell in each; links to the same
target share their dummies, so thirty ways back to the start become one line that others join: O(layers × targets).

Crossings: the order of the cells within each layer. Sweeps to and fro put each cell at the mean place of its neighbours
in the layer just done (the barycenter rule of Sugiyama, Tagawa, Toda 1981, section IV), then neighbours change places
where that saves crossings (Gansner et al. 1993, section 3, "transpose"). This is done from two first orders, and the
best order met is kept. A sweep costs O(V + E) and the sorting; counting takes O(E log E) comparisons with sorted
insertion (Barth, Jünger, Mutzel, *Simple and efficient bilayer cross counting*, 2002). No chance is used: the same
graph gets the same order everywhere.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from outplay.breadth_first_search import nearest_first
from outplay.pictures.geometry import LayoutGraph

NODE, LABEL, TURN, DUMMY = "node", "label", "turn", "dummy"


@dataclass
class Cells:
    """Nodes, labels and dummies with their layers; `chains` leads each link from its source to its target."""

    layer: list[int] = field(default_factory=list)
    kind: list[str] = field(default_factory=list)
    owner: list[int] = field(default_factory=list)
    """The node or link a cell belongs to; for a dummy the target it leads to."""
    chains: list[list[int]] = field(default_factory=list)
    pieces: list[tuple[int, int]] = field(default_factory=list)
    """Pairs of cells in neighbouring layers, the lower layer first, each pair once."""

    def add(self, kind: str, layer: int, owner: int) -> int:
        self.kind.append(kind)
        self.layer.append(layer)
        self.owner.append(owner)
        return len(self.kind) - 1

    @property
    def depth(self) -> int:
        return max(self.layer, default=-1) + 1


def distances(count: int, edges: Iterable[tuple[int, int]], initial: int) -> list[int]:
    """Put every node on a layer: its distance from the initial one; unreached parts start again from layer 0.

    >>> distances(4, [(0, 1), (1, 0), (3, 2)], 0)
    [0, 1, 1, 0]
    """
    after: list[list[int]] = [[] for _ in range(count)]
    entered = [False] * count
    for source, target in edges:
        after[source].append(target)
        entered[target] = entered[target] or source != target
    layer = [-1] * count
    orphans = [node for node in range(count) if not entered[node]]
    for root in [initial, *orphans, *range(count)]:
        if root < count and layer[root] < 0:
            met = nearest_first([root], lambda node: (target for target in after[node] if layer[target] < 0))
            for node, before in met.items():
                layer[node] = layer[before] + 1  # a root is met from itself, in layer -1
    return layer


def cells_of(graph: LayoutGraph) -> Cells:
    """Make the cells of the layers: nodes first, in their order, then labels and dummies."""
    cells = Cells()
    for node, layer in enumerate(_layers(graph)):
        cells.add(NODE, 2 * layer, node)
    shared: dict[tuple[int, int], int] = {}
    seen: set[tuple[int, int]] = set()
    for number, link in enumerate(graph.links):
        start, end = cells.layer[link.source], cells.layer[link.target]
        # Of two links to and fro within a layer, the second goes round on the other side.
        other_side = start == end > 0 and (link.target, link.source) in seen
        seen.add((link.source, link.target))
        step = -1 if end < start or other_side else 1
        kind = TURN if start == end else LABEL
        chain = [link.source, cells.add(kind, start + step, number)]
        for layer in range(start + 2 * step, end, step) if start != end else ():
            if (link.target, layer) not in shared:
                shared[link.target, layer] = cells.add(DUMMY, layer, link.target)
            chain.append(shared[link.target, layer])
        cells.chains.append([*chain, link.target])
    cells.pieces = _pieces(cells)
    return cells


def _layers(graph: LayoutGraph) -> list[int]:
    ends = [(link.source, link.target) for link in graph.links]
    if graph.final is None:
        return distances(len(graph.boxes), ends, graph.initial)
    away = distances(len(graph.boxes), [(target, source) for source, target in ends], graph.final)
    return [max(away) - far for far in away]


def _pieces(cells: Cells) -> list[tuple[int, int]]:
    found: dict[tuple[int, int], None] = {}
    for chain in cells.chains:
        for one, other in pairwise(chain):
            found[(one, other) if cells.layer[one] < cells.layer[other] else (other, one)] = None
    return list(found)


Orders = list[list[int]]
_Places = tuple[list[int], list[int]]
_SWEEPS, _PATIENCE = 40, 10
_TRANSPOSE_UP_TO = 4_000  # cells; above, the sweeps alone must do


def order_layers(layer: Sequence[int], pieces: Sequence[tuple[int, int]], start: int) -> Orders:
    """Order the cells of each layer; `pieces` join cells of neighbouring layers, lower layer first.

    >>> order_layers([0, 0, 1, 1], [(0, 3), (1, 2)], 0)
    [[0, 1], [3, 2]]
    """
    before: Orders = [[] for _ in layer]
    after: Orders = [[] for _ in layer]
    for low, high in pieces:
        after[low].append(high)
        before[high].append(low)
    walks = [_Ordering(_first_order(layer, before, after, start, turned), before, after) for turned in (False, True)]
    return min((walk.best() for walk in walks), key=lambda found: found[1])[0]


class _Ordering:
    def __init__(self, orders: Orders, before: Orders, after: Orders) -> None:
        self.orders, self._before, self._after = orders, before, after
        self._place = [0] * len(before)
        for order in self.orders:
            self._settle(order)

    def best(self) -> tuple[Orders, int]:
        """The best order met, with its number of crossings."""
        best, least, patience = [list(order) for order in self.orders], self._crossings(), _PATIENCE
        for sweep in range(_SWEEPS):
            if not least or not patience:
                break
            self._sweep(forward=sweep % 2 == 0, keep_ties=sweep % 4 < 2)
            if len(self._place) <= _TRANSPOSE_UP_TO:
                self._transpose()
            count = self._crossings()
            patience -= 1
            if count < least:
                best, least, patience = [list(order) for order in self.orders], count, _PATIENCE
        return best, least

    def _settle(self, order: list[int]) -> None:
        for place, cell in enumerate(order):
            self._place[cell] = place

    def _sweep(self, *, forward: bool, keep_ties: bool) -> None:
        beside = self._before if forward else self._after
        for order in self.orders[1:] if forward else self.orders[-2::-1]:
            self._sort(order, beside, keep_ties)

    def _sort(self, order: list[int], beside: Orders, keep_ties: bool) -> None:
        """Sort by the mean place of the neighbours; cells without any stay where they are."""
        place = self._place
        movable = [cell for cell in order if beside[cell]]
        if not keep_ties:
            movable.reverse()  # so that equal ones change places now and then
        movable.sort(key=lambda cell: sum(place[other] for other in beside[cell]) / len(beside[cell]))
        moved = iter(movable)
        order[:] = [next(moved) if beside[cell] else cell for cell in order]
        self._settle(order)

    def _transpose(self) -> None:
        for _ in range(2):
            if sum(self._swap_neighbours(order) for order in self.orders) == 0:
                return

    def _swap_neighbours(self, order: list[int]) -> bool:
        swapped = False
        views = [self._places(cell) for cell in order]
        for i in range(len(order) - 1):
            if _saved(views[i], views[i + 1]) > 0:
                order[i], order[i + 1] = order[i + 1], order[i]
                views[i], views[i + 1] = views[i + 1], views[i]
                swapped = True
        if swapped:
            self._settle(order)
        return swapped

    def _places(self, cell: int) -> _Places:
        place = self._place
        return sorted([place[c] for c in self._before[cell]]), sorted([place[c] for c in self._after[cell]])

    def _crossings(self) -> int:
        total = 0
        for order in self.orders:
            seen: list[int] = []
            for cell in order:
                places = [self._place[other] for other in self._after[cell]]
                total += sum(len(seen) - bisect_right(seen, place) for place in places)
                for place in places:
                    insort(seen, place)
        return total


def _first_order(layer: Sequence[int], before: Orders, after: Orders, start: int, turned: bool) -> Orders:
    """Cells in the order a depth-first walk meets them, which keeps what belongs together together."""
    step = 1 if turned else -1
    orders: Orders = [[] for _ in range(max(layer, default=-1) + 1)]
    met = [False] * len(layer)
    for root in [start, *range(len(layer))] if layer else ():
        stack = [root]
        while stack:
            cell = stack.pop()
            if not met[cell]:
                met[cell] = True
                orders[layer[cell]].append(cell)
                stack.extend(before[cell][::step])
                stack.extend(after[cell][::step])
    return orders


def _saved(left: _Places, right: _Places) -> int:
    """Count the crossings that are saved by putting the left one to the right."""
    (left_before, left_after), (right_before, right_after) = left, right
    now = _crossed(left_before, right_before) + _crossed(left_after, right_after)
    return now and now - _crossed(right_before, left_before) - _crossed(right_after, left_after)


def _crossed(left: list[int], right: list[int]) -> int:
    """Count the pairs that cross when `left` lies before `right`: both sorted, so one pass does."""
    if not left or not right or left[-1] <= right[0]:
        return 0
    count = passed = 0
    for place in left:
        while passed < len(right) and right[passed] < place:
            passed += 1
        count += passed
    return count
