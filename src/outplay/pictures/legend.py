"""The legend: what the shapes and colours mean, as far as they occur in the drawing."""

from __future__ import annotations

from collections.abc import Iterator

from outplay.model.label import DELTA, TAU
from outplay.pictures.elements import (
    DIAMOND,
    LOST,
    REFUSED,
    STATE,
    STRATEGY,
    SYSTEM,
    TESTER,
    TRACE,
    Drawing,
    Edge,
    LabelPart,
    Node,
)
from outplay.pictures.text import width

_ROW, _SPACE, _LEFT = 26.0, 22.0, 10.0
_ROUND = '<rect class="shape" x="0" y="-9" width="18" height="18" rx="9"/>'
_DIAMOND = '<path class="shape" d="M0 0 L10 -10 L20 0 L10 10 Z"/>'
_RINGS = f'{_ROUND}<rect class="ring" x="3.5" y="-5.5" width="11" height="11" rx="5.5"/>'
_LINE = '<path class="line" d="M0 0 L20 0"/><path class="head" d="M26 0 L17 3.8 L17 -3.8 Z"/>'

_QUIET = {DELTA: "silence", "wait": "waiting", TAU: "internal step"}

Entry = tuple[str, str, str]  # class, picture, text


def entries(drawing: Drawing) -> Iterator[Entry]:
    """What has to be explained, in a fixed order."""
    pictures = [drawing, *drawing.more]
    nodes = [node for picture in pictures for node in picture.nodes]
    edges = [edge for picture in pictures for edge in picture.edges]
    yield from _node_entries(nodes)
    yield from _label_entries([part for edge in edges for part in edge.label])
    yield from _edge_entries(edges)


def _node_entries(nodes: list[Node]) -> Iterator[Entry]:
    roles = {node.role for node in nodes}
    if TESTER in roles:
        yield "node tester", _ROUND, "the tester moves"
    if SYSTEM in roles:
        yield "node system", _DIAMOND, "the system moves"
    if any(node.role == STATE and node.quiet for node in nodes):
        yield "node state", _RINGS, "silence is allowed"
    if any(node.goal for node in nodes):
        yield "node goal", _DIAMOND if all(n.shape == DIAMOND for n in nodes if n.goal) else _ROUND, "goal"
    if LOST in roles:
        yield "node lost", _ROUND, "no move left"
    if REFUSED in roles:
        yield "node refused", _ROUND, "not allowed by the model"


def _label_entries(parts: list[LabelPart]) -> Iterator[Entry]:
    roles, texts = {part.role for part in parts}, {part.text for part in parts if part.role == "silence"}
    quiet = [word for label, word in _QUIET.items() if label in texts]
    for role, text in (("input", "input"), ("output", "output"), ("silence", ", ".join(quiet))):
        if role in roles:
            yield "", f'<text class="{role}" x="0" y="4.5">■</text>', text


def _edge_entries(edges: list[Edge]) -> Iterator[Entry]:
    marks = {edge.mark for edge in edges}
    if any(edge.free for edge in edges):
        yield "edge free", _LINE, "decision, no move yet"
    if STRATEGY in marks:
        yield "edge strategy", _LINE, "the strategy"
    if TRACE in marks:
        yield "edge trace", _LINE, "the trace, with its steps"
    if any(edge.probability for edge in edges):
        yield "", '<text class="number label" x="2" y="4">p</text>', "probability"


def legend(drawing: Drawing, room: float) -> tuple[str, float, float]:
    """Lay the entries out in rows; returns the piece of SVG, its width and its height."""
    x, y, widest = _LEFT, 0.0, 0.0
    pieces = []
    for kind, picture, text in entries(drawing):
        indent = 16 if picture.startswith("<text") else 32 if kind.startswith("edge") else 26
        length = indent + width(text, 12)
        if x > _LEFT and x + length > room:
            x, y = _LEFT, y + _ROW
        pieces.append(
            f'<g class="{kind}" transform="translate({x:.0f} {y + _ROW / 2:.0f})">{picture}'
            f'<text class="fact" x="{indent}" y="4">{text}</text></g>'
        )
        x += length + _SPACE
        widest = max(widest, x - _SPACE)
    return f'<g class="legend">{"".join(pieces)}</g>', widest, y + _ROW if pieces else 0.0
