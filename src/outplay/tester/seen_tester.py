"""A tester whose play is seen by one that suspects: so that one goes on from there with all that the play has shown."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from outplay.model.label import Label
from outplay.model.tracking import Tracker
from outplay.tester.goal_first import GoalFirst
from outplay.tester.suspicious import Suspicious
from outplay.tester.tester import Decision, Tester


class SeenTester:
    """Moves as another tester does; without `begins` its play goes on from where the last one has ended."""

    def __init__(self, tester: Tester, suspicious: Suspicious, *, begins: bool = True) -> None:
        self._tester, self._suspicious, self._begins = tester, suspicious, begins

    @property
    def follower(self) -> Tester:
        """Who moves as this one does and can be asked again."""
        return self._tester.follower if isinstance(self._tester, GoalFirst) else self._tester

    @property
    def start(self) -> Hashable:
        if self._begins:
            self._suspicious.begin()
        return self._tester.start

    def decide(self, tracker: Tracker, memory: Any) -> Decision:
        decision = self._tester.decide(tracker, memory)
        self._suspicious.decided(decision)
        return decision

    def remember(self, tracker: Tracker, memory: Any, label: Label) -> Hashable:
        after = self._tester.remember(tracker, memory, label)
        self._suspicious.remember(tracker, None, label)
        return after


class GoingOn:
    """Goes on in the play that a tester has seen so far, with the hypotheses that are alive in it."""

    start = None

    def __init__(self, suspicious: Suspicious) -> None:
        self.suspicious = suspicious

    def decide(self, tracker: Tracker, memory: None) -> Decision:
        return self.suspicious.decide(tracker, memory)

    def remember(self, tracker: Tracker, memory: None, label: Label) -> None:
        self.suspicious.remember(tracker, memory, label)
