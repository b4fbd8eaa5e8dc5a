"""The least expected cost for probabilities that were observed: the best promise within their intervals.

Definition (Blass et al. 2005, lemma 5 and after, made a promise): the robust optimum is the least, over all strategies
that reach the goal with probability 1, of the most that a strategy costs for any probabilities within the intervals of
what was seen (observed_chances.py). The intervals of different choices of the system are apart, so this is a game
of two sides, solved by improving the system's side (Hoffman and Karp 1966): find the best strategy against some
probabilities, let each choice lean to its dearest answers, until none leans any further. Then

    lower  those probabilities are within the intervals, so no strategy promises less than what is least for them;
    upper  u is nowhere below the worst of its own next step within the intervals, so the strategy costs at most u.

Both are proven in fractions. Bound: one solving for each change of leaning, seldom above ten.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from outplay.errors import CertificateError
from outplay.game.algebra import exact_chances, subgame
from outplay.game.graph import SYSTEM, Game
from outplay.plurals import counted
from outplay.strategy.certificate.checker import Certificate
from outplay.strategy.chance.chance_answers import Expectation
from outplay.strategy.chance.robustness.observed_chances import Counts, ObservedChances, ObservedRow, observed_chances
from outplay.strategy.chance.valuation.bounds import are_narrow_bounds
from outplay.strategy.number_format import format_digits, format_number, json_number

Number: TypeAlias = Fraction | float
Solver: TypeAlias = Callable[[Game], Expectation]
Picked: TypeAlias = dict[int, list[Fraction]]

_ROUNDS = 1_000
_GAIN = 1e-12  # of a cost, by which leaning has to raise it; exact answers lean for anything
_SLACKS = (0.0, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5)


@dataclass(frozen=True, eq=False, repr=False)
class LearntExpectation(Expectation):
    """The robust optimum; the game has the worst probabilities within the intervals."""

    observed: ObservedChances = field(kw_only=True)
    promises: Sequence[Number] = field(kw_only=True)
    """The most that the strategy costs from each vertex, whatever the probabilities are within the intervals."""
    seen: Expectation = field(kw_only=True)
    """The best answer for the chances as they were seen, which promises nothing beyond them."""
    at_seen: Number | None = field(kw_only=True)
    """The cost of the robust strategy there."""
    seen_at_worst: Number | None = field(kw_only=True)
    """The most that the best strategy there may cost within the intervals."""

    @property
    def radius(self) -> float | None:
        """That of the best strategy for the chances as they were seen."""
        return self.seen.radius

    def value_of(self, vertex: int) -> Number | None:
        """Return the most that the strategy costs."""
        found = self.promises[vertex]
        return None if found == math.inf else found

    def check(self) -> Certificate:
        certificate = super().check()
        wrong = _unproven(self.observed, self, self.promises)
        if wrong is not None:
            raise CertificateError(f"{self.game.names[wrong]}: may cost more within the intervals than is claimed")
        return certificate

    @property
    def sentence(self) -> str:
        value = self.value_of(self.game.initial)
        if value is None:
            return super().sentence
        how = f"{self.observed.sure:.0%} sure by the answers seen; {self._how_sure}"
        return f"{self.goal} is reached at expected cost {format_number(value)} at most ({how})"

    def lines(self) -> list[str]:
        if self.value_of(self.game.initial) is None:
            return super().lines()
        observed, unseen = self.observed, self.observed.choices - len(self.observed.rows)
        kept = f"; {counted(unseen, 'choice')} never met {'keep' if unseen > 1 else 'keeps'} the model's chances"
        choices = counted(len(observed.rows), "choice")
        lines = [f"learnt from {counted(observed.seen, 'answer')} at {choices} of the system{kept if unseen else ''}"]
        if self.at_seen is not None:
            cost, best = format_digits(self.at_seen), self._best
            lines.append(f"at the frequencies seen it costs {cost}, and the least there is {best}")
        return [*super(Expectation, self).lines(), *lines, *self._within_words()]

    @property
    def _best(self) -> str:
        best = self.seen.value_of(self.game.initial)
        return "?" if best is None else format_digits(best)

    def _within_words(self) -> list[str]:
        """Say whether the radius of the best strategy holds the intervals (lemma 5)."""
        if self.seen_at_worst is None or not self.observed.rows or self.radius is None or not self._has_choice:
            return []
        radius, spread = f"{100 * self.radius:g} %", math.ceil(1000 * self.spread) / 10
        best = "the best strategy at these frequencies"
        if self.spread <= self.radius:
            return [f"{best} stays the best: they are off by at most {spread:g} %, {radius} is safe"]
        told = f"{best} may cost {format_digits(self.seen_at_worst)}"
        return [f"{told}: they may be off by {spread:g} %, and up to {radius} it is proven to stay the best"]

    @property
    def spread(self) -> float:
        """By which share of itself a chance may be off within the intervals."""
        return float(max((row.spread for row in self.observed.rows), default=0))

    def json_details(self, exact: bool) -> dict[str, Any]:
        learnt = {
            "sure": self.observed.sure,
            "answers": self.observed.seen,
            "choices": {"seen": len(self.observed.rows), "total": self.observed.choices},
            "spread": self.spread,
            "expected": json_number(self.at_seen, exact),
            "best": {
                "expected": json_number(self.seen.value_of(self.game.initial), exact),
                "worst": json_number(self.seen_at_worst, exact),
            },
        }
        return {**super().json_details(exact), "learnt": learnt}


def learnt_expectation(game: Game, counts: Counts, solve: Solver, epsilon: float) -> LearntExpectation:
    """Find the robust optimum of a game from counted answers; `solve` finds the least expected cost of a game."""
    observed = observed_chances(game, counts)
    seen = solve(observed.with_chances(observed.middle))
    worst = _against_worst(observed, solve, seen)
    robust, other = (_alone(observed.game, answer) for answer in (worst, seen))
    at_seen, fixed = (observed_chances(each, counts) for each in (robust, other))
    promises = _proven(observed, worst)
    exact = worst.exact if promises is worst.exact else None
    bounds = worst.bounds if exact is not None else replace(worst.bounds, high=np.array(promises, dtype=np.float64))
    return LearntExpectation(
        worst.game,
        worst.goal,
        worst.goal_vertices,
        bounds,
        worst.method,
        epsilon,
        exact is not None or are_narrow_bounds(bounds, epsilon),
        exact=exact,
        region=worst.region,
        observed=observed,
        promises=[math.inf if one is None else one for one in promises],
        seen=seen,
        at_seen=solve(at_seen.with_chances(at_seen.middle)).value_of(game.initial),
        seen_at_worst=_against_worst(fixed, solve, solve(fixed.with_chances(fixed.middle))).value_of(game.initial),
    )


def _alone(game: Game, answer: Expectation) -> Game:
    """The game where the tester has nothing but the edges of a strategy."""
    chosen = answer.bounds.choice[game.source] == np.arange(game.edge_count)
    return subgame(game, chosen | (game.owner[game.source] == SYSTEM), known_roles=game.roles)


def _against_worst(observed: ObservedChances, solve: Solver, found: Expectation) -> Expectation:
    """Let every choice lean to what is dearest, and solve again, until none leans any further."""
    picked = observed.middle
    for _ in range(_ROUNDS):
        leaning = _leaning(observed, picked, found)
        if leaning == picked:
            break
        picked = leaning
        found = solve(observed.with_chances(picked))
    return found


def _leaning(observed: ObservedChances, picked: Picked, found: Expectation) -> Picked:
    made = dict(picked)
    for row in observed.rows:
        ahead = _costs_ahead(observed.game, row, found.value_of)
        if ahead is None:
            continue
        worst = row.worst(ahead)
        now, then = (_average(shares, ahead) for shares in (picked[row.vertex], worst))
        if then > now + (0 if found.exact is not None else _GAIN * abs(now)):
            made[row.vertex] = worst
    return made


def _costs_ahead(game: Game, row: ObservedRow, value_of: Callable[[int], Number | None]) -> list[Fraction] | None:
    """Return the cost that is still to pay after each answer of a row, by the values of vertices; None where one is
    infinite.
    """
    found = []
    for answer in row.answers:
        total = Fraction(0)
        for edge, part in zip(answer.edges, answer.within, strict=True):
            beyond = value_of(int(game.target[edge]))
            if beyond is None or beyond == math.inf:
                return None
            total += part * ((game.cost[edge] or 0) + Fraction(beyond))
        found.append(total)
    return found


def _average(shares: Sequence[Fraction], ahead: Sequence[Fraction]) -> Fraction:
    return sum((share * cost for share, cost in zip(shares, ahead, strict=True)), Fraction(0))


def _proven(observed: ObservedChances, worst: Expectation) -> Sequence[Number | None]:
    """Return the proven bound on the cost of the strategy: a little more than was found, where rounding asks for it."""
    if worst.exact is not None and _unproven(observed, worst, worst.exact) is None:
        return worst.exact
    high = worst.bounds.high
    for slack in _SLACKS:
        raised: list[Number | None] = (high * (1 + slack)).tolist()
        if _unproven(observed, worst, raised) is None:
            return raised
    return [0.0 if value == 0 else math.inf for value in high.tolist()]


def _unproven(observed: ObservedChances, worst: Expectation, promises: Sequence[Number | None]) -> int | None:
    """A vertex whose promise is below the worst of its own next step; None where there is none."""
    game, goals = worst.game, set(worst.goal_vertices.tolist())
    rows = {row.vertex: row for row in observed.rows}
    for vertex, promise in enumerate(promises):
        if vertex in goals or promise is None or promise == math.inf:
            continue
        edge = worst.bounds.edge(vertex)
        ahead = _next_step(game, vertex, edge, rows.get(vertex), promises)
        if ahead is None or ahead > Fraction(promise):
            return vertex
    return None


def _next_step(
    game: Game, vertex: int, edge: int | None, row: ObservedRow | None, promises: Sequence[Number | None]
) -> Fraction | None:
    """The worst that is to pay from a vertex, exactly; None where it is infinite."""
    learnt = frozenset(edge for answer in row.answers for edge in answer.edges) if row else frozenset[int]()
    answers = zip(game.edges_of(vertex), exact_chances(game, vertex), strict=True)
    total = Fraction(0)
    for one, share in answers if edge is None else [(edge, Fraction(1))]:
        beyond = promises[int(game.target[one])]
        if beyond is None or beyond == math.inf:
            return None
        total += 0 if one in learnt else share * ((game.cost[one] or 0) + Fraction(beyond))
    ahead = _costs_ahead(game, row, promises.__getitem__) if row else None
    return total if row is None or ahead is None else total + row.mass * _average(row.worst(ahead), ahead)
