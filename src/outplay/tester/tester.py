"""The protocol of testers: after what was seen a tester gives an input, waits, or stops.

Definition (van den Bos 2020, 5.11 and 5.17): in every state the tester proposes an enabled input, waits (the thesis
writes θ) or stops. It is trace-based when its decisions depend on nothing but the labels seen, and finite when it
always stops. A tester that plays live has a state: it learns from play to play. A trace-based one keeps a memory in
place of the whole trace, which can be asked for any trace, so it plays live and is written out as a test case too.

Walking through a model at random.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from enum import Enum
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

from outplay.model.label import SILENCE, Label
from outplay.model.offer import Offer, offer_of
from outplay.model.tracking import Tracker

if TYPE_CHECKING:
    from outplay.tester.suspicion_tester import SuspicionTester


class End(Enum):
    """The end of a test.

    Pass: what was wanted has been seen, and nothing that is forbidden. Fail: the system showed what the specification
    forbids. Inconclusive: nothing forbidden was seen, but the system did not go along, so the test gave up.
    """

    PASS = "pass"
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Give:
    """Propose an input, this many seconds after the last event; where something is seen before that, decide again."""

    label: Label
    after: float = 0.0


@dataclass(frozen=True)
class Wait:
    """Let the system show an output or silence."""


@dataclass(frozen=True)
class Stop:
    """End the test; nothing that is seen later matters."""

    end: End = End.PASS


Decision: TypeAlias = Give | Wait | Stop
Labels: TypeAlias = tuple[Label, ...]


@dataclass(frozen=True)
class TesterReport:
    """The standing of a tester after the plays so far."""

    ended_early: bool = False
    """Whether it ended the last play, to start again."""
    nothing_left: bool = False
    """Whether nothing that can be reached is left to test."""
    lines: tuple[str, ...] = ()
    """The account of its plays, in words."""


class Tester(ABC):
    """Decides by what was seen; the tracker tells which states the system may be in.

    The run calls `begin` before each play, `decide` whenever it is the tester's turn, and `observe` with each label of
    the play, its own inputs among them.
    """

    name = ""
    """Its name among those a job may name, where it has one."""
    suspicions: SuspicionTester | None = None
    """The part of it that suspects: its knowledge may be shared with whoever counts what is cleared."""

    waited = False
    """Whether it waited for the last label."""

    learns = True
    """Whether plays of others make a difference to it."""

    @property
    def turn_number(self) -> int:
        """Whose turn it is, of one that lets several take turns."""
        return 0

    def take_turn(self, number: int) -> None:  # noqa: B027
        """Let the one of this number have its turn."""

    def shown(self, tracker: Tracker, decision: Decision, *, early: bool) -> None:
        """Learn from a decision that this tester made elsewhere: by default it decides anew, which is dropped."""
        self.decide(tracker)

    @property
    def follower(self) -> TraceBased | None:
        """The trace-based tester that gives an input or waits whenever this one does, and can be asked again for any
        trace.
        """
        return None

    def begin(self) -> None:  # noqa: B027  most have nothing to do then
        """Begin a play."""

    @abstractmethod
    def decide(self, tracker: Tracker) -> Decision:
        """Decide what to do now."""

    def observe(self, tracker: Tracker, label: Label) -> None:  # noqa: B027
        """Take note of a label; the tracker stands before it."""

    def report(self) -> TesterReport:
        """Say how it stands."""
        return TesterReport()


class TraceBased(Tester):
    """A tester whose decisions depend on nothing but the labels seen in the play; its memory stands for these."""

    _memory: Any = None

    @property
    @abstractmethod
    def start(self) -> Hashable:
        """The memory at the beginning of a play."""

    @abstractmethod
    def choose(self, tracker: Tracker, memory: Any) -> Decision:
        """Decide with this memory."""

    @abstractmethod
    def remember(self, tracker: Tracker, memory: Any, label: Label) -> Hashable:
        """Return the memory after a label; the tracker stands before it."""

    def begin(self) -> None:
        self._memory = self.start

    def decide(self, tracker: Tracker) -> Decision:
        return self.choose(tracker, self._memory)

    def observe(self, tracker: Tracker, label: Label) -> None:
        self._memory = self.remember(tracker, self._memory, label)


class ByTrace(TraceBased):
    """A tester that is a function of the whole trace, as in the definition."""

    start: Labels = ()

    def __init__(self, function: Callable[[Labels], Decision]) -> None:
        self._function = function

    def choose(self, tracker: Tracker, memory: Labels) -> Decision:
        return self._function(memory)

    def remember(self, tracker: Tracker, memory: Labels, label: Label) -> Labels:
        return (*memory, label)


class Walker(Tester):
    """Walks at random, preferring transitions it has not seen yet; remembers them across plays."""

    name, learns = "walk", False

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.seen: Counter[tuple[str, str]] = Counter()
        """The number of times that an offer was taken in a state, by their written forms."""

    def decide(self, tracker: Tracker) -> Decision:
        inputs, outputs, here = tracker.inputs(), tracker.outputs(), _here(tracker)
        if not inputs and not outputs and self.seen[here, SILENCE.text]:
            return Stop(End.INCONCLUSIVE)
        label = self._chosen(here, inputs, outputs)
        return Wait() if label is None else Give(label)

    def _chosen(self, here: str, inputs: list[Offer], outputs: list[Offer]) -> Label | None:
        fresh = [offer for offer in inputs if not self.seen[here, offer.text]]
        waits_for_news = any(not self.seen[here, offer.text] for offer in outputs or [SILENCE])
        if fresh and not (outputs and waits_for_news and self._rng.random() < 0.5):
            return self._rng.choice(fresh).sample(self._rng)
        if waits_for_news or not inputs:
            return None
        # Waiting where nothing can come costs a whole time-out and was seen before.
        chosen = self._rng.choice([*inputs, None] if outputs else inputs)
        return None if chosen is None else chosen.sample(self._rng)

    def observe(self, tracker: Tracker, label: Label) -> None:
        for state in tracker.states:
            offers = tracker.spec.inputs(state) if label.is_input else tracker.spec.outputs(state)
            self.seen[tracker.spec.key(state), (offer_of(label, offers) or label).text] += 1


def _here(tracker: Tracker) -> str:
    """Return the places of the system, as a walk remembers them."""
    return tracker.spec.key(tracker.states[0]) if tracker.states else ""
