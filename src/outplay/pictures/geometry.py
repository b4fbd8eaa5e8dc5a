"""Sizes and shapes: what the layout needs to know about the things it places, and nothing about what they mean.

The layout thinks in two directions: `along` the flow of layers and `across` it. A `Frame` turns them into x and y, so
that one method serves pictures that run to the right and pictures that run down.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

Point = tuple[float, float]


@dataclass(frozen=True)
class Size:
    """Width and height, of a block of text or of a whole picture; nothing is (0, 0)."""

    width: float = 0.0
    height: float = 0.0


@dataclass(frozen=True)
class Box:
    """A node's outline: `round` has half circles at its ends, `diamond` has points, `tile` is a plain rectangle."""

    width: float
    height: float
    shape: str = "round"
    loop: Size | None = None
    """The label of the node's loops, None where it has none."""

    @property
    def tip(self) -> float:
        """The length of the half circle or the point at each end."""
        return {"round": min(self.width, self.height) / 2, "diamond": min(self.width / 2, self.height * 0.62)}.get(
            self.shape, 0.0
        )

    def right(self, offset: float) -> float:
        """Return how far the outline reaches to the right of the centre, `offset` above or below it."""
        half, middle = self.width / 2, self.height / 2
        share = min(1.0, abs(offset) / middle)
        if self.shape == "round":
            return half - self.tip + self.tip * math.sqrt(1 - share * share)
        return half - self.tip * share

    def down(self, offset: float) -> float:
        """Return how far the outline reaches below the centre, `offset` to the left or right of it."""
        half, middle = self.width / 2, self.height / 2
        beyond = abs(offset) - (half - self.tip)
        if beyond <= 0 or not self.tip:
            return middle
        share = min(1.0, beyond / self.tip)
        return middle * (math.sqrt(1 - share * share) if self.shape == "round" else 1 - share)


@dataclass(frozen=True)
class Link:
    """All arrows from one node to another, which are drawn as one with one label."""

    source: int
    target: int
    label: Size = Size()


@dataclass(frozen=True)
class LayoutGraph:
    """The graph to lay out; no link leads from a node to itself (loops belong to the box)."""

    boxes: Sequence[Box]
    links: Sequence[Link]
    initial: int = 0
    final: int | None = None
    """The node to which everything leads: layers are then distances to it."""


@dataclass(frozen=True)
class Frame:
    """The directions of along and across in x and y: to the `right`, or down."""

    rightwards: bool

    def point(self, along: float, across: float) -> Point:
        return (along, across) if self.rightwards else (across, along)

    def reach(self, box: Box, offset: float) -> float:
        """From the centre of a box along the flow to its outline, `offset` across."""
        return box.right(offset) if self.rightwards else box.down(offset)

    def half_across(self, box: Box) -> float:
        return (box.height if self.rightwards else box.width) / 2

    def half_along(self, box: Box) -> float:
        return (box.width if self.rightwards else box.height) / 2
