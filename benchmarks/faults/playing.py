"""The play loop: a player against a simulated system, label by label, until what the model forbids is seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from time import process_time
from typing import Protocol

from benchmarks.faults.rows import Rows
from benchmarks.faults.systems import System
from outplay.model.label import SILENCE

WAIT, RESET = -1, -2
LIMIT = 10_000


class Player(Protocol):
    """Who decides, on the table of a model."""

    def begin(self) -> None:
        """A play begins, in the initial state."""

    def move(self) -> int:
        """The number of an input that the model has in its state, `WAIT` or `RESET`."""

    def saw(self, label: int) -> None:
        """What happened, by its number: the input that was given, or what the system showed instead."""


@dataclass(frozen=True)
class Found:
    """How many labels it took until the fault was seen; None: it was not seen within the limit."""

    labels: int | None
    decisions: int = 0
    seconds: float = 0.0
    """Of the processor, for all decisions, with what the loop itself takes."""


class World:
    """A system that is played, and the model beside it: the one place where labels are counted and judged."""

    def __init__(self, system: System, rows: Rows, rng: Random) -> None:
        self._moves, self._rows, self._rng, self._races = system.moves, rows, rng, system.races
        self._delta = system.table.labels.index(SILENCE)
        self.at = self.there = 0
        self.labels = 0
        self.last = -1
        """What the system said last, by its number."""

    @property
    def speaks(self) -> bool:
        """Whether the system is about to show an output; testers do not see this."""
        return any(label != self._delta for label, _ in self._rows.shown(self.there))

    def reset(self) -> None:
        """Begin again; counts as a label."""
        self.at = self.there = 0
        self.labels += 1

    def give(self, label: int) -> int | None:
        """Give an input, and return what happened; None: something forbidden."""
        hasty = self._hasty()
        return self.take(label) if hasty is None else self._show(hasty)

    def _hasty(self) -> tuple[int, int] | None:
        """What comes before an input, where something does."""
        if not self._races or self._rng.random() >= 0.5:
            return None
        hasty = [one for one in self._rows.shown(self.there) if one[0] != self._delta]
        return self._rng.choice(hasty) if hasty else None

    def hurry(self) -> bool:
        """Whether the system says something before the next input."""
        hasty = self._hasty()
        if hasty is not None:
            self._show(hasty)
        return hasty is not None

    def take(self, label: int) -> int:
        """Give an input that nothing forestalls, and return it."""
        self.labels += 1
        self.at = self._moves[self.at][label]
        self.there = self._rows.given(self.there).get(label, self.there)
        return label

    def wait(self) -> int | None:
        """Wait, and return what was shown; None: something forbidden."""
        shown = self._rows.shown(self.there)
        return self._show(shown[0] if len(shown) == 1 else self._rng.choice(shown))

    def _show(self, step: tuple[int, int]) -> int | None:
        self.labels += 1
        label, self.there = step
        self.last = label
        after = self._moves[self.at].get(label)
        if after is None:
            return None
        self.at = after
        return label


Worlds = Callable[[Random], World]
"""The system that is played, made anew with chances of its own."""


def play(player: Player, world: World, limit: int = LIMIT) -> Found:
    """Play until the fault is found, or the limit is spent."""
    began, decisions = process_time(), 0
    player.begin()
    while world.labels < limit:
        decisions += 1
        move = player.move()
        if move == RESET:
            world.reset()
            player.begin()
            continue
        seen = world.wait() if move == WAIT else world.give(move)
        if seen is None:
            return Found(world.labels, decisions, process_time() - began)
        player.saw(seen)
    return Found(None, decisions, process_time() - began)


def plays_rightly(player: Player, system: System, rng: Random, *, plays: int, steps: int = 100) -> bool:
    """Whether a right system is never failed, in so many plays of at most so many labels."""
    world = World(system, system.right, rng)
    for _ in range(plays):
        player.begin()
        for _ in range(steps):
            move = player.move()
            if move == RESET:
                break
            seen = world.wait() if move == WAIT else world.give(move)
            if seen is None:
                return False
            player.saw(seen)
        world.reset()
    return True
