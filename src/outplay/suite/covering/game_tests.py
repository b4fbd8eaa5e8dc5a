"""Suites that cover the vertices or the edges of a game.

Test cases that visit every state: the shortest paths to the leaves of a breadth-first tree. The static suite of Wang et
al. 2013, section 7.2: paths from the initial vertex that cover all vertices of the game as if the system did what is
hoped. Each path is a test; where the system diverts it, the test is inconclusive. Bound: O(vertices + edges), and as
many tests as the tree has leaves.

Test cases that take every edge of a game: the pieces of a tour of least cost, each from the initial vertex. The tour
may start again at the initial vertex, as seldom as can be, and then costs as little as can be; so it exists whatever
the game is. It is cut where it starts again and at choice points. A test goes a cheapest way to its piece, as if the
system helped, and follows it; where the system answers otherwise, and rightly, the test is inconclusive and is played
again. Pieces whose edges other tests take are left out. In a game without choice points each test takes the next part
of the tour, and one test takes it all where it never needs to start again: the transition tour.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from outplay.game.algebra import choice_points, idle_vertices, reachable
from outplay.game.exploring.breadth_first import Progress
from outplay.game.graph import Game
from outplay.strategy.coverage.repeated_execution import breadth_first_tree, path_to
from outplay.strategy.tours.postman import postman
from outplay.strategy.tours.postman_problem import Tour
from outplay.strategy.tours.tour_network import network_of_game
from outplay.suite.covering.walk_tests import WalkTests, game_to_cover
from outplay.suite.methods import SECONDS, Subject, refuse_goals
from outplay.suite.suite import Suite


def node_suite(subject: Subject, *, progress: Progress | None = None) -> Suite:
    """Make the suite that visits every state of a model."""
    refuse_goals(subject, "nodes", "states")
    return node_tests(game_to_cover(subject, "states", progress)).suite("every state is visited")


def node_tests(game: Game) -> WalkTests:
    """Find walks from the initial vertex of a game that together visit every state that can be reached.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("t", "tester").vertex("u", "tester")
    >>> builder = builder.edge("s", "t", "?a").edge("t", "u", "?b").edge("u", "s", "?c").edge("s", "u", "?d")
    >>> node_tests(builder.build()).walks
    ((0,), (1,))
    """
    into, inner = breadth_first_tree(game), set[int]()
    states = [vertex for vertex in into if game.is_state[vertex]]
    for vertex in states:
        inner.update(int(game.source[edge]) for edge in path_to(game, into, vertex))
    leaves = [vertex for vertex in states if vertex not in inner]
    walks = tuple(path_to(game, into, leaf) for leaf in leaves)
    return WalkTests(game, walks, len(states) + bool(game.is_state[game.initial]))


def edge_suite(subject: Subject, *, time_limit: float = SECONDS, progress: Progress | None = None) -> Suite:
    """Make the suite that takes every edge of a model's game."""
    refuse_goals(subject, "edges", "edges")
    game = game_to_cover(subject, "edges", progress)
    return edge_tests(game, time_limit=time_limit).suite("every edge of the game is taken")


def edge_tests(game: Game, *, time_limit: float | None = None) -> WalkTests:
    """Find walks from the initial vertex of a game that together take every edge that can be reached.

    After `time_limit` seconds they follow the best tour that was found, which is then told with its bound.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("t", "tester")
    >>> edge_tests(builder.edge("s", "t", "?a").edge("t", "s", "?b").edge("s", "s", "?c").build()).walks
    ((0, 2, 1),)
    """
    met = reachable(game, game.initial)
    required = np.flatnonzero(met[game.source] & ~idle_vertices(game)[game.target]).tolist()
    bare = network_of_game(game)
    restarts = np.zeros(game.edge_count, dtype=np.int64)
    counting = replace(bare, criteria=(restarts, *bare.criteria), denominators=(1, *bare.denominators))
    network = counting.with_resets(game.initial, cost=[1, 0])
    tour = postman(network, [[edge] for edge in required], start=game.initial, time_limit=time_limit)
    assert isinstance(tour, Tour), "a reset leads everywhere"
    walks = tuple(_needed(game, _walks(game, tour.walk)))
    return WalkTests(game, walks, len(required), tour)


def _walks(game: Game, tour: Sequence[int]) -> list[tuple[int, ...]]:
    """The pieces of a tour with resets, each with a cheapest way to it from the initial vertex."""
    begin = next((place for place, edge in enumerate(tour) if edge >= game.edge_count), None)
    if begin is None:
        starts = np.flatnonzero(game.source[list(tour)] == game.initial).tolist()
        begin = starts[0] if starts else 0
    choices, pieces = choice_points(game), [list[int]()]
    for edge in [*tour[begin:], *tour[:begin]]:
        if edge >= game.edge_count or choices[game.source[edge]]:
            pieces.append([])
        if edge < game.edge_count:
            pieces[-1].append(edge)
    paths = _paths(game)
    return [(*paths[int(game.source[piece[0]])], *piece) for piece in pieces if piece]


def _paths(game: Game) -> dict[int, tuple[int, ...]]:
    """For each vertex that can be reached a cheapest way to it, with as few edges as can be."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import dijkstra

    least = np.full(game.edge_count, 1e-9) + game.cost.floats
    order = np.lexsort((least, game.target, game.source))
    first = np.ones(len(order), dtype=bool)  # of parallel edges the cheapest counts; a sparse matrix would add them up
    first[1:] = np.diff(game.source[order].astype(np.int64)) != 0
    first[1:] |= np.diff(game.target[order].astype(np.int64)) != 0
    kept = order[first]
    edge = {(int(game.source[e]), int(game.target[e])): int(e) for e in kept}
    shape = (game.vertex_count, game.vertex_count)
    graph = coo_array((least[kept], (game.source[kept], game.target[kept])), shape=shape).tocsr()
    before = dijkstra(graph, indices=game.initial, return_predecessors=True)[1].tolist()
    found: dict[int, tuple[int, ...]] = {game.initial: ()}
    for vertex in range(game.vertex_count):
        path = [vertex]
        while path[-1] not in found and before[path[-1]] >= 0:
            path.append(before[path[-1]])
        for one, other in zip(path[-2::-1], path[:0:-1], strict=True):
            if other in found:
                found[one] = (*found[other], edge[other, one])
    return found


def _needed(game: Game, walks: Iterable[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The walks without those whose edges longer ones take."""
    listed, taken = list(walks), set[int]()
    kept = []
    for number in sorted(range(len(listed)), key=lambda number: -len(listed[number])):
        if not taken.issuperset(listed[number]):
            taken.update(listed[number])
            kept.append(number)
    return _shortened([listed[number] for number in sorted(kept)])


def _shortened(walks: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The walks, each only up to the last edge that is taken nowhere else."""
    times, short = Counter(edge for walk in walks for edge in walk), []
    for walk in walks:
        end = len(walk)
        while end > 1 and times[walk[end - 1]] > 1:
            end -= 1
            times[walk[end]] -= 1
        short.append(walk[:end])
    return short
