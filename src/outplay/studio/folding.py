"""Folding: many vertices shown as one, by component, by distance, by the value of a variable, or around one vertex.

A group that is opened is shown vertex by vertex, in the midst of the others. Groups beyond a number that can be looked
at become one. What is shown is a scene like any other, and each vertex knows the node it is in.
"""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from outplay.errors import UsageError
from outplay.game.graph import Game
from outplay.pictures.vertex_grouping import COMPONENT, DISTANCE, Grouping, Ints, depths, easiest, grouping_of, ways_of
from outplay.plurals import counted
from outplay.studio.column_layout import COLUMN, placed
from outplay.studio.document import Document
from outplay.studio.scene import GOAL, GROUP, INITIAL, Nodes, Scene
from outplay.studio.scene_building import MOST_NODES, SIZE, goal_flags, joined_arrows, kinds, short_name

NEAR = "near"
MOST_GROUPS = 400
MOST_OPENED = 1_500  # vertices of a group that are shown one by one
MOST_NEAR = 300
_TILE = 190.0, 46.0
_APART = 90.0  # between two tiles, for arrows


def folds_of(document: Document) -> list[list[str]]:
    """The ways in which a document can be folded: what to ask for, and words."""
    whole = [["", "all vertices"]] if document.game.vertex_count <= MOST_NODES else []
    with document.lock:
        return [*whole, *(list(way) for way in ways_of(document.game).items()), [NEAR, "around the selected"]]


def first_fold(document: Document) -> str:
    """Return the first view of a document: as it is, or folded into a number of groups that is easy to see."""
    if document.game.vertex_count <= MOST_NODES:
        return ""
    with document.lock:
        ways = [way for way in ways_of(document.game) if way not in (COMPONENT, DISTANCE)]

    def best(among: list[str]) -> list[str]:
        return easiest({way: grouping(document, way).count for way in among}, MOST_GROUPS)

    return next(iter(best(ways) or best([COMPONENT])), DISTANCE)


def folded_scene(document: Document, way: str, opened: list[int], centre: int) -> Scene:
    """Make the scene of a document folded in a way, with the groups of some vertices opened."""
    game = document.game
    if way == NEAR:
        return _scene(game, _around(game, centre))
    made = grouping(document, way)
    alone = np.zeros(game.vertex_count, dtype=bool)
    for vertex in opened:
        members = np.flatnonzero(made.of == made.of[vertex])
        alone[_nearest(game, members, vertex)] = True
    with document.lock:  # names of groups are values of states
        return _scene(game, made, alone)


def grouping(document: Document, way: str) -> Grouping:
    """Return the groups of a way to fold a document."""

    def found() -> Grouping:
        made = grouping_of(document.game, way)
        if made is None:
            raise UsageError(f"there is no way to fold called {way!r}")
        return _few(made)

    return document.kept(("grouping", way), found)


def _few(made: Grouping) -> Grouping:
    """Put the smallest groups into one where there are too many to look at."""
    if made.count <= MOST_GROUPS:
        return made
    sizes = np.bincount(made.of, minlength=made.count)
    kept = np.sort(np.argsort(-sizes, kind="stable")[: MOST_GROUPS - 1])
    number = np.full(made.count, len(kept), dtype=np.int64)
    number[kept] = np.arange(len(kept))
    others = f"{made.count - len(kept):,} other groups"
    return Grouping(number[made.of], len(kept) + 1, lambda at: made.name(int(kept[at])) if at < len(kept) else others)


def _nearest(game: Game, members: Ints, vertex: int) -> Ints:
    """The members of a group to be shown one by one: all of them, or those nearest to a vertex."""
    if len(members) <= MOST_OPENED:
        return members
    inside, found, queue = set(members.tolist()), [vertex], deque([vertex])
    inside.discard(vertex)
    while queue and len(found) < MOST_NEAR:
        at = queue.popleft()
        for edge in game.edges_of(at):
            target = int(game.target[edge])
            if target in inside:
                inside.discard(target)
                found.append(target)
                queue.append(target)
    return np.array(found, dtype=np.int64)


def _around(game: Game, centre: int) -> Grouping:
    """The vertices nearest to one, each by itself, along edges in both directions; all others are one group."""
    into = game.incoming
    found, queue = {centre: 0}, deque([centre])
    while queue and len(found) < MOST_NEAR:
        at = queue.popleft()
        row = slice(int(into.first[at]), int(into.first[at + 1]) if at + 1 < len(into.first) else game.edge_count)
        near = [*(int(game.target[e]) for e in game.edges_of(at)), *into.source[row].tolist()]
        for other in near:
            if other not in found and len(found) < MOST_NEAR:
                found[other] = len(found)
                queue.append(other)
    of = np.full(game.vertex_count, len(found), dtype=np.int64)
    of[list(found)] = list(found.values())
    left = game.vertex_count - len(found)
    return Grouping(of, len(found) + bool(left), lambda at: f"{left:,} others")


def _scene(game: Game, made: Grouping, alone: NDArray[np.bool_] | None = None) -> Scene:
    """The scene of a grouping, in which some vertices stand alone."""
    groups = made.count
    of = made.of.copy()
    if alone is not None and alone.any():
        single = np.flatnonzero(alone)
        of[single] = groups + np.arange(len(single))
    used, place, size = np.unique(of, return_inverse=True, return_counts=True)
    node_of: NDArray[np.int32] = place.astype(np.int32)
    count = len(used)
    example = np.full(count, -1, dtype=np.int64)
    example[node_of[::-1]] = np.arange(game.vertex_count)[::-1]  # the first member is written last
    arrows = joined_arrows(game, node_of)
    layer = np.full(count, np.iinfo(np.int64).max, dtype=np.int64)
    np.minimum.at(layer, node_of, depths(game.first, game.target, game.initial))
    _, layer = np.unique(layer, return_inverse=True)
    x, y = placed(layer.astype(np.int64), arrows.source, arrows.target)
    many = size > 1
    x = x * np.float32((_TILE[0] + _APART) / COLUMN)
    flags = np.zeros(count, dtype=np.uint8)
    np.maximum.at(flags, node_of, goal_flags(game) & GOAL)
    flags[node_of[game.initial]] |= INITIAL
    names, notes = [], []
    for at in range(count):
        if many[at]:
            names.append(f"{_short(made.name(int(used[at])))}\n{counted(int(size[at]), 'vertex')}")
            notes.append("")
        else:
            name, note = short_name(game, int(example[at]))
            names.append(name)
            notes.append(note)
    nodes = Nodes(
        x,
        y,
        np.where(many, _TILE[0], SIZE).astype(np.float32),
        np.where(many, _TILE[1], SIZE).astype(np.float32),
        np.where(many, GROUP, kinds(game)[example]).astype(np.uint8),
        np.where(many, flags & INITIAL, flags).astype(np.uint8),
        example.astype(np.int32),
        size.astype(np.uint32),
        names,
        notes,
    )
    return Scene(nodes, arrows, node_of)


def _short(text: str) -> str:
    return text if len(text) <= 27 else f"{text[:17]}…{text[-9:]}"
