"""Fair execution: after how many tries an output that never came may be taken for one that cannot come.

Definition (van den Bos 2020, 2.7.4): a trace is executed label by label; where the system shows another output the
trace is begun again after a reset, and after enough tries the output is concluded not to be produced, which counts as
executed as well. How many are enough is left to the tester. Here it is assumed that whatever the system can show after
a trace comes with a chance of at least p each time. An output that can come then stays away for k tries with a chance
of at most (1 - p)^k.

So that the conclusions of a whole suite are right together with confidence c, however many there are, the i-th place
where something is concluded may be wrong with chance (1 - c) / (i (i + 1)); these add up to 1 - c. A place with m
outputs to wait for needs the least k with m (1 - p)^k at most that. A system that always does the same has p = 1, and
one try is enough.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from outplay.errors import UsageError


@dataclass(frozen=True)
class Fairness:
    """The assumption about the system, and the confidence that conclusions need."""

    chance: float = 0.2
    """The least chance each time of whatever the system can show."""
    confidence: float = 0.95
    """The probability that all conclusions together are right."""

    def __post_init__(self) -> None:
        if not 0 < self.chance <= 1:
            raise UsageError(f"chance is {self.chance}; it is a number above 0, and 1 at most")
        if not 0 <= self.confidence < 1:
            raise UsageError(f"confidence is {self.confidence}; it is a number from 0, and below 1")

    def tries(self, place: int, outputs: int = 1) -> int:
        """Return the number of tries that are enough for a number, counted from 1, with this many outputs awaited.

        >>> [Fairness().tries(place) for place in (1, 10, 100, 1000)]
        [17, 35, 55, 76]
        >>> Fairness(chance=1).tries(5)
        1
        """
        if self.chance == 1:
            return 1
        allowed = (1 - self.confidence) / (place * (place + 1))
        return max(1, math.ceil(math.log(allowed / outputs) / math.log(1 - self.chance)))

    def doubt(self, tries: int) -> float:
        """The chance, at most, that an output which can come has stayed away for this many tries."""
        return float((1 - self.chance) ** tries)
