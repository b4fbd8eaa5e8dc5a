"""The goal comes first and suspicions break ties: of the inputs that are as good for the goal, the most suspicious.

It follows the strategy of an answer, so what that promises is kept. Who suspects has to see its plays (seen_tester.py)
and may go on after the goal.
"""

from __future__ import annotations

from collections.abc import Sequence

from outplay.model.label import Label
from outplay.model.tracking import Tracker
from outplay.strategy.answer import Answer
from outplay.strategy.preferring import Preferring
from outplay.tester.follower import Follower, Memory, input_of
from outplay.tester.suspicious import Suspicious
from outplay.tester.tester import Decision


class GoalFirst:
    """Follows an answer, and asks a tester that suspects wherever several inputs are equally good."""

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
