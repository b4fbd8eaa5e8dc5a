"""Test cases that visit every state: the shortest paths to the leaves of a breadth-first tree.

The static suite of Wang et al. 2013, section 7.2: paths from the initial vertex that cover all vertices of the game as
if the system did what is hoped. Each path is a test; where the system diverts it, the test is inconclusive. Bound:
O(vertices + edges), and as many tests as the tree has leaves.
"""

from __future__ import annotations

from collections import deque

from outplay.game.exploring.breadth_first import Progress
from outplay.game.graph import Game
from outplay.suite.covering.walk_tests import WalkTests, whole_game
from outplay.suite.methods import Subject, refuse_goals
from outplay.suite.suite import Suite


def node_suite(subject: Subject, *, progress: Progress | None = None) -> Suite:
    """Test cases that together visit every state of a model."""
    refuse_goals(subject, "nodes", "states")
    return node_tests(whole_game(subject, "states", progress)).suite("every state is visited")


def node_tests(game: Game) -> WalkTests:
    """The walks from the initial vertex that together visit every state that can be reached.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("t", "tester").vertex("u", "tester")
    >>> builder = builder.edge("s", "t", "?a").edge("t", "u", "?b").edge("u", "s", "?c").edge("s", "u", "?d")
    >>> node_tests(builder.build()).walks
    ((0,), (1,))
    """
    into: dict[int, int] = {}  # the edge by which a vertex was first met
    queue, inner = deque([game.initial]), set[int]()
    while queue:
        vertex = queue.popleft()
        for edge in game.edges_of(vertex):
            target = int(game.target[edge])
            if target != game.initial and target not in into:
                into[target] = edge
                queue.append(target)
    states = [vertex for vertex in into if game.is_state[vertex]]
    for vertex in states:
        inner.update(_before(game, into, vertex)[:-1])
    leaves = [vertex for vertex in states if vertex not in inner]
    walks = tuple(tuple(into[vertex] for vertex in _before(game, into, leaf)) for leaf in leaves)
    return WalkTests(game, walks, len(states) + bool(game.is_state[game.initial]))


def _before(game: Game, into: dict[int, int], vertex: int) -> list[int]:
    """The vertices on the way to one, itself the last; without the initial one."""
    path = []
    while vertex != game.initial:
        path.append(vertex)
        vertex = int(game.source[into[vertex]])
    return path[::-1]
