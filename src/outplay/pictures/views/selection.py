"""Highlights in a picture: a trace on a model, and the part around it.

The runs of a model that fit a trace: which edges its labels can have taken. The trace and the model are walked
together, breadth first, over pairs of node and labels read so far; internal steps read nothing. All ways that read the
most labels are kept, so a nondeterministic model shows every run that fits. O(trace × edges) in the worst case, and no
more than what is reached.

A part of a model as a drawing: chosen nodes, the edges among them, and the highlights that fall on them.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace

from outplay.model.label import DELTA
from outplay.pictures.elements import (
    DIAMOND,
    LOST,
    REFUSED,
    ROUND,
    STRATEGY,
    SYSTEM,
    TESTER,
    TRACE,
    Drawing,
    Edge,
    LabelPart,
    Node,
    label_part,
)
from outplay.pictures.views.views import View, edges_of
from outplay.plurals import counted

_Place = tuple[int, int]  # node, labels read


@dataclass(frozen=True)
class TraceRuns:
    """The way of a trace: edges with the steps at which they were taken, nodes on the way, and what was refused."""

    edges: dict[int, tuple[int, ...]]
    nodes: frozenset[int]
    ends: tuple[int, ...]
    read: int
    """The number of labels that fit."""
    refused: tuple[str, ...]
    """The labels at which the model cannot go on; empty when the whole trace fits."""


@dataclass
class _Walk:
    parents: dict[_Place, list[tuple[_Place, int]]] = field(default_factory=dict)
    """The way to each place: from where, by which edge (-1 for silence that needs no edge)."""
    entered: set[_Place] = field(default_factory=set)
    """Places reached by reading a label."""


def runs_of(view: View, trace: Sequence[str]) -> TraceRuns:
    """Read the labels of a trace from the initial node as far as the model allows, to highlight them."""
    start = (view.initial, 0)
    walk = _Walk({start: []}, {start})
    queue = deque([start])
    while queue:
        place = queue.popleft()
        for reached, edge in _moves(view, trace, place):
            if reached not in walk.parents:
                walk.parents[reached] = []
                queue.append(reached)
            walk.parents[reached].append((place, edge))
            if reached[1] > place[1]:
                walk.entered.add(reached)
    return _best(view, trace, walk)


def _moves(view: View, trace: Sequence[str], place: _Place) -> list[tuple[_Place, int]]:
    node, read = place
    found = []
    for edge in edges_of(view, node):
        labels = view.reads(edge)
        wanted = tuple(trace[read : read + len(labels)])
        # A machine's step may be cut off after its input, where the trace ends.
        if wanted == labels[: len(wanted)] and (wanted or not labels):
            found.append(((view.target[edge], read + len(wanted)), edge))
    if read < len(trace) and trace[read] == DELTA and view.quiet(node):
        found.append(((node, read + 1), -1))
    return found


def _best(view: View, trace: Sequence[str], walk: _Walk) -> TraceRuns:
    most = max(read for _, read in walk.entered)
    ends = [place for place in walk.entered if place[1] == most]
    steps: dict[int, set[int]] = {}
    seen, stack = set(ends), list(ends)
    while stack:
        place = stack.pop()
        for origin, edge in walk.parents[place]:
            if edge >= 0:
                steps.setdefault(edge, set()).update({origin[1] + 1} if place[1] > origin[1] else ())
            if origin not in seen:
                seen.add(origin)
                stack.append(origin)
    return TraceRuns(
        {edge: tuple(sorted(numbers)) for edge, numbers in sorted(steps.items())},
        frozenset(node for node, _ in seen),
        tuple(sorted({node for node, _ in ends})),
        most,
        tuple(trace[most : most + 1 + _half_read(view, trace, walk, most)]),
    )


def _half_read(view: View, trace: Sequence[str], walk: _Walk, most: int) -> int:
    """1 where a machine takes the next label as an input but answers it otherwise."""
    rest = trace[most : most + 1]
    nodes = [node for node, read in walk.parents if read == most]
    edges = (edge for node in nodes for edge in edges_of(view, node))
    return int(any(view.reads(edge)[:1] == tuple(rest) for edge in edges if rest))


@dataclass(frozen=True)
class Highlights:
    """The highlights: the way of a trace, and the edges of a strategy with its goal."""

    runs: TraceRuns | None = None
    strategy: frozenset[int] = frozenset()
    goals: frozenset[int] = frozenset()

    def applied(self, view: View, edge: int, made: Edge) -> Edge:
        """An edge with its mark; the trace goes before the strategy, which moves for the system by jokers only."""
        steps = self.runs.edges.get(edge) if self.runs else None
        if steps is not None:
            return replace(made, mark=TRACE, steps=steps)
        if view.order[edge] not in self.strategy:
            return made
        owner = bisect_right(view.first, edge) - 1
        joker = (LabelPart(" "), LabelPart("joker", "number")) if view.node(owner).role == SYSTEM else ()
        return replace(made, mark=STRATEGY, label=(*made.label, *joker))

    def node(self, view: View, number: int) -> Node:
        """A node; what is to be reached is a goal, also where nothing goes on."""
        made = view.node(number)
        if number not in self.goals or made.goal:
            return made
        role = (SYSTEM if made.shape == DIAMOND else TESTER) if made.role == LOST else made.role
        return replace(made, role=role, goal=True)

    def marks(self, node: int) -> bool:
        return self.runs is not None and node in self.runs.nodes


def part_of(view: View, chosen: Sequence[int], highlights: Highlights, title: str = "") -> Drawing:
    """Draw a selection of nodes in their order; edges that leave it are counted in the notes."""
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
        nodes.append(_noted(highlights.node(view, number), len(row) - len(inside), highlights.marks(number)))
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
