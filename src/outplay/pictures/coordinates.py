"""Coordinates: where each cell lies across the flow, and where lines meet a node and turn round.

The priority idea of Sugiyama, Tagawa, Toda (1981, section V), made exact layer by layer: cells want to be level with
their neighbours, long lines more than short ones; a layer takes the positions nearest to these pulls that keep order
and room. That is an isotonic regression, solved by pooling adjacent violators (Ayer et al., *An empirical distribution
function for sampling with incomplete information*, 1955). First squares are minimised, which spreads cells evenly, then
absolute distances, whose optimum is a median: it makes as many lines as possible quite straight. Sweeps to and fro,
each O(V + E) up to sorting, let the layers agree.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

from outplay.grouping import grouped
from outplay.pictures.geometry import Frame, LayoutGraph
from outplay.pictures.layering import NODE, TURN, Cells

Ports = dict[tuple[int, int], float]  # (cell, neighbour) to the offset across
_TURN = 9.0  # the distance of links that turn round beside each other
_APART, _TIGHT = 10.0, 5.0  # how far apart lines meet a node, and below which distance they come together


def meeting_points(
    graph: LayoutGraph, cells: Cells, place: Mapping[int, int], lanes: Mapping[int, float], frame: Frame
) -> Ports:
    """Give each line of a picture its place at a node, so that lines do not cross there."""
    ports: Ports = {}
    for low_side in (True, False):
        beside = grouped((low, high) if low_side else (high, low) for low, high in cells.pieces)
        for cell, others in beside.items():
            ranked = sorted((_rank(cells, place, lanes, cell, other), other) for other in others)
            ports |= _spread_ports(graph, cells, frame, cell, [other for _, other in ranked])
    return ports


def _rank(
    cells: Cells, place: Mapping[int, int], lanes: Mapping[int, float], node: int, other: int
) -> tuple[int, float]:
    """By place; but lines that turn round to a node further on come last, the widest of them before the narrower."""
    if cells.kind[node] != NODE or cells.kind[other] != TURN:
        return 0, place[other]
    source, _, target = cells.chains[cells.owner[other]]
    partner = target if node == source else source
    # A lane is counted from the labels: the nearer to them, the wider the turn.
    return (1, lanes[other]) if place[partner] > place[node] else (-1, -lanes[other])


def _spread_ports(graph: LayoutGraph, cells: Cells, frame: Frame, cell: int, others: list[int]) -> Ports:
    """Set lines side by side; where they are too many, neighbours of the same direction meet in one point."""
    if cells.kind[cell] != NODE:
        return {(cell, other): 0.0 for other in others}
    groups = [[other] for other in others]
    if _step(graph, frame, cell, len(groups)) < _TIGHT:
        groups = [list(run) for _, run in groupby(others, key=lambda other: _comes_in(cells, cell, other))]
    step = _step(graph, frame, cell, len(groups))
    middle = (len(groups) - 1) / 2
    return {(cell, other): (at - middle) * step for at, group in enumerate(groups) for other in group}


def _step(graph: LayoutGraph, frame: Frame, node: int, lines: int) -> float:
    """Return the distance at which lines meet a node; closer where it ends in a point."""
    box = graph.boxes[node]
    pointed = frame.rightwards and box.shape == "diamond"
    return min(_APART * (0.6 if pointed else 1.0), (0.7 if pointed else 1.4) * frame.half_across(box) / lines)


def _comes_in(cells: Cells, node: int, other: int) -> bool:
    """Say whether the line from a neighbour cell ends at the node."""
    owner = cells.owner[other]
    return cells.kind[other] == "dummy" or cells.chains[owner][-1] == node


def turning_lanes(cells: Cells, place: Mapping[int, int]) -> dict[int, float]:
    """Give links within a layer of a picture lanes to turn round in, one for each target; short ones turn first."""
    turns = [chain for chain in cells.chains if cells.kind[chain[1]] == TURN]
    spans: dict[tuple[int, int], tuple[int, int]] = {}
    for source, cell, target in turns:
        key = cells.layer[cell], target
        ends = (place[source], place[target], *spans.get(key, ()))
        spans[key] = min(ends), max(ends)
    lane = _free_lanes(spans)
    deepest: dict[int, int] = {}
    for (layer, _), number in lane.items():
        deepest[layer] = max(number, deepest.get(layer, 0))
    depth = {cell: deepest[cells.layer[cell]] - lane[cells.layer[cell], target] for _, cell, target in turns}
    return {cell: _TURN * (1 + lanes) for cell, lanes in depth.items()}


def _free_lanes(spans: Mapping[tuple[int, int], tuple[int, int]]) -> dict[tuple[int, int], int]:
    lane: dict[tuple[int, int], int] = {}
    for key, span in sorted(spans.items(), key=lambda item: (item[1][1] - item[1][0], item[0])):
        taken = {lane[other] for other in lane if other[0] == key[0] and _overlap(spans[other], span)}
        lane[key] = next(free for free in range(len(taken) + 1) if free not in taken)
    return lane


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]


_EVEN_SWEEPS, _STRAIGHT_SWEEPS = 24, 12
_LEANING = 1.3  # in a straightening sweep the layer just placed counts this much more
Rooms = Sequence[tuple[float, float]]


@dataclass(frozen=True)
class Pull:
    """A cell wants to lie `shift` from another one, with some weight."""

    other: int
    shift: float
    weight: float


Pulls = Sequence[Sequence[Pull]]


def positions(orders: Sequence[Sequence[int]], rooms: Rooms, before: Pulls, after: Pulls) -> list[float]:
    """Find the position of each cell of a layout; `rooms` says how much each takes up on either side.

    >>> pulls = [[], [Pull(0, 0, 1)], [Pull(0, 0, 1)]]
    >>> positions([[0], [1, 2]], [(5, 5)] * 3, pulls, [[], [], []])
    [0.0, -5.0, 5.0]
    """
    place = _stacked(orders, rooms)
    both = [[*one, *other] for one, other in zip(before, after, strict=True)]
    for sweep in range(_EVEN_SWEEPS):
        # First let each direction carry far, then let both pull at once.
        near = both if sweep >= _EVEN_SWEEPS // 2 else before if sweep % 2 == 0 else after
        for order in orders if sweep % 2 == 0 else reversed(orders):
            _spread(order, rooms, near, place)
    for sweep in range(_STRAIGHT_SWEEPS):
        for order in orders if sweep % 2 == 0 else reversed(orders):
            _straighten(order, rooms, *((before, after) if sweep % 2 == 0 else (after, before)), place)
    return place


def _stacked(orders: Sequence[Sequence[int]], rooms: Rooms) -> list[float]:
    """Every layer packed and centred at 0."""
    place = [0.0] * len(rooms)
    for order in orders:
        offset = _packed(order, rooms)
        for cell, at in zip(order, offset, strict=True):
            place[cell] = at - offset[-1] / 2
    return place


def _packed(order: Sequence[int], rooms: Rooms) -> list[float]:
    """Positions of a layer as close as room allows."""
    offset = [0.0] if order else []
    for left, right in pairwise(order):
        offset.append(offset[-1] + rooms[left][1] + rooms[right][0])
    return offset


def _spread(order: Sequence[int], rooms: Rooms, near: Pulls, place: list[float]) -> None:
    """Place a layer by least squares."""
    offset = _packed(order, rooms)
    wanted, weights = [], []
    for cell, packed in zip(order, offset, strict=True):
        weight = sum(pull.weight for pull in near[cell])
        mean = sum((place[pull.other] + pull.shift) * pull.weight for pull in near[cell]) / weight if weight else None
        wanted.append((place[cell] if mean is None else mean) - packed)
        weights.append(weight or 0.05)
    for cell, packed, level in zip(order, offset, pooled(wanted, weights), strict=True):
        place[cell] = level + packed


def pooled(values: Sequence[float], weights: Sequence[float]) -> list[float]:
    """Find the ascending coordinates nearest to the values, in least weighted squares.

    >>> pooled([1, 3, 2], [1, 1, 1])
    [1.0, 2.5, 2.5]
    """
    blocks: list[tuple[float, float, int]] = []  # mean, weight, length
    for value, weight in zip(values, weights, strict=True):
        mean, total, length = float(value), float(weight), 1
        while blocks and blocks[-1][0] > mean:
            last, heavy, longer = blocks.pop()
            mean = (mean * total + last * heavy) / (total + heavy)
            total, length = total + heavy, length + longer
        blocks.append((mean, total, length))
    return [mean for mean, _, length in blocks for _ in range(length)]


def _straighten(order: Sequence[int], rooms: Rooms, done: Pulls, coming: Pulls, place: list[float]) -> None:
    """Place a layer by least absolute distances, with more regard for the layer that was placed just before."""
    offset = _packed(order, rooms)
    blocks: list[_Block] = []
    for cell, packed in zip(order, offset, strict=True):
        pulls = [(place[w.other] + w.shift - packed, w.weight * _LEANING) for w in done[cell]]
        pulls += [(place[w.other] + w.shift - packed, w.weight) for w in coming[cell]]
        pulls.append((place[cell] - packed, 0.01))  # where pulls balance, stay
        block = _Block(sorted(pulls), 1)
        while blocks and blocks[-1].median > block.median:
            block = blocks.pop().joined(block)
        blocks.append(block)
    levels = (block.median for block in blocks for _ in range(block.length))
    for cell, packed, level in zip(order, offset, levels, strict=True):
        place[cell] = level + packed


class _Block:
    """Cells that lie side by side as close as they can, with all their pulls."""

    def __init__(self, pulls: list[tuple[float, float]], length: int) -> None:
        self.pulls, self.length = pulls, length
        self.median = _median(pulls)

    def joined(self, other: _Block) -> _Block:
        larger, smaller = sorted((self.pulls, other.pulls), key=len, reverse=True)
        for pull in smaller:
            insort(larger, pull)
        return _Block(larger, self.length + other.length)


def _median(pulls: Sequence[tuple[float, float]]) -> float:
    """The weighted median of sorted pulls."""
    rest = sum(weight for _, weight in pulls) / 2
    for value, weight in pulls:
        rest -= weight
        if rest <= 0:
            return value
    return pulls[-1][0]
