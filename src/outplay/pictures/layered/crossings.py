"""Crossings: the order of the cells within each layer.

Sweeps to and fro put each cell at the mean place of its neighbours in the layer just done (the barycenter rule of
Sugiyama, Tagawa, Toda 1981, section IV), then neighbours change places where that saves crossings (Gansner et al. 1993,
section 3, "transpose"). This is done from two first orders, and the best order met is kept. A sweep costs O(V + E) and
the sorting; counting takes O(E log E) comparisons with sorted insertion (Barth, Jünger, Mutzel, *Simple and efficient
bilayer cross counting*, 2002). No chance is used: the same graph gets the same order everywhere.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Sequence

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
    """How many crossings are saved by putting the left one to the right."""
    (left_before, left_after), (right_before, right_after) = left, right
    now = _crossed(left_before, right_before) + _crossed(left_after, right_after)
    return now and now - _crossed(right_before, left_before) - _crossed(right_after, left_after)


def _crossed(left: list[int], right: list[int]) -> int:
    """How many pairs cross when `left` lies before `right`: both sorted, so one pass does."""
    if not left or not right or left[-1] <= right[0]:
        return 0
    count = passed = 0
    for place in left:
        while passed < len(right) and right[passed] < place:
            passed += 1
        count += passed
    return count
