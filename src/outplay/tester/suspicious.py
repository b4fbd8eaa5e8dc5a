"""The tester that plays against what may be wrong: the suspicion game on what is known of the model.

What was learnt is kept from play to play. Where it is not sure in which state the system is, one of the states it may
be in is drawn, and nothing is concluded from what is seen there; where nothing is known, it walks at random.
"""

from __future__ import annotations

from random import Random

from outplay.model.label import Label
from outplay.model.tracking import Tracker
from outplay.strategy.suspicion.player import RESET, WAIT, Suspicion
from outplay.tester.known_behaviour import KnownBehaviour, follow_label
from outplay.tester.tester import Decision, Give, Stop, Wait
from outplay.tester.walker import Walker


class Suspicious:
    """Plays against its suspicions.

    With `restarts` it ends a play where starting again promises more; else it plays on for as long as it may.
    """

    def __init__(self, known: KnownBehaviour, rng: Random, *, restarts: bool = True) -> None:
        self.known, self._rng, self._restarts = known, rng, restarts
        self.player = Suspicion(known.table, rng)
        self._walker = Walker(rng)
        self.player.ready()
        self.ended_early = False
        """Whether it ended the last play, to start again."""

    @property
    def start(self) -> None:
        self.player.begin()
        self.ended_early = False

    def decide(self, tracker: Tracker, memory: None) -> Decision:
        state = self.known.state(tracker)
        if state is None:
            return self._unsure(tracker)
        if self.player.state != state:
            self.player.place(state)
        move = self.player.move(resets=self._restarts)
        self.ended_early = move == RESET and self._restarts
        if move == RESET:
            return Stop()
        return Wait() if move == WAIT else Give(self.known.table.labels[move])

    def _unsure(self, tracker: Tracker) -> Decision:
        """Move as from one of the states that are possible, if all of them allow that."""
        states = self.known.states(tracker)
        if not states:
            return self._walker.decide(tracker, None)
        self.player.place(self._rng.choice(states))
        move = self.player.move(resets=False)
        label = None if move in (WAIT, RESET) else self.known.table.labels[move]
        if label is None or not tracker.enabled(label):
            return Wait() if tracker.outputs() or tracker.in_flight else self._walker.decide(tracker, None)
        return Give(label)

    def remember(self, tracker: Tracker, memory: None, label: Label) -> None:
        if not follow_label(self.known, self.player, tracker, label):
            self._walker.remember(tracker, None, label)
