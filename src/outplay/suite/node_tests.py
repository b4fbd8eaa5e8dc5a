"""Test cases that visit every state: the shortest paths to the leaves of a breadth-first tree.

The static suite of Wang et al. 2013, section 7.2: paths from the initial vertex that cover all vertices of the game as
if the system did what is hoped. Each path is a test; where the system diverts it, the test is inconclusive. Bound:
O(vertices + edges), and as many tests as the tree has leaves.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from outplay.errors import UsageError
from outplay.game.graph import Game
from outplay.game.unfold import Progress
from outplay.strategy.words import counted
from outplay.suite.hoped_walk import case_along
from outplay.suite.methods import Subject
from outplay.suite.testcase import Stream, Suite, TestCase


@dataclass(frozen=True)
class NodeTests:
    """The walks of the tests, and how many states they visit."""

    game: Game
    walks: tuple[tuple[int, ...], ...]
    states: int

    def json(self) -> dict[str, Any]:
        """How many states the tests visit, and in how many moves."""
        return {"states": self.states, "moves": sum(int(self.game.moves[list(walk)].sum()) for walk in self.walks)}

    def lines(self) -> list[str]:
        """The same in words."""
        return [f"they visit all {counted(self.states, 'state')}, in {self.json()['moves']:,} moves"]

    def cases(self) -> Iterator[TestCase]:
        """The test cases, one for each walk."""
        for walk in self.walks:
            end = int(self.game.target[walk[-1]])
            yield case_along(self.game, walk, self.game.names[end])


def node_suite(subject: Subject, *, progress: Progress | None = None) -> Suite:
    """Test cases that together visit every state of a model."""
    if subject.goals:
        raise UsageError("--method nodes is about all states: leave --goal out")
    found = node_tests(subject.game(progress))
    guarantee = "every state is visited by a test, if the system answers as the tests hope"
    tests = Stream(found.cases)
    return Suite(method="nodes", tests=tests, guarantee=guarantee, count=len(found.walks), remarks=found)


def node_tests(game: Game) -> NodeTests:
    """The walks from the initial vertex that together visit every state that can be reached.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("t", "tester").vertex("u", "tester")
    >>> node_tests(builder.edge("s", "t", "?a").edge("t", "u", "?b").edge("u", "s", "?c").edge("s", "u", "?d").build())
    NodeTests(game=Game(3 vertices, 4 edges, initial 's'), walks=((0,), (1,)), states=3)
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
    return NodeTests(game, walks, len(states) + bool(game.is_state[game.initial]))


def _before(game: Game, into: dict[int, int], vertex: int) -> list[int]:
    """The vertices on the way to one, itself the last; without the initial one."""
    way = []
    while vertex != game.initial:
        way.append(vertex)
        vertex = int(game.source[into[vertex]])
    return way[::-1]
