"""Steering a live run: a person pauses it, takes it over, moves by hand, and hands it back.

While somebody thinks, the run waits inside the tester's decision. What the system says meanwhile is taken with the
next step, and the runner notes the delay as the tester's own, so it never costs the system a verdict.
"""

from __future__ import annotations

import queue
import threading
from random import Random
from typing import Any

from outplay.cancellation import raise_if_cancelled, wait_for
from outplay.errors import UsageError
from outplay.model.label import Label
from outplay.model.offer import Offer, offer_of
from outplay.model.tracking import Tracker
from outplay.tester.tester import Decision, End, Give, Stop, Tester, TesterReport, TraceBased, Wait

_LOOKING = 0.2  # seconds until the token of the run is looked at again
MOST_OFFERED = 200


class Steering:
    """The requests of the page to a run, and the questions of the run to the page."""

    def __init__(self) -> None:
        self._going = threading.Event()
        self._going.set()
        self._moves: queue.Queue[Decision | None] = queue.Queue()
        self.by_hand = False
        self.offered: tuple[dict[str, Any], ...] | None = None
        """The moves a person may make now; None while nobody is asked."""
        self._inputs: tuple[Offer, ...] = ()

    @property
    def paused(self) -> bool:
        return not self._going.is_set()

    def pause(self) -> None:
        """Let the tester decide nothing for now."""
        self._going.clear()

    def go_on(self) -> None:
        """End a pause."""
        self._going.set()

    def take_over(self) -> None:
        """Ask the person from the next decision on."""
        self.by_hand = True
        self._going.set()

    def hand_back(self) -> None:
        """Let the tester decide again."""
        self.by_hand = False
        self._moves.put(None)

    def move(self, text: str) -> None:
        """Make the person's move: an input, `wait` or `stop`."""
        if self.offered is None:
            raise UsageError("nobody is asked for a move now; take the run over first")
        if text in ("wait", "stop"):
            self._moves.put(Wait() if text == "wait" else Stop(End.INCONCLUSIVE))
            return
        label = Label.parse(text)
        if not label.is_input or offer_of(label, self._inputs) is None:
            raise UsageError(f"{text} is not allowed here; choose one of the moves that are offered")
        self._moves.put(Give(label))

    def decision(self, tracker: Tracker) -> Decision | None:
        """Return the decision of the person; None where the tester is to decide."""
        while not self._going.wait(_LOOKING):
            raise_if_cancelled()
        if not self.by_hand:
            return None
        if tracker.owes:
            return Wait()  # the system has to say something first
        while not self._moves.empty():
            self._moves.get_nowait()
        self._inputs = tuple(tracker.inputs())
        self.offered = (*map(_offered, self._inputs[:MOST_OFFERED]),)
        try:
            while self.by_hand:
                try:
                    return wait_for(self._moves, 60.0)
                except queue.Empty:
                    continue
            return None
        finally:
            self.offered = None


def _offered(offer: Offer) -> dict[str, Any]:
    label = offer.only or offer.sample(Random(0))
    return {"label": "" if label is None else label.text, "family": "" if offer.only else offer.text}


class SteeredTester(Tester):
    """Decides as another tester does unless a person does."""

    def __init__(self, tester: Tester, steering: Steering) -> None:
        self._tester, self._steering = tester, steering
        self.name, self.suspicions, self.learns = tester.name, tester.suspicions, tester.learns

    @property
    def waited(self) -> bool:  # type: ignore[override]
        return self._tester.waited

    @property
    def follower(self) -> TraceBased | None:
        return None if self._steering.by_hand else self._tester.follower

    @property
    def turn_number(self) -> int:
        return self._tester.turn_number

    def take_turn(self, number: int) -> None:
        self._tester.take_turn(number)

    def begin(self) -> None:
        self._tester.begin()

    def decide(self, tracker: Tracker) -> Decision:
        """Ask the person where they have taken over, and tell the tester what was decided for it."""
        chosen = self._steering.decision(tracker)
        if chosen is None:
            return self._tester.decide(tracker)
        self._tester.shown(tracker, chosen, early=False)
        return chosen

    def shown(self, tracker: Tracker, decision: Decision, *, early: bool) -> None:
        self._tester.shown(tracker, decision, early=early)

    def observe(self, tracker: Tracker, label: Label) -> None:
        self._tester.observe(tracker, label)

    def report(self) -> TesterReport:
        return self._tester.report()
