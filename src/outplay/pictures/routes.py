"""Lines: from outline to outline, level within each layer and curved between layers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from outplay.pictures.geometry import Box, Frame, LayoutGraph, Point, Size
from outplay.pictures.layering import TURN, Cells

LOOP = 30.0  # how far a loop stands out from its node
HEAD = 9.0  # the length of an arrow's head
_LEAD = HEAD + 3  # lines arrive level, with room for the head


class Column(NamedTuple):
    """The stretch a layer takes along the flow."""

    start: float
    end: float

    @property
    def middle(self) -> float:
        return (self.start + self.end) / 2

    def side(self, direction: int) -> float:
        return self.end if direction > 0 else self.start


@dataclass(frozen=True)
class Route:
    """A drawn link: points of a path (one point: a line there; three: a curve), its arrow and its text."""

    start: Point
    steps: tuple[tuple[Point, ...], ...]
    heading: Point
    """The direction of the arrow at the end, as a unit vector."""
    text: Point
    """The middle of the upper edge of the label, or its left end where `leftish`."""
    leftish: bool = False
    against: tuple[Point, Point] | None = None
    """For a link against the flow: a place for a small arrow beside the label, and its direction."""
    leader: tuple[Point, Point] | None = None
    """A thin line from the turn of a link within a layer to its text."""
    joins: int | None = None
    """The step after which the line runs together with an earlier one to the same target."""

    @property
    def tip(self) -> Point:
        return self.steps[-1][-1]


@dataclass(frozen=True)
class RoutePlan:
    """All that is known when the lines are drawn."""

    graph: LayoutGraph
    cells: Cells
    frame: Frame
    layers: tuple[Column, ...]
    across: tuple[float, ...]
    ports: Mapping[tuple[int, int], float]
    lanes: Mapping[int, float]
    """For a link within a layer: how far before the column it turns round."""

    @cached_property
    def first_user(self) -> dict[int, int]:
        """The first link that runs through each dummy."""
        found: dict[int, int] = {}
        for number, chain in enumerate(self.cells.chains):
            for cell in chain[1:-1]:
                found.setdefault(cell, number)
        return found

    def centre(self, node: int) -> Point:
        return self.frame.point(self.layers[self.cells.layer[node]].middle, self.across[node])

    def column(self, cell: int) -> Column:
        return self.layers[self.cells.layer[cell]]

    def outline(self, node: int, other: int, direction: int) -> tuple[float, float]:
        """Return the point where the line to a neighbour cell meets the outline of a node, as (along, across)."""
        offset = self.ports[node, other]
        reach = self.frame.reach(self.graph.boxes[node], offset)
        return self.column(node).middle + direction * reach, self.across[node] + offset


def route(plan: RoutePlan, number: int) -> Route:
    """Route a link of a picture from outline to outline."""
    chain = plan.cells.chains[number]
    return _turn(plan, number) if plan.cells.kind[chain[1]] == TURN else _through(plan, number)


def _through(plan: RoutePlan, number: int) -> Route:
    chain, layer, frame = plan.cells.chains[number], plan.cells.layer, plan.frame
    direction = 1 if layer[chain[1]] > layer[chain[0]] else -1
    begin, end = plan.outline(chain[0], chain[1], direction), plan.outline(chain[-1], chain[-2], -direction)
    pen = _Pen(frame, begin)
    pen.level(plan.column(chain[0]).side(direction))
    joins = None
    for cell in chain[1:-1]:
        pen.swing(plan.column(cell).side(-direction), plan.across[cell])
        if joins is None and plan.first_user[cell] != number:
            joins = len(pen.steps)
        pen.level(plan.column(cell).side(direction))
    pen.swing(plan.column(chain[-1]).side(-direction) - direction * _LEAD, end[1])
    pen.level(end[0], always=True)
    column, at = plan.column(chain[1]), plan.across[chain[1]]
    label = plan.graph.links[number].label
    on_line, off_line = (column.middle, at - label.height - 3), (at + 6, column.middle - label.height / 2)
    text = on_line if frame.rightwards else off_line
    mark = frame.point(column.side(direction), at), frame.point(float(direction), 0.0)
    against = mark if direction < 0 else None
    return Route(frame.point(*begin), tuple(pen.steps), mark[1], text, not frame.rightwards, against, joins=joins)


def _turn(plan: RoutePlan, number: int) -> Route:
    """Draw a link within one layer: out, round, and back in on the same side."""
    source, cell, target = plan.cells.chains[number]
    frame, direction = plan.frame, 1 if plan.cells.layer[cell] > plan.cells.layer[source] else -1
    begin, end = plan.outline(source, cell, direction), plan.outline(target, cell, direction)
    side, near = plan.column(source).side(direction), plan.column(cell).side(-direction)
    apex = near - direction * plan.lanes[cell]
    low, high = sorted((begin[1], end[1]))
    level = min(max(plan.across[cell], low + (high - low) * 0.2), high - (high - low) * 0.2)
    pen = _Pen(frame, begin)
    pen.level(side)
    pen.bend((apex, begin[1]), (apex, level))
    pen.bend((apex, end[1]), (side + direction * _LEAD, end[1]))
    pen.level(end[0], always=True)
    leader = frame.point(apex, level), frame.point(near, plan.across[cell])
    label = plan.graph.links[number].label
    heading = frame.point(-float(direction), 0.0)
    text = _beside(frame, direction, near, plan.across[cell], label)
    return Route(frame.point(*begin), tuple(pen.steps), heading, text, frame.rightwards, leader=leader)


def _beside(frame: Frame, direction: int, near: float, level: float, label: Size) -> Point:
    """Return the start of the text of a link that turns round: just beyond the turn."""
    if frame.rightwards:
        return near + 2 if direction > 0 else near - 2 - label.width, level - label.height / 2
    return level, near + 1 if direction > 0 else near - 1 - label.height


def loop_route(box: Box, centre: Point, frame: Frame) -> Route:
    """Route a loop: above the node in a picture that runs to the right, beside it in one that runs down."""
    x, y = centre
    label = box.loop
    assert label is not None, "only nodes with loops are asked for one"
    narrow, wide, far = 8.0, 21.0, LOOP + 6
    if frame.rightwards:
        top = y - box.down(narrow)
        curve = (x - wide, top - far), (x + wide, top - far), (x + narrow + 2.9, top - HEAD * 0.95)
        text = (x, y - box.height / 2 - LOOP - label.height)
        return Route((x - narrow, top), (curve, ((x + narrow, top),)), (-0.3, 0.95), text)
    side = x + box.right(narrow)
    curve = (side + far, y - wide), (side + far, y + wide), (side + HEAD * 0.95, y + narrow + 2.9)
    text = (x + box.width / 2 + LOOP, y - label.height / 2)
    return Route((side, y - narrow), (curve, ((side, y + narrow),)), (-0.95, -0.3), text, leftish=True)


class _Pen:
    """Collects the steps of a path in along and across, and writes them in x and y."""

    def __init__(self, frame: Frame, start: tuple[float, float]) -> None:
        self._frame, self._at = frame, start
        self.steps: list[tuple[Point, ...]] = []

    def level(self, along: float, *, always: bool = False) -> None:
        """Go straight on along the flow."""
        if always or abs(along - self._at[0]) > 0.05:
            self._at = (along, self._at[1])
            self.steps.append((self._frame.point(*self._at),))

    def swing(self, along: float, across: float) -> None:
        """Go over to another height, leaving and arriving level."""
        if abs(across - self._at[1]) < 0.05:
            self.level(along)
        else:
            middle = (self._at[0] + along) / 2
            self._curve((middle, self._at[1]), (middle, across), (along, across))

    def bend(self, corner: tuple[float, float], end: tuple[float, float]) -> None:
        """Go round a corner without touching it."""
        soft = 0.6
        first = tuple(a + soft * (c - a) for a, c in zip(self._at, corner, strict=True))
        second = tuple(e + soft * (c - e) for e, c in zip(end, corner, strict=True))
        self._curve((first[0], first[1]), (second[0], second[1]), end)

    def _curve(self, *points: tuple[float, float]) -> None:
        self.steps.append(tuple(self._frame.point(*point) for point in points))
        self._at = points[-1]
