"""Summaries: the drawing of a graph that is too large to be drawn node by node.

Facts in words, the whole graph folded (many nodes drawn as one box, with counts) in one way or several, and true
pictures of the places people ask for first: the start, the nearest vertex of each goal, the way of the trace, the plays
of the strategy. Boxes open: each has a picture of the places in it that are nearest to the start.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from outplay.breadth_first_search import nearest_first
from outplay.grouping import grouped
from outplay.pictures.elements import GROUP, TILE, Drawing, Edge, LabelPart, Node
from outplay.pictures.grouping import COMPONENT, DISTANCE, by_component, easiest, grouping_of, ways_of
from outplay.pictures.views.model_views import GameView
from outplay.pictures.views.selection import Highlights, part_of
from outplay.pictures.views.views import View, edges_of, targets_of
from outplay.plurals import counted

_MOST_GROUPS, _MOST_IN_ONE, _MOST_BANDS, _MOST_BACK = 40, 0.9, 8, 5
_LARGEST = 200_000  # nodes; above, grouping by anything but distance takes too long to be worth it
_MOST_FOLDS = 3
MOST_NODES, MOST_ARROWS, _MOST_HELD = 200, 400, 30_000  # of the last the states are listed for a search
_MOST_OPENED, _MOST_OPENED_BESIDE = 40, 12


@dataclass(frozen=True)
class Folded:
    """A graph with many nodes drawn as one: in which way, the drawing, and the nodes of each group."""

    way: str
    drawing: Drawing
    groups: Sequence[Sequence[int]]


def _folds(view: View, away: Sequence[int]) -> list[Folded]:
    """The ways to fold a graph, the one that is easiest to look at first; by distance at last."""
    made = [_by_components(view), *(_by_values(view) if isinstance(view, GameView) else ())]
    found = {one.way: one for one in made if one is not None}
    order = easiest({way: len(one.groups) for way, one in found.items()}, _MOST_GROUPS)
    return [*(found[way] for way in order[: _MOST_FOLDS - 1]), _by_distance(view, away)]


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


def _by_distance(view: View, away: Sequence[int]) -> Folded:
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
    view: View, groups: Sequence[Sequence[int]], nodes: tuple[Node, ...], *, most_back: int = MOST_ARROWS
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


_AROUND, _AROUND_ARROWS, _FEW, _STEPS = 22, 36, 6, 7
_ALONG = 60
_GOALS = 3


def is_large(view: View) -> bool:
    """Say whether a graph is too large to be drawn as it is."""
    count = len(view.first) - 1
    if count > MOST_NODES:
        return True
    arrows = (set(targets_of(view, node)) for node in range(count))
    return sum(map(len, arrows)) > MOST_ARROWS


def summary(view: View, highlights: Highlights, title: str) -> Drawing:
    """Make the drawing of a large graph."""
    away = _distances_from(view)
    folds, inside = _folds(view, away), list[Drawing]()
    first, *others = [
        _opened(view, highlights, away, fold, inside, _MOST_OPENED_BESIDE if at else _MOST_OPENED)
        for at, fold in enumerate(folds)
    ]
    return replace(
        first,
        title=title,
        facts=tuple(_facts(view, away)),
        more=(*_pictures(view, highlights, away), *others),
        inside=tuple(inside),
        held=tuple(_held(view, folds[0])),
    )


def _held(view: View, fold: Folded) -> Iterator[tuple[str, str, int]]:
    """The states in boxes, each with its values."""
    count = len(view.first) - 1
    if count > _MOST_HELD:
        return
    states = view.game.is_state if isinstance(view, GameView) else np.ones(count, dtype=bool)
    for at, group in enumerate(fold.groups):
        for node in group if len(group) > 1 else ():
            if states[node]:
                yield view.node(node).title, view.game.about(node) if isinstance(view, GameView) else "", at


def _opened(
    view: View, highlights: Highlights, away: Sequence[int], fold: Folded, inside: list[Drawing], most: int
) -> Drawing:
    """Give the largest groups a picture of their own: of the places in them that are nearest to the start."""
    many = sorted(
        (at for at, group in enumerate(fold.groups) if len(group) > 1), key=lambda at: (-len(fold.groups[at]), at)
    )
    nodes = list(fold.drawing.nodes)
    for at in sorted(many[:most]):
        group = fold.groups[at]
        nearest = sorted(group, key=lambda node: (away[node] < 0, away[node], node))[:_AROUND]
        shown, more = _with_few_arrows(view, nearest), ""
        if not _arrows(view, shown):  # each by itself says little
            beyond = [target for node in nearest[:_FEW] for target in targets_of(view, node)]
            shown = _with_few_arrows(view, [*dict.fromkeys([*nearest[:_FEW], *beyond])][:_AROUND])
            more = " and where they lead"
        held = len(set(shown).intersection(group))
        count = f"{held} of {len(group):,}" if held < len(group) else f"all {held}"
        nodes[at] = replace(nodes[at], opens=len(inside))
        inside.append(part_of(view, shown, highlights, f"Inside {nodes[at].title}: {count} {view.noun}{more}"))
    return replace(fold.drawing, nodes=tuple(nodes), title=f"Folded {fold.way}", fold=f"Folded {fold.way}")


def _distances_from(view: View) -> list[int]:
    """The distance of each node from the initial one; -1 where it is not reached."""
    away = [-1] * (len(view.first) - 1)
    away[view.initial] = 0
    for node, before in nearest_first([view.initial], partial(targets_of, view)).items():
        away[node] = away[before] + (node != before)
    return away


def _facts(view: View, away: Sequence[int]) -> Iterator[tuple[str, str]]:
    degrees = [high - low for low, high in zip(view.first[:-1], view.first[1:], strict=True)]
    yield "size", f"{len(degrees):,} {view.noun}, {counted(len(view.target), 'edge')}, too many to draw one by one"
    yield from view.census()
    yield "edges out", f"{len(view.target) / len(degrees):.1f} on average, at most {max(degrees)}"
    yield "depth", f"at most {counted(max(away), 'edge')} from the start to whatever can be reached"
    if lost := away.count(-1):
        yield "not reached", f"{lost:,} of {len(away):,}"
    yield "boxes", f"each stands for many {view.noun}; numbers beside arrows count edges"


def _pictures(view: View, highlights: Highlights, away: Sequence[int]) -> Iterator[Drawing]:
    runs = highlights.runs
    if runs:
        ordered = sorted(runs.nodes, key=lambda node: (away[node], node))
        yield part_of(view, ordered[:_ALONG], highlights, f"The trace{_cut(ordered)}")
    if highlights.strategy:
        plays = _reached(view, highlights)
        yield part_of(view, plays[:_ALONG], highlights, f"The strategy{_cut(plays)}")
    yield part_of(view, _around(view, view.initial, partial(targets_of, view)), highlights, "Around the start")
    nearest = _nearest(view, away)
    sources = _predecessors(view) if nearest else None
    for name in sorted(nearest, key=lambda name: (away[nearest[name]], name))[:_GOALS]:
        node = nearest[name]
        title = f"Before the nearest {name}, {counted(away[node], 'edge')} from the start"
        before = part_of(view, _around(view, node, sources or partial(targets_of, view)), highlights, title)
        yield before if before.initial is not None else replace(before, final=0)


def _nearest(view: View, away: Sequence[int]) -> dict[str, int]:
    """For each goal the vertex that is nearest to the start."""
    found: dict[str, int] = {}
    for node in sorted((node for node in view.goals if away[node] >= 0), key=lambda node: (away[node], node)):
        for name in view.goals[node]:
            found.setdefault(name, node)
    return found


def _cut(nodes: Sequence[int]) -> str:
    return f" (its first {_ALONG} places of {len(nodes):,})" if len(nodes) > _ALONG else ""


def _around(view: View, start: int, near: Callable[[int], Sequence[int]]) -> list[int]:
    """The nodes nearest to a node, as many as make a good picture."""
    found, queue = {start: 0}, deque([start])
    while queue and len(found) < _AROUND:
        node = queue.popleft()
        for other in near(node) if found[node] < _STEPS else ():
            if other not in found:
                found[other] = found[node] + 1
                queue.append(other)
    return _with_few_arrows(view, list(found)[:_AROUND])


def _with_few_arrows(view: View, chosen: list[int]) -> list[int]:
    while len(chosen) > _FEW and _arrows(view, chosen) > _AROUND_ARROWS:
        chosen.pop()
    return chosen


def _arrows(view: View, chosen: Sequence[int]) -> int:
    inside = set(chosen)
    return sum(len(inside.intersection(targets_of(view, node))) for node in chosen)


def _predecessors(view: View) -> Callable[[int], Sequence[int]]:
    nodes = range(len(view.first) - 1)
    sources = grouped((target, node) for node in nodes for target in targets_of(view, node))
    return lambda node: sources.get(node, ())


def _reached(view: View, highlights: Highlights) -> list[int]:
    """The nodes a play can pass when the strategy is kept to where it says something."""

    def kept(node: int) -> list[int]:
        row = edges_of(view, node)
        chosen = [edge for edge in row if view.order[edge] in highlights.strategy]
        return [view.target[edge] for edge in chosen or ([] if view.goals.get(node) else row)]

    return list(nearest_first([view.initial], kept))
