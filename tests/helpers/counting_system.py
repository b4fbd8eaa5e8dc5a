"""A system of a kind of its own, as somebody may add it: it counts what it is given, from a first number on."""

from __future__ import annotations

from outplay.model.label import OUTPUT, Label
from outplay.play.system import Clock, System, VirtualClock
from outplay.play.trace import Event


class Counting:
    """Answers `?count` with the next number; a `wrong` one gets stuck at three."""

    synchronous = True

    def __init__(self, text: str, *, first: int, wrong: bool) -> None:
        self._gate, self._first, self._wrong = text, first, wrong
        self.clock: Clock = VirtualClock()
        self.reset()

    def reset(self) -> None:
        self._number, self._owed = self._first, 0

    def give(self, label: Label) -> None:
        self._owed += 1

    def observe(self, timeout: float) -> Event:
        if not self._owed:
            self.clock.sleep(timeout)
            return Event("silence", seen=self.clock.now())
        said = Label(OUTPUT, self._gate, (self._number,))
        self._owed -= 1
        self._number += 0 if self._wrong and self._number == 3 else 1
        return Event("output", said, seen=self.clock.now())

    def close(self) -> None:
        """Nothing to end."""


def counting(text: str, *, first: int, wrong: bool) -> System:
    """What stands after `counting:` is what it calls its answers."""
    return Counting(text, first=first, wrong=wrong)
