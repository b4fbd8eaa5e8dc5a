"""The protocol of testers: after what was seen a tester gives an input, waits, or stops.

Definition (van den Bos 2020, 5.11 and 5.17): in every state the tester proposes an enabled input, waits (the thesis
writes θ) or stops. It is trace-based when its decisions depend on nothing but the labels seen, and finite when it
always stops. A tester that plays live has a state: it learns from play to play. A trace-based one keeps a memory in
place of the whole trace, which can be asked for any trace, so it plays live and is written out as a test case too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeAlias

from outplay.model.label import Label
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
    """Propose an input, so many seconds after the last event; where something is seen before that, decide again."""

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
