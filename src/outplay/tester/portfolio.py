"""A portfolio: several testers take turns in one run, and each sees all that is played.

No tester is the best on every system, and one that has learnt something wrongly may never notice. So each has a share
of the labels that is guaranteed: whoever is the farthest behind its share has the next turn. The share is full of
whoever discovers as much for each label as the best of them, and of everyone once that one is stuck; it is smaller the
more the best is ahead, for then it is not needed as a net, but an eleventh at least. In its grace nobody is behind:
small systems are done by then, and in larger ones each transition could be taken once. All other turns go to whoever
discovers most for each label, resets and waits included, of the labels it played itself; what was long ago counts less,
and of equals the first has the turn. A discovery is a label that shows something for the first time: a transition, or
an answer that rules a suspicion out. With data nearly every label is one that was never seen before, so there a
discovery is a switch, two in a row, or which of the data were equal when it was taken, and all shares are full. Nothing
of it depends on time, so a run repeats from its seed.

A turn is a play, or `TURN` labels of one that goes on for longer. With data it is at most `TURN_WITH_DATA` labels, and
where plays may end early the play ends with it: what one tester has given to the system another may know nothing of.
"""

from __future__ import annotations

from collections.abc import Sequence, Sized
from dataclasses import dataclass

from outplay.model.label import Label
from outplay.model.tracking import Tracker
from outplay.tester.suspicion_tester import SuspicionTester
from outplay.tester.tester import Decision, Stop, Tester, TesterReport

GRACE, LONGEST_GRACE = 300, 1_000  # labels in which nobody is behind its share
FEW = 0.1  # discoveries for each label; the best is not ahead of others by less
TURN, TURN_WITH_DATA = 100, 50  # labels of a turn at most
FADES = 0.998  # of what was discovered, and of the labels that took, with each further label


@dataclass
class Member:
    """A tester that takes turns, its share, and how it fared."""

    name: str
    tester: Tester
    share: float = 0.0
    """Of all labels, where nobody discovers more; what is left of 1 goes where most is discovered."""
    grace: int = GRACE
    """The number of labels in which it is never behind."""
    counted: float = 0.0
    """Labels that its share is of."""
    labels: int = 0
    """That were played in its turns."""
    recent: float = 0.0
    """The same, where what is long ago counts less."""
    discovered: float = 0.0
    """The number of these that were discoveries."""

    @property
    def rate(self) -> float:
        """Discoveries for each label."""
        return self.discovered / self.recent if self.recent else 0.0

    @property
    def behind(self) -> float:
        """Labels that it is behind its share."""
        return self.share * self.counted - self.labels

    def count(self, best: float) -> None:
        """A label was played, by anyone; the best discovers so much for each."""
        self.counted += (self.rate + FEW) / (best + FEW)

    def played(self, *, discovery: bool) -> None:
        """A label was played in its turn."""
        self.labels += 1
        self.recent = FADES * self.recent + 1
        self.discovered = FADES * self.discovered + discovery


class Portfolio(Tester):
    """Lets its members take turns; all of them see every label."""

    name = "mix"

    def __init__(
        self,
        members: Sequence[Member],
        shown: Sized,
        suspicious: SuspicionTester | None = None,
        *,
        turn: int = TURN,
        ends: bool = False,
        full: bool = False,
    ) -> None:
        self.members, self.suspicions = tuple(members), suspicious
        self._shown = shown
        """The different things that were seen so far; suspicions ruled out are counted apart."""
        self._longest, self._ends, self._full = turn, ends, full
        self.turn = self.members[0]
        """Whose turn it is."""
        self._labels = self._of_turn = self._news = 0
        self._ended_early = False

    def report(self) -> TesterReport:
        nothing_left = self.suspicions is not None and self.suspicions.nothing_left
        return TesterReport(self._ended_early, nothing_left)

    def begin(self) -> None:
        self._ended_early = False
        for member in self.members:
            member.tester.begin()
        self._choose()

    def _choose(self) -> None:
        """Choose whose turn it is."""
        self.turn, self._of_turn = self._next(), 0

    def _next(self) -> Member:
        """Return the member whose turn is next."""
        last = max(self.members, key=lambda member: member.behind)
        return last if last.behind > 0 else self._best

    @property
    def _best(self) -> Member:
        """The member that discovers most for each label."""
        return max(self.members, key=lambda member: member.rate)

    def decide(self, tracker: Tracker) -> Decision:
        if self._of_turn >= self._longest:
            if self._ends and self._next() is not self.turn:
                self.shown(tracker, stop := Stop(), early=True)
                return stop
            self._choose()
        tester = self.turn.tester
        decision = tester.decide(tracker)
        if self.suspicions is not None and tester.suspicions is not self.suspicions:
            self.suspicions.decided(decision)
        if isinstance(decision, Stop):
            self._ended_early = tester.report().ended_early
        return decision

    @property
    def turn_number(self) -> int:
        return self.members.index(self.turn)

    def take_turn(self, number: int) -> None:
        if self.members[number] is not self.turn:
            self.turn, self._of_turn = self.members[number], 0

    def shown(self, tracker: Tracker, decision: Decision, *, early: bool) -> None:
        if self.suspicions is not None:
            if self.turn.tester.suspicions is self.suspicions:
                self.suspicions.shown(tracker, decision, early=early)
            else:
                self.suspicions.decided(decision)
        self._ended_early = early

    def observe(self, tracker: Tracker, label: Label) -> None:
        for member in self.members:
            member.tester.observe(tracker, label)
        news = len(self._shown) + (self.suspicions.player.untested.news if self.suspicions else 0)
        self.turn.played(discovery=news > self._news)
        self._news, self._labels, self._of_turn = max(news, self._news), self._labels + 1, self._of_turn + 1
        best = self._best.rate
        for member in self.members:
            if self._labels > member.grace:
                member.count(member.rate if self._full else best)
