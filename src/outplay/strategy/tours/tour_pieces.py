"""The pieces of a tour cut at choice points: how likely they cover all edges, and the strategy that plays them.

A tour cut at choice points, and how likely playing the pieces at random covers all of them. Definition (Nachmanson et
al. 2004, section 5): a choice point is a vertex where the system has more than one answer. A tour of all edges is cut
there into pieces that begin with an answer, end at a choice point and have none inside. `Cover` lets the system answer,
chooses at random any piece that begins with the answer, follows it, and so on. With n pieces let p be the least, over
pieces i and choice points v, of the probability that Cover from v plays i among its next n pieces. Proposition 2: m · n
pieces cover all edges with probability at least 1 - n (1 - p)^m. As p is positive on every tour, that tends to 1.
Bound: O(n · answers · pieces) numbers; in fractions where there are few pieces, in floats where there are more, and
over fewer than n steps, which makes p smaller and stays a bound, where there are many.

How the tester plays for edges: it follows a piece of the tour to its end, and then any that the answer begins.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from random import Random
from typing import TypeAlias

import numpy as np

from outplay.game.algebra import choice_points, exact_chances
from outplay.game.graph import SYSTEM, Game
from outplay.game.roles import Role
from outplay.grouping import grouped

Piece: TypeAlias = tuple[int, ...]
_EXACT = 16  # pieces up to which p is a fraction
_MOST = 2_000  # pieces above which no p is computed
_STEPS = 300


def alike_answers(game: Game, edges: Iterable[int]) -> list[int]:
    """Return those of some edges that look like another answer of their choice point."""
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
        """A bound on the probability that all edges are covered after this many times as many pieces as there are."""
        if self.chance is None:
            return None
        return max(1 - len(self.pieces) * (1 - self.chance) ** rounds, 0 * self.chance)

    def rounds_for(self, probability: float) -> int | None:
        """Return the number of rounds that Proposition 2 asks for to cover all edges with a probability."""
        if not self.chance:
            return None
        if self.chance == 1:
            return 1
        return max(1, math.ceil(math.log((1 - probability) / len(self.pieces)) / math.log(1 - float(self.chance))))


def cut_tour_at_choices(game: Game, tour: Sequence[int]) -> Pieces:
    """Cut a closed tour into pieces at the choice points it meets.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("c", "system")
    >>> game = builder.edge("s", "c", "?go").edge("c", "s", "!one").edge("c", "s", "!two").build()
    >>> cut = cut_tour_at_choices(game, [0, 1, 0, 2])
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


@dataclass(frozen=True)
class OnTour:
    """The memory of the tester: the piece it is on, how far, whether from its beginning, and the pieces covered."""

    piece: int = -1
    place: int = 0
    whole: bool = False
    covered: int = 0
    draws: int = 0
    """The number of pieces that were drawn, so that chance is the same in every run."""
    last: int = -1
    """The choice point at which the system is to answer."""
    heard: str | None = None
    """The label seen there."""


class CoverEdges:
    """The strategy `Cover` (Nachmanson et al. 2004, section 5); it stops when every piece was played.

    Answers are told apart by where they lead and by what is seen; of those that are alike in both, one of the pieces is
    drawn and counts (`alike_answers`).
    """

    def __init__(self, pieces: Pieces, seed: int = 0) -> None:
        self._game, self._pieces, self._seed = pieces.game, pieces, seed
        self._choices = choice_points(pieces.game).tolist()
        self._all = (1 << len(pieces.pieces)) - 1

    @property
    def start(self) -> OnTour:
        return OnTour()

    def edge(self, vertex: int, memory: OnTour) -> int | None:
        if self._game.owner[vertex] == SYSTEM:
            return None
        now = self._at(vertex, memory)
        return None if now.piece < 0 else self._pieces.pieces[now.piece][now.place]

    def after(self, vertex: int, memory: OnTour) -> OnTour:
        now = self._at(vertex, memory)
        return replace(now, last=vertex, piece=-1) if self._choices[vertex] else replace(now, place=now.place + 1)

    def heard(self, memory: OnTour, label: str) -> OnTour:
        return replace(memory, heard=label) if memory.last >= 0 else memory

    def hopeless(self, vertex: int, memory: OnTour) -> bool:
        return self._at(vertex, memory).covered == self._all

    def _at(self, vertex: int, memory: OnTour) -> OnTour:
        """The memory where the play has come to a vertex: at the edge of a piece that leaves it, if there is one."""
        if self._game.roles.role[vertex] in (Role.CHOICE, Role.WAITING):  # decided for in a state that comes first
            memory = self._at(int(self._game.roles.state[vertex]), memory)
        if memory.last >= 0:
            memory = self._answered(vertex, memory)
        if memory.piece >= 0:
            memory = self._caught_up(vertex, memory)
        return memory if memory.piece >= 0 or self._choices[vertex] else self._joined(vertex, memory)

    def _answered(self, vertex: int, memory: OnTour) -> OnTour:
        """The system has answered: any piece will do that begins with an edge that leads and looks like that."""
        game, starting = self._game, self._pieces.starting_with
        edges = [edge for edge in game.edges_of(memory.last) if game.target[edge] == vertex]
        edges = [edge for edge in edges if game.label_of(edge) == memory.heard] or edges
        found = [piece for edge in edges for piece in starting.get(edge, ())]
        memory = replace(memory, last=-1, heard=None)
        if not found:
            return replace(memory, piece=-1)
        drawn = Random(f"{self._seed} {memory.draws}").choice(found)
        return replace(memory, piece=drawn, place=1, whole=True, draws=memory.draws + 1)

    def _caught_up(self, vertex: int, memory: OnTour) -> OnTour:
        """Pass edges that count no move; a piece ends at a choice point, or with the tour, and is left where lost."""
        game, piece, place = self._game, self._pieces.pieces[memory.piece], memory.place
        while place < len(piece) and game.source[piece[place]] != vertex and not game.moves[piece[place]]:
            place += 1
        if place < len(piece):
            here = game.source[piece[place]] == vertex
            return replace(memory, place=place) if here else replace(memory, piece=-1)
        arrived = game.target[piece[-1]] == vertex and memory.whole
        covered = memory.covered | 1 << memory.piece if arrived else memory.covered
        return replace(memory, piece=-1, covered=covered)

    def _joined(self, vertex: int, memory: OnTour) -> OnTour:
        """Go on with some piece that leaves a vertex: from its beginning if that is there."""
        found = self.places.get(vertex)
        if found is None:
            return memory
        piece, place = found
        return replace(memory, piece=piece, place=place, whole=place == 0)

    @cached_property
    def places(self) -> dict[int, tuple[int, int]]:
        """For each vertex where a piece leaves it, as near to its end as can be, or at its beginning."""
        found: dict[int, tuple[int, int]] = {}
        for number, piece in enumerate(self._pieces.pieces):
            for place, edge in enumerate(piece):
                vertex = int(self._game.source[edge])
                known = found.get(vertex)
                if known is None or (place == 0 or known[1] > 0):
                    nearer = known is None or len(piece) - place < len(self._pieces.pieces[known[0]]) - known[1]
                    if place == 0 or nearer:
                        found[vertex] = number, place
        return found


class LearningEdges(CoverEdges):
    """The strategy through many plays: each starts with what the plays before it have covered."""

    _seen, _draws = 0, 0

    @property
    def drawn(self) -> int:
        """The number of pieces that were played so far."""
        return self._draws

    @property
    def start(self) -> OnTour:
        return OnTour(covered=self._seen, draws=self._draws)

    def _at(self, vertex: int, memory: OnTour) -> OnTour:
        now = super()._at(vertex, memory)
        self._seen |= now.covered
        self._draws = max(self._draws, now.draws)
        return now
