"""A tour cut at choice points, and how likely playing the pieces at random covers all of them.

Definition (Nachmanson et al. 2004, section 5): a choice point is a vertex where the system has more than one answer. A
tour of all edges is cut there into pieces that begin with an answer, end at a choice point and have none inside.
`Cover` lets the system answer, chooses at random any piece that begins with the answer, follows it, and so on. With n
pieces let p be the least, over pieces i and choice points v, of the probability that Cover from v plays i among its
next n pieces. Proposition 2: m · n pieces cover all edges with probability at least 1 - n (1 - p)^m. As p is positive
on every tour, that tends to 1. Bound: O(n · answers · pieces) numbers; in fractions where there are few pieces, in
floats where there are more, and over fewer than n steps, which makes p smaller and stays a bound, where there are many.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import numpy as np

from outplay.game.algebra import choice_points, exact_chances
from outplay.game.graph import Game
from outplay.groups import grouped

Piece: TypeAlias = tuple[int, ...]
_EXACT = 16  # pieces up to which p is a fraction
_MOST = 2_000  # pieces above which no p is computed
_STEPS = 300


def alike_answers(game: Game, edges: Iterable[int]) -> list[int]:
    """Of some edges those of choice points that look like another answer there: nobody sees which of them is given."""
    choices = choice_points(game)
    answers = grouped(
        ((int(game.source[edge]), game.label_of(edge)), edge) for edge in edges if choices[game.source[edge]]
    )
    return sorted(edge for same in answers.values() if len(same) > 1 for edge in same)


@dataclass(frozen=True, eq=False)
class Pieces:
    """The pieces of a closed tour of a game, each once; one piece where the tour meets no choice point."""

    game: Game
    pieces: tuple[Piece, ...]
    is_cut: bool
    """Whether the tour meets a choice point at all."""

    @cached_property
    def starting_with(self) -> dict[int, list[int]]:
        """For each edge the pieces that begin with it."""
        return grouped((piece[0], number) for number, piece in enumerate(self.pieces))

    @cached_property
    def chance(self) -> Fraction | float | None:
        """The p of Proposition 2; None where there are too many pieces to compute it, 1 where there is no choice."""
        if not self.is_cut:
            return Fraction(1)
        if len(self.pieces) > _MOST:
            return None
        return _least_exact(self._moves()) if len(self.pieces) <= _EXACT else _least(self._moves())

    def _moves(self) -> list[tuple[int, int, Fraction]]:
        """For each piece the choice point it starts from, the one it ends at, and how likely it is played there."""
        game, shares = self.game, dict[int, Fraction]()
        for vertex in {int(game.source[piece[0]]) for piece in self.pieces}:
            shares.update(zip(game.edges_of(vertex), exact_chances(game, vertex), strict=True))
        return [
            (
                int(game.source[piece[0]]),
                int(game.target[piece[-1]]),
                shares[piece[0]] / len(self.starting_with[piece[0]]),
            )
            for piece in self.pieces
        ]

    def covered_within(self, rounds: int) -> Fraction | float | None:
        """A bound on the probability that all edges are covered after so many times as many pieces as there are."""
        if self.chance is None:
            return None
        return max(1 - len(self.pieces) * (1 - self.chance) ** rounds, 0 * self.chance)

    def rounds_for(self, probability: float) -> int | None:
        """How many rounds Proposition 2 asks for to cover all edges with a probability."""
        if not self.chance:
            return None
        if self.chance == 1:
            return 1
        return max(1, math.ceil(math.log((1 - probability) / len(self.pieces)) / math.log(1 - float(self.chance))))


def cut_at_choices(game: Game, tour: Sequence[int]) -> Pieces:
    """Cut a closed tour at the choice points it meets; a tour without any begins at the initial vertex if it can.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("c", "system")
    >>> game = builder.edge("s", "c", "?go").edge("c", "s", "!one").edge("c", "s", "!two").build()
    >>> cut = cut_at_choices(game, [0, 1, 0, 2])
    >>> cut.pieces, cut.chance, cut.rounds_for(0.99)
    (((1, 0), (2, 0)), Fraction(3, 4), 4)
    """
    choices, sources = choice_points(game), game.source[list(tour)]
    starts = np.flatnonzero(choices[sources]).tolist()
    if not starts:
        begin = next(iter(np.flatnonzero(sources == game.initial).tolist()), 0)
        return Pieces(game, ((*tour[begin:], *tour[:begin]),), False)
    turned = [*tour[starts[0] :], *tour[: starts[0]]]
    places = [place - starts[0] for place in starts]
    found = [tuple(turned[one:other]) for one, other in zip(places, [*places[1:], len(turned)], strict=True)]
    return Pieces(game, tuple(dict.fromkeys(found)), True)


def _least_exact(moves: Sequence[tuple[int, int, Fraction]]) -> Fraction:
    """The least probability, in fractions."""
    points = {start for start, _, _ in moves}
    least = Fraction(1)
    for number in range(len(moves)):
        played = dict.fromkeys(points, Fraction(0))
        for _ in moves:
            after = dict.fromkeys(points, Fraction(0))
            for piece, (start, end, share) in enumerate(moves):
                after[start] += share * (1 if piece == number else played[end])
            played = after
        least = min(least, *played.values())
    return least


def _least(moves: Sequence[tuple[int, int, Fraction]]) -> float:
    """The least probability for all pieces at once, in floats."""
    from scipy.sparse import coo_array

    points = {point: place for place, point in enumerate(sorted({start for start, _, _ in moves}))}
    start, end = np.array([(points[one], points[other]) for one, other, _ in moves]).T
    share = np.array([float(move[2]) for move in moves])
    number = np.arange(len(moves))
    step = coo_array((share, (start, end)), shape=(len(points), len(points))).tocsr()
    played = np.zeros((len(points), len(moves)))
    for _ in range(min(len(moves), _STEPS)):
        after = step @ played
        after[start, number] += share * (1 - played[end, number])
        played = after
    return float(played.min())
