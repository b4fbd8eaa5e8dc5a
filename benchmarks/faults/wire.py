"""A system behind a slow wire, on a virtual clock: inputs arrive, and outputs are seen, a while later."""

from __future__ import annotations

from random import Random

from benchmarks.faults.rows import Simulation
from outplay.model.label import Label
from outplay.play.system import VirtualClock
from outplay.play.trace import Event

LATENCY, SILENCE = 0.1, 1.0
THINKING = (0.0, 0.01, 0.05, 0.2)  # seconds before an output; there and back takes less than the latency


class Wire:
    """Plays a simulation; both ways take a random time, and labels stay in their order on each of them."""

    synchronous = False

    def __init__(self, system: Simulation, rng: Random) -> None:
        self._system, self._rng, self.clock = system, rng, VirtualClock()
        self.reset()

    def reset(self) -> None:
        self._state, self._coming, self._going = 0, list[tuple[float, Label]](), list[tuple[float, Label]]()
        self._think(self.clock.now())

    def give(self, label: Label) -> None:
        self._coming.append((self._later(self.clock.now(), self._coming), label))

    def observe(self, timeout: float) -> Event:
        end = self.clock.now() + timeout
        while self._happens(min(end, self._going[0][0]) if self._going else end):
            pass
        if not self._going or self._going[0][0] > end:
            self.clock.sleep(max(end - self.clock.now(), 0.0))
            return Event("silence", seen=self.clock.now())
        seen, label = self._going.pop(0)
        self.clock.sleep(max(seen - self.clock.now(), 0.0))
        return Event("output", label, seen=seen)

    def close(self) -> None:
        """Nothing to end."""

    def _later(self, now: float, queue: list[tuple[float, Label]]) -> float:
        there = now + self._rng.uniform(0, LATENCY / 2)
        return max([there, *(time for time, _ in queue[-1:])])

    def _happens(self, until: float) -> bool:
        """Let the next thing happen, if it does so by then: an input arrives or the system speaks."""
        arrival = self._coming[0][0] if self._coming else float("inf")
        if min(arrival, self._speaks) > until:
            return False
        if arrival <= self._speaks:
            _, label = self._coming.pop(0)
            (self._state,) = self._system.after(self._state, label)
            self._think(arrival)
        else:
            label = self._rng.choice(self._system.outputs(self._state))
            self._going.append((self._later(self._speaks, self._going), label))
            (self._state,) = self._system.after(self._state, label)
            self._think(self._speaks)
        return True

    def _think(self, now: float) -> None:
        outputs = self._system.outputs(self._state)
        mute = self._rng.randrange(len(outputs) + self._system.quiet(self._state)) >= len(outputs)
        self._speaks = float("inf") if mute else now + self._rng.choice(THINKING)
