"""The gallery: the picture or the table of each kind of thing that shows itself (`outplay.showing`)."""

from __future__ import annotations

from functools import singledispatch
from pathlib import Path
from typing import Any

from outplay.errors import UsageError
from outplay.formats.texts.writing import write_whole
from outplay.look.page_frame import LIGHT, colour_variables, scoped, sheet
from outplay.pictures.drawing import draw
from outplay.pictures.elements import Drawing
from outplay.pictures.html import write_html
from outplay.pictures.svg import write_svg
from outplay.play.trace import Trace
from outplay.predicates.unfolding.sheaf_graph import SheafGraph
from outplay.predicates.unfolding.sheaf_picture import as_machine
from outplay.strategy.answer import Answer
from outplay.strategy.forecast.entries import Forecast
from outplay.verdict.forecast_page import forecast_table
from outplay.verdict.report import event_table

PICTURES = {".svg": write_svg, ".html": write_html}
MOST_ROWS = 30  # of a table in a notebook
_TABLE = "outplay-table"


@singledispatch
def drawing_of(thing: Any, title: str = "") -> Drawing:
    """The drawing of a model, a test case or an answer."""
    return draw(thing, title=title)


@drawing_of.register
def _answer(thing: Answer, title: str = "") -> Drawing:
    return draw(thing.game, strategy=[edge for _, edge in thing.choices()], title=title or thing.sentence)


@drawing_of.register
def _sheaves(thing: SheafGraph, title: str = "") -> Drawing:
    return draw(as_machine(thing), title=title)


def svg_of(thing: Any) -> str:
    """The picture of a thing."""
    return write_svg(drawing_of(thing))


def write_drawing(path: Path, drawing: Drawing) -> Path:
    """Write a drawing in the format of the file's ending."""
    if path.suffix not in PICTURES:
        raise UsageError(f"{path}: give a name that ends in {' or '.join(PICTURES)}")
    write_whole(path, [PICTURES[path.suffix](drawing)])
    return path


@singledispatch
def html_table(thing: Any) -> str:
    """The table of a thing, with a style that touches nothing else on the page."""
    raise UsageError(f"a {type(thing).__name__} has no table")


@html_table.register
def _forecast(thing: Forecast) -> str:
    return _framed(forecast_table(thing, MOST_ROWS), len(thing.entries), "forecast.entries has them all")


@html_table.register
def _trace(thing: Trace) -> str:
    return _framed(event_table(thing, MOST_ROWS), len(thing.events), "trace.events has them all")


def _framed(table: str, count: int, where: str) -> str:
    left = f"<p>… and {count - MOST_ROWS:,} more; {where}" if count > MOST_ROWS else ""
    rules = scoped(f"{sheet('table.css')}table {{ width: auto; }}", f".{_TABLE}")
    style = f".{_TABLE} {{ {colour_variables(LIGHT)} }}\n{rules}"
    return f"<div class={_TABLE}><style>{style}</style>{table}{left}</div>"
