"""What solvers against chance answer: proven bounds for every vertex, and the strategy that goes with them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from outplay.strategy.answer import Answer
from outplay.strategy.chance.graph.almost_sure import Finiteness
from outplay.strategy.strategy import Positional


@dataclass(frozen=True, eq=False)
class Bounds:
    """Per vertex a proven interval, and the tester's edge."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]
    """Of an expected cost: infinite, like `low`, where no strategy reaches the goal with probability 1."""
    choice: NDArray[np.int64]
    """The tester's edge; -1 at system vertices, at goals and where there is no value."""
    rank: NDArray[np.int64]
    """Shows that the choices arrive: at each vertex with a value (a probability above 0) the chosen edge, or some edge
    of the system, leads to a smaller rank; goals have 0."""

    def edge(self, vertex: int) -> int | None:
        """The edge the tester takes at a vertex of its own; None where it has nothing to choose."""
        edge = int(self.choice[vertex])
        return None if edge < 0 else edge

    def moves(self) -> Iterator[tuple[int, int]]:
        """All choices as (vertex, edge)."""
        for vertex in np.flatnonzero(self.choice >= 0).tolist():
            yield vertex, int(self.choice[vertex])

    def interval(self, vertex: int) -> tuple[float, float]:
        """The proven interval of a vertex."""
        return float(self.low[vertex]), float(self.high[vertex])


@dataclass(frozen=True, eq=False, repr=False)
class ChanceAnswer(Answer):
    """An answer for all vertices, each within its bounds."""

    bounds: Bounds
    method: str
    """How the values were found: "vi" (value iteration), "pi" (policy iteration) or "lp" (linear program)."""
    epsilon: float
    """The relative width that was asked for; 0 asks for exact values."""
    kept: bool
    """Whether every finite interval is that narrow: high - low <= epsilon * high."""
    exact: Sequence[Fraction | None] | None = field(default=None, kw_only=True)
    """The exact values of all vertices, where they were computed."""

    @property
    def value(self) -> float | None:
        """The value of the initial vertex as a float, a number inside its bounds; None if it is infinite."""
        found = self.value_of(self.game.initial)
        try:
            return None if found is None else float(found)
        except OverflowError:
            return self.bounds.interval(self.game.initial)[0]

    def value_of(self, vertex: int) -> float | Fraction | None:
        """The exact value where it is known, else a number inside the bounds; None where it is infinite."""
        if self.exact is not None:
            return self.exact[vertex]
        low, high = self.bounds.interval(vertex)
        return None if low == np.inf else min(max(low + (high - low) / 2, low), high)

    def interval(self, vertex: int) -> tuple[float, float]:
        """The proven interval of a vertex."""
        return self.bounds.interval(vertex)


@dataclass(frozen=True, eq=False, repr=False)
class Expectation(ChanceAnswer):
    """The least expected cost among the strategies that reach the goal with probability 1."""

    finiteness: Finiteness = field(kw_only=True)

    @property
    def strategy(self) -> Positional:
        return Positional(self.bounds.choice, np.isinf(self.bounds.high))

    def __repr__(self) -> str:
        value = self.value
        shown = "not with probability 1" if value is None else f"at expected cost {value:.6g}"
        return f"Expectation(to {', '.join(self.goals)} {shown})"


@dataclass(frozen=True, eq=False, repr=False)
class Likelihood(ChanceAnswer):
    """The greatest probability of ever reaching the goal."""

    @property
    def strategy(self) -> Positional:
        return Positional(self.bounds.choice, self.bounds.high == 0)

    def __repr__(self) -> str:
        return f"Likelihood(to {', '.join(self.goals)} with probability {self.value:.6g})"
