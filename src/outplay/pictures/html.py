"""A page to walk through a drawing: pan and zoom, ask what a state is, search. One file, no outside resources."""

from __future__ import annotations

from outplay.look.page_frame import page, safe
from outplay.pictures.elements import Drawing
from outplay.pictures.legend import legend
from outplay.pictures.svg import Block, framed, write_bare_svg

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
