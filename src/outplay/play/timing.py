"""The times a play goes by: how long silence takes, and how long a label may be on its way."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from outplay.errors import UsageError
from outplay.play.system import System


@dataclass(frozen=True)
class Timing:
    """The times a play goes by, in seconds."""

    silence: float = 1.0
    """How long nothing must come before that is called silence; never shorter than the latency is waited."""
    latency: float = 0.1
    """How long after an input an output may still have been sent before it; 0 for synchronous systems."""
    settle: float | None = None
    """How long after the goal to wait for what is owed; a wait that has begun is ended. None is the silence time."""

    def __post_init__(self) -> None:
        for name, value in (("silence", self.silence), ("latency", self.latency), ("settle", self.settle)):
            if value is not None and not 0 <= value < math.inf:
                raise UsageError(f"{name} is {value}; it is a number of seconds, 0 or more")

    def for_system(self, system: System) -> Timing:
        """Nothing crosses on the way to a synchronous system; elsewhere silence lasts until nothing can be on it."""
        if system.synchronous:
            return replace(self, latency=0.0)
        return replace(self, silence=max(self.silence, self.latency))
