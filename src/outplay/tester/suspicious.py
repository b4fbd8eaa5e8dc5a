"""The tester that plays against what may be wrong: the suspicion game on what is known of the model.

What was learnt is kept from play to play, and what is met beyond what is known is known in later plays. Where it is not
sure in which state the system is, the move is made that is worth most on average over the states it may be in, and
what is met there is lost from sight; where nothing is known, it walks at random.
"""

from __future__ import annotations

from collections import Counter, deque
from random import Random

from outplay.model.label import SILENCE, Label
from outplay.model.possibility import UNSPECIFIED
from outplay.model.tracking import Tracker
from outplay.strategy.suspicion.player import OUTSIDE, RESET, WAIT, Suspicion
from outplay.tester.known_behaviour import KnownBehaviour
from outplay.tester.tester import Decision, Give, Stop, Wait
from outplay.tester.walker import Walker

EARLY = 0.1  # plays that may be ended early, for each label played
REPLAYED = 5_000  # labels that a player on a larger table is shown again
PATIENCE = 2  # silences after the same label in the same state


class Suspicious:
    """Plays against its suspicions.

    In the game a silence and a start cost as much as a label; live, a silence takes a whole time-out, and a start may
    take longer. So where nothing but silence can come it is waited for only now and then, and plays have 10 labels or
    more on the average.

    With `restarts` it ends a play where starting again promises more; else it plays on for as long as it may.
    """

    def __init__(self, known: KnownBehaviour, rng: Random, *, restarts: bool = True) -> None:
        self.known, self._rng, self._restarts = known, rng, restarts
        self._walker = Walker(rng)
        self._followed: deque[tuple[int, Label] | None] = deque(maxlen=0 if known.complete else REPLAYED)
        self.player = self._made()
        self._silent: Counter[tuple[int | None, Label | None]] = Counter()
        self._last: Label | None = None
        self._labels = self._ended = 0
        self.ended_early = False
        """Whether it ended the last play, to start again."""
        self.waited = self._waiting = False
        """Whether it waited for the last label."""

    def _made(self) -> Suspicion:
        """A player on what is known now, that has seen what was played so far."""
        player, self._grown = Suspicion(self.known.table, self._rng), self.known.grown
        for seen in self._followed:
            if seen is None:
                player.begin()
                continue
            state, label = seen
            number = self.known.number(label)
            if player.state != state:
                player.place(state)
            assert number is not None
            player.saw(number)
        player.begin()
        player.ready()
        return player

    @property
    def start(self) -> None:
        self.begin()

    def begin(self) -> None:
        """A play begins, of this tester or of one whose play it sees."""
        self.known.grow()
        if self.known.grown != self._grown:
            self.player = self._made()
        self._followed.append(None)
        self.player.begin()
        self._last = None
        self.ended_early = False

    def decide(self, tracker: Tracker, memory: None) -> Decision:
        decision = self._decided(self.known.own(tracker))
        self.decided(decision)
        return decision

    def decided(self, decision: Decision) -> None:
        """A move was decided on, by this tester or by the one whose play it sees."""
        self._waiting = isinstance(decision, Wait)
        number = self.known.number(decision.label) if isinstance(decision, Give) else None
        self.player.meant = WAIT if number is None else number

    def _decided(self, tracker: Tracker) -> Decision:
        if self._last == SILENCE and not tracker.inputs() and not tracker.outputs():
            return Stop()  # nothing more can come of this play
        state = self.known.state(tracker)
        if state is None:
            return self._unsure(tracker)
        if self.player.state != state:
            self.player.place(state)
        restarts = self._restarts and self._ended < EARLY * self._labels
        waits = bool(tracker.outputs()) or self._silent[state, self._last] < PATIENCE
        move = self.player.move(resets=restarts, waits=waits)
        self.ended_early = move == RESET and restarts
        self._ended += self.ended_early
        if move == RESET:
            return Stop()
        return Wait() if move == WAIT else Give(self.known.table.labels[move])

    def _unsure(self, tracker: Tracker) -> Decision:
        """Make the move that is worth most on average over the states that are possible."""
        states, labels = self.known.states(tracker), self.known.table.labels
        if not states:
            return self._walker.decide(tracker, None)
        move = self.player.move_among(states, lambda label: tracker.enabled(labels[label]))
        if move == WAIT:
            return Wait() if tracker.outputs() or tracker.in_flight else self._walker.decide(tracker, None)
        return Give(labels[move])

    def remember(self, tracker: Tracker, memory: None, label: Label) -> None:
        tracker = self.known.own(tracker)
        self._labels += 1
        self.waited, self._waiting = self._waiting, False
        if label == SILENCE:
            self._silent[self.known.state(tracker), self._last] += 1
        self._last = label
        state = self.known.state(tracker)
        if follow_label(self.known, self.player, tracker, label) and state is not None:
            self._followed.append((state, label))
        else:
            self._walker.remember(tracker, None, label)
            self.known.visit(tracker)


def follow_label(known: KnownBehaviour, player: Suspicion, tracker: Tracker, label: Label) -> bool:
    """Let a label be followed where it is sure what it means; the tracker stands before it. Return whether it was."""
    state, number = known.state(tracker), known.number(label)
    if state is None or number is None or _crossed(tracker, label):
        player.place(OUTSIDE)
        if number is not None:
            player.glimpsed(known.states(tracker), number)
        return False
    if player.state != state:
        player.place(state)
    player.saw(number)
    return True


def _crossed(tracker: Tracker, label: Label) -> bool:
    """Whether an output may have been sent before an input arrived that was given earlier."""
    if label.is_input or label == SILENCE:
        return False
    waiting = (p.state for p in tracker.possible if p.on_the_way and p.state is not UNSPECIFIED)
    return any(tracker.spec.after(state, label) for state in waiting)
