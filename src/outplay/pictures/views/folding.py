"""Folding: a graph with many nodes drawn as one box, by component, by the value or size of a variable, or by distance.

A box says how many nodes it stands for, and numbers beside arrows count edges.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from outplay.grouping import grouped
from outplay.pictures.elements import GROUP, TILE, Drawing, Edge, LabelPart, Node
from outplay.pictures.vertex_grouping import COMPONENT, DISTANCE, by_component, easiest, grouping_of, ways_of
from outplay.pictures.views.model_views import GameView
from outplay.pictures.views.views import View, edges_of
from outplay.plurals import counted

_MOST_GROUPS, _MOST_IN_ONE, _MOST_BANDS, _MOST_BACK = 40, 0.9, 8, 5
_LARGEST = 200_000  # nodes; above, grouping by anything but distance takes too long to be worth it
_MOST_FOLDS = 2


@dataclass(frozen=True)
class Folded:
    """A graph with many nodes drawn as one: in which way, the drawing, and the nodes of each group."""

    way: str
    drawing: Drawing
    groups: Sequence[Sequence[int]]


def telling_folds(view: View) -> list[Folded]:
    """The ways to fold a graph by its parts or values, the one that is easiest to look at first."""
    made = [_by_components(view), *(_by_values(view) if isinstance(view, GameView) else ())]
    found = {one.way: one for one in made if one is not None}
    order = easiest({way: len(one.groups) for way, one in found.items()}, _MOST_GROUPS)
    return [found[way] for way in order[:_MOST_FOLDS]]


def _by_components(view: View) -> Folded | None:
    """Draw strongly connected components; None where there are too many, or one holds nearly everything."""
    count = len(view.first) - 1
    if count > _LARGEST:
        return None
    of = by_component(np.asarray(view.first), np.asarray(view.target)).of
    groups = list(grouped((number, node) for node, number in enumerate(of.tolist())).values())
    if len(groups) > _MOST_GROUPS or max(map(len, groups)) > _MOST_IN_ONE * count:
        return None
    boxes = [_group(view, group, "all reach each other") for group in groups]
    return Folded("by component", _joined(view, groups, _with_single(view, groups, boxes)), groups)


def _by_values(view: GameView) -> Iterator[Folded]:
    """Draw the values of each variable, and the sizes of those that hold many things."""
    game = view.game
    ways = ways_of(game) if game.vertex_count <= _LARGEST else {}
    for way, words in ways.items():
        made = grouping_of(game, way) if way not in (COMPONENT, DISTANCE) else None
        if made is None or not 2 < made.count <= _MOST_GROUPS:
            continue
        groups = grouped((number, node) for node, number in enumerate(made.of.tolist()))
        members, names = list(groups.values()), map(made.name, groups)
        if max(map(len, members)) <= _MOST_IN_ONE * game.vertex_count:
            boxes = [_named_group(view, group, name) for group, name in zip(members, names, strict=True)]
            yield Folded(words, _joined(view, members, _with_single(view, members, boxes)), members)


def _with_single(view: View, groups: Sequence[Sequence[int]], boxes: Sequence[Node]) -> tuple[Node, ...]:
    """Put a node itself in place of the box that holds nothing else."""
    return tuple(view.node(group[0]) if len(group) == 1 else box for group, box in zip(groups, boxes, strict=True))


def fold_by_distance(view: View, away: Sequence[int]) -> Folded:
    """Draw bands of distances from the start, and the largest of the flows back."""
    deepest = max(away)
    bands = min(_MOST_BANDS, deepest + 1)
    starts = [-(-band * (deepest + 1) // bands) for band in range(bands + 1)]
    groups: list[list[int]] = [[] for _ in range(bands)]
    for node, far in enumerate(away):
        if far >= 0:
            groups[far * bands // (deepest + 1)].append(node)
    nodes = []
    for low, high, group in zip(starts, starts[1:], groups, strict=False):
        span = f"{low}" if high - low <= 1 else f"{low} to {high - 1}"
        nodes.append(_group(view, group, f"distance {span}"))
    drawing = replace(_joined(view, groups, tuple(nodes), most_back=_MOST_BACK), flow="right")
    return Folded("by distance", drawing, groups)


def _group(view: View, members: Sequence[int], what: str) -> Node:
    count, goals, details = _box_texts(view, members)
    note = f"{what}, {counted(goals, 'goal')}" if goals else what
    return Node(count, GROUP, TILE, note, f"{count}: {what}", details, goal=goals > 0)


def _named_group(view: View, members: Sequence[int], name: str) -> Node:
    """A box that is known by its value."""
    count, goals, details = _box_texts(view, members)
    note = f"{count}, {counted(goals, 'goal')}" if goals else count
    return Node(name, GROUP, TILE, note, details=f"{count}\n{details}", goal=goals > 0)


def _box_texts(view: View, members: Sequence[int]) -> tuple[str, int, str]:
    """The number of nodes in words, the number of goals among them, and what a reader sees on asking."""
    goals = Counter(name for node in members for name in view.goals.get(node, ()))
    lines = [f"{count:,} with goal {name}" for name, count in sorted(goals.items())]
    shown = ", ".join(view.node(node).title for node in members[:8])
    lines.append(f"{shown}{', …' if len(members) > 8 else ''}")
    count = f"{len(members):,} {view.noun if len(members) != 1 else view.noun_for_one}"
    return count, sum(1 for node in members if view.goals.get(node)), "\n".join(lines)


def _joined(
    view: View, groups: Sequence[Sequence[int]], nodes: tuple[Node, ...], *, most_back: int = _MOST_GROUPS**2
) -> Drawing:
    """Count the edges among groups; of those that lead back, only the strongest are drawn."""
    group_of = {node: at for at, group in enumerate(groups) for node in group}
    flows: Counter[tuple[int, int]] = Counter()
    sample: dict[tuple[int, int], int] = {}
    for node, at in group_of.items():
        for edge in edges_of(view, node):
            key = at, group_of[view.target[edge]]
            flows[key] += 1
            sample.setdefault(key, edge)
    back = [key for key in sorted(flows, key=lambda key: (-flows[key], key)) if key[1] < key[0]]
    hidden = set(back[most_back:])
    edges = tuple(
        Edge(*key, view.edge(sample[key]).label if flows[key] == 1 else (LabelPart(f"{flows[key]:,}"),))
        for key in sorted(flows)
        if key not in hidden
    )
    return Drawing(nodes, edges, group_of[view.initial])
