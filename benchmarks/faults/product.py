"""The product as a tester: `outplay.run` with its default options, on the world that all testers play in.

Its budget, its starts, its early ends and its judge are those of a run as a user starts it. What a run that ended
before the limit did not find counts as not found.
"""

from __future__ import annotations

from random import Random
from time import process_time

from benchmarks.faults.playing import LIMIT, Found, World, Worlds
from benchmarks.faults.systems import System
from outplay import run
from outplay.model.label import SILENCE, Label
from outplay.play.system import VirtualClock
from outplay.play.trace import Event

UNKNOWN = Label.parse("!unknown")  # in place of any output that the model does not have


class PlayedWorld:
    """A world as a system under test: it speaks where somebody waits and, where there are races, before an input."""

    synchronous = True

    def __init__(self, system: System, world: World) -> None:
        self.clock, self._labels, self._world = VirtualClock(), system.table.labels, world
        self._begun = self._mute = False

    def reset(self) -> None:
        self._mute = False
        if self._begun:  # the first play needs no reset
            self._world.reset()
        self._begun = True

    def give(self, label: Label) -> None:
        self._mute = False
        self._world.take(self._labels.index(label))

    def observe(self, timeout: float) -> Event:
        spoke = not self._mute  # silence lasts through all slices of a wait
        if timeout <= 0:
            spoke = self._world.hurry()
        elif spoke:
            self._world.wait()
        if spoke:
            last = self._world.last
            label = self._labels[last] if last < len(self._labels) else UNKNOWN
            if label != SILENCE:
                return Event("output", label, seen=self.clock.now())
            self._mute = True
        self.clock.sleep(timeout)
        return Event("silence", seen=self.clock.now())

    def close(self) -> None:
        """Nothing to end."""


def by_run(system: System, worlds: Worlds, seed: str, limit: int = LIMIT) -> Found:
    """How long a run with default options takes to find a fault."""
    world = worlds(Random(f"system {seed}"))
    began = process_time()
    budget = {} if limit == LIMIT else {"labels": limit}
    outcome = run(system.model, PlayedWorld(system, world), seed=Random(seed).getrandbits(32), **budget)
    found = world.labels if outcome.verdict.name == "fail" and world.labels <= limit else None
    return Found(found, world.labels, process_time() - began)
