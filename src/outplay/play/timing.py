"""The times a play goes by: how long silence takes, and how long a label may be on its way."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from outplay.errors import UsageError
from outplay.model.specification import Specification
from outplay.model.tracking import GoalTest, Tracker, no_goal
from outplay.play.system import System


@dataclass(frozen=True)
class Timing:
    """The times a play goes by, in seconds."""

    silence: float = 1.0
    """The time without an event that is called silence; never shorter than the latency is waited."""
    latency: float = 0.1
    """The time after an input in which an output may still have been sent before it; 0 for synchronous systems."""
    settle: float | None = None
    """The time after the goal to wait for what is owed; a wait that has begun is ended. None is the silence time."""
    one_wire: bool = False
    """Whether all labels go over one connection that keeps their order, whatever channels the model names."""

    def __post_init__(self) -> None:
        for name, value in (("silence", self.silence), ("latency", self.latency), ("settle", self.settle)):
            if value is not None and not 0 <= value < math.inf:
                raise UsageError(f"{name} is {value}; it is a number of seconds, 0 or more")

    def options(self) -> dict[str, Any]:
        """The part that is asked for, and not known by the system."""
        return {"silence": self.silence, "latency": self.latency, "settle": self.settle}

    def followed_by(self, spec: Specification) -> dict[str, Any]:
        """Return what a trace keeps of it: the times, and whether all went over one connection where that matters."""
        wire = {"one_wire": True} if self.one_wire and spec.channels.named else {}
        return {"silence": self.silence, "latency": self.latency, **wire}

    def tracker(self, spec: Specification, goal: GoalTest = no_goal) -> Tracker:
        """Make what follows a play by these times."""
        return Tracker(spec, latency=self.latency, silence=self.silence, goal=goal, one_wire=self.one_wire)

    def for_system(self, system: System) -> Timing:
        """Nothing crosses on the way to a synchronous system; elsewhere silence lasts until nothing can be on it."""
        one_wire = getattr(system, "one_wire", False)
        if system.synchronous:
            return replace(self, latency=0.0, one_wire=one_wire)
        return replace(self, silence=max(self.silence, self.latency), one_wire=one_wire)
