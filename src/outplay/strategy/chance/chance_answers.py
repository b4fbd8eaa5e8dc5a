"""The answers of solvers against chance: proven bounds for every vertex, and the strategy that goes with them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.game.graph import SYSTEM
from outplay.registries import imported
from outplay.strategy.answer import Answer
from outplay.strategy.certificate.check_chance import check_expected, check_probability
from outplay.strategy.certificate.checker import Certificate
from outplay.strategy.chance.reduction.reachability import WinningRegion
from outplay.strategy.number_format import format_digits, format_number, format_probability, json_number
from outplay.strategy.strategy import Positional

RADIUS_UP_TO = 2_000  # edges
EXPLAINED = 6  # vertices on the way to where the goal is lost


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

    def interval(self, vertex: int) -> tuple[float, float]:
        """The proven interval of a vertex."""
        return float(self.low[vertex]), float(self.high[vertex])


@dataclass(frozen=True, eq=False, repr=False)
class ChanceAnswer(Answer):
    """An answer for all vertices, each within its bounds."""

    bounds: Bounds
    method: str
    """The method that found the values: "vi" (value iteration), "pi" (policy iteration) or "lp" (linear program)."""
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
        return self.bounds.interval(vertex)

    def chosen(self, vertex: int) -> int | None:
        return self.bounds.edge(vertex)

    def _nearer(self, vertex: int) -> list[tuple[int, int]]:
        """The edges of a vertex of the tester that come nearer to the goal, with their targets."""
        if self.chosen(vertex) is None:
            return []
        rank, target = self.bounds.rank, self.game.target
        edges = self.game.edges_of(vertex)
        return [(edge, int(target[edge])) for edge in edges if rank[target[edge]] < rank[vertex]]

    def json_details(self, exact: bool) -> dict[str, Any]:
        low: Fraction | float
        high: Fraction | float
        low, high = self.interval(self.game.initial)  # the floats around the value, where it is known exactly
        if exact or high == math.inf:
            low, high = self._at_start()
        bounds = None if high == math.inf else [json_number(low, exact), json_number(high, exact)]
        return {"bounds": bounds, "epsilon": self.epsilon, "kept": self.kept, "method": self.method}

    @property
    def _how_sure(self) -> str:
        """Describe how near the number is to the truth."""
        low, high = self._at_start()
        if low == high:
            return "exactly"
        value = self.value_of(self.game.initial) or 0
        off = f"off by at most {max(high - value, value - low):.1g}"
        return off if self.kept else f"{off}, more than asked for"

    def _at_start(self) -> tuple[Fraction | float, Fraction | float]:
        """The bounds at the start; twice the value where it is known exactly."""
        exact = None if self.exact is None else self.exact[self.game.initial]
        return self.interval(self.game.initial) if exact is None else (exact, exact)

    def _claim(self) -> tuple[list[Any], list[Any], list[int], list[int]]:
        """Lower and upper bounds for the checker, the exact values where they are known; choices and ranks."""
        bounds = self.bounds
        if self.exact is None:
            low, high = bounds.low.tolist(), bounds.high.tolist()
        else:
            low = high = [math.inf if value is None else value for value in self.exact]
        return low, high, bounds.choice.tolist(), bounds.rank.tolist()


@dataclass(frozen=True, eq=False, repr=False)
class Expectation(ChanceAnswer):
    """The least expected cost among the strategies that reach the goal with probability 1."""

    region: WinningRegion = field(kw_only=True)

    @property
    def strategy(self) -> Positional:
        return Positional(self.bounds.choice, np.isinf(self.bounds.low))

    def as_good(self, vertex: int, memory: Any = None) -> tuple[int, ...]:
        """Edges that come nearer at no higher cost than is proven."""

        def most(at: int) -> Fraction | None:
            value = self.bounds.high[at] if self.exact is None else self.exact[at]
            return None if value is None or value == math.inf else Fraction(value)

        value, found = most(vertex), []
        for edge, target in self._nearer(vertex):
            beyond = most(target)
            if value is not None and beyond is not None and (self.game.cost[edge] or 0) + beyond <= value:
                found.append(edge)
        return tuple(found)

    def check(self) -> Certificate:
        low, high, choices, ranks = self._claim()
        levels = self.region.level.tolist()
        return check_expected(self.game, self.goal_vertices.tolist(), low, high, choices, ranks, levels)

    @property
    def sentence(self) -> str:
        value = self.value_of(self.game.initial)
        if value is None:
            return f"{self.goal} cannot be reached with probability 1, so its expected cost is infinite"
        return f"{self.goal} is reached at expected cost {format_number(value)} ({self._how_sure})"

    def lines(self) -> list[str]:
        if self.value_of(self.game.initial) is None:
            return self._why()
        return [*super().lines(), *self._radius_words()]

    def json_details(self, exact: bool) -> dict[str, Any]:
        return {**super().json_details(exact), "radius": self.radius}

    @cached_property
    def radius(self) -> float | None:
        """Each probability may be off by this share of itself, and the strategy is still optimal (Blass et al. 2005,
        lemma 5): proven, and rounded down. None on large games, where finding it takes longer than the answer did,
        and where there is no strategy.
        """
        if self.game.edge_count > RADIUS_UP_TO or self.value_of(self.game.initial) is None:
            return None
        found: Any = imported("outplay.strategy.chance.robustness.sensitivity:robustness")(self, 0.0)
        return math.floor(float(found.optimal_radius) * 1000) / 1000

    def _radius_words(self) -> list[str]:
        if self.radius is None or not self._has_choice:
            return []
        if not self.radius:
            return ["another strategy may be as good: no error of the probabilities is proven harmless"]
        return [f"the best as long as no probability is off by more than {100 * self.radius:g} % of itself"]

    @property
    def _has_choice(self) -> bool:
        """Whether probabilities matter: the tester and the system both have a choice somewhere."""
        several = np.diff(self.game.first) > 1
        system = self.game.owner == SYSTEM
        return bool((several & system).any() and (several & ~system).any())

    def _why(self) -> list[str]:
        """Follow the play from the start to where the goal is lost for good."""
        level, vertex, path = self.region.level, self.game.initial, list[int]()
        while vertex not in path and len(path) < EXPLAINED:
            path.append(vertex)
            after = [int(self.game.target[edge]) for edge in self.game.edges_of(vertex)]
            cut = [beyond for beyond in after if level[beyond] >= 0]
            vertex = min(cut, key=level.__getitem__, default=vertex)
        return [self.region.reason(vertex) for vertex in path]

    def __repr__(self) -> str:
        value = self.value_of(self.game.initial)
        shown = "not with probability 1" if value is None else f"at expected cost {format_digits(value, 6)}"
        return f"Expectation(to {', '.join(self.goals)} {shown})"


@dataclass(frozen=True, eq=False, repr=False)
class Likelihood(ChanceAnswer):
    """The greatest probability of ever reaching the goal."""

    @property
    def strategy(self) -> Positional:
        return Positional(self.bounds.choice, self.bounds.high == 0)

    def as_good(self, vertex: int, memory: Any = None) -> tuple[int, ...]:
        """Edges that come nearer with no lower probability than is proven."""
        low = self.bounds.low if self.exact is None else self.exact
        return tuple(edge for edge, target in self._nearer(vertex) if (low[target] or 0) >= (low[vertex] or 0))

    def check(self) -> Certificate:
        low, high, choices, ranks = self._claim()
        return check_probability(self.game, self.goal_vertices.tolist(), low, high, choices, ranks)

    @property
    def sentence(self) -> str:
        value = self.value_of(self.game.initial)
        if not value:
            return f"{self.goal} can never be reached"
        shown = format_probability(value) if isinstance(value, float) else format_number(value)
        return f"{self.goal} is reached with probability {shown} ({self._how_sure})"

    def lines(self) -> list[str]:
        return super().lines() if self.value_of(self.game.initial) else []

    def __repr__(self) -> str:
        value = self.value_of(self.game.initial) or 0
        return f"Likelihood(to {', '.join(self.goals)} with probability {format_digits(value, 6)})"
