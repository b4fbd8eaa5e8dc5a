"""What edge coverage answers: the tour, its pieces and how sure they are, or what cannot be left again."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.plurals import counted
from outplay.strategy.answer import Answer, Blocked
from outplay.strategy.certificate.check_tour import check_no_return, check_tour
from outplay.strategy.certificate.checker import Certificate
from outplay.strategy.strategy import Positional
from outplay.strategy.tours.edge_cover.covering_edges import CoverEdges, LearningEdges
from outplay.strategy.tours.edge_cover.pieces import Pieces, alike_answers
from outplay.strategy.tours.errand import Tour
from outplay.strategy.words import json_number, plain

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
        """What proves the bound: those of the flow, or where there was no time for it 0 everywhere."""
        unit, found = self.game.cost.denominator, self.tour.height
        return [Fraction(0)] * self.game.vertex_count if found is None else [Fraction(int(h), unit) for h in found]

    @cached_property
    def bound(self) -> Fraction:
        """No tour costs less: the reduced costs of what is required."""
        if self.tour.height is not None:
            return self.tour.cost[0]
        return sum((self.game.cost[edge] or Fraction(0) for edge in self.required.tolist()), Fraction(0))

    def value_of(self, vertex: int) -> Fraction | None:
        """What the tour costs, wherever on it one begins; None off the tour."""
        on_tour = vertex in self.strategy.places if self.tour.walk else vertex == self.game.initial
        return self.tour.cost[0] if on_tour else None

    @cached_property
    def strategy(self) -> CoverEdges:
        """Cover all pieces in one play, each where the system lets the tester begin it."""
        return CoverEdges(self.pieces)

    @cached_property
    def persistent(self) -> CoverEdges:
        """The same, but what one play has covered the next ones need not cover again."""
        return LearningEdges(self.pieces)

    def check(self) -> Certificate:
        return check_tour(self.game, self.required.tolist(), self.tour.walk, self.heights, self.bound)

    @property
    def sentence(self) -> str:
        edges, cost = counted(len(self.required), "edge"), plain(self.tour.cost[0])
        least = "" if self.bound == self.tour.cost[0] else f" than {plain(self.bound)}, as far as there was time"
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
        words = [f"{stopped}; what lies behind is not covered"] if stopped else []
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
        return f"EdgeTour(cost {plain(self.tour.cost[0])}, {counted(len(self.pieces.pieces), 'piece')})"


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
        return (f"{stopped}; what lies behind is not covered",) if stopped else ()
