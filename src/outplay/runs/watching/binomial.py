"""The count of an event, and what that says about its probability: tails and intervals of the binomial."""

from __future__ import annotations

import math


def at_most(count: int, trials: int, chance: float) -> float:
    """The probability of at most this many successes among this many trials.

    >>> round(at_most(1, 4, 0.5), 4)
    0.3125
    """
    if count >= trials or chance <= 0.0:
        return 1.0
    if chance >= 1.0:
        return 0.0
    won, lost = math.log(chance), math.log1p(-chance)
    binomials = (math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1) for k in range(count + 1))
    return min(1.0, math.fsum(math.exp(log + k * won + (trials - k) * lost) for k, log in enumerate(binomials)))


def share_interval(count: int, trials: int) -> tuple[float, float]:
    """Between which probabilities the true one lies with 95 %, after this many successes (Clopper and Pearson 1934).

    >>> [round(end, 3) for end in share_interval(2, 10)]
    [0.025, 0.556]
    """

    def least(successes: int) -> float:
        """The probability with which this many successes or more come in 2.5 % of the cases."""
        low, high = 0.0, 1.0
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if 1 - at_most(successes - 1, trials, middle) < 0.025 else (low, middle)
        return low

    return (least(count) if count else 0.0), (1 - least(trials - count) if count < trials else 1.0)
