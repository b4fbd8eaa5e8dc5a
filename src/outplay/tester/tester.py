"""What a tester is: after what was seen it gives an input, waits, or stops.

Definition (van den Bos 2020, 5.11 and 5.17): in every state the tester proposes an enabled input, waits (the thesis
writes θ) or stops. It is trace-based when its decisions depend on nothing but the labels seen, and finite when it
always stops. Here it keeps a memory in place of the whole trace, so that test cases can share what follows. The same
testers play live and are written out as test cases.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol, TypeAlias

from outplay.model.label import Label
from outplay.model.tracking import Tracker


class End(Enum):
    """How a test ends.

    Pass: what was wanted has been seen, and nothing that is forbidden. Fail: the system showed what the specification
    forbids. Inconclusive: nothing forbidden was seen, but the system did not go along, so the test gave up.
    """

    PASS = "pass"
    FAIL = "fail"
    INCONCLUSIVE = "inconclusive"


@dataclass(frozen=True)
class Give:
    """Propose an input."""

    label: Label


@dataclass(frozen=True)
class Wait:
    """Let the system show an output or silence."""


@dataclass(frozen=True)
class Stop:
    """End the test; nothing that is seen later matters."""

    end: End = End.PASS


Decision: TypeAlias = Give | Wait | Stop
Labels: TypeAlias = tuple[Label, ...]


class Tester(Protocol):
    """Decides by what was seen; the tracker tells which states the system may be in."""

    @property
    def start(self) -> Hashable:
        """The memory at the beginning of a play."""

    def decide(self, tracker: Tracker, memory: Any) -> Decision:
        """What to do now."""

    def remember(self, tracker: Tracker, memory: Any, label: Label) -> Hashable:
        """The memory after a label; the tracker stands before it."""


class ByTrace:
    """A tester that is a function of the whole trace, as in the definition."""

    start: Labels = ()

    def __init__(self, decide: Callable[[Labels], Decision]) -> None:
        self._decide = decide

    def decide(self, tracker: Tracker, memory: Labels) -> Decision:
        return self._decide(memory)

    def remember(self, tracker: Tracker, memory: Labels, label: Label) -> Labels:
        return (*memory, label)
