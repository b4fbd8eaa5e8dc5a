"""Grouping: the vertices of a game put together by component, by distance, or by the value or size of a variable.

Pictures and the studio draw a group as one box. Names of groups are found only for those that are shown.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.game.graph import Game
from outplay.model.programs.program_specification import ProgramSpecification
from outplay.model.programs.stepping import Pending
from outplay.pictures.state_text import Group, read_state, text_of
from outplay.plurals import counted

COMPONENT, DISTANCE, VARIABLE, LENGTH = "component", "distance", "variable", "size"
GOOD = 12  # groups that are easy to look at
_MOST_ROUNDS = 200  # of a search in which each layer is a step; more layers are left to a search vertex by vertex
_MOST_LAYERS, _RANGES = 40, 24
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Grouping:
    """The group of each vertex, by number, and the name of each group."""

    of: Ints
    count: int
    name: Callable[[int], str]


def easiest(ways: dict[str, int], most: int) -> list[str]:
    """Sort ways of grouping by how easy their numbers of groups are to look at; too few and too many are left out.

    >>> easiest({"by queue": 79, "by waiting": 7, "by size": 4, "by turn": 2}, 40)
    ['by waiting', 'by size']
    """
    return sorted((way for way, count in ways.items() if 2 < count <= most), key=lambda way: abs(ways[way] - GOOD))


def ways_of(game: Game) -> dict[str, str]:
    """The ways to group the vertices of a game, in words: by each variable, by the size of each container."""
    found = {}
    for name, value in variables_of(game).items():
        found[f"{VARIABLE}:{name}"] = f"by {name}"
        if isinstance(value, Group) and not value.name:
            found[f"{LENGTH}:{name}"] = f"by size of {name}"
    return {**found, COMPONENT: "by component", DISTANCE: "by distance"}


def grouping_of(game: Game, way: str) -> Grouping | None:
    """Make a grouping of the vertices of a game; None where the game has no such variable."""
    kind, _, name = way.partition(":")
    if way == COMPONENT:
        return by_component(game.first, game.target)
    if way == DISTANCE:
        return by_distance(depths(game.first, game.target, game.initial))
    if name not in variables_of(game):
        return None
    return {VARIABLE: by_variable, LENGTH: by_size}[kind](game, name) if kind in (VARIABLE, LENGTH) else None


def variables_of(game: Game) -> dict[str, Any]:
    """The variables of the states with their first values, where states have some."""
    text = _state_text(game, game.initial)
    found = read_state(text)
    return {} if list(found) == ["state"] and not text.startswith("state=") else found


def depths(first: NDArray[Any], target: NDArray[Any], initial: int) -> Ints:
    """Return the distance of each vertex from the initial one, to group by; unreached ones come after the last.

    >>> depths(np.array([0, 1, 2, 2, 2]), np.array([1, 2]), 0).tolist()
    [0, 1, 2, 3]
    """
    layer = np.full(len(first) - 1, -1, dtype=np.int64)
    last, depth = np.array([initial]), 0
    while len(last) and depth < _MOST_ROUNDS:
        layer[last] = depth
        counts = (first[last + 1] - first[last]).astype(np.int64)
        before = np.repeat(first[last].astype(np.int64) - np.cumsum(counts) + counts, counts)
        met = target[before + np.arange(len(before))]
        last, depth = np.unique(met[layer[met] < 0]).astype(np.int64), depth + 1
    if len(last):
        return _depths_of_many_layers(first, target, initial)
    return np.where(layer < 0, depth, layer)


def _depths_of_many_layers(first: NDArray[Any], target: NDArray[Any], initial: int) -> Ints:
    from scipy.sparse.csgraph import dijkstra

    found = dijkstra(_matrix(first, target), indices=initial, unweighted=True)
    reached = np.isfinite(found)
    layer: Ints = np.where(reached, found, found[reached].max() + 1).astype(np.int64)
    return layer


def by_distance(layer: Ints) -> Grouping:
    """Group vertices by their distance from the start: each by itself, or in ranges where there are many."""
    layers = int(layer.max()) + 1
    if layers <= _MOST_LAYERS:
        return Grouping(layer, layers, lambda far: f"{counted(far, 'edge')} away")
    width = -(-layers // _RANGES)

    def name(at: int) -> str:
        return f"{width * at:,} to {min(width * (at + 1), layers) - 1:,} edges away"

    return Grouping(layer // width, (layers - 1) // width + 1, name)


def by_component(first: NDArray[Any], target: NDArray[Any]) -> Grouping:
    """Group vertices that reach each other: the strongly connected components.

    >>> by_component(np.array([0, 1, 2, 3]), np.array([1, 0, 0])).of.tolist()
    [0, 0, 1]
    """
    from scipy.sparse.csgraph import connected_components

    number, of = connected_components(_matrix(first, target), connection="strong")
    sizes = np.bincount(of)
    return Grouping(of.astype(np.int64), int(number), lambda at: f"component of {sizes[at]:,}")


def _matrix(first: NDArray[Any], target: NDArray[Any]) -> Any:
    from scipy.sparse import csr_array  # only here: small games need none of it, and the studio starts sooner

    count = len(first) - 1
    ones = np.ones(len(target), dtype=np.int8)
    return csr_array((ones, target.astype(np.int32), first.astype(np.int32)), shape=(count, count))


def by_variable(game: Game, name: str) -> Grouping:
    """Group vertices by the value that a variable has in their states."""
    of, example = _values(game, name)

    def named(at: int) -> str:
        value = _value(game, name, int(example[at]))
        return f"{name} is uncertain" if value == "" else f"{name}={text_of(value)}"

    return Grouping(of, len(example), named)


def by_size(game: Game, name: str) -> Grouping:
    """Group vertices by the number of items that a variable holds in their states."""
    of, example = _values(game, name)
    sizes = np.array([_size(game, name, vertex) for vertex in example.tolist()])
    found, group = np.unique(sizes, return_inverse=True)
    names = [f"{counted(size, 'item')} in {name}" if size >= 0 else f"{name} is uncertain" for size in found.tolist()]
    return Grouping(group.astype(np.int64)[of], len(found), names.__getitem__)


def _size(game: Game, name: str, vertex: int) -> int:
    """The number of items that a variable holds; -1 where it holds none. Many values are asked, so seldom as text."""
    spec, state = game.origin.specification, int(game.roles.state[vertex])
    if isinstance(spec, ProgramSpecification) and not game.origin.approximate:
        value = spec.stepper.values(state)[list(spec.program.variables).index(name)]
        if isinstance(value, tuple | frozenset | dict):
            return len(value)
    shown = _value(game, name, vertex)
    return len(shown.parts) if isinstance(shown, Group) else -1


def _values(game: Game, name: str) -> tuple[Ints, Ints]:
    """The value that a variable has at each vertex, as a number, and a vertex for each number."""
    spec, state = game.origin.specification, game.roles.state.astype(np.int64)
    if isinstance(spec, ProgramSpecification) and not game.origin.approximate:
        keys: Any = _codes(spec, name, game.vertex_count)[state]
    else:
        keys = np.array([text_of(_value(game, name, vertex)) for vertex in range(game.vertex_count)], dtype=object)
    _, example, of = np.unique(keys, return_index=True, return_inverse=True)
    return of.astype(np.int64), example.astype(np.int64)


def _value(game: Game, name: str, vertex: int) -> Any:
    return read_state(_state_text(game, vertex)).get(name, "")


def _state_text(game: Game, vertex: int) -> str:
    return game.origin.describe(int(game.roles.state[vertex]))


def _codes(spec: ProgramSpecification, name: str, count: int) -> Ints:
    """A number for the value that a variable has in each state of a program, also where a call waits for its answer."""
    states, place = spec.stepper.states, list(spec.stepper.program.variables).index(name)
    found = np.full(count, -1, dtype=np.int64)
    bases = (states[one.base] if isinstance(one, Pending) else one for one in states[:count])
    known = [-1 if isinstance(one, Pending) else one[place] for one in bases]
    found[: len(known)] = known
    return found
