"""The layered layout: where nodes lie, how links run, where labels stand.

The four steps of Sugiyama, Tagawa, Toda (1981): layers (layering.py), order within layers (layering.py), coordinates
(coordinates.py), and lines (routes.py). Labels and loops take part as things with a size, and a line crosses a layer
only level with the cell that was made for it; hence text and nodes overlap nothing, whatever the graph. The same order
is tried rightwards and downwards, and the picture that can be shown larger is taken.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from outplay.pictures.coordinates import Ports, Pull, meeting_points, positions, turning_lanes
from outplay.pictures.geometry import Frame, LayoutGraph, Point, Size
from outplay.pictures.layering import DUMMY, NODE, TURN, Cells, Orders, cells_of, order_layers
from outplay.pictures.routes import LOOP, Column, Route, RoutePlan, loop_route, route

MARGIN = 16.0
ENTRY = 30.0  # the arrow into the initial node
_SCREEN = (1400.0, 1300.0)  # a window, and a little to scroll
_PAD = 9.0
_LANE = 6.5  # half the distance of two lines that run side by side
_GAP, _STEEP, _WIDEST_GAP = 26.0, 0.12, 130.0


@dataclass(frozen=True)
class Layout:
    """A finished layout; `layers` are those of the nodes, `loops` those of nodes with loops."""

    size: Size
    rightwards: bool
    centres: tuple[Point, ...]
    routes: tuple[Route, ...]
    loops: dict[int, Route]
    layers: tuple[int, ...]


def lay_out(graph: LayoutGraph, *, rightwards: bool | None = None) -> Layout:
    """Compute the layout of a graph, in the direction in which it can be shown larger unless one is asked for."""
    cells = cells_of(graph)
    orders = order_layers(cells.layer, cells.pieces, graph.initial)
    if rightwards is not None:
        return _laid(graph, cells, orders, Frame(rightwards))
    right, down = (_laid(graph, cells, orders, Frame(rightward)) for rightward in (True, False))
    return right if _scale(right) >= 0.9 * _scale(down) else down  # text reads better along the flow


def _scale(layout: Layout) -> float:
    return min(1.0, _SCREEN[0] / layout.size.width, _SCREEN[1] / layout.size.height)


def _laid(graph: LayoutGraph, cells: Cells, orders: Orders, frame: Frame) -> Layout:
    rooms = [_room(graph, cells, cell, frame) for cell in range(len(cells.kind))]
    place = {cell: at for order in orders for at, cell in enumerate(order)}
    lanes = turning_lanes(cells, place)
    ports = meeting_points(graph, cells, place, lanes, frame)
    across = positions(orders, rooms, *_pulls(cells, ports))
    low = min((at - room[0] for at, room in zip(across, rooms, strict=True)), default=0.0)
    across = [at - low + MARGIN for at in across]
    high = max((at + room[1] for at, room in zip(across, rooms, strict=True)), default=0.0)
    spans = _spans(graph, cells, orders, frame, _gaps(cells, across, ports, lanes))
    plan = RoutePlan(graph, cells, frame, tuple(spans), tuple(across), ports, lanes)
    nodes = range(len(graph.boxes))
    length = (spans[-1].end if spans else 0.0) + MARGIN
    return Layout(
        Size(*frame.point(length, high + MARGIN)),
        frame.rightwards,
        tuple(plan.centre(node) for node in nodes),
        tuple(route(plan, number) for number in range(len(graph.links))),
        {node: loop_route(graph.boxes[node], plan.centre(node), frame) for node in nodes if graph.boxes[node].loop},
        tuple(layer // 2 for layer in cells.layer[: len(graph.boxes)]),
    )


def _room(graph: LayoutGraph, cells: Cells, cell: int, frame: Frame) -> tuple[float, float]:
    """Return the room that a cell takes up across the flow, on either side of its line."""
    kind, owner = cells.kind[cell], cells.owner[cell]
    if kind == DUMMY:
        return _LANE, _LANE
    if kind == NODE:
        return _room_of_node(graph, owner, frame)
    label = graph.links[owner].label
    if kind == TURN:
        half = (label.height if frame.rightwards else label.width) / 2
        return half + _LANE, half + _LANE
    if frame.rightwards:
        return label.height + _LANE, _LANE  # text stands on its line
    return _LANE, label.width + _LANE + 6  # text hangs to the right of its line


def _room_of_node(graph: LayoutGraph, node: int, frame: Frame) -> tuple[float, float]:
    box = graph.boxes[node]
    half = frame.half_across(box) + _PAD
    if box.loop is None:
        return half, half
    if frame.rightwards:
        return half + LOOP + box.loop.height, half
    return half, half + LOOP + box.loop.width


def _length(graph: LayoutGraph, cells: Cells, cell: int, frame: Frame) -> float:
    """Return the room that a cell takes up along the flow."""
    kind, owner = cells.kind[cell], cells.owner[cell]
    if kind == DUMMY:
        return 0.0
    if kind == NODE:
        box = graph.boxes[owner]
        text = 0.0 if box.loop is None else box.loop.width if frame.rightwards else box.loop.height
        return max(2 * frame.half_along(box), text)
    label = graph.links[owner].label
    return label.width if frame.rightwards else label.height


def _pulls(cells: Cells, ports: Ports) -> tuple[list[list[Pull]], list[list[Pull]]]:
    before: list[list[Pull]] = [[] for _ in cells.kind]
    after: list[list[Pull]] = [[] for _ in cells.kind]
    for low, high in cells.pieces:
        weight = _weight(cells, low, high)
        shift = ports[high, low] - ports[low, high]
        after[low].append(Pull(high, shift, weight))
        before[high].append(Pull(low, -shift, weight))
    return before, after


def _weight(cells: Cells, low: int, high: int) -> float:
    """Long lines should be straight before short ones are, and steps on before steps back."""
    kinds = cells.kind[low], cells.kind[high]
    if DUMMY in kinds:
        return 16.0 if kinds == (DUMMY, DUMMY) else 2.0
    label = high if cells.kind[low] == NODE else low
    chain = cells.chains[cells.owner[label]]
    return 2.0 if cells.layer[chain[0]] < cells.layer[chain[-1]] else 1.0


def _gaps(cells: Cells, across: Sequence[float], ports: Ports, lanes: Mapping[int, float]) -> list[float]:
    """The distance from each layer to the next: steep lines and turns need more."""
    gaps = [_GAP] * cells.depth
    for low, high in cells.pieces:
        rise = across[low] + ports[low, high] - across[high] - ports[high, low]
        layer = cells.layer[low]
        gaps[layer] = max(
            gaps[layer], min(_WIDEST_GAP, _GAP + _STEEP * abs(rise)), _GAP + lanes.get(high, lanes.get(low, 0.0))
        )
    return gaps


def _spans(graph: LayoutGraph, cells: Cells, orders: Orders, frame: Frame, gaps: Sequence[float]) -> list[Column]:
    """Return the start and the end of each layer along the flow."""
    spans, at = [], MARGIN + ENTRY
    for order, gap in zip(orders, gaps, strict=True):
        length = max((_length(graph, cells, cell, frame) for cell in order), default=0.0)
        spans.append(Column(at, at + length))
        at += length + gap
    return spans
