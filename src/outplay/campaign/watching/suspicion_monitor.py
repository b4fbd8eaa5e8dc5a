"""What is suspected, watched in a run: how much of it is cleared, and whether answers come as often as they may."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from outplay.campaign.watching.answer_odds import AnswerOdds, odd_answers
from outplay.campaign.watching.learnt_answers import LearntState, Races, learnt_races, learnt_states
from outplay.model.label import Label
from outplay.model.tracking import Tracker
from outplay.play.following import Step
from outplay.strategy.suspicion.cleared import Cleared
from outplay.strategy.suspicion.clearing import OUTSIDE, Clearing
from outplay.strategy.suspicion.nearby_pairs import pair_game
from outplay.strategy.suspicion.pairs import PairGame
from outplay.strategy.suspicion.possible_orders import PossibleOrder
from outplay.strategy.suspicion.rows import rows_of
from outplay.tester.known_behaviour import KnownBehaviour
from outplay.tester.suspicious import REPLAYED, Suspicious
from outplay.tester.tester import Tester

_MOST_ODD = 3


class SuspicionMonitor:
    """Watches plays for what they clear; where input and output may have crossed, under every order that may be."""

    def __init__(
        self, known: KnownBehaviour, tester: Tester, pairs: PairGame | None = None, *, until: float | None = None
    ) -> None:
        self._known, self._tester, self._until = known, tester, until
        self.clearing, self._grown = Clearing(known.table, pairs or pair_game(rows_of(known.table))), known.grown
        self._seen: deque[tuple[Tracker, Label, Tracker, bool] | None] = deque(maxlen=REPLAYED)

    @property
    def enough(self) -> bool:
        """Whether as much is cleared as was asked for."""
        if self._until is None:
            return False
        share = self.clearing.cleared.share
        return share is not None and share >= self._until

    def begin(self) -> None:
        """A play begins; where more is known by now, what was played is followed on that again."""
        self._known.grow()
        if self._known.grown != self._grown:
            table, self._grown = self._known.table, self._known.grown
            self.clearing = Clearing(table, pair_game(rows_of(table)))
            for seen in self._seen:
                self.clearing.begin() if seen is None else self._follow(*seen)
        if not self._known.complete:
            self._seen.append(None)
        self.clearing.begin()

    def take(self, step: Step) -> None:
        if step.label is not None:
            before, after = self._known.own(step.before), self._known.own(step.after)
            seen = before, step.label, after, getattr(self._tester, "waited", False)
            if not self._known.complete:
                self._known.visit(before)
                self._seen.append(seen)
            self._follow(*seen)

    def _follow(self, before: Tracker, label: Label, after: Tracker, waited: bool) -> None:
        """Follow a label where all that is possible is known, before it and after it."""
        self.clearing.waited = waited
        known, clearing, number = self._known, self.clearing, self._known.number(label)
        clearing.prune(partial(self._may_be, before))
        if not self._are_all(before, clearing.orders):
            sure = None if before.in_flight else known.state(before)
            clearing.place(OUTSIDE if sure is None else sure)
        if number is None:
            clearing.place(OUTSIDE)
        elif clearing.orders:
            may_be = partial(self._may_be, after)
            clearing.follow(number, may_be, partial(self._are_all, after))

    def _may_be(self, tracker: Tracker, order: PossibleOrder) -> bool:
        return self._known.may_be(tracker, order.state, order.behind)

    def _are_all(self, tracker: Tracker, orders: Sequence[PossibleOrder]) -> bool:
        return self._known.covers(tracker, [(order.state, order.behind) for order in orders])

    def covered(self, plays: int, *, cut_short: bool = False) -> Suspected:
        clearing = self.clearing
        odd = odd_answers(self._known, clearing.learnt.seen.tolist())
        learnt = tuple(learnt_states(clearing.table, clearing.learnt))
        races = learnt_races(self._tester.player.races) if isinstance(self._tester, Suspicious) else None
        return Suspected(clearing.cleared, tuple(odd), self._known.complete, learnt, races)


@dataclass(frozen=True)
class Suspected:
    """What was suspected and how much of it is cleared; which answers came more or less often than they should."""

    cleared: Cleared
    odd: tuple[AnswerOdds, ...] = ()
    complete: bool = True
    """Whether the model was explored as a whole; else only what is known of it was suspected."""
    learnt: tuple[LearntState, ...] = ()
    """How likely answers are, by how often they came, where several are possible."""
    races: Races | None = None
    """How often an output forestalled an input, where the tester counts that."""

    @property
    def surprise(self) -> str:
        """Where the system chooses otherwise than the model says; else nothing."""
        if not self.odd:
            return ""
        more = f"; {len(self.odd) - _MOST_ODD:,} more are as odd" if len(self.odd) > _MOST_ODD else ""
        named = "; ".join(map(str, self.odd[:_MOST_ODD]))
        return f"this system does not choose with the probabilities of the model: {named}{more}"

    def lines(self) -> list[str]:
        lines = self.cleared.lines()
        lines += [] if self.complete else ["known: only a part of the model was explored, and nothing else suspected"]
        return [*lines, f"surprise: {self.surprise}"] if self.surprise else lines

    def json(self) -> dict[str, Any]:
        known = {"complete": self.complete, "odd_answers": [one.json() for one in self.odd]}
        races = self.races.json() if self.races else None
        learnt = {"states": [state.json() for state in self.learnt], "races": races}
        return self.cleared.json() | known | {"learnt": learnt}
