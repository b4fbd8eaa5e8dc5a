"""The system under test, as the runner sees it: three verbs, and an end."""

from __future__ import annotations

from collections.abc import Collection
from typing import Protocol, runtime_checkable

from outplay.model.label import Label
from outplay.play.clock import Clock
from outplay.play.event import Event


class System(Protocol):
    """Something that takes inputs and shows outputs."""

    synchronous: bool
    """True where input and output cannot cross on their way: calls, simulations. False for pipes and sockets."""
    clock: Clock

    def reset(self) -> None:
        """Bring the system to its initial state, or raise SystemUnready."""

    def give(self, label: Label) -> float | None:
        """Hand over an input; it is never taken back. A system that is gone shows that when next observed.

        Returns when the system took it, by its clock, where that is known: what was shown before then came first.
        """

    def observe(self, timeout: float) -> Event:
        """Return the next output, crash, closed or garbage, waiting at most so long, else silence."""

    def close(self) -> None:
        """End the system and everything it started."""


@runtime_checkable
class Called(Protocol):
    """A system whose inputs are calls: that one returned None is nothing to be seen, unless the model says so."""

    def answer_null(self, gates: Collection[str]) -> None:
        """From now on None is an answer of the calls of these gates: `!get null`."""
