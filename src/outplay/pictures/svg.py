"""Pictures as SVG, and as a page that shows one.

SVG: a drawing as one file that needs nothing else, light or dark as its surroundings are.

A page to walk through a drawing: pan and zoom, ask what a state is, search. One file, no outside resources.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from string import Template

from outplay.look.page_frame import DARK, LIGHT, page, safe, scoped, sheet
from outplay.pictures.elements import Drawing, width
from outplay.pictures.figure import RANK, Figure, figure
from outplay.pictures.layered.layout import ENTRY, Layout, lay_out
from outplay.pictures.marks import arrow_mark, halo, legend, node_mark, straight

_SIDE = 8.0
PICTURE = "outplay-picture"
_STYLE = "<style>\n{}</style>\n"


@dataclass(frozen=True)
class Block:
    """A piece of a picture with its size."""

    body: str
    width: float
    height: float


def write_svg(drawing: Drawing) -> str:
    """Write a drawing, with a legend of what occurs in it.

    >>> from outplay.model.automaton import automaton
    >>> from outplay.pictures.drawing import draw
    >>> picture = write_svg(draw(automaton([("off", "?press", "on"), ("on", "!light", "off")])))
    >>> picture.startswith("<svg"), picture.count('data-n='), picture.count('data-s=')
    (True, 2, 2)
    """
    blocks = [*_heading(drawing), *_pictures(drawing)]
    room = max([520.0, *(block.width for block in blocks)])
    return framed([*blocks, Block(*legend(drawing, room))], drawing.title)


def write_bare_svg(drawing: Drawing) -> str:
    """Write a drawing without title, facts and legend, for a page that shows them itself."""
    return framed(list(_pictures(drawing)), drawing.title)


def framed(blocks: list[Block], title: str, *, styled: bool = True) -> str:
    """Put blocks under each other on one sheet; a second sheet on the same page needs no style of its own."""
    wide = max((block.width for block in blocks), default=0.0) + 2 * _SIDE
    body, y = [], _SIDE
    for block in blocks:
        body.append(f'<g transform="translate({_SIDE:.0f} {y:.0f})">{block.body}</g>\n')
        y += block.height
    tall = y + _SIDE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="{PICTURE}" viewBox="0 0 {wide:.0f} {tall:.0f}" '
        f'width="{wide:.0f}" height="{tall:.0f}" role="img" aria-label="{safe(title or "picture")}">\n'
        f"{_STYLE.format(style()) if styled else ''}"
        f'<rect class="paper" width="100%" height="100%" rx="12"/>\n{"".join(body)}</svg>\n'
    )


@cache
def style() -> str:
    """The rules of a picture, for light and dark surroundings, which touch nothing outside it.

    They are written out twice instead of with CSS variables, which many programs that show SVG do not know.
    """
    colours, scope = Template(sheet("picture_colours.css")), f".{PICTURE}"
    light, dark = (scoped(colours.substitute(palette), scope) for palette in (LIGHT, DARK))
    return f"{scoped(sheet('picture.css'), scope)}{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n"


def _heading(drawing: Drawing) -> Iterator[Block]:
    if drawing.title:
        yield Block(f'<text class="title" x="8" y="22">{safe(drawing.title)}</text>', width(drawing.title, 18), 34)
    for name, value in drawing.facts:
        text = f"{name}: {value}"
        yield Block(f'<text class="fact" x="8" y="14">{safe(text)}</text>', width(text, 13), 20)


def _pictures(drawing: Drawing) -> Iterator[Block]:
    """The picture itself and those below it, with their nodes numbered through."""
    if drawing.nodes:
        yield _picture(figure(drawing), 0)
    base = len(drawing.nodes)
    for more in drawing.more:
        yield from _heading(more)
        yield _picture(figure(more), base)
        base += len(more.nodes)


def _picture(made: Figure, base: int) -> Block:
    drawing = made.drawing
    layout = lay_out(made.graph, rightwards={"right": True, "down": False}.get(drawing.flow))
    edges = [(arrow, route) for arrow, route in zip(made.arrows, layout.routes, strict=True)]
    edges += [(arrow, layout.loops[node]) for node, arrow in made.loops.items()]
    edges.sort(key=lambda pair: RANK[pair[0].mark])
    marked = [at for at, node in enumerate(drawing.nodes) if node.marked]
    parts = [halo(made.graph.boxes[at], layout.centres[at]) for at in marked]
    parts += [arrow_mark(arrow, route, drawing, base) for arrow, route in edges]
    parts += [
        node_mark(node, made.graph.boxes[at], layout.centres[at], base + at) for at, node in enumerate(drawing.nodes)
    ]
    return Block("".join([*parts, _entry(made, layout)]), layout.size.width, layout.size.height)


def _entry(made: Figure, layout: Layout) -> str:
    """The arrow from nowhere into the initial node."""
    at = made.drawing.initial
    if at is None:
        return ""
    (x, y), box = layout.centres[at], made.graph.boxes[at]
    if layout.rightwards:
        end, heading = (x - box.width / 2 - 1, y), (1.0, 0.0)
    else:
        end, heading = (x, y - box.height / 2 - 1), (0.0, 1.0)
    start = (end[0] - heading[0] * ENTRY, end[1] - heading[1] * ENTRY)
    return f'<g class="entry"><title>play starts here</title>{straight(start, end, heading)}</g>\n'


_HINT = (
    '<p class="hint">Point at a state or an arrow to see what it is; click to keep it. '
    "Drag to move, turn the wheel to zoom. Keys: <kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd> and arrows, "
    "<kbd>Tab</kbd> from state to state, <kbd>/</kbd> to search, <kbd>Esc</kbd> to let go.</p>"
)
_LEGEND_WIDTH = 270.0


def write_html(drawing: Drawing) -> str:
    """Write the page.

    >>> from outplay.model.automaton import automaton
    >>> from outplay.pictures.drawing import draw
    >>> made = write_html(draw(automaton([("off", "?press", "on"), ("on", "!light", "off")]), title="lamp"))
    >>> made.startswith("<!doctype html>"), "<title>lamp</title>" in made
    (True, True)
    """
    title = drawing.title or "picture"
    body = (
        f"<header><h1>{safe(title)}</h1>"
        '<input id=search type=search placeholder="Find a state" aria-label="Find a state">'
        "<span id=count role=status></span>"
        '<span><button id=in aria-label="Zoom in">+</button> <button id=out aria-label="Zoom out">−</button> '
        "<button id=fit>Fit</button></span></header>\n"
        f'<main aria-label="{safe(title)}">{write_bare_svg(drawing)}</main>\n'
        f"<aside><section id=details aria-live=polite>{_HINT}</section>"
        f"{_facts(drawing)}{_legend(drawing)}</aside>\n"
    )
    return page(title, body, "walk.css", script="walk.js")


def _facts(drawing: Drawing) -> str:
    facts = drawing.facts or ((drawing.noun, f"{len(drawing.nodes):,}"), ("edges", f"{len(drawing.edges):,}"))
    rows = "".join(f"<dt>{safe(name)}<dd>{safe(value)}" for name, value in facts)
    return f"<section><h2>Facts</h2><dl>{rows}</dl></section>"


def _legend(drawing: Drawing) -> str:
    made = Block(*legend(drawing, _LEGEND_WIDTH))
    if not made.height:
        return ""
    return f"<section id=legend><h2>Legend</h2>{framed([made], 'Legend', styled=False)}</section>"
