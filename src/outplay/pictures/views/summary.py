"""Summaries: the drawing of a graph that is too large to be drawn node by node.

Facts in words, the whole graph folded (many nodes drawn as one box, with counts) in one way or several, and true
pictures of the places people ask for first: the start, the nearest vertex of each goal, the way of the trace, the plays
of the strategy. Boxes open: each has a picture of the places in it that are nearest to the start.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from outplay.breadth_first_search import nearest_first
from outplay.grouping import grouped
from outplay.pictures.elements import Drawing
from outplay.pictures.views.folding import Folded, fold_by_distance, telling_folds
from outplay.pictures.views.model_views import GameView
from outplay.pictures.views.selection import Highlights, part_of
from outplay.pictures.views.views import View, edges_of, targets_of
from outplay.plurals import counted

MOST_NODES, MOST_ARROWS = 200, 400
_MOST_LEGIBLE = 100  # nodes that can be read in a window
_MOST_HELD = 30_000  # nodes of a graph whose states a page can search; more make it slow to open
_MOST_OPENED, _MOST_OPENED_BESIDE = 40, 12


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


def overview(view: View, highlights: Highlights, title: str) -> Drawing:
    """Draw a graph as it is, or a large one as a summary; in between it opens folded where that tells something."""
    if is_large(view):
        return _summary(view, highlights, title)
    count = len(view.first) - 1
    whole = part_of(view, range(count), highlights, title)
    folds = telling_folds(view) if count > _MOST_LEGIBLE and highlights == Highlights() else []
    if not folds:
        return whole
    opened = _folded(view, highlights, folds, _distances_from(view))
    every = replace(whole, title=f"All {count:,} {view.noun}")
    facts = (view.noun, f"{count:,}"), ("edges", f"{len(view.target):,}"), *view.census(), _boxes(view)
    return replace(opened, title=title, facts=facts, more=(every, *opened.more))


def _summary(view: View, highlights: Highlights, title: str) -> Drawing:
    """Make the drawing of a large graph."""
    away = _distances_from(view)
    made = _folded(view, highlights, [*telling_folds(view), fold_by_distance(view, away)], away)
    facts = (*_facts(view, away), _boxes(view))
    return replace(made, title=title, facts=facts, more=(*_pictures(view, highlights, away), *made.more))


def _folded(view: View, highlights: Highlights, folds: Sequence[Folded], away: Sequence[int]) -> Drawing:
    """Draw a graph folded in several ways, with boxes that open."""
    inside = list[Drawing]()
    first, *others = [
        _opened(view, highlights, away, fold, inside, _MOST_OPENED_BESIDE if at else _MOST_OPENED)
        for at, fold in enumerate(folds)
    ]
    return replace(first, more=tuple(others), inside=tuple(inside), held=tuple(_held(view, folds[0])))


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


def _boxes(view: View) -> tuple[str, str]:
    return "boxes", f"each stands for many {view.noun}; numbers beside arrows count edges"


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
