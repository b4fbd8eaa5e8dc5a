"""The times a play goes by: how long silence takes, and how long a label may be on its way.

Watching a system while it plays: waiting in short slices, so that our own delays show, and calling silence.

Silence is called after the whole time-out, at once where the system proves that nothing more comes, or after a slice
where nothing can come and the model has nothing that goes on meanwhile. A time-out that
was learnt from answers may be too short. So with a time to confirm, silence that is not allowed is waited for so long;
one that is allowed is called early and doubted: no Fail hangs on it.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator
from dataclasses import dataclass, replace
from typing import Any

from outplay.cancellation import raise_if_cancelled
from outplay.errors import UsageError
from outplay.model.label import SILENCE
from outplay.model.specification import Specification
from outplay.model.tracking import GoalTest, Tracker, no_goal
from outplay.model.wrapping import timers_of
from outplay.play.following import Following, Step
from outplay.play.system import Quieting, Resting, System, VirtualClock
from outplay.play.trace import Event


@dataclass(frozen=True)
class Timing:
    """The times a play goes by, in seconds."""

    silence: float = 1.0
    """The time without an event that is called silence; never shorter than the latency is waited."""
    latency: float = 0.1
    """The time after an input in which an output may still have been sent before it; 0 for synchronous systems."""
    settle: float | None = None
    """The time after the goal to wait for what is owed; a wait that has begun is ended. None is the silence time."""
    confirm: float | None = None
    """The time after which silence is certain, where `silence` may be too short."""
    certain: bool = False
    """Whether silence is always waited for until it is certain."""
    one_wire: bool = False
    """Whether all labels go over one connection that keeps their order, whatever channels the model names."""

    def __post_init__(self) -> None:
        for name, value in self.options().items():
            if value is not None and not 0 <= value < math.inf:
                raise UsageError(f"{name} is {value}; it is a number of seconds, 0 or more")

    def options(self) -> dict[str, Any]:
        """The part that is asked for, and not known by the system."""
        return {"silence": self.silence, "latency": self.latency, "settle": self.settle, "confirm": self.confirm}

    @property
    def doubtful(self) -> float:
        """The seconds by which silence may be called too early; 0 where there is no doubt."""
        return 0.0 if self.confirm is None else max(self.confirm - self.silence, 0.0)

    @property
    def followed_by(self) -> dict[str, Any]:
        """The part that a trace keeps: the times, and whether all went over one connection."""
        return {"silence": self.silence, "latency": self.latency, **({"one_wire": True} if self.one_wire else {})}

    def tracker(self, spec: Specification, goal: GoalTest = no_goal) -> Tracker:
        """Make what follows a play by these times."""
        return Tracker(spec, latency=self.latency, silence=self.silence, goal=goal, one_wire=self.one_wire)

    def for_system(self, system: System) -> Timing:
        """Nothing crosses on the way to a synchronous system; elsewhere silence lasts until nothing can be on it."""
        one_wire = getattr(system, "one_wire", False)
        if system.synchronous:
            return replace(self, latency=0.0, one_wire=one_wire)
        return replace(self, silence=max(self.silence, self.latency), one_wire=one_wire)


SLICES = 10  # a wait is cut into this many slices; one that overruns by a slice is our own delay
LONGEST = 0.2  # seconds of a slice on a real clock, so that a run can be cancelled in a long wait
GLANCE = 1e-9  # seconds; an adapter that is asked not to wait at all may pass over what it is just reading


class Watch(ABC):
    """Waits for what a system shows; who plays says what becomes of it."""

    tracker: Tracker
    following: Following

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
        """Wait for the next event, at most this long, in slices short enough for our own delays to show."""
        if call_silence and (yield from self.came_or_proved()):
            return
        deadline = self.now() + timeout
        doubtful = self.timing.doubtful if call_silence else 0.0
        while True:
            # Never a mere glance: what is there when silence is called was not late.
            event = yield from self.look(min(self.slice, max(deadline - self.now(), GLANCE)))
            if event.kind != "silence":
                yield from self.took(event)
                return
            if self.awake < deadline and call_silence and self.silence_tells_nothing():
                deadline, doubtful = self.awake, 0.0
                continue
            if self.awake >= deadline:
                if doubtful and (self.timing.certain or self.tracker.owes):
                    deadline, doubtful = deadline + doubtful, 0.0
                    continue
                if doubtful:
                    detail = f"silence was called {doubtful * 1000:.0f} ms before it is certain"
                    yield self.followed(Event("tester-late", given=self.awake, seen=self.awake, detail=detail))
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

    def silence_tells_nothing(self) -> bool:
        """Say whether nothing can be heard before the next input, and the state is known and stays the same in silence.

        Otherwise what goes on in the system needs its time: hidden steps and time-outs.
        """
        if not isinstance(self.system, Resting) or timers_of(self.tracker.spec) is not None or not self.system.rests():
            return False
        before = self.tracker.settled(self.following.time(self.now()))
        return before.knows_state and before == before.saw(SILENCE, self.following.time(self.now()))

    def look(self, timeout: float) -> Generator[Step, None, Event]:
        """Observe once. That we came late to it, or that it took longer than asked, is our own delay and is noted."""
        raise_if_cancelled()
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
