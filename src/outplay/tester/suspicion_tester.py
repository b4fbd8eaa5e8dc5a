"""The tester that plays against what may be wrong: the suspicion game on what is known of the model.

What was learnt is kept from play to play, and what is met beyond what is known is known in later plays. Where it is not
sure in which state the system is, the move is made that is worth most on average over the states it may be in, and
what is met there is lost from sight; where nothing is known, it walks at random.
"""

from __future__ import annotations

import math
from collections import Counter, deque
from random import Random

from outplay.model.label import SILENCE, Label
from outplay.model.offer import Offer
from outplay.model.tracking import Tracker
from outplay.strategy.suspicion.player import OUTSIDE, RESET, WAIT, Suspicion
from outplay.tester.known_behaviour import KnownBehaviour
from outplay.tester.tester import Decision, Give, Stop, Tester, TesterReport, Wait, Walker

EARLY = 0.1  # plays that may be ended early, for each label played
ALIKE = 0.1  # of all plays, that may be the same one ended early
REPLAYED = 5_000  # labels that a player on a larger table is shown again
WALKED = 0.5  # of the moves, once all is tested
SILENCES = 10  # waited for in a state where nothing else can come, once all is tested: each costs a time-out
WHOLE = 10  # plays that are not ended early, once all is tested, before nothing is left


class FollowUpTester(Tester):
    """Goes to what is not tested yet, one follow-up after the other, for one that suspects and sees the play too."""

    suspicions: SuspicionTester

    def __init__(self, suspicious: SuspicionTester) -> None:
        self.suspicions = suspicious

    def decide(self, tracker: Tracker) -> Decision:
        player = self.suspicions.player
        player.covers = True
        decision = self.suspicions.decide(tracker)
        player.covers = False
        return decision

    def report(self) -> TesterReport:
        return self.suspicions.report()


class SuspicionTester(Tester):
    """Plays against its suspicions.

    In the game a start costs as much as a label; live it may take longer, so plays have 10 labels or more on the
    average. With `restarts` it ends a play where starting again promises more; else it plays on for as long as it may.
    A play that would be the same as a tenth of all is not ended, but goes on at random.

    Once everything that can be reached was tested, what is left are faults that only long plays show: a system may have
    more states than its model. So from then on no play is ended early, half of the moves are those of a walk, and
    silence that was often heard is no longer waited for.
    """

    name = "suspicion"

    def __init__(self, known: KnownBehaviour, rng: Random, *, restarts: bool = True) -> None:
        self.suspicions = self
        self.known, self._rng, self._restarts = known, rng, restarts
        self._walker = Walker(rng)
        self._followed: deque[tuple[int, Label] | None] = deque(maxlen=0 if known.complete else REPLAYED)
        self.player = self._made()
        self._last: Label | None = None
        self._labels = self._ended = self._whole = 0
        self._path, self._plays = 0, Counter[int]()
        """The labels of this play, hashed, and how often each play was made."""
        self.ended_early = False
        """Whether it ended the last play, to start again."""
        self.waited = self._waiting = False
        """Whether it waited for the last label."""

    def _made(self) -> Suspicion:
        """A player on what is known now, that has seen what was played so far."""
        player, self._grown = Suspicion(self.known.table, self._rng, solve=self.known.pair_game), self.known.grown
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
    def tested(self) -> bool:
        """Whether everything that can be reached was tested."""
        return self.known.complete and not len(self.player.untested.left)

    @property
    def nothing_left(self) -> bool:
        """Whether nothing that can be reached is left to test: it was tested, and then whole plays showed nothing."""
        return self.tested and self._whole > WHOLE

    def report(self) -> TesterReport:
        return TesterReport(self.ended_early, self.nothing_left)

    def begin(self) -> None:
        """A play begins, of this tester or of one whose play it sees."""
        self.known.grow()
        if self.known.grown != self._grown:
            self.player = self._made()
        self._followed.append(None)
        self.player.begin()
        self._plays[self._path] += self._last is not None
        self._last, self._path = None, 0
        self._whole = self._whole + 1 if self.tested else 0
        self.ended_early = False

    def decide(self, tracker: Tracker) -> Decision:
        decision = self._decided(self.known.own(tracker))
        self._note(decision)
        return decision

    def decided(self, decision: Decision) -> None:
        """A move was decided on by another tester whose play it sees."""
        self.player.sent = False
        self._note(decision)

    def shown(self, tracker: Tracker, decision: Decision, *, early: bool) -> None:
        self.decided(decision)
        self.ended_early = early
        self._ended += early

    def _note(self, decision: Decision) -> None:
        self._waiting = isinstance(decision, Wait)
        number = self.known.number(decision.label) if isinstance(decision, Give) else None
        self.player.meant = WAIT if number is None else number

    def _decided(self, tracker: Tracker) -> Decision:
        if self._last == SILENCE and not tracker.inputs() and not tracker.outputs():
            return Stop()  # nothing more can come of this play
        state = self.known.state(tracker)
        if state is None:
            return self._unsure(tracker)
        if self.tested and self._rng.random() < WALKED:
            return self._walker.decide(tracker)
        if self.player.state != state:
            self.player.place(state)
        most = SILENCES if self.tested else math.inf
        move = self.player.move(resets=self._restarts and not self.tested, most_silences=most)
        if move == RESET and (self._ended >= EARLY * self._labels or self._made_often()):
            return self._wander(tracker)
        self.ended_early = move == RESET and self._restarts
        self._ended += self.ended_early
        if move == RESET:
            return Stop()
        return Wait() if move == WAIT else Give(self.known.table.labels[move])

    def _made_often(self) -> bool:
        """Say whether this play, if it ended here, would be more than a tenth of all."""
        return self._plays[self._path] + 1 > max(ALIKE * (self._plays.total() + 1), 2)

    def _wander(self, tracker: Tracker) -> Decision:
        """Make any move: nothing here is worth a label, but it is too early to start again."""
        quiet = self._last == SILENCE and not tracker.outputs()
        state = None if self.known.whole else self.known.state(tracker)
        moves: list[Offer | None] = [*tracker.inputs()]
        if state is not None:  # of a part of all data, to stay in that part
            table = self.known.table
            moves = [table.labels[number] for number in table.moves(state) if number < table.inputs]
        chosen = self._rng.choice(moves if moves and quiet else [*moves, None])
        label = None if chosen is None else chosen.sample(self._rng)
        return Wait() if label is None else Give(label)

    def _unsure(self, tracker: Tracker) -> Decision:
        """Make the move that is worth most on average over the states that are possible."""
        states, labels = self.known.states(tracker), self.known.table.labels
        if not states:
            return self._walker.decide(tracker)
        move = self.player.move_among(states, lambda label: tracker.enabled(labels[label]))
        if move == WAIT:
            return Wait() if tracker.outputs() or tracker.in_flight else self._walker.decide(tracker)
        return Give(labels[move])

    def observe(self, tracker: Tracker, label: Label) -> None:
        tracker = self.known.own(tracker)
        self._labels += 1
        self.known.labels += 1
        self.waited, self._waiting = self._waiting, False
        number, state = self.known.number(label), self.known.state(tracker)
        self._last, self._path = label, hash((self._path, -1 if number is None else number))
        if follow_label(self.known, self.player, tracker, label) and state is not None:
            self._followed.append((state, label))
        else:
            self.known.visit(tracker)
            self._walker.observe(tracker, label)
            return
        if self.tested:
            self._walker.observe(tracker, label)


def follow_label(known: KnownBehaviour, player: Suspicion, tracker: Tracker, label: Label) -> bool:
    """Let a label be followed by a suspicion tester where its meaning is sure; return whether it was."""
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
    """Say whether an output may have been sent before an input arrived that was given earlier."""
    return not label.is_input and label != SILENCE and tracker.may_precede_arrivals(label)
