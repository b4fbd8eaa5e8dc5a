"""The answer of the joker solver: how many jokers and moves suffice, the strategy, and the help it asks for."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.game.algebra import row_starts
from outplay.game.graph import SYSTEM
from outplay.plurals import counted
from outplay.strategy.answer import Answer, Blocked
from outplay.strategy.certificate.check_joker import check_joker
from outplay.strategy.certificate.checker import Certificate
from outplay.strategy.jokers._kernels import Changes


class Jokers(NamedTuple):
    """This many jokers suffice in the worst case, and with that many in all, this many moves."""

    jokers: int
    moves: int


class Change(NamedTuple):
    """From this many jokers in hand on, this many moves suffice; `edge` is the tester's or the joker's, -1 for none."""

    left: int
    moves: int
    rank: int
    """Falls along edges that count no move; it shows that the strategy arrives."""
    edge: int


@dataclass(frozen=True, eq=False)
class JokerSolution:
    """For each vertex the least jokers, and what more jokers in hand change: the notes, in order of settling."""

    jokers: NDArray[np.int32]
    """-1 where no help leads to the goal."""
    moves: NDArray[np.int32]
    """With that many jokers in all; -1 where that was not asked for."""
    notes: Changes
    limit: int
    """The notes are complete for up to this many jokers in hand."""

    @cached_property
    def _rows(self) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
        """The notes by vertex: where each row starts, and the notes in it."""
        return row_starts(self.notes.vertex, len(self.jokers)), np.argsort(self.notes.vertex, kind="stable")

    def changes(self, vertex: int) -> list[Change]:
        """Return what each further joker in hand changes at a vertex; the first entry is about the least that
        suffices.
        """
        first, order = self._rows
        _, left, moves, edge = self.notes
        chosen = order[first[vertex] : first[vertex + 1]].tolist()
        return [Change(int(left[n]), int(moves[n]), n, int(edge[n])) for n in chosen]

    def claim(self) -> list[list[tuple[int, int, int, int]]]:
        """All changes as the checker reads them."""
        first, order = self._rows
        _, left, moves, edge = self.notes
        arrays = (left[order], moves[order], order, edge[order])
        notes = list(zip(*(array.tolist() for array in arrays), strict=True))
        return [notes[start:end] for start, end in pairwise(first.tolist())]

    def now(self, vertex: int, left: int | None) -> Change | None:
        """Return the values at a vertex with this many jokers in hand; None where they do not suffice."""
        known = self.changes(vertex)
        fitting = known[:1] if left is None else [change for change in known if change.left <= left]
        return fitting[-1] if fitting else None

    def value(self, vertex: int) -> Jokers | None:
        """The least jokers and, with them, the least moves; None where no help suffices or it was not asked for."""
        jokers, moves = int(self.jokers[vertex]), int(self.moves[vertex])
        return Jokers(jokers, moves) if moves >= 0 else None

    def values(self) -> list[Jokers | None]:
        pairs = zip(self.jokers.tolist(), self.moves.tolist(), strict=True)
        return [Jokers(jokers, moves) if moves >= 0 else None for jokers, moves in pairs]


@dataclass(frozen=True, eq=False, repr=False)
class JokerAnswer(Answer):
    """The help that suffices from every vertex, and the moves it then takes."""

    solution: JokerSolution
    everywhere: bool = field(default=True, kw_only=True)
    """Whether moves are counted from every vertex, or only as far as the initial one needs it."""
    avoided: frozenset[int] = field(default=frozenset(), kw_only=True)
    """Vertices that are never entered: it is the best of all strategies that keep out of them."""

    @property
    def strategy(self) -> JokersInHand:
        return JokersInHand(self)

    @property
    def persistent(self) -> JokersInHand:
        return JokersInHand(self, refilled=True)

    @property
    def jokers(self) -> NDArray[np.int32]:
        """The least jokers from each vertex, -1 where no help leads to the goal."""
        return self.solution.jokers

    @property
    def moves(self) -> NDArray[np.int32]:
        """The least moves with that many jokers in all."""
        return self.solution.moves

    def value_of(self, vertex: int) -> Jokers | None:
        """The least jokers from a vertex and, with them, the least moves."""
        return self.solution.value(vertex)

    def edge(self, vertex: int, left: int | None = None) -> int | None:
        """The tester's edge, or the one a joker chooses at a system vertex, with this many jokers in hand.

        Without `left`, with as many as are needed from that vertex. None where there is nothing to choose.
        """
        now = self.solution.now(vertex, left)
        return None if now is None or now.edge < 0 else now.edge

    def plays_joker(self, vertex: int, left: int | None = None) -> bool:
        """Say whether a joker is played at a vertex, with this many in hand."""
        return bool(self.game.owner[vertex] == SYSTEM) and self.edge(vertex, left) is not None

    def chosen(self, vertex: int) -> int | None:
        """With as many jokers in hand as are needed from the vertex."""
        return self.edge(vertex)

    def as_good(self, vertex: int, memory: int | None = None) -> tuple[int, ...]:
        """Edges after which as many moves suffice with the jokers in hand; those of 0 moves come nearer by rank.

        So moves fall, or stay and ranks fall, and no more jokers are played than are in hand. What help is asked for
        stays as it is.
        """
        in_hand = None if memory is None else max(memory, int(self.jokers[vertex]))
        now = self.solution.now(vertex, in_hand)
        if now is None or now.edge < 0:
            return ()
        if self.game.owner[vertex] == SYSTEM:
            return (now.edge,)
        left = int(self.jokers[vertex]) if in_hand is None else in_hand

        def is_as_good(edge: int) -> bool:
            moves, then = int(self.game.moves[edge]), self.solution.now(int(self.game.target[edge]), left)
            return then is not None and moves + then.moves == now.moves and (moves > 0 or then.rank < now.rank)

        return tuple(edge for edge in self.game.edges_of(vertex) if is_as_good(edge))

    def check(self) -> Certificate:
        limit = None if self.everywhere else self.solution.limit
        return check_joker(self.game, self.goal_vertices.tolist(), self.solution.claim(), limit, self.avoided)

    def json_value(self, vertex: int, exact: bool) -> Any:
        found = self.value_of(vertex)
        return None if found is None else {"jokers": found.jokers, "moves": found.moves}

    def move_words(self, vertex: int, edge: int) -> str:
        return super().move_words(vertex, edge) + (" (joker)" if self.game.owner[vertex] == SYSTEM else "")


@dataclass(frozen=True, eq=False, repr=False)
class JokerStrategy(JokerAnswer):
    """The tester reaches the goal with at most this many jokers, each granted, whatever else the system does."""

    @property
    def value(self) -> Jokers:
        """The least jokers that suffice and, with that many in all, the least moves."""
        return Jokers(int(self.jokers[self.game.initial]), int(self.moves[self.game.initial]))

    @property
    def sentence(self) -> str:
        jokers, moves = self.value
        needs = f"needs {counted(jokers, 'joker')}" if jokers else "can be forced without jokers"
        return f"{self.goal} {needs}, in at most {counted(moves, 'move')}"


@dataclass(frozen=True, eq=False, repr=False)
class NoJoker(JokerAnswer, Blocked):
    """No help leads from the initial vertex to the goal: all that can be reached is in `blocking`, and no goal is."""

    @property
    def sentence(self) -> str:
        return f"{self.goal} is impossible, whatever help the system gives"


class JokersInHand:
    """The strategy of a joker answer: it remembers the jokers in hand; one that is played is gone, helped or not.

    `refilled`, it takes as many as are needed from where it is when those in hand do not suffice any more.
    """

    def __init__(self, answer: JokerAnswer, *, refilled: bool = False) -> None:
        self._answer, self._refilled = answer, refilled
        self.start = int(answer.jokers[answer.game.initial])

    def edge(self, vertex: int, memory: int) -> int | None:
        return self._answer.edge(vertex, self._in_hand(vertex, memory))

    def after(self, vertex: int, memory: int) -> int:
        left = self._in_hand(vertex, memory)
        return left - self._answer.plays_joker(vertex, left)

    def hopeless(self, vertex: int, memory: int) -> bool:
        return not 0 <= int(self._answer.jokers[vertex]) <= self._in_hand(vertex, memory)

    def _in_hand(self, vertex: int, memory: int) -> int:
        return max(memory, int(self._answer.jokers[vertex])) if self._refilled else memory
