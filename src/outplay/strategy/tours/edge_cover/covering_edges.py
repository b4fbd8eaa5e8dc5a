"""How the tester plays for edges: it follows a piece of the tour to its end, and then any that the answer begins."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from random import Random

from outplay.game.algebra import choice_points
from outplay.game.graph import SYSTEM
from outplay.game.roles import Role
from outplay.strategy.tours.edge_cover.pieces import Pieces


@dataclass(frozen=True)
class OnTour:
    """What the tester remembers: the piece it is on, how far, whether from its beginning, and the pieces covered."""

    piece: int = -1
    place: int = 0
    whole: bool = False
    covered: int = 0
    draws: int = 0
    """How many pieces were drawn, so that chance is the same in every run."""
    last: int = -1
    """The choice point at which the system is to answer."""
    heard: str | None = None
    """What was seen there."""


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
    def start(self) -> OnTour:
        return OnTour(covered=self._seen, draws=self._draws)

    def _at(self, vertex: int, memory: OnTour) -> OnTour:
        now = super()._at(vertex, memory)
        self._seen |= now.covered
        self._draws = max(self._draws, now.draws)
        return now
