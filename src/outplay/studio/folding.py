"""Folding: many vertices shown as one, by component, by distance, by the value of a variable, or around one vertex.

A group that is opened is shown vertex by vertex, in the midst of the others. Groups beyond a number that can be looked
at become one. What is shown is a scene like any other, and each vertex knows the node it is in.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.errors import UsageError
from outplay.game.graph import Game
from outplay.model.programs.program_specification import ProgramSpecification
from outplay.plurals import counted
from outplay.studio.column_layout import COLUMN, distances, placed
from outplay.studio.document import Document
from outplay.studio.scene import GOAL, GROUP, INITIAL, Nodes, Scene
from outplay.studio.scenes import MOST_NODES, SIZE, goal_flags, joined_arrows, kinds, short_name
from outplay.studio.state_text import read_state, text_of

COMPONENT, DISTANCE, VARIABLE, NEAR = "component", "distance", "variable", "near"
MOST_GROUPS = 400
MOST_OPENED = 1_500  # vertices of a group that are shown one by one
MOST_NEAR = 300
_TILE = 190.0, 46.0
_APART = 90.0  # between two tiles, for arrows
_GOOD = 12  # groups that are easy to look at
_MOST_LAYERS, _RANGES = 40, 24
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Grouping:
    """The group of each vertex, by number; what a group is called is found out only for those that are shown."""

    of: Ints
    count: int
    name: Callable[[int], str]


def folds_of(document: Document) -> list[list[str]]:
    """The ways in which a document can be folded: what to ask for, and words."""
    whole = [["", "all vertices"]] if document.game.vertex_count <= MOST_NODES else []
    named = [[f"{VARIABLE}:{name}", f"by {name}"] for name in _variables_of(document)]
    more = [[COMPONENT, "by component"], [DISTANCE, "by distance"], [NEAR, "around the selected"]]
    return [*whole, *named, *more]


def first_fold(document: Document) -> str:
    """Return the first view of a document: as it is, or folded into a number of groups that is easy to see."""
    if document.game.vertex_count <= MOST_NODES:
        return ""
    ways = [f"{VARIABLE}:{name}" for name in _variables_of(document)] + [COMPONENT]
    sizes = {way: grouping(document, way).count for way in ways}
    good = [way for way in ways if 2 < sizes[way] <= MOST_GROUPS]
    return min(good, key=lambda way: abs(sizes[way] - _GOOD), default=DISTANCE)


def _variables_of(document: Document) -> list[str]:
    """The variables of the states, where they have some."""
    found = read_state(document.about(document.game.initial))
    return (
        [] if list(found) == ["state"] and not document.about(document.game.initial).startswith("state=") else [*found]
    )


def folded_scene(document: Document, way: str, opened: list[int], centre: int) -> Scene:
    """The scene of a document folded in a way, with the groups of some vertices opened."""
    game = document.game
    if way == NEAR:
        return _scene(game, _around(game, centre))
    made = grouping(document, way)
    alone = np.zeros(game.vertex_count, dtype=bool)
    for vertex in opened:
        members = np.flatnonzero(made.of == made.of[vertex])
        alone[_nearest(game, members, vertex)] = True
    return _scene(game, made, alone)


def grouping(document: Document, way: str) -> Grouping:
    """The groups of a way to fold."""
    return document.kept(("grouping", way), lambda: _few(_grouping(document, way)))


def _grouping(document: Document, way: str) -> Grouping:
    game = document.game
    kind, _, name = way.partition(":")
    if kind == COMPONENT:
        return _components(game)
    if kind == DISTANCE:
        return _by_distance(game)
    if kind == VARIABLE and name in _variables_of(document):
        return _by_variable(document, name)
    raise UsageError(f"there is no way to fold called {way!r}")


def _by_distance(game: Game) -> Grouping:
    """Group the vertices by their distance from the start: each by itself, or in ranges where there are many."""
    layer = distances(game.first, game.target, game.initial)
    layers = int(layer.max()) + 1
    if layers <= _MOST_LAYERS:
        return Grouping(layer, layers, lambda far: f"{counted(far, 'edge')} away")
    width = -(-layers // _RANGES)

    def name(at: int) -> str:
        return f"{width * at:,} to {min(width * (at + 1), layers) - 1:,} edges away"

    return Grouping(layer // width, (layers - 1) // width + 1, name)


def _components(game: Game) -> Grouping:
    from scipy.sparse import csr_array  # only here, as in `distances`
    from scipy.sparse.csgraph import connected_components

    count = game.vertex_count
    ones = np.ones(game.edge_count, dtype=np.int8)
    graph = csr_array((ones, game.target.astype(np.int32), game.first.astype(np.int32)), shape=(count, count))
    number, of = connected_components(graph, connection="strong")
    sizes = np.bincount(of)
    return Grouping(of.astype(np.int64), int(number), lambda at: f"component of {sizes[at]:,}")


def _by_variable(document: Document, name: str) -> Grouping:
    """Group the vertices by the value that a variable has in their states."""
    game, spec = document.game, document.game.origin.specification
    state = game.roles.state.astype(np.int64)
    if isinstance(spec, ProgramSpecification) and not game.origin.approximate:
        keys: Any = _codes(spec, name, game.vertex_count)
    else:
        keys = np.array([_value(document, name, at) for at in state.tolist()], dtype=object)[np.arange(len(state))]
        state = np.arange(len(state))
    _, example, of = np.unique(keys[state], return_index=True, return_inverse=True)
    return Grouping(of.astype(np.int64), len(example), lambda at: f"{name}={_value(document, name, int(example[at]))}")


def _value(document: Document, name: str, vertex: int) -> str:
    return text_of(read_state(document.about(vertex)).get(name, ""))


def _codes(spec: ProgramSpecification, name: str, count: int) -> Ints:
    """A number for the value that a variable has in each state of a program; -1 where a call waits for its answer."""
    stepper = spec.stepper
    place = list(stepper.program.variables).index(name)
    found = np.full(count, -1, dtype=np.int64)
    known = [one[place] if isinstance(one, tuple) else -1 for one in stepper.states[:count]]
    found[: len(known)] = known
    return found


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
    np.minimum.at(layer, node_of, distances(game.first, game.target, game.initial))
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
