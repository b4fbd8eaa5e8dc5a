"""Condensed pictures: many nodes drawn as one, with counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from outplay.groups import grouped
from outplay.pictures.elements import GROUP, TILE, Drawing, Edge, LabelPart, Node
from outplay.pictures.views.views import View, edges_of
from outplay.plurals import counted

_MOST_GROUPS, _MOST_IN_ONE, _MOST_BANDS, _MOST_BACK = 40, 0.9, 8, 5
_LARGEST = 200_000  # nodes; above, components take too long to be worth it


def by_components(view: View) -> Drawing | None:
    """Draw strongly connected components; None where there are too many, or one holds nearly everything."""
    if len(view.first) - 1 > _LARGEST:
        return None
    groups = strong_components(view.first, view.target)
    if len(groups) > _MOST_GROUPS or max(map(len, groups)) > _MOST_IN_ONE * (len(view.first) - 1):
        return None
    nodes = tuple(
        view.node(group[0]) if len(group) == 1 else _group(view, group, "all reach each other") for group in groups
    )
    return _joined(view, groups, nodes)


def strong_components(first: Sequence[int], target: Sequence[int]) -> list[list[int]]:
    """The strongly connected components of a graph in compressed rows, in the order of their smallest nodes.

    >>> strong_components([0, 1, 2, 3], [1, 0, 0])
    [[0, 1], [2]]
    """
    from scipy.sparse import csr_array  # only here: few pictures need it
    from scipy.sparse.csgraph import connected_components

    graph = csr_array((np.ones(len(target), dtype=np.int8), target, first), shape=(len(first) - 1,) * 2)
    _, component = connected_components(graph, connection="strong")
    return list(grouped((number, node) for node, number in enumerate(component.tolist())).values())


def by_distance(view: View, away: Sequence[int]) -> Drawing:
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
    return replace(_joined(view, groups, tuple(nodes)), flow="right")


def _group(view: View, members: Sequence[int], what: str) -> Node:
    goals = Counter(name for node in members for name in view.goals.get(node, ()))
    lines = [what, *(f"{count:,} with goal {name}" for name, count in sorted(goals.items()))]
    shown = ", ".join(view.node(node).name for node in members[:8])
    lines.append(f"{shown}{', …' if len(members) > 8 else ''}")
    count = f"{len(members):,} {view.noun if len(members) != 1 else view.noun_for_one}"
    note = f"{what}, {counted(sum(1 for node in members if view.goals.get(node)), 'goal')}" if goals else what
    return Node(count, GROUP, TILE, note, "\n".join(lines), goal=bool(goals))


def _joined(view: View, groups: Sequence[Sequence[int]], nodes: tuple[Node, ...]) -> Drawing:
    """Count the edges among groups; of those that lead back, only the strongest few are drawn."""
    group_of = {node: at for at, group in enumerate(groups) for node in group}
    flows: Counter[tuple[int, int]] = Counter()
    sample: dict[tuple[int, int], int] = {}
    for node, at in group_of.items():
        for edge in edges_of(view, node):
            key = at, group_of[view.target[edge]]
            flows[key] += 1
            sample.setdefault(key, edge)
    back = [key for key in sorted(flows, key=lambda key: (-flows[key], key)) if key[1] < key[0]]
    hidden = set(back[_MOST_BACK:])
    edges = tuple(
        Edge(*key, view.edge(sample[key]).label if flows[key] == 1 else (LabelPart(f"{flows[key]:,}"),))
        for key in sorted(flows)
        if key not in hidden
    )
    return Drawing(nodes, edges, group_of[view.initial])
