"""How much a run may play: so many plays of so many labels, or as many labels in more and shorter plays.

A tester that starts again where that promises more ends plays early. What such a play leaves is left to further plays,
so that a run has about as many labels as were asked for, whoever plays; to start again counts as a label.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class PlayBudget:
    """What is left of plays and labels.

    >>> budget = PlayBudget(plays=2, most_steps=9)
    >>> budget.played(4, early=True)
    >>> budget.left, budget.steps
    (15, 9)
    >>> budget.played(9), budget.steps
    (None, 4)
    """

    plays: int
    most_steps: int
    left: int = field(init=False)
    """Labels that are left, with one for the start of each play."""

    def __post_init__(self) -> None:
        self.left = self.plays * (self.most_steps + 1)

    @property
    def steps(self) -> int:
        """How many labels the next play may have."""
        return min(self.most_steps, self.left - 1)

    def played(self, labels: int, *, early: bool = False) -> None:
        """A play had so many labels; where its tester did not end it early, it has used up all that it had."""
        self.left -= 1 + (min(labels, self.steps) if early else self.steps)
