"""From a model to a drawing: what is to be seen, with a trace or a strategy marked."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from outplay.pictures.elements import Drawing
from outplay.pictures.views.selection import Highlights, part_of
from outplay.pictures.views.summary import is_large, summary
from outplay.pictures.views.trace_runs import runs_of
from outplay.pictures.views.views import Drawable, view_of


def draw(model: Drawable, *, trace: Sequence[str] = (), strategy: Collection[int] = (), title: str = "") -> Drawing:
    """Draw a model, with the way of a trace and the edges of a strategy marked; a large one as a summary.

    >>> from outplay.model.automaton import automaton
    >>> lamp = automaton([("off", "?press", "on"), ("on", "!light", "off")])
    >>> picture = draw(lamp, trace=["?press"])
    >>> [(edge.source, edge.target, edge.mark) for edge in picture.edges]
    [(0, 1, 'trace'), (1, 0, '')]
    """
    view = view_of(model)
    runs = runs_of(view, [str(label) for label in trace]) if trace else None
    highlights = Highlights(runs, frozenset(int(edge) for edge in strategy))
    name = title or view.name.rpartition("/")[2]  # models read from files are named by their paths
    if is_large(view):
        return summary(view, highlights, name)
    return part_of(view, range(len(view.first) - 1), highlights, name)
