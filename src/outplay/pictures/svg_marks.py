"""Marks: nodes and arrows as pieces of SVG.

The legend: what the shapes and colours mean, as far as they occur in the drawing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from outplay.model.label import DELTA, TAU
from outplay.pages.page_frame import safe
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
    width,
)
from outplay.pictures.figure import LABEL_LINE, NAME_LINE, NOTE_LINE, Arrow, Line, caption
from outplay.pictures.geometry import Box, Point
from outplay.pictures.routes import HEAD, Route


def node_mark(node: Node, box: Box, centre: Point, number: int) -> str:
    """Draw a node with its text as SVG; what it is stands in the title, which viewers show on hover."""
    kinds = ["node", node.role, *["goal"] * node.goal, *["marked"] * node.marked]
    parts = [_outline(box, centre, 0.0, "shape")]
    parts += [_outline(box, centre, -4.0, "ring")] if node.quiet else []
    title = f"{node.title}\n{node.details}".strip()
    opens = "" if node.opens is None else f' data-opens="{node.opens}"'
    return (
        f'<g class="{" ".join(kinds)}" data-n="{number}"{opens}><title>{safe(title)}</title>'
        f"{''.join(parts)}{_caption(node, centre)}</g>\n"
    )


def halo(box: Box, centre: Point) -> str:
    """Draw a halo round a node on the trace as SVG; it lies under the lines, so that arrows stay whole."""
    return f'<g class="marked">{_outline(box, centre, 4.0, "halo")}</g>\n'


def _outline(box: Box, centre: Point, grow: float, kind: str) -> str:
    (x, y), wide, tall = centre, box.width + 2 * grow, box.height + 2 * grow
    if box.shape == "diamond":
        wide, tip = wide + grow * 0.6, box.tip + grow * 0.3
        flat = max(0.0, wide / 2 - tip)
        points = [
            (-wide / 2, 0),
            (-flat, -tall / 2),
            (flat, -tall / 2),
            (wide / 2, 0),
            (flat, tall / 2),
            (-flat, tall / 2),
        ]
        return f'<path class="{kind}" d="M{" L".join(_at((x + a, y + b)) for a, b in points)} Z"/>'
    round_by = min(wide, tall) / 2 if box.shape == "round" else 6
    return (
        f'<rect class="{kind}" x="{_n(x - wide / 2)}" y="{_n(y - tall / 2)}" '
        f'width="{_n(wide)}" height="{_n(tall)}" rx="{_n(round_by)}"/>'
    )


def _caption(node: Node, centre: Point) -> str:
    names, note = caption(node)
    tall = NAME_LINE * len(names) + (NOTE_LINE if note else 0.0)
    top = centre[1] - tall / 2
    texts = [_text("name", centre[0], top + NAME_LINE * (at + 0.78), name) for at, name in enumerate(names)]
    if note:
        texts.append(_text("note", centre[0], top + NAME_LINE * len(names) + NOTE_LINE * 0.75, note))
    return "".join(texts)


def _text(kind: str, x: float, y: float, text: str) -> str:
    return f'<text class="{kind}" x="{_n(x)}" y="{_n(y)}">{safe(text)}</text>'


def arrow_mark(arrow: Arrow, route: Route, drawing: Drawing, base: int) -> str:
    """Draw an arrow with its label as SVG; `base` is the number of the picture's first node in the whole file."""
    kinds = ["edge", *filter(None, [arrow.mark]), *["free"] * arrow.free]
    title = f"{drawing.nodes[arrow.source].title} → {drawing.nodes[arrow.target].title}\n{arrow.full}".strip()
    against = _head(*route.against) if route.against else ""
    if route.leader and arrow.lines:
        against = f'<path class="leader" d="{_path(route.leader[0], [route.leader[1:]])}"/>'
    return (
        f'<g class="{" ".join(kinds)}" data-s="{base + arrow.source}" data-t="{base + arrow.target}">'
        f'<title>{safe(title)}</title><path class="hit" d="{_path_of(route)}"/>'
        f"{_line(arrow, route)}{against}{_label(arrow.lines, route)}</g>\n"
    )


def _line(arrow: Arrow, route: Route) -> str:
    """The visible line: up to where it joins another one, unless it has a colour of its own."""
    if route.joins is None or arrow.mark or arrow.free:
        return f'<path class="line" d="{_path_of(route)}"/>{_head(route.tip, route.heading)}'
    return f'<path class="line" d="{_path(route.start, route.steps[: route.joins])}"/>'


def _path_of(route: Route) -> str:
    """The path of a line, which ends inside the head of its arrow."""
    (x, y), (dx, dy) = route.tip, route.heading
    return _path(route.start, [*route.steps[:-1], ((x - dx * HEAD * 0.6, y - dy * HEAD * 0.6),)])


def _path(start: Point, steps: Sequence[Sequence[Point]]) -> str:
    written = [f"{'L' if len(step) == 1 else 'C'}{' '.join(map(_at, step))}" for step in steps]
    return f"M{_at(start)}{''.join(written)}"


def straight_arrow_mark(start: Point, end: Point, heading: Point) -> str:
    """Draw a plain straight arrow as SVG, such as one between parts of a picture."""
    route = Route(start, ((end,),), heading, end)
    return f'<path class="line" d="{_path_of(route)}"/>{_head(end, heading)}'


def _head(tip: Point, heading: Point) -> str:
    (x, y), (dx, dy) = tip, heading
    back, half = (x - dx * HEAD, y - dy * HEAD), HEAD * 0.42
    corners = [(back[0] - dy * half, back[1] + dx * half), (back[0] + dy * half, back[1] - dx * half)]
    return f'<path class="head" d="M{_at(tip)} L{" L".join(map(_at, corners))} Z"/>'


def _label(lines: Sequence[Line], route: Route) -> str:
    if not lines:
        return ""
    x, y = route.text
    anchor = "start" if route.leftish else "middle"
    rows = "".join(
        f'<tspan x="{_n(x)}" y="{_n(y + LABEL_LINE * (at + 0.76))}">{_parts(line)}</tspan>'
        for at, line in enumerate(lines)
    )
    return f'<text class="label" text-anchor="{anchor}">{rows}</text>'


def _parts(line: Line) -> str:
    return "".join(f'<tspan class="{part.role}">{safe(part.text)}</tspan>' for part in line)


def _at(point: Point) -> str:
    return f"{_n(point[0])} {_n(point[1])}"


def _n(number: float) -> str:
    """A number with at most one digit after the point, and no minus before nought."""
    return f"{round(number, 1) + 0.0:.1f}".removesuffix(".0")


_ROW, _SPACE, _LEFT = 26.0, 22.0, 10.0
_ROUND = '<rect class="shape" x="0" y="-9" width="18" height="18" rx="9"/>'
_DIAMOND = '<path class="shape" d="M0 0 L10 -10 L20 0 L10 10 Z"/>'
_RINGS = f'{_ROUND}<rect class="ring" x="3.5" y="-5.5" width="11" height="11" rx="5.5"/>'
_LINE = '<path class="line" d="M0 0 L20 0"/><path class="head" d="M26 0 L17 3.8 L17 -3.8 Z"/>'

_QUIET = {DELTA: "silence", "wait": "waiting", TAU: "internal step"}

Entry = tuple[str, str, str]  # class, picture, text


def legend_entries(drawing: Drawing) -> Iterator[Entry]:
    """Return the entries of the legend: marks to explain, in a fixed order."""
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
    """Draw the legend of a picture as rows of SVG marks; return the SVG, its width and its height."""
    x, y, widest = _LEFT, 0.0, 0.0
    pieces = []
    for kind, picture, text in legend_entries(drawing):
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
