"""Testers whose plays are seen by one that suspects: so it goes on from there with all that a play has shown.

Where the goal comes first, suspicions break ties: of the inputs that are as good for the goal, the most suspicious is
given. It follows the strategy of an answer, so what that promises is kept.

A strategy that breaks ties: of the moves that promise as much for the goal, the one that somebody else prefers. What is
promised stays promised, whichever of them is taken and however often that changes (`Answer.as_good`): each comes nearer
to the goal at no more than the proven cost, with no less than the proven probability, with the same odds for the moves
that are left, or with as many jokers and moves.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

from outplay.model.label import Label
from outplay.model.tracking import Tracker
from outplay.strategy.answer import Answer
from outplay.strategy.strategy import Strategy
from outplay.tester.follower import Follower, input_of_edge
from outplay.tester.suspicion_tester import SuspicionTester
from outplay.tester.tester import Decision, Tester, TraceBased

Preference = Callable[[int, Sequence[int]], int]
"""Takes the edge that is chosen otherwise, and all that are as good; names one of them."""


class Preferring:
    """The strategy of an answer, with ties left to a preference; what was taken at a vertex is kept until `moved`."""

    def __init__(self, answer: Answer, prefer: Preference) -> None:
        self._answer, self._prefer = answer, prefer
        self._strategy: Strategy = answer.persistent
        self._taken: dict[int, int] = {}

    def moved(self) -> None:
        """Something happened: it may be preferred otherwise from now on."""
        self._taken.clear()

    @property
    def start(self) -> Hashable:
        return self._strategy.start

    def edge(self, vertex: int, memory: Any) -> int | None:
        chosen = self._strategy.edge(vertex, memory)
        if chosen is None:
            return None
        if vertex not in self._taken:
            good = self._answer.as_good(vertex, memory)
            self._taken[vertex] = self._prefer(chosen, good) if chosen in good and len(good) > 1 else chosen
        return self._taken[vertex]

    def after(self, vertex: int, memory: Any) -> Hashable:
        return self._strategy.after(vertex, memory)

    def hopeless(self, vertex: int, memory: Any) -> bool:
        return self._strategy.hopeless(vertex, memory)


class ObservedTester(Tester):
    """Moves as another tester does; without `begins` its play goes on from where the last one has ended."""

    suspicions: SuspicionTester

    def __init__(self, tester: Tester, suspicious: SuspicionTester, *, begins: bool = True) -> None:
        self._tester, self.suspicions, self._begins = tester, suspicious, begins

    @property
    def follower(self) -> TraceBased | None:
        return self._tester.follower

    def begin(self) -> None:
        if self._begins:
            self.suspicions.begin()
        self._tester.begin()

    def decide(self, tracker: Tracker) -> Decision:
        decision = self._tester.decide(tracker)
        self.suspicions.decided(decision)
        return decision

    def shown(self, tracker: Tracker, decision: Decision, *, early: bool) -> None:
        self.suspicions.decided(decision)

    def observe(self, tracker: Tracker, label: Label) -> None:
        self._tester.observe(tracker, label)
        self.suspicions.observe(tracker, label)


class Continuation(Tester):
    """Goes on in the play that a tester has seen so far, with the hypotheses that are alive in it."""

    suspicions: SuspicionTester

    def __init__(self, suspicious: SuspicionTester) -> None:
        self.suspicions = suspicious

    def decide(self, tracker: Tracker) -> Decision:
        return self.suspicions.decide(tracker)

    def shown(self, tracker: Tracker, decision: Decision, *, early: bool) -> None:
        self.suspicions.shown(tracker, decision, early=early)

    def observe(self, tracker: Tracker, label: Label) -> None:
        self.suspicions.observe(tracker, label)


class GoalFirst(Tester):
    """Follows an answer, and asks a tester that suspects wherever several inputs are equally good.

    It has to be seen by that one, and that one may go on after the goal.
    """

    def __init__(self, answer: Answer, suspicious: SuspicionTester, *, patience: int) -> None:
        self._game, self._suspicious = answer.game, suspicious
        self._preferring = Preferring(answer, self._preferred)
        self._followed = Follower(answer.game, self._preferring, persists=True, patience=patience)
        self._moves_alike = Follower(answer.game, answer.persistent, persists=True, patience=patience)
        self._tracker: Tracker | None = None

    @property
    def follower(self) -> TraceBased:
        return self._moves_alike

    def begin(self) -> None:
        self._preferring.moved()
        self._followed.begin()

    def decide(self, tracker: Tracker) -> Decision:
        self._tracker = tracker
        return self._followed.decide(tracker)

    def observe(self, tracker: Tracker, label: Label) -> None:
        self._tracker = tracker
        self._followed.observe(tracker, label)
        self._preferring.moved()

    def _preferred(self, chosen: int, edges: Sequence[int]) -> int:
        """Of the inputs that all possible states take, the one that meets most suspicion; waiting stays waiting."""
        known, player, tracker = self._suspicious.known, self._suspicious.player, self._tracker
        state = None if tracker is None else known.state(tracker)
        if tracker is None or state is None or input_of_edge(self._game, chosen) is None:
            return chosen
        labels = {
            edge: label for edge in edges if (label := input_of_edge(self._game, edge)) and tracker.enabled(label)
        }
        inputs = {number: edge for edge, label in labels.items() if (number := known.number(label)) is not None}
        if len(inputs) < 2 or chosen not in inputs.values():
            return chosen
        if player.state != state:
            player.place(state)
        return inputs[player.best_of(inputs)]
