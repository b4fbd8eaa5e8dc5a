"""How large an unfolding may become, and until when it may take."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass

from outplay.errors import UsageError
from outplay.plurals import counted
from outplay.strategy.deadline import NEVER, Deadline

_LOOKING = 256


class LargeUnfolding(UsageError):
    """An unfolding has more vertices than were allowed, or took longer."""


def look_at(until: Deadline, done: int = 0) -> None:
    """Refuse to go on when time is up; in a loop the clock is looked at now and then."""
    if done % _LOOKING == 0 and until.passed:
        raise LargeUnfolding("what the tests show was not found out in the time there was; give it more")


@dataclass(frozen=True)
class UnfoldingLimits:
    """So many vertices, and so much time."""

    most: int
    until: Deadline = NEVER

    def check(self, vertices: Sized) -> None:
        """Refuse what is too large, or too late."""
        if len(vertices) > self.most:
            raise LargeUnfolding(
                f"the unfolding has more than {counted(self.most, 'vertex')}; ask for less, or raise `most`"
            )
        if self.until.passed:
            raise LargeUnfolding(f"{len(vertices):,} vertices were unfolded in the time there was; give it more")
