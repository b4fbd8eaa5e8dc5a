"""Against chance: the least expected cost, and the best probability of ever reaching the goal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from outplay.cli.answers.base import Answer, Wishes, likely, met, number, plain
from outplay.game.target import Target
from outplay.strategy.certificate.chance import check_expected, check_probability
from outplay.strategy.certificate.checker import Certificate
from outplay.strategy.chance.answers import Expectation, Likelihood
from outplay.strategy.expected import expected
from outplay.strategy.probability import probability

EPSILON = 1e-6
EXPLAINED = 6


def _epsilon(wishes: Wishes) -> float:
    """Exact numbers need an exact answer."""
    return wishes.epsilon if wishes.epsilon is not None else 0 if wishes.exact else EPSILON


class ChanceAnswer(Answer):
    """What both objectives have in common: values with bounds, one move for each vertex."""

    result: Expectation | Likelihood

    def __init__(self, result: Expectation | Likelihood, wishes: Wishes) -> None:
        self.result = result
        self.game, self.goals, self.goal_vertices = result.game, result.goals, result.goal_vertices
        self._exact = wishes.exact

    def value(self, vertex: int) -> Any:
        return number(self.result.value_of(vertex), self._exact)

    def strategy(self) -> dict[str, Any]:
        return {self.game.names[vertex]: self.move(edge) for vertex, edge in self.result.bounds.moves()}

    def more(self) -> dict[str, Any]:
        result, (low, high) = self.result, self.interval()
        bounds = None if high == math.inf else [number(low, self._exact), number(high, self._exact)]
        return {"bounds": bounds, "epsilon": result.epsilon, "kept": result.kept, "method": result.method}

    def interval(self) -> tuple[Fraction | float, Fraction | float]:
        """The bounds at the start; twice the value where it is known exactly."""
        start = self.game.initial
        exact = None if self.result.exact is None else self.result.exact[start]
        return self.result.interval(start) if exact is None else (exact, exact)

    def edges(self) -> list[int]:
        return [edge for _, edge in self.result.bounds.moves()]

    def claimed(self) -> tuple[Sequence[Any], Sequence[Any]]:
        """Lower and upper bounds for the checker: the exact values where they are known."""
        bounds, exact = self.result.bounds, self.result.exact
        if exact is None:
            return bounds.low.tolist(), bounds.high.tolist()
        values = [math.inf if value is None else value for value in exact]
        return values, values

    def moves_told(self) -> list[str]:
        edge_at = self.result.bounds.edge
        followed = met(self.game, self.goal_vertices.tolist(), edge_at)
        return [self.move_words(vertex, edge) for vertex in followed if (edge := edge_at(vertex)) is not None]

    def how_sure(self) -> str:
        """How near the number is to the truth."""
        low, high = self.interval()
        if low == high:
            return "exactly"
        value = self.result.value_of(self.game.initial) or 0
        off = f"off by at most {max(high - value, value - low):.1g}"
        return off if self.result.kept else f"{off}, more than asked for"


class ExpectedAnswer(ChanceAnswer):
    """What `--objective expected` says."""

    result: Expectation

    def __init__(self, target: Target, wishes: Wishes) -> None:
        super().__init__(expected(target.game, target, method=wishes.method, epsilon=_epsilon(wishes)), wishes)

    def check(self) -> Certificate:
        bounds, levels = self.result.bounds, self.result.finiteness.level
        return check_expected(
            self.game,
            self.goal_vertices.tolist(),
            *self.claimed(),
            bounds.choice.tolist(),
            bounds.rank.tolist(),
            levels.tolist(),
        )

    def told(self) -> tuple[str, list[str]]:
        value = self.result.value_of(self.game.initial)
        if value is None:
            return f"{self.goal} cannot be reached with probability 1, so its expected cost is infinite", self._why()
        return f"{self.goal} is reached at expected cost {plain(value)} ({self.how_sure()})", self.moves_told()

    def _why(self) -> list[str]:
        """Follow the play from the start to where the goal is lost for good."""
        finiteness, vertex, path = self.result.finiteness, self.game.initial, list[int]()
        while vertex not in path and len(path) < EXPLAINED:
            path.append(vertex)
            after = [int(self.game.target[edge]) for edge in self.game.edges_of(vertex)]
            cut = [beyond for beyond in after if finiteness.level[beyond] >= 0]
            vertex = min(cut, key=finiteness.level.__getitem__, default=vertex)
        return [finiteness.reason(vertex) for vertex in path]


class ProbabilityAnswer(ChanceAnswer):
    """What `--objective probability` says."""

    result: Likelihood

    def __init__(self, target: Target, wishes: Wishes) -> None:
        super().__init__(probability(target.game, target, epsilon=_epsilon(wishes)), wishes)

    def check(self) -> Certificate:
        bounds = self.result.bounds
        return check_probability(
            self.game,
            self.goal_vertices.tolist(),
            *self.claimed(),
            bounds.choice.tolist(),
            bounds.rank.tolist(),
        )

    def told(self) -> tuple[str, list[str]]:
        value = self.result.value_of(self.game.initial)
        if not value:
            return f"{self.goal} can never be reached", []
        return f"{self.goal} is reached with probability {self._shown(value)} ({self.how_sure()})", self.moves_told()

    @staticmethod
    def _shown(value: Fraction | float) -> str:
        return likely(value) if isinstance(value, float) else plain(value)
