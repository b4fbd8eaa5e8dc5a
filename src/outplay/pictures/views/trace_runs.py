"""The runs of a model that fit a trace: which edges its labels can have taken.

The trace and the model are walked together, breadth first, over pairs of node and labels read so far; internal steps
read nothing. All ways that read the most labels are kept, so a nondeterministic model shows every run that fits.
O(trace × edges) in the worst case, and no more than what is reached.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from outplay.model.label import DELTA
from outplay.pictures.views.views import View, edges_of

_Place = tuple[int, int]  # node, labels read


@dataclass(frozen=True)
class TraceRuns:
    """What a trace did: edges with the steps at which they were taken, nodes on the way, and what was refused."""

    edges: dict[int, tuple[int, ...]]
    nodes: frozenset[int]
    ends: tuple[int, ...]
    read: int
    """How many labels fit."""
    refused: tuple[str, ...]
    """The labels at which the model cannot go on; empty when the whole trace fits."""


@dataclass
class _Walk:
    parents: dict[_Place, list[tuple[_Place, int]]] = field(default_factory=dict)
    """How each place is reached: from where, by which edge (-1 for silence that needs no edge)."""
    entered: set[_Place] = field(default_factory=set)
    """Places reached by reading a label."""


def runs_of(view: View, trace: Sequence[str]) -> TraceRuns:
    """Read labels from the initial node as far as the model allows."""
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
