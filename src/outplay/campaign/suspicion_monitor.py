"""What is suspected, watched in a run: how much of it is cleared, and whether answers come as often as they may."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from outplay.campaign.answer_odds import AnswerOdds, odd_answers
from outplay.play.following import Step
from outplay.strategy.suspicion.cleared import Cleared
from outplay.strategy.suspicion.clearing import Clearing
from outplay.strategy.suspicion.nearby_pairs import pair_game
from outplay.strategy.suspicion.pairs import PairGame
from outplay.strategy.suspicion.rows import rows_of
from outplay.tester.known_behaviour import KnownBehaviour, follow_label
from outplay.tester.tester import Tester

_MOST_ODD = 3


class SuspicionMonitor:
    """Watches plays for what they clear; what is not sure, since input and output may have crossed, clears nothing."""

    def __init__(
        self, known: KnownBehaviour, tester: Tester, pairs: PairGame | None = None, *, until: float | None = None
    ) -> None:
        self._known, self._tester, self._until = known, tester, until
        self._clearing = Clearing(known.table, pairs or pair_game(rows_of(known.table)))

    @property
    def enough(self) -> bool:
        """Whether as much is cleared as was asked for."""
        return self._until is not None and self._clearing.cleared.share >= self._until

    def begin(self) -> None:
        """A play begins."""
        self._clearing.begin()

    def take(self, step: Step) -> None:
        """See what a step shows."""
        if step.label is not None:
            self._clearing.waited = getattr(self._tester, "waited", False)
            follow_label(self._known, self._clearing, step.before, step.label)

    def covered(self, plays: int) -> Suspected:
        """What so many plays came to."""
        odd = odd_answers(self._known, self._clearing.learnt.seen.tolist())
        return Suspected(self._clearing.cleared, tuple(odd), self._known.complete)


@dataclass(frozen=True)
class Suspected:
    """What was suspected and how much of it is cleared; which answers came more or less often than they should."""

    cleared: Cleared
    odd: tuple[AnswerOdds, ...] = ()
    complete: bool = True
    """Whether the model was explored as a whole; else only what is known of it was suspected."""

    @property
    def surprise(self) -> str:
        """Where the system chooses otherwise than the model says; else nothing."""
        if not self.odd:
            return ""
        more = f"; {len(self.odd) - _MOST_ODD:,} more are as odd" if len(self.odd) > _MOST_ODD else ""
        named = "; ".join(map(str, self.odd[:_MOST_ODD]))
        return f"this system does not choose with the probabilities of the model: {named}{more}"

    def lines(self) -> list[str]:
        """For people."""
        told = self.cleared.lines()
        told += [] if self.complete else ["known: only a part of the model was explored, and nothing else suspected"]
        return [*told, f"surprise: {self.surprise}"] if self.surprise else told

    def json(self) -> dict[str, Any]:
        """For programs."""
        return self.cleared.json() | {"complete": self.complete, "odd_answers": [one.json() for one in self.odd]}
