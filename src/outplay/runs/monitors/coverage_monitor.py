"""Coverage watched in a run: what there is to be covered, what plays have shown of it, and what was forecast."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from outplay.play.following import Step
from outplay.plurals import counted
from outplay.renderable import Renderable
from outplay.runs.events import Monitor
from outplay.runs.result import RunResult
from outplay.strategy.coverage.items import TRANSITIONS, Items, Sightings
from outplay.tester.coverage_tester import GamePosition
from outplay.verdict.verdicts import Pass

if TYPE_CHECKING:
    from outplay.strategy.coverage.expected_coverage import Outlook

_FAR_OFF = 4  # standard deviations


@dataclass(frozen=True)
class CoverageReport:
    """The coverage, as plain data."""

    told: tuple[str, ...]
    data: dict[str, Any]
    surprise: str = ""

    def lines(self) -> list[str]:
        return [*self.told]

    def json(self) -> dict[str, Any]:
        return self.data


class CoverageMonitor(Monitor):
    """Watches plays for what they cover, and adds it to the result."""

    @abstractmethod
    def covered(self, plays: int, *, cut_short: bool = False) -> Renderable:
        """Return the coverage of this many plays; `cut_short` where one of them, or a further one, did not come to its
        end.
        """

    def complete(self, result: RunResult) -> RunResult:
        cut_short = result.interrupted or not all(isinstance(play.verdict, Pass) for play in result.played)
        covered = self.covered(result.tally.plays, cut_short=cut_short)
        surprise = getattr(covered, "surprise", "")
        return replace(result, covered=CoverageReport(tuple(covered.lines()), covered.json(), surprise))


class ItemMonitor(CoverageMonitor):
    """Watches plays for what they show of some items; one play after the other."""

    def __init__(self, sightings: Sightings, before: Outlook, *, played: bool) -> None:
        self.sightings, self.before = sightings, before
        self._ends = played  # a tester that plays for coverage alone has nothing to do when all is covered
        self._watching = GamePosition(sightings.items.game)  # a state and its active copy are one item

    def begin(self) -> None:
        self.sightings.begin()

    def take(self, step: Step) -> None:
        if step.label is None:
            return
        for move in self._watching.moves(step.before, step.label):
            self.sightings.moved(*move)

    @property
    def enough(self) -> bool:
        return self._ends and self.sightings.count == self.sightings.items.count

    def covered(self, plays: int, *, cut_short: bool = False) -> Covered:
        return Covered(self.sightings.items, self.sightings.seen.copy(), plays, self.before, cut_short)


@dataclass(frozen=True, eq=False)
class Covered:
    """The share of the items that was seen, what is left and why, and whether the forecast was right."""

    items: Items
    seen: np.ndarray[Any, np.dtype[np.bool_]]
    plays: int
    before: Outlook
    cut_short: bool = False
    """Whether a play did not come to its end: then less was seen than whole plays would have shown."""

    @property
    def count(self) -> int:
        return int(self.seen.sum())

    @property
    def forcible(self) -> int | None:
        """Count the unseen items that can be forced; None where that was not asked."""
        forced = self.before.forced
        return None if forced is None else int((forced & ~self.seen).sum())

    def sentence(self) -> str:
        """Describe the coverage, with what is left.

        "212 of 308 states; 20 more can be forced, 76 need help"
        """
        left, forcible = self.items.count - self.count, self.forcible
        complete = self.items.game.origin.complete
        share = f"{self.count:,} of {'' if complete else 'at least '}{self.items.count:,} {self.items.kind}"
        if self.items.game.origin.approximate:
            share += " of the grouped model"
        elif self.items.kind == TRANSITIONS:
            share += " of the game"  # which leaves out silences that nobody waits for, and joins data that behave alike
        if not left:
            return f"all {share}" if complete else share
        if forcible is None:
            return f"{share}; {left:,} more were not seen"
        needing = left - forcible
        parts = [f"{forcible:,} more can be forced"] if forcible else []
        parts += [f"{needing:,}{'' if parts else ' more'} need{'s' if needing == 1 else ''} help"] if needing else []
        return f"{share}; {', '.join(parts)}"

    @property
    def surprise(self) -> str:
        """Explain what happened where it is outside of all that was rehearsed; else nothing."""
        if not self.before.rehearsals or self.items.game.origin.approximate:
            return ""  # a grouped model promises nothing of the model itself
        rehearsed = self.before.covered(self.plays)
        runs, far = counted(len(rehearsed), "rehearsal"), _FAR_OFF * max(float(rehearsed.std()), 0.5)
        if not self.cut_short and self.count < min(rehearsed.min(), rehearsed.mean() - far):
            return f"less than in any of {runs}: this system does not choose with the probabilities of the model"
        if self.count > max(rehearsed.max(), rehearsed.mean() + far):
            return f"more than in any of {runs}: this system helps more than the probabilities of the model say"
        return ""

    def lines(self) -> list[str]:
        lines = [f"forecast: {self.before.sentence()}", f"covered: {self.sentence()}"]
        return [*lines, f"surprise: {self.surprise}"] if self.surprise else lines

    def json(self) -> dict[str, Any]:
        left = self.items.count - self.count
        return {
            "kind": self.items.kind,
            "covered": self.count,
            "total": self.items.count,
            "complete": self.items.game.origin.complete,
            "can_be_forced": self.forcible,
            "need_help": None if self.forcible is None else left - self.forcible,
            "forecast": self.before.json(),
            "surprise": self.surprise or None,
        }
