"""Figures: the texts of a drawing with their sizes, ready for the layout; parallel edges become one arrow."""

from __future__ import annotations

from dataclasses import dataclass

from outplay.grouping import grouped
from outplay.pictures.elements import (
    DIAMOND,
    GROUP,
    REFUSED,
    STRATEGY,
    TILE,
    TRACE,
    Drawing,
    Edge,
    LabelPart,
    Node,
    shorten,
    width,
    wrapped,
)
from outplay.pictures.geometry import Box, LayoutGraph, Link, Size

NAME, NOTE, LABEL = 13.0, 11.0, 12.0  # font sizes
NAME_LINE, NOTE_LINE, LABEL_LINE = 16.0, 13.0, 15.0  # distances of lines
_LONGEST_NAME, _LONGEST_NOTE = 16, 20
RANK = {REFUSED: 3, TRACE: 2, STRATEGY: 1, "": 0}  # what is marked comes first, and lies on top

Line = tuple[LabelPart, ...]


@dataclass(frozen=True)
class Arrow:
    """All edges from one node to another: drawn as one, their labels under each other."""

    source: int
    target: int
    lines: tuple[Line, ...]
    full: str
    """Every label unshortened."""
    mark: str
    free: bool

    @property
    def size(self) -> Size:
        wide = max((_line_width(line) for line in self.lines), default=0.0)
        return Size(wide, LABEL_LINE * len(self.lines))


@dataclass(frozen=True)
class Figure:
    """A drawing with sizes: arrows between nodes, loops by node, and the graph to lay out."""

    drawing: Drawing
    arrows: tuple[Arrow, ...]
    loops: dict[int, Arrow]
    graph: LayoutGraph


def figure(drawing: Drawing) -> Figure:
    """Make a figure of a drawing by measuring its texts."""
    groups = grouped(((edge.source, edge.target), edge) for edge in drawing.edges)
    most, longest = _bounds(len(groups))
    arrows = [_arrow(edges, most, longest) for edges in groups.values()]
    between = tuple(arrow for arrow in arrows if arrow.source != arrow.target)
    loops = {arrow.source: arrow for arrow in arrows if arrow.source == arrow.target}
    boxes = [_outline(node, loops[at].size if at in loops else None) for at, node in enumerate(drawing.nodes)]
    links = [Link(arrow.source, arrow.target, arrow.size) for arrow in between]
    return Figure(drawing, between, loops, LayoutGraph(boxes, links, drawing.initial or 0, drawing.final))


def _bounds(arrows: int) -> tuple[int, int]:
    """Return the bounds on the lines of a label: the fuller the picture, the fewer and shorter."""
    return (4, 26) if arrows <= 60 else (3, 24) if arrows <= 150 else (2, 20)


def _arrow(edges: list[Edge], most: int, longest: int) -> Arrow:
    ranked = sorted(edges, key=lambda edge: -RANK[edge.mark])
    lines = [line for edge in ranked if (line := _line(edge, longest))]
    if len(lines) > most:
        hidden = len(lines) - most + 1
        lines = [*lines[: most - 1], (LabelPart(f"+ {hidden:,} more", "more"),)]
    return Arrow(
        edges[0].source,
        edges[0].target,
        tuple(lines),
        "\n".join(filter(None, map(full_text, edges))),
        ranked[0].mark,
        all(edge.free for edge in edges),
    )


def _line(edge: Edge, longest: int) -> Line:
    most = longest if len(edge.label) == 1 else longest * 2 // 3
    parts = [LabelPart(_steps(edge), "step")] if edge.steps else []
    parts += [
        LabelPart(part.text if part.text.isspace() else shorten(part.text, most), part.role) for part in edge.label
    ]
    return tuple(parts + _numbers(edge, bool(parts)))


def _steps(edge: Edge) -> str:
    shown = ",".join(str(step) for step in edge.steps[:3])
    return f"{shown}{',…' if len(edge.steps) > 3 else ''} "


def _numbers(edge: Edge, spaced: bool) -> list[LabelPart]:
    texts = [f"p {edge.probability}"] * bool(edge.probability) + [f"cost {edge.cost}"] * bool(edge.cost)
    return [LabelPart((" " if spaced or at else "") + text, "number") for at, text in enumerate(texts)]


def full_text(edge: Edge) -> str:
    """Write everything about an edge of a figure in one line."""
    words = ["".join(part.text for part in edge.label)]
    words += [f"probability {edge.probability}"] * bool(edge.probability)
    words += [f"cost {edge.cost}"] * bool(edge.cost)
    words += [f"step {', '.join(map(str, edge.steps))}"] * bool(edge.steps)
    words += ["(strategy)"] * (edge.mark == STRATEGY)
    return "  ".join(filter(None, words))


def _line_width(line: Line) -> float:
    """Return the width of a line of a label."""
    return sum(width(part.text, LABEL, mono=True) for part in line)


def caption(node: Node) -> tuple[tuple[str, ...], str]:
    """Return the caption of a node in a figure: the lines of its name, and its note."""
    room = 2 if node.role == GROUP or node.roomy else 1
    return wrapped(node.name, room * _LONGEST_NAME), shorten(node.note, room * _LONGEST_NOTE)


def _outline(node: Node, loop: Size | None) -> Box:
    """The smallest outline of a node's shape that holds its text."""
    names, note = caption(node)
    wide = max(*(width(name, NAME) for name in names), width(note, NOTE), 0.0)
    tall = NAME_LINE * len(names) + (NOTE_LINE if note else 0.0)
    if node.shape == DIAMOND:
        height = max(48.0, tall + 22)
        return Box(max(height, wide + 4 + 1.24 * tall), height, node.shape, loop)
    if node.shape == TILE:
        return Box(wide + 24, tall + 14, node.shape, loop)
    height = max(42.0, tall + 14)
    return Box(max(height, wide + 12 + 0.36 * tall), height, node.shape, loop)
