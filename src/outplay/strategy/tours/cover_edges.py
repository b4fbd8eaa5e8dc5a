"""Edge coverage: a tour of least cost over all edges of a game, and what it answers.

What edge coverage answers: the tour, its pieces and how sure they are, or what cannot be left again.

Edge coverage: a tour of least cost over all edges of a game, played as a strategy that covers them in the end.
Definition (Nachmanson et al. 2004, section 5): on a strongly connected game a tour of least cost over all edges, as if
every move were the tester's, is cut at choice points, and its pieces are played at random as the system answers. Where
the system has no choice the tour is the classical transition tour. What cannot be reached from the initial vertex is
left out. Where some edges lead to where no way leads back, there is no tour; with resets, which are taken where they
help and need not be covered themselves, there is. O(flow): see postman.py. Where there is no time for the whole flow,
the tour is one that was found by then, with a bound.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.errors import UsageError
from outplay.game.algebra import choice_points, idle_vertices, reachable
from outplay.game.goals.goal import AnyOf
from outplay.game.goals.target import Wanted
from outplay.game.graph import Game
from outplay.game.reset import RESET, reset_edges, with_reset
from outplay.plurals import counted
from outplay.strategy.answer import Answer, Blocked
from outplay.strategy.certificate.check_tour import check_no_return, check_tour
from outplay.strategy.certificate.checker import Certificate
from outplay.strategy.number_format import format_number, json_number
from outplay.strategy.strategy import Positional
from outplay.strategy.tours.closed_walks import euler_walk
from outplay.strategy.tours.postman import postman
from outplay.strategy.tours.postman_problem import Tour
from outplay.strategy.tours.tour_network import Network, network_of_game
from outplay.strategy.tours.tour_pieces import CoverEdges, LearningEdges, Pieces, alike_answers, cut_tour_at_choices

SURE = 0.99
_SHOWN = 12  # labels of a piece that are shown
_NAMED = 5  # answers that look alike


@dataclass(frozen=True, eq=False, repr=False)
class EdgeTour(Answer):
    """A closed tour of least cost over all required edges, cut at choice points into the pieces that are played."""

    required: NDArray[np.int64]
    tour: Tour
    pieces: Pieces

    @cached_property
    def heights(self) -> list[Fraction]:
        """Return the heights that prove the bound: those of the flow, or where there was no time for it 0
        everywhere.
        """
        unit, found = self.game.cost.denominator, self.tour.height
        return [Fraction(0)] * self.game.vertex_count if found is None else [Fraction(int(h), unit) for h in found]

    @cached_property
    def bound(self) -> Fraction:
        """No tour costs less: the reduced costs of what is required."""
        if self.tour.height is not None:
            return self.tour.cost[0]
        return sum((self.game.cost[edge] or Fraction(0) for edge in self.required.tolist()), Fraction(0))

    def value_of(self, vertex: int) -> Fraction | None:
        """Return the cost of the tour, wherever on it one begins; None off the tour."""
        on_tour = vertex in self.strategy.places if self.tour.walk else vertex == self.game.initial
        return self.tour.cost[0] if on_tour else None

    @cached_property
    def strategy(self) -> CoverEdges:
        """Cover all pieces in one play, each where the system lets the tester begin it."""
        return CoverEdges(self.pieces)

    @cached_property
    def persistent(self) -> LearningEdges:
        """The same, but what one play has covered the next ones need not cover again."""
        return LearningEdges(self.pieces)

    def check(self) -> Certificate:
        return check_tour(self.game, self.required.tolist(), self.tour.walk, self.heights, self.bound)

    @property
    def sentence(self) -> str:
        edges, cost = counted(len(self.required), "edge"), format_number(self.tour.cost[0])
        least = (
            "" if self.bound == self.tour.cost[0] else f" than {format_number(self.bound)}, as far as there was time"
        )
        words = f"a tour of cost {cost} covers all {edges}, and none costs less{least}"
        if not self.pieces.is_cut:
            return words
        parts = counted(len(self.pieces.pieces), "piece")
        rounds = self.pieces.rounds_for(SURE)
        if rounds is None:
            return f"{words}; choice points cut it into {parts}, which are played at random"
        played = f"{rounds * len(self.pieces.pieces):,} of them, played at random,"
        return f"{words}; choice points cut it into {parts}, and {played} cover all with probability {SURE} or more"

    def lines(self) -> list[str]:
        """The pieces, as labels."""
        return [self._words(piece) for piece in self.pieces.pieces]

    def _words(self, piece: tuple[int, ...]) -> str:
        labels = [self.game.label_of(edge) or self.game.edge_names[edge] for edge in piece[:_SHOWN]]
        more = f" … {len(piece) - _SHOWN:,} more" if len(piece) > _SHOWN else ""
        return f"{self.vertex_words(int(self.game.source[piece[0]]))}: {' '.join(labels)}{more}"

    @property
    def warnings(self) -> tuple[str, ...]:
        stopped, alike = self.game.origin.stopped, alike_answers(self.game, self.required.tolist())
        words = [*self.game.origin.cautions, *([f"{stopped}; what lies behind is not covered"] if stopped else [])]
        if alike:
            names = ", ".join(self.game.edge_names[edge] for edge in alike[:_NAMED])
            more = f" and {len(alike) - _NAMED:,} more" if len(alike) > _NAMED else ""
            words.append(f"played, answers that look alike cannot be told apart, and one counts for all: {names}{more}")
        return tuple(words)

    def json_details(self, exact: bool) -> dict[str, Any]:
        names, pieces = self.game.edge_names, self.pieces
        chance = pieces.chance
        return {
            "tour_cost": json_number(self.tour.cost[0], exact),
            "bound": json_number(self.bound, exact),
            "tour": [names[edge] for edge in self.tour.walk],
            "segments": [[names[edge] for edge in piece] for piece in pieces.pieces],
            "least_chance": None if chance is None else json_number(Fraction(chance), exact),
            "rounds": pieces.rounds_for(SURE),
        }

    def __repr__(self) -> str:
        return f"EdgeTour(cost {format_number(self.tour.cost[0])}, {counted(len(self.pieces.pieces), 'piece')})"


@dataclass(frozen=True, eq=False)
class NoEdgeTour(Blocked):
    """There is no tour: from the blocking vertices no way leads back to the initial one."""

    required: NDArray[np.int64] = field(kw_only=True)

    def value_of(self, vertex: int) -> None:
        return None

    @cached_property
    def strategy(self) -> Positional:
        count = self.game.vertex_count
        return Positional(np.full(count, -1), np.ones(count, dtype=bool))

    def chosen(self, vertex: int) -> None:
        return None

    def check(self) -> Certificate:
        return check_no_return(self.game, self.game.initial, self.blocking.tolist())

    @property
    def sentence(self) -> str:
        first = self.vertex_words(int(self.blocking[0]))
        more = f" and {len(self.blocking) - 1:,} more" if len(self.blocking) > 1 else ""
        back = self.vertex_words(self.game.initial)
        edges = counted(len(self.required), "edge")
        cure = "allow resets, with --restart or --reset-cost"
        return f"no tour covers all {edges}: from {first}{more} no way leads back to {back}; {cure}"

    @property
    def warnings(self) -> tuple[str, ...]:
        stopped = self.game.origin.stopped
        cut = (f"{stopped}; what lies behind is not covered",) if stopped else ()
        return (*self.game.origin.cautions, *cut)


_NONE = np.zeros(0, dtype=np.uint32)


def cover_edges(
    game: Game, goal: Wanted = (), *, restart: bool = False, time_limit: float | None = None
) -> EdgeTour | NoEdgeTour:
    """Find the tour that covers all edges, or what cannot be left again; with `restart` the tester may reset anywhere.

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
    network, met, unmoving = network_of_game(game), reachable(game, game.initial), idle_vertices(game)
    lost = met & ~unmoving & ~_backwards(network).reached_from(game.initial)
    required = np.flatnonzero(met[game.source] & ~unmoving[game.target] & ~reset_edges(game))
    if lost.any():
        blocking = np.flatnonzero(lost).astype(np.uint32)
        return NoEdgeTour(game, AnyOf(()), _NONE, blocking=blocking, required=required)
    tour = postman(network, [[edge] for edge in required.tolist()], time_limit=time_limit)
    assert isinstance(tour, Tour), "required edges that can all be reached from one vertex hang together"
    tour = _from_a_choice(game, network, tour)
    return EdgeTour(game, AnyOf(()), _NONE, required, tour, cut_tour_at_choices(game, tour.walk))


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
