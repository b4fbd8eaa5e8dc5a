"""Until when something is looked for: a tour, a proof, an unfolding.

Work looks at the deadline only after a good deal of it, so that what is small is finished whatever time there is.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Deadline:
    """A moment after which no new work is begun. Make one with `deadline`."""

    ends: float = math.inf
    now: Callable[[], float] = time.monotonic

    @property
    def left(self) -> float | None:
        """The seconds that are left, at least 0; None where there is no end."""
        return None if self.ends == math.inf else max(0.0, self.ends - self.now())

    @property
    def passed(self) -> bool:
        return self.ends < math.inf and self.now() >= self.ends

    def within(self, seconds: float) -> Deadline:
        """A deadline that is at most this many seconds away."""
        return Deadline(min(self.ends, self.now() + seconds), self.now)

    def share(self, part: float) -> Deadline:
        """The deadline for a part of the time that is left; the same where there is no end."""
        return self if self.left is None else self.within(self.left * part)

    def not_before(self, seconds: float) -> Deadline:
        """A deadline that is at least this many seconds away."""
        return Deadline(max(self.ends, self.now() + seconds), self.now)


NEVER = Deadline()


def deadline(seconds: float | None, now: Callable[[], float] = time.monotonic) -> Deadline:
    """The deadline that is this many seconds away; none where no number is given."""
    return NEVER if seconds is None else Deadline(now() + seconds, now)
