"""Repeated execution of a test suite on a system that may go elsewhere (Wang, Wu, Schewe and Huang 2013, section 6).

The suite is made as if the system did what is hoped: shortest paths from the initial vertex that together show
everything there is to be covered. Each play follows one path until its end, or until the system diverts it. Which one
comes next is decided by its gain (Algorithm 1, NT-plan), and ties by lot:

    s1.5  1 if the path was not executed yet, else 0
    s2    1 if the path may show something new, else 0
    s3    a random number up to how much new the path may show
    s4    the same, divided by the number of places on the path where the system chooses

What counts as covered is what plays have shown. (Algorithm 1 counts all of a path that was picked; but then a path that
was diverted would not be taken again, which is what the section is about.)
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from outplay.game.graph import SYSTEM, Game
from outplay.game.reset import RESET
from outplay.strategy.coverage.items import Items, Sightings

Path = tuple[int, ...]
"""Edges, each from where the one before has led."""


@dataclass
class PlannedPath:
    """A path of the suite, and what its gain depends on."""

    edges: Path
    vertices: Path
    items: frozenset[int]
    choices: int
    """Vertices of the system on the path; a path without any counts as if it had one."""
    executed: bool = False

    def new(self, sightings: Sightings) -> int:
        """Count the items it may show that were not seen yet."""
        return sum(not sightings.seen[item] for item in self.items)


Gain = Callable[[PlannedPath, int, Random], float]
GAINS: dict[str, Gain] = {
    "s1.5": lambda path, new, rng: float(not path.executed),
    "s2": lambda path, new, rng: float(new > 0),
    "s3": lambda path, new, rng: rng.uniform(0, new),
    "s4": lambda path, new, rng: rng.uniform(0, new / max(path.choices, 1)),
}
"""The gain of a path, by what it may show that is new."""


class RepeatedExecution:
    """The strategy: one path for each play, picked by its gain; the memory is how far the play has come on it."""

    start = 0

    def __init__(self, sightings: Sightings, rng: Random, gain: str) -> None:
        items = sightings.items
        self.paths = [_planned(items, path) for path in covering_paths(items)]
        self.path = self.paths[0]
        self._gain, self._sightings, self._rng = GAINS[gain], sightings, rng

    def plan(self) -> None:
        """Pick the path of the next play."""
        lots = [(self._gain(path, path.new(self._sightings), self._rng), self._rng.random()) for path in self.paths]
        self.path = self.paths[lots.index(max(lots))]
        self.path.executed = True

    def edge(self, vertex: int, memory: int) -> int | None:
        return None if self.hopeless(vertex, memory) else self.path.edges[memory]

    def after(self, vertex: int, memory: int) -> int:
        """Return how far the path has come; behind a decision of the tester it is the system that moves."""
        met = self.path.vertices[memory : memory + 2]
        return memory + 1 + met.index(vertex) if vertex in met else len(self.path.edges)

    def hopeless(self, vertex: int, memory: int) -> bool:
        """Say whether the path has ended here, or the system went elsewhere."""
        return memory >= len(self.path.edges) or self.path.vertices[memory] != vertex

    def answered(self, edges: list[int]) -> None:
        """Learn nothing: the paths stay as they are."""


def _planned(items: Items, edges: Path) -> PlannedPath:
    """A path with what it shows."""
    game = items.game
    vertices = (game.initial, *(int(game.target[edge]) for edge in edges))
    shown = {items.at_start, *(int(items.of_edge[edge]) for edge in edges)} - {-1}
    choices = sum(game.owner[vertex] == SYSTEM for vertex in vertices)
    return PlannedPath(edges, vertices, frozenset(shown), choices)


def covering_paths(items: Items) -> list[Path]:
    """Find shortest paths to execute repeatedly that show every item, none the beginning of another; at least one.

    >>> from outplay import GameBuilder
    >>> from outplay.strategy.coverage.items import STATES, TRANSITIONS, items_to_cover
    >>> builder = GameBuilder().vertex("s", "tester").vertex("t", "tester").vertex("u", "tester")
    >>> game = builder.edge("s", "t", "?a").edge("t", "u", "?b").edge("u", "s", "?c").edge("s", "u", "?d").build()
    >>> covering_paths(items_to_cover(game, STATES)), covering_paths(items_to_cover(game, TRANSITIONS))
    ([(0,), (1,)], [(0, 2), (1, 3)])
    """
    game = items.game
    into = breadth_first_tree(game)
    shown = {items.at_start}
    found = list[Path]()
    for vertex in (game.initial, *into):
        for edge in game.edges_of(vertex):
            item = int(items.of_edge[edge])
            if item not in shown and item >= 0 and game.label_of(edge) != RESET:
                shown.add(item)
                found.append((*path_to(game, into, vertex), edge))
    beginnings = {path[:end] for path in found for end in range(len(path))}
    return [path for path in found if path not in beginnings] or [()]


def breadth_first_tree(game: Game) -> dict[int, int]:
    """Return the edge by which each vertex of a game is first met, nearest first; resets lead nowhere."""
    into = dict[int, int]()
    queue = deque([game.initial])
    while queue:
        for edge in game.edges_of(queue.popleft()):
            target = int(game.target[edge])
            if target != game.initial and target not in into and game.label_of(edge) != RESET:
                into[target] = edge
                queue.append(target)
    return into


def path_to(game: Game, into: dict[int, int], vertex: int) -> Path:
    """Return the edges of a breadth-first tree from the initial vertex to another."""
    path = list[int]()
    while vertex != game.initial:
        path.append(into[vertex])
        vertex = int(game.source[into[vertex]])
    return tuple(reversed(path))
