"""Testers whose plays are seen by one that suspects: so it goes on from there with all that a play has shown.

Where the goal comes first, suspicions break ties: of the inputs that are as good for the goal, the most suspicious is
given. It follows the strategy of an answer, so what that promises is kept.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

from outplay.model.label import Label
from outplay.model.tracking import Tracker
from outplay.strategy.answer import Answer
from outplay.strategy.preferring import Preferring
from outplay.tester.follower import Follower, Memory, input_of
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


class GoalFirst:
    """Follows an answer, and asks a tester that suspects wherever several inputs are equally good.

    It has to be seen by that one, and that one may go on after the goal.
    """

    def __init__(self, answer: Answer, suspicious: Suspicious, *, patience: int) -> None:
        self._game, self._suspicious = answer.game, suspicious
        self._preferring = Preferring(answer, self._preferred)
        self._followed = Follower(answer.game, self._preferring, persists=True, patience=patience)
        self.follower = Follower(answer.game, answer.persistent, persists=True, patience=patience)
        """Who gives an input or waits whenever this one does, and can be asked again."""
        self._tracker: Tracker | None = None

    @property
    def start(self) -> Memory:
        self._preferring.moved()
        return self._followed.start

    def decide(self, tracker: Tracker, memory: Memory) -> Decision:
        self._tracker = tracker
        return self._followed.decide(tracker, memory)

    def remember(self, tracker: Tracker, memory: Memory, label: Label) -> Memory:
        self._tracker = tracker
        after = self._followed.remember(tracker, memory, label)
        self._preferring.moved()
        return after

    def _preferred(self, chosen: int, edges: Sequence[int]) -> int:
        """Of the inputs that all possible states take, the one that meets most suspicion; waiting stays waiting."""
        known, player, tracker = self._suspicious.known, self._suspicious.player, self._tracker
        state = None if tracker is None else known.state(tracker)
        if tracker is None or state is None or input_of(self._game, chosen) is None:
            return chosen
        labels = {edge: label for edge in edges if (label := input_of(self._game, edge)) and tracker.enabled(label)}
        inputs = {number: edge for edge, label in labels.items() if (number := known.number(label)) is not None}
        if len(inputs) < 2 or chosen not in inputs.values():
            return chosen
        if player.state != state:
            player.place(state)
        return inputs[player.best_of(inputs)]
