"""A part of a model as a drawing: chosen nodes, the edges among them, and the highlights that fall on them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from outplay.pictures.elements import REFUSED, ROUND, STRATEGY, TRACE, Drawing, Edge, LabelPart, Node, label_part
from outplay.pictures.views.trace_runs import TraceRuns
from outplay.pictures.views.views import View, edges_of
from outplay.plurals import counted


@dataclass(frozen=True)
class Highlights:
    """What is to stand out: the way of a trace, and the edges of a strategy."""

    runs: TraceRuns | None = None
    strategy: frozenset[int] = frozenset()

    def applied(self, view: View, edge: int, made: Edge) -> Edge:
        """An edge with its mark; the trace goes before the strategy."""
        steps = self.runs.edges.get(edge) if self.runs else None
        if steps is not None:
            return replace(made, mark=TRACE, steps=steps)
        return replace(made, mark=STRATEGY) if view.order[edge] in self.strategy else made

    def marks(self, node: int) -> bool:
        return self.runs is not None and node in self.runs.nodes


def part_of(view: View, chosen: Sequence[int], highlights: Highlights, title: str = "") -> Drawing:
    """Draw the chosen nodes in their order; edges that leave the choice are counted in the notes."""
    place = {number: at for at, number in enumerate(chosen)}
    nodes: list[Node] = []
    edges: list[Edge] = []
    for number in chosen:
        row = edges_of(view, number)
        inside = [edge for edge in row if view.target[edge] in place]
        for edge in inside:
            made = view.edge(edge)
            moved = replace(made, source=place[made.source], target=place[made.target])
            edges.append(highlights.applied(view, edge, moved))
        nodes.append(_noted(view.node(number), len(row) - len(inside), highlights.marks(number)))
    drawing = Drawing(tuple(nodes), tuple(edges), place.get(view.initial), title, noun=view.noun)
    return _with_refusal(drawing, highlights.runs, place)


def _noted(node: Node, hidden: int, marked: bool) -> Node:
    if hidden:
        more = f"+ {hidden:,} more"
        details = f"{node.details}\n{counted(hidden, 'edge')} lead{'s' * (hidden == 1)} out of this picture".strip()
        node = replace(node, note=f"{node.note} {more}".strip(), details=details)
    return replace(node, marked=marked)


def _with_refusal(drawing: Drawing, runs: TraceRuns | None, place: dict[int, int]) -> Drawing:
    """Add what the trace did and the model does not allow: an edge to a place of its own."""
    ends = [place[end] for end in runs.ends if end in place] if runs else []
    if not runs or not runs.refused or not ends:
        return drawing
    label = tuple(_spaced(runs.refused))
    extra = [Edge(end, len(drawing.nodes), label, mark=REFUSED, steps=(runs.read + 1,)) for end in ends]
    node = Node("not allowed", REFUSED, ROUND, details="the model does not allow this step of the trace")
    return replace(drawing, nodes=(*drawing.nodes, node), edges=(*drawing.edges, *extra))


def _spaced(labels: Collection[str]) -> Iterable[LabelPart]:
    for at, label in enumerate(labels):
        if at:
            yield LabelPart(" ")
        yield label_part(label)
