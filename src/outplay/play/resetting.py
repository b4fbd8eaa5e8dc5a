"""Systems whose reset is an input: a strategy that resets in mid-play is played like any other."""

from __future__ import annotations

from collections.abc import Collection

from outplay.game.reset import RESET
from outplay.model.label import Label
from outplay.play.event import Event
from outplay.play.system import Called, System


class Resetting:
    """A system that is reset when it is given the label for it; all other inputs go to the system itself."""

    def __init__(self, system: System, label: str = RESET) -> None:
        self._system, self._reset = system, Label.parse(label)
        self.synchronous, self.clock = system.synchronous, system.clock

    def reset(self) -> None:
        self._system.reset()

    def give(self, label: Label) -> float | None:
        if label != self._reset:
            return self._system.give(label)
        self._system.reset()
        return None

    def answer_null(self, gates: Collection[str]) -> None:
        if isinstance(self._system, Called):
            self._system.answer_null(gates)

    def observe(self, timeout: float) -> Event:
        return self._system.observe(timeout)

    def close(self) -> None:
        self._system.close()
