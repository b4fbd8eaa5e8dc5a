"""Edge coverage: a tour of least cost over all edges of a game, played as a strategy that covers them in the end.

Definition (Nachmanson et al. 2004, section 5): on a strongly connected game a tour of least cost over all edges, as if
every move were the tester's, is cut at choice points, and its pieces are played at random as the system answers. Where
the system has no choice the tour is the classical transition tour. What cannot be reached from the initial vertex is
left out. Where some edges lead to where no way leads back, there is no tour; with resets, which are taken where they
help and need not be covered themselves, there is. O(flow): see postman.py. Where there is no time for the whole flow,
the tour is one that was found by then, with a bound.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from outplay.errors import UsageError
from outplay.game.algebra import choice_points, idle, reachable
from outplay.game.goals.goal import AnyOf
from outplay.game.goals.target import Wanted
from outplay.game.graph import Game
from outplay.game.reset import RESET, reset_edges, with_reset
from outplay.strategy.tours.edge_cover.edge_tour import EdgeTour, NoEdgeTour
from outplay.strategy.tours.edge_cover.pieces import cut_at_choices
from outplay.strategy.tours.errand import Tour
from outplay.strategy.tours.euler import euler_walk
from outplay.strategy.tours.network import Network, network_of_game
from outplay.strategy.tours.postman import postman

_NONE = np.zeros(0, dtype=np.uint32)


def cover_edges(
    game: Game, goal: Wanted = (), *, restart: bool = False, time_limit: float | None = None
) -> EdgeTour | NoEdgeTour:
    """Find the tour, or what cannot be left again; with `restart` the tester may reset the system anywhere.

    After `time_limit` seconds the tour that was found by then is answered, with a bound.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("t", "tester")
    >>> builder = builder.edge("s", "c", "?go").edge("c", "s", "!one").edge("c", "t", "!two")
    >>> cover_edges(builder.build()).sentence
    'no tour covers all 3 edges: from t no way leads back to s; allow resets, with --restart or --reset-cost'
    >>> cover_edges(builder.edge("t", "s", "?back").build()).value
    Fraction(5, 1)
    """
    if goal != () and goal != []:
        raise UsageError("`cover-edges` is about all edges: leave the goal out")
    if restart and RESET not in game.labels:
        game = with_reset(game)
    network, met, unmoving = network_of_game(game), reachable(game, game.initial), idle(game)
    lost = met & ~unmoving & ~_backwards(network).reached_from(game.initial)
    required = np.flatnonzero(met[game.source] & ~unmoving[game.target] & ~reset_edges(game))
    if lost.any():
        blocking = np.flatnonzero(lost).astype(np.uint32)
        return NoEdgeTour(game, AnyOf(()), _NONE, blocking=blocking, required=required)
    tour = postman(network, [[edge] for edge in required.tolist()], time_limit=time_limit)
    assert isinstance(tour, Tour), "required edges that can all be reached from one vertex hang together"
    tour = _from_a_choice(game, network, tour)
    return EdgeTour(game, AnyOf(()), _NONE, required, tour, cut_at_choices(game, tour.walk))


def _from_a_choice(game: Game, network: Network, tour: Tour) -> Tour:
    """The same tour, walked from a choice point if there is one: so it goes on as long as it can before it is cut."""
    walk = np.array(tour.walk, dtype=np.int64)
    starts = game.source[walk][choice_points(game)[game.source[walk]]]
    if not len(starts):
        return tour
    times = np.bincount(walk, minlength=game.edge_count)
    return replace(tour, walk=tuple(euler_walk(network, times, int(starts.min()))))


def _backwards(network: Network) -> Network:
    """The network with every edge turned round."""
    return Network(network.vertex_count, network.target, network.source, network.criteria, network.denominators)
