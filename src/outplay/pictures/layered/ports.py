"""Ports and lanes: where lines meet a node, and where links within a layer turn round."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from outplay.groups import grouped
from outplay.pictures.layered.geometry import Frame, LayoutGraph
from outplay.pictures.layered.layering import NODE, TURN, Cells

Ports = dict[tuple[int, int], float]  # (cell, neighbour) to the offset across
_TURN = 9.0  # the distance of links that turn round beside each other
_APART, _TIGHT = 10.0, 5.0  # how far apart lines meet a node, and below which distance they come together


def meeting_points(
    graph: LayoutGraph, cells: Cells, place: Mapping[int, int], lanes: Mapping[int, float], frame: Frame
) -> Ports:
    """Give each line its place at a node, in the order of what it leads to, so that lines do not cross there."""
    ports: Ports = {}
    for low_side in (True, False):
        beside = grouped((low, high) if low_side else (high, low) for low, high in cells.pieces)
        for cell, others in beside.items():
            ranked = sorted((_rank(cells, place, lanes, cell, other), other) for other in others)
            ports |= _spread(graph, cells, frame, cell, [other for _, other in ranked])
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


def _spread(graph: LayoutGraph, cells: Cells, frame: Frame, cell: int, others: list[int]) -> Ports:
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
    """How far apart lines meet a node; closer where it ends in a point."""
    box = graph.boxes[node]
    pointed = frame.rightwards and box.shape == "diamond"
    return min(_APART * (0.6 if pointed else 1.0), (0.7 if pointed else 1.4) * frame.half_across(box) / lines)


def _comes_in(cells: Cells, node: int, other: int) -> bool:
    """Say whether the line from a neighbour cell ends at the node."""
    owner = cells.owner[other]
    return cells.kind[other] == "dummy" or cells.chains[owner][-1] == node


def turning_lanes(cells: Cells, place: Mapping[int, int]) -> dict[int, float]:
    """Give links within a layer lanes to turn round in, one for each target; short ones turn first."""
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
