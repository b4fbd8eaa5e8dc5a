"""Watching a system while it plays: waiting in short slices, so that our own delays show, and calling silence.

Silence is called after the whole time-out, or at once where the system proves that nothing more comes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator
from dataclasses import replace

from outplay.cancellation import look
from outplay.model.label import SILENCE
from outplay.model.tracking import Tracker
from outplay.play.clock import VirtualClock
from outplay.play.event import Event
from outplay.play.following import Step
from outplay.play.system import Quieting, System
from outplay.play.timing import Timing

SLICES = 10  # a wait is cut into so many slices; one that overruns by a slice is our own delay
LONGEST = 0.2  # seconds of a slice on a real clock, so that a run can be cancelled in a long wait
GLANCE = 1e-9  # seconds; an adapter that is asked not to wait at all may pass over what it is just reading


class Watch(ABC):
    """Waits for what a system shows; who plays says what becomes of it."""

    tracker: Tracker

    def __init__(self, system: System, timing: Timing) -> None:
        self.system, self.timing = system, timing
        self.margin = timing.silence / SLICES
        self.slice = self.margin if isinstance(system.clock, VirtualClock) else min(self.margin, LONGEST)
        self.awake = 0.0

    @abstractmethod
    def followed(self, event: Event) -> Step:
        """Follow an event."""

    @abstractmethod
    def took(self, event: Event) -> Iterator[Step]:
        """Follow an observation."""

    def now(self) -> float:
        return self.system.clock.now()

    def watch(self, timeout: float, *, call_silence: bool) -> Iterator[Step]:
        """Wait for the next event, at most so long, in slices short enough for our own delays to show."""
        if call_silence and (yield from self.came_or_proved()):
            return
        deadline = self.now() + timeout
        while True:
            # Never a mere glance: what is there when silence is called was not late.
            event = yield from self.look(min(self.slice, max(deadline - self.now(), GLANCE)))
            if event.kind != "silence":
                yield from self.took(event)
                return
            if self.awake >= deadline:
                if call_silence:
                    why = event.detail if self.tracker.owes else ""  # what may help to see why nothing came
                    yield from self.took(replace(event, label=SILENCE, seen=self.awake, detail=why))
                return

    def came_or_proved(self) -> Generator[Step, None, bool]:
        """Take what is there already; else call silence at once where the system proves that nothing comes."""
        if not isinstance(self.system, Quieting):
            return False
        event = yield from self.look(0.0)
        if event.kind == "silence":
            if not self.system.quiet():
                self.awake = self.now()
                return False
            self.awake = self.now()
            event = yield from self.look(0.0)
        silent = event.kind == "silence"
        why = event.detail if self.tracker.owes else ""
        yield from self.took(replace(event, label=SILENCE, seen=self.awake, detail=why) if silent else event)
        return True

    def look(self, timeout: float) -> Generator[Step, None, Event]:
        """Observe once. That we came late to it, or that it took longer than asked, is our own delay and is noted."""
        look()
        began = self.now()
        event = self.system.observe(timeout)
        now = self.now()
        yield from self.delayed(max(began - self.awake, now - began - timeout), now)
        return event

    def delayed(self, lag: float, now: float) -> Iterator[Step]:
        """Be awake again, so much later than meant; note it where that is much."""
        self.awake = now
        if lag > self.margin:
            detail = f"{lag * 1000:.0f} ms, with a time-out of {self.timing.silence * 1000:.0f} ms"
            yield self.followed(Event("tester-late", given=now - lag, seen=now, detail=detail))
