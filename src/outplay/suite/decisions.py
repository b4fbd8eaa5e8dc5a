"""What a tester decides after a trace: to give an input, to wait, or to stop.

Definition (004, 5.11 and 5.17): in every state the tester proposes an enabled input, waits (the thesis writes θ) or
stops. A strategy is trace-based when its decisions depend on nothing but the labels seen, and finite when it always
stops. Here it keeps a memory in place of the whole trace, so that test cases can share what follows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from outplay.model.label import Label
from outplay.model.tracking import Tracker
from outplay.suite.testcase import End


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
Trace: TypeAlias = tuple[Label, ...]


class TraceStrategy(Protocol):
    """Decides by what was seen; the tracker tells which states the system may be in."""

    @property
    def start(self) -> Hashable:
        """The memory at the beginning."""

    def decide(self, tracker: Tracker, memory: Any) -> Decision:
        """What to do now."""

    def remember(self, tracker: Tracker, memory: Any, label: Label) -> Hashable:
        """The memory after a label; the tracker stands before it."""


class ByTrace:
    """A strategy that is a function of the whole trace, as in the definition."""

    start: Trace = ()

    def __init__(self, decide: Callable[[Trace], Decision]) -> None:
        self._decide = decide

    def decide(self, tracker: Tracker, memory: Trace) -> Decision:
        return self._decide(memory)

    def remember(self, tracker: Tracker, memory: Trace, label: Label) -> Trace:
        return (*memory, label)
