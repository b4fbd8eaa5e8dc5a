"""Pictures as SVG, and as a page that shows one.

SVG: a drawing as one file that needs nothing else, light or dark as its surroundings are.

A page to walk through a drawing: pan and zoom, ask what a state is, search. One file, no outside resources.

The gallery: the picture or the table of each kind of thing that shows itself (`outplay.renderable`).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, singledispatch
from pathlib import Path
from string import Template
from typing import Any

from outplay.errors import UsageError
from outplay.formats.common.writing import write_whole
from outplay.game.exploring.breadth_first import Limits
from outplay.game.exploring.explore import explore
from outplay.pages.page_frame import DARK, LIGHT, colour_variables, page, page_sheet, safe, scoped_style
from outplay.pictures.elements import Drawing, width
from outplay.pictures.figure import RANK, Figure, figure
from outplay.pictures.layout import ENTRY, Layout, lay_out
from outplay.pictures.svg_marks import arrow_mark, halo, legend, node_mark, straight_arrow_mark
from outplay.pictures.views.selection import Highlights, runs_of
from outplay.pictures.views.summary import overview
from outplay.pictures.views.views import Drawable, view_of
from outplay.play.trace import Trace
from outplay.predicate_tours.sheaf_graph import SheafGraph, sheaf_machine
from outplay.strategy.answer import Answer
from outplay.strategy.forecast.entries import Forecast
from outplay.verdict.forecast_page import forecast_table
from outplay.verdict.report import event_table

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
    >>> from outplay.pictures.svg import draw
    >>> picture = write_svg(draw(automaton([("off", "?press", "on"), ("on", "!light", "off")])))
    >>> picture.startswith("<svg"), picture.count('data-n='), picture.count('data-s=')
    (True, 2, 2)
    """
    blocks = [*_heading(drawing), *_pictures(drawing)]
    room = max([520.0, *(block.width for block in blocks)])
    return framed([*blocks, Block(*legend(drawing, room))], drawing.title)


def write_bare_svg(drawing: Drawing) -> str:
    """Write a drawing without title, facts and legend, for a page that shows them itself."""
    return framed([*_pictures(drawing), *_inside(drawing)], drawing.title)


def framed(blocks: list[Block], title: str, *, styled: bool = True) -> str:
    """Frame blocks of SVG under each other on one sheet; a second sheet on the same page needs no style of its own."""
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
    """Return the style of SVG pictures, for light and dark surroundings, which touches nothing outside it.

    They are written out twice instead of with CSS variables, which many programs that show SVG do not know.
    """
    colours, scope = Template(page_sheet("picture_colours.css")), f".{PICTURE}"
    light, dark = (scoped_style(colours.substitute(palette), scope) for palette in (LIGHT, DARK))
    return f"{scoped_style(page_sheet('picture.css'), scope)}{light}@media (prefers-color-scheme: dark) {{\n{dark}}}\n"


def _heading(drawing: Drawing) -> Iterator[Block]:
    if drawing.title:
        yield Block(f'<text class="title" x="8" y="22">{safe(drawing.title)}</text>', width(drawing.title, 18), 34)
    for name, value in drawing.facts:
        text = f"{name}: {value}"
        yield Block(f'<text class="fact" x="8" y="14">{safe(text)}</text>', width(text, 13), 20)


def _pictures(drawing: Drawing) -> Iterator[Block]:
    """The picture itself and those below it, with their nodes numbered through."""
    if drawing.nodes:
        yield _named(_picture(figure(drawing), 0), drawing.fold)
    base = len(drawing.nodes)
    for more in drawing.more:
        yield from _heading(more)
        yield _named(_picture(figure(more), base), more.title)
        base += len(more.nodes)


def _named(made: Block, name: str) -> Block:
    """Give a picture the name by which a page leads to it."""
    return replace(made, body=f'<g data-picture="{safe(name)}">{made.body}</g>') if name else made


def _inside(drawing: Drawing) -> Iterator[Block]:
    """The content of the boxes of the picture, below everything else."""
    base = len(drawing.nodes) + sum(len(more.nodes) for more in drawing.more)
    for place, part in enumerate(drawing.inside):
        yield from _heading(part)
        made = _picture(figure(part), base)
        yield replace(made, body=f'<g data-inside="{place}">{made.body}</g>')
        base += len(part.nodes)


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
    return f'<g class="entry"><title>play starts here</title>{straight_arrow_mark(start, end, heading)}</g>\n'


_HINT = (
    '<p class="hint">Point at a state or an arrow to see what it is; click to keep it. '
    "Drag to move, turn the wheel to zoom. Keys: <kbd>+</kbd> <kbd>-</kbd> <kbd>0</kbd> and arrows, "
    "<kbd>Tab</kbd> from state to state, <kbd>/</kbd> to search, <kbd>Esc</kbd> to let go.</p>"
)
_OPENING = '<p class="hint">Click a box to look into it; <kbd>0</kbd> leads back. A search looks into boxes too.</p>'
_CHOICE = '<select id=shown aria-label="Choose a picture"></select>'
_LEGEND_WIDTH = 270.0


def write_html(drawing: Drawing) -> str:
    """Write a page that shows a drawing as SVG.

    >>> from outplay.model.automaton import automaton
    >>> from outplay.pictures.svg import draw
    >>> made = write_html(draw(automaton([("off", "?press", "on"), ("on", "!light", "off")]), title="lamp"))
    >>> made.startswith("<!doctype html>"), "<title>lamp</title>" in made
    (True, True)
    """
    title = drawing.title or "picture"
    body = (
        f"<header><h1>{safe(title)}</h1>{_CHOICE * bool(drawing.more)}"
        '<input id=search type=search placeholder="Find a state" aria-label="Find a state">'
        "<span id=count role=status></span>"
        '<span><button id=in aria-label="Zoom in">+</button> <button id=out aria-label="Zoom out">−</button> '
        "<button id=fit>Fit</button></span></header>\n"
        f'<main aria-label="{safe(title)}">{write_bare_svg(drawing)}</main>\n'
        f"<aside><section id=details aria-live=polite>{_HINT}{_OPENING * bool(drawing.inside)}</section>"
        f"{_facts(drawing)}{_legend(drawing)}</aside>\n{_held(drawing)}"
    )
    return page(title, body, "walk.css", script="walk.js")


def _held(drawing: Drawing) -> str:
    text = json.dumps(drawing.held, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    return f"<script type=application/json id=held>{text}</script>\n" if drawing.held else ""


def _facts(drawing: Drawing) -> str:
    facts = drawing.facts or ((drawing.noun, f"{len(drawing.nodes):,}"), ("edges", f"{len(drawing.edges):,}"))
    rows = "".join(f"<dt>{safe(name)}<dd>{safe(value)}" for name, value in facts)
    return f"<section><h2>Facts</h2><dl>{rows}</dl></section>"


def _legend(drawing: Drawing) -> str:
    made = Block(*legend(drawing, _LEGEND_WIDTH))
    if not made.height:
        return ""
    return f"<section id=legend><h2>Legend</h2>{framed([made], 'Legend', styled=False)}</section>"


def draw(
    model: Drawable,
    *,
    trace: Sequence[str] = (),
    strategy: Collection[int] = (),
    goals: Collection[int] = (),
    title: str = "",
) -> Drawing:
    """Draw a model, with the way of a trace, the edges of a strategy and its goals marked; a large one as a summary.

    >>> from outplay.model.automaton import automaton
    >>> lamp = automaton([("off", "?press", "on"), ("on", "!light", "off")])
    >>> picture = draw(lamp, trace=["?press"])
    >>> [(edge.source, edge.target, edge.mark) for edge in picture.edges]
    [(0, 1, 'trace'), (1, 0, '')]
    """
    view = view_of(model)
    runs = runs_of(view, [str(label) for label in trace]) if trace else None
    highlights = Highlights(runs, frozenset(map(int, strategy)), frozenset(map(int, goals)))
    name = title or view.name.rpartition("/")[2]  # models read from files are named by their paths
    return overview(view, highlights, name)


PICTURES = {".svg": write_svg, ".html": write_html}
MOST_ROWS = 30  # of a table in a notebook
_SHOWN_AT_ONCE = Limits(states=10_000, seconds=5.0)  # of a model class in a notebook; `explore` shows more
_TABLE = "outplay-table"


@singledispatch
def drawing_of(thing: Any, title: str = "") -> Drawing:
    """Return the drawing of a model, a test case or an answer, to be written as SVG."""
    return draw(thing, title=title)


@drawing_of.register
def _answer(thing: Answer, title: str = "") -> Drawing:
    chosen = [edge for _, edge in thing.choices()]
    return draw(thing.game, strategy=chosen, goals=thing.goal_vertices.tolist(), title=title or str(thing))


@drawing_of.register
def _class(thing: type, title: str = "") -> Drawing:
    return draw(explore(thing, limits=_SHOWN_AT_ONCE), title=title or thing.__name__)


@drawing_of.register
def _sheaves(thing: SheafGraph, title: str = "") -> Drawing:
    return draw(sheaf_machine(thing), title=title)


def svg_of(thing: Any) -> str:
    """Return a model, an answer or another thing as an SVG picture."""
    return write_svg(drawing_of(thing))


def write_drawing(path: Path, drawing: Drawing) -> Path:
    """Write a drawing in the format of the file's ending."""
    if path.suffix not in PICTURES:
        raise UsageError(f"{path}: give a name that ends in {' or '.join(PICTURES)}")
    write_whole(path, [PICTURES[path.suffix](drawing)])
    return path


@singledispatch
def html_table(thing: Any) -> str:
    """Return a thing as an HTML table for notebooks, with a style that touches nothing else on the page."""
    raise UsageError(f"a {type(thing).__name__} has no table")


@html_table.register
def _forecast(thing: Forecast) -> str:
    return _framed(forecast_table(thing, MOST_ROWS), len(thing.entries), "forecast.entries has them all")


@html_table.register
def _trace(thing: Trace) -> str:
    return _framed(event_table(thing, MOST_ROWS), len(thing.events), "trace.events has them all")


def _framed(table: str, count: int, where: str) -> str:
    left = f"<p>… and {count - MOST_ROWS:,} more; {where}" if count > MOST_ROWS else ""
    rules = scoped_style(f"{page_sheet('table.css')}table {{ width: auto; }}", f".{_TABLE}")
    style = f".{_TABLE} {{ {colour_variables(LIGHT)} }}\n{rules}"
    return f"<div class={_TABLE}><style>{style}</style>{table}{left}</div>"
