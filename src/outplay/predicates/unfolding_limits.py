"""How large an unfolding may become, and until when it may take."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass

from outplay.errors import UsageError
from outplay.strategy.tours.deadline import NEVER, Deadline


class LargeUnfolding(UsageError):
    """An unfolding has more vertices than were allowed, or took longer."""


@dataclass(frozen=True)
class UnfoldingLimits:
    """So many vertices, and so much time."""

    most: int
    until: Deadline = NEVER

    def check(self, vertices: Sized) -> None:
        """Refuse what is too large, or too late."""
        if len(vertices) > self.most:
            raise LargeUnfolding(f"the unfolding has more than {self.most:,} vertices; ask for less, or raise `most`")
        if self.until.passed:
            raise LargeUnfolding(f"{len(vertices):,} vertices were unfolded in the time there was; give it more")
