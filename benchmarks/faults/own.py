"""A tester of outplay as a player: what `run --tester cover` does, and whoever else is a `Tester`."""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

from benchmarks.faults.playing import RESET, WAIT
from benchmarks.faults.systems import System
from outplay import explore
from outplay.game.graph import Game
from outplay.model.label import Label
from outplay.model.specification import Specification
from outplay.model.tracking import Tracker
from outplay.play.plan import PATIENCE
from outplay.strategy.coverage.items import TRANSITIONS, Sightings, items_to_cover
from outplay.strategy.coverage.replanning import Replanning
from outplay.tester.coverage_tester import CoverageTester
from outplay.tester.tester import Give, Tester, Wait

STEPS = 100  # labels of a play, as in `run`


class ByTester:
    """Plays as a tester decides; a play has 100 labels."""

    def __init__(self, spec: Specification, labels: tuple[Label, ...], tester: Tester) -> None:
        self._spec, self._labels = spec, labels
        self._numbers = {label: number for number, label in enumerate(labels)}
        self.tester = tester
        self._spent = 0

    def begin(self) -> None:
        self._tracker, self._spent = Tracker(self._spec), 0
        self.tester.begin()

    def move(self) -> int:
        decision = self.tester.decide(self._tracker) if self._spent < STEPS else None
        if isinstance(decision, Give):
            return self._numbers[decision.label]
        return WAIT if isinstance(decision, Wait) else RESET

    def saw(self, label: int) -> None:
        seen = self._labels[label]
        self.tester.observe(self._tracker, seen)
        self._tracker = self._tracker.gave(seen) if seen.is_input else self._tracker.saw(seen)
        self._spent += 1


@cache
def _explored(system: System) -> tuple[Game, Any]:
    game = explore(system.model)
    return game, items_to_cover(game, TRANSITIONS)


class Cover(ByTester):
    """The tester of `run --tester cover --cover transitions`; when all is covered it is run again."""

    def __init__(self, system: System, rng: Random) -> None:
        self._game, self._items = _explored(system)
        self._rng = rng
        super().__init__(self._game.origin.specification, system.table.labels, self._anew())

    def _anew(self) -> Tester:
        self._sightings = Sightings(self._items)
        return CoverageTester(self._sightings, self._rng, Replanning(self._sightings), patience=PATIENCE)

    def begin(self) -> None:
        if self._sightings.count == self._items.count:
            self.tester = self._anew()
        super().begin()

    def move(self) -> int:
        return RESET if self._sightings.count == self._items.count else super().move()
