"""Fake systems: one that follows a script on a virtual clock, and little programs to be started as processes."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from outplay.errors import SystemUnready
from outplay.model.label import Label
from outplay.play.system import VirtualClock
from outplay.play.trace import ENDS, Event

Said = Sequence[tuple[float, str]]


class Scripted:
    """A system on a virtual clock that says set things at set times.

    `says` are times since the reset, `answers` are times since an input; what is said is an output's message, or
    `crash`, `closed` or `garbage`. `stalls` are delays of the tester: at the n-th look the clock jumps by so much.
    """

    def __init__(
        self,
        says: Said = (),
        answers: Mapping[str, Said] | None = None,
        *,
        synchronous: bool = True,
        stalls: Mapping[int, float] | None = None,
        unready: str = "",
    ) -> None:
        self.clock = VirtualClock()
        self.synchronous = synchronous
        self.given: list[str] = []
        self.looks = self.resets = self.closed = 0
        self._says, self._answers, self._stalls, self._unready = says, answers or {}, stalls or {}, unready
        self._due: list[tuple[float, str]] = []

    def reset(self) -> None:
        self.resets += 1
        if self._unready:
            raise SystemUnready(self._unready)
        self._due = []
        self._say(self._says)

    def give(self, label: Label) -> None:
        self.given.append(label.message)
        self._say(self._answers.get(label.message, ()))

    def observe(self, timeout: float) -> Event:
        self.looks += 1
        self.clock.sleep(self._stalls.get(self.looks, 0.0))
        end = self.clock.now() + timeout
        if not self._due or self._due[0][0] > end:
            self.clock.sleep(timeout)
            return Event("silence", seen=self.clock.now())
        time, what = self._due[0]
        self.clock.sleep(max(time - self.clock.now(), 0.0))
        if what in ENDS:
            return Event(what, seen=time, detail="as scripted")
        self._due.pop(0)
        return Event("output", Label.from_message("!", what), seen=time)

    def close(self) -> None:
        self.closed += 1

    def _say(self, said: Said) -> None:
        self._due = sorted([*self._due, *((self.clock.now() + delay, what) for delay, what in said)])


def program(source: str, *arguments: str, name: str = "system.py") -> list[str]:
    """Write a little Python program into the current folder and return the command that starts it fast."""
    path = Path.cwd() / name
    path.write_text(source, encoding="utf-8")
    return [sys.executable, "-I", "-S", str(path), *arguments]
