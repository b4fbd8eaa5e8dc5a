"""The tester that plays for coverage: it follows a strategy, and tells it what the system answered.

What was seen is kept from play to play. Where the system went out of what was explored, a strategy that re-plans walks
at random, because nothing there is known and nothing can be planned for; one that follows paths starts again.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from random import Random
from typing import Protocol

from outplay.game.graph import SYSTEM, Game
from outplay.game.reset import RESET
from outplay.model.label import SILENCE, Label
from outplay.model.tracking import Tracker
from outplay.strategy.coverage.items import Sightings
from outplay.strategy.strategy import Strategy
from outplay.tester.follower import Follower
from outplay.tester.tester import Decision, Tester, Walker


@dataclass(frozen=True)
class GamePosition:
    """The position of a play on a game, step by step: whoever counts what plays show goes by this."""

    game: Game
    silent: bool = True
    """Whether silence was seen last; play starts as after it."""

    def vertices(self, tracker: Tracker) -> list[int]:
        """The vertices at which the play may be."""
        found = [self.game.origin.vertex(state, self.silent) for state in tracker.states]
        return [vertex for vertex in found if vertex is not None]

    def moves(self, tracker: Tracker, label: Label) -> list[tuple[int, str, int]]:
        """The vertices between which a label may have led, as the game writes it; the tracker stands before it."""
        found, after = [], self.after(label)
        for state in tracker.states:
            before = self.game.origin.vertex(state, self.silent)
            for target in tracker.spec.after(state, label):
                arrived = self.game.origin.vertex(target, after.silent)
                if before is not None and arrived is not None:
                    found.append((before, tracker.spec.written(state, label).text, arrived))
        return found

    def after(self, label: Label) -> GamePosition:
        """The same after a label; a reset starts anew."""
        timed = self.game.origin.assumption.waits_for_timeout
        return GamePosition(self.game, not timed or label == SILENCE or label.text == RESET)


class CoverageStrategy(Strategy, Protocol):
    """A strategy for many plays, which learns from each."""

    def plan(self) -> None:
        """Get ready for the next play."""

    def answered(self, edges: list[int]) -> None:
        """Learn that the system took one of these edges of one vertex."""


class CoverageTester(Tester):
    """Plays for whatever of some items was not seen yet; `sightings` may be shared with others who watch."""

    def __init__(
        self, sightings: Sightings, rng: Random, strategy: CoverageStrategy, *, patience: int, wanders: bool = True
    ) -> None:
        self._game, self._sightings, self._wanders = sightings.items.game, sightings, wanders
        self.strategy = strategy
        self._follower = Follower(self._game, self.strategy, persists=True, patience=patience)
        self._walker = Walker(rng)
        self._memory = self._follower.start

    def begin(self) -> None:
        self._sightings.begin()
        self.strategy.plan()  # before the system is started, which should not wait for it
        self._memory = self._follower.start

    def decide(self, tracker: Tracker) -> Decision:
        if self._wanders and self._outside(tracker):
            return self._walker.decide(tracker)
        return self._follower.choose(tracker, self._memory)

    def observe(self, tracker: Tracker, label: Label) -> None:
        following = self._follower.remember(tracker, self._memory, label)
        moves = GamePosition(self._game, self._memory.silent).moves(tracker, label)
        if len(moves) == 1:
            self._learn(*moves[0], self._memory.strategy)
        for move in moves:
            self._sightings.moved(*move)
        self._walker.observe(tracker, label)
        self._memory = following

    def _learn(self, before: int, text: str, after: int, remembered: Hashable) -> None:
        """Count an answer of the system, where it is known which vertex was asked."""
        asked = self._asked(before, remembered)
        game = self._game
        edges = [edge for edge in game.edges_of(asked) if game.target[edge] == after and game.label_of(edge) == text]
        if game.owner[asked] == SYSTEM and edges:
            self.strategy.answered(edges)

    def _asked(self, vertex: int, remembered: Hashable) -> int:
        """The vertex at which the system answers: behind the decision that the tester takes."""
        edge = None if self._game.owner[vertex] == SYSTEM else self.strategy.edge(vertex, remembered)
        return vertex if edge is None or self._game.moves[edge] else int(self._game.target[edge])

    def _outside(self, tracker: Tracker) -> bool:
        """Say whether the play is where it is not known what may come next."""
        vertices = GamePosition(self._game, self._memory.silent).vertices(tracker)
        unknown = not self._game.origin.complete and not any(self._game.edges_of(vertex) for vertex in vertices)
        return not vertices or unknown
