"""The gallery: the picture or the table of each kind of thing that shows itself (`outplay.showing`)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import singledispatch
from itertools import pairwise
from pathlib import Path
from typing import Any

from outplay.errors import UsageError
from outplay.formats.texts.writing import write_whole
from outplay.look.page_frame import LIGHT, colour_variables, scoped, sheet
from outplay.pictures.elements import REFUSED, TRACE, Drawing, Edge, Node, label_part, shorten
from outplay.pictures.svg import write_bare_svg, write_html, write_svg
from outplay.pictures.views.selection import Highlights, part_of, runs_of
from outplay.pictures.views.summary import is_large, summary
from outplay.pictures.views.views import Drawable, view_of
from outplay.play.trace import Trace
from outplay.predicates.sheaf_graph import SheafGraph, as_machine
from outplay.strategy.answer import Answer
from outplay.strategy.forecast.entries import Forecast
from outplay.verdict.forecast_page import forecast_table
from outplay.verdict.report import event_table


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
    if is_large(view):
        return summary(view, highlights, name)
    return part_of(view, range(len(view.first) - 1), highlights, name)


PICTURES = {".svg": write_svg, ".html": write_html}
MOST_ROWS = 30  # of a table in a notebook
_LONGEST_STATE = 40
_TABLE = "outplay-table"


@singledispatch
def drawing_of(thing: Any, title: str = "") -> Drawing:
    """The drawing of a model, a test case or an answer."""
    return draw(thing, title=title)


@drawing_of.register
def _answer(thing: Answer, title: str = "") -> Drawing:
    chosen = [edge for _, edge in thing.choices()]
    return draw(thing.game, strategy=chosen, goals=thing.goal_vertices.tolist(), title=title or thing.sentence)


@drawing_of.register
def _sheaves(thing: SheafGraph, title: str = "") -> Drawing:
    return draw(as_machine(thing), title=title)


def svg_of(thing: Any) -> str:
    """The picture of a thing."""
    return write_svg(drawing_of(thing))


def play_svg(states: Sequence[str], labels: Sequence[str]) -> str:
    """The picture of a failing play: `states` before and after each label but the last, which is not allowed.

    >>> play_svg(["off", "on"], ["?press", "!smoke"]).count('data-s=')
    2
    """
    numbers = {state: number for number, state in enumerate(dict.fromkeys(states))}
    nodes = [Node(shorten(state, _LONGEST_STATE), full=state, marked=True) for state in numbers]
    refused = Node("not allowed", REFUSED, details="the model does not allow this step")
    taken = dict[tuple[int, int, str], list[int]]()
    for step, (label, (before, after)) in enumerate(zip(labels, pairwise(states), strict=False), 1):
        taken.setdefault((numbers[before], numbers[after], label), []).append(step)
    edges = [
        Edge(source, target, (label_part(label),), mark=TRACE, steps=tuple(steps))
        for (source, target, label), steps in taken.items()
    ]
    last = (label_part(labels[-1]),)
    edges.append(Edge(numbers[states[-1]], len(nodes), last, mark=REFUSED, steps=(len(labels),)))
    return write_bare_svg(Drawing((*nodes, refused), tuple(edges), title="the failing play", flow="down"))


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
