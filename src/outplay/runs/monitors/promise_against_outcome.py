"""Promise and outcome: what the strategy that was played promises, held against what its plays came to.

An answer promises a cost (in the worst case or on average), a probability, what is sure to be covered, or, of the
pieces of a tour, that all edges are covered with a probability (Nachmanson et al. 2004, Proposition 2). A promise about
every conforming play is broken by one; an average is far off where it is `FAR_OFF` standard errors away, by the
variance that the model predicts, since rare and dear answers make that of a few plays too small.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, TypeAlias

from outplay.game.algebra import exact_chances
from outplay.game.graph import SYSTEM, Game
from outplay.play.following import Step
from outplay.plurals import counted
from outplay.runs.events import Monitor, PlayEnded, RunEvent
from outplay.runs.monitors.forecast_against_outcome import binomial_at_most, binomial_interval
from outplay.runs.result import RunResult
from outplay.strategy.answer import Answer
from outplay.strategy.bounded import Bounded
from outplay.strategy.chance.chance_answers import Expectation, Likelihood
from outplay.strategy.chance.robustness.learnt_expectation import LearntExpectation
from outplay.strategy.coverage.guarantee import Coverage
from outplay.strategy.number_format import format_digits, format_number, format_rounded
from outplay.strategy.tours.cover_edges import SURE, EdgeTour
from outplay.strategy.win import SureWin
from outplay.tester.coverage_tester import GamePosition
from outplay.verdict.verdicts import Pass

Number: TypeAlias = Fraction | float
FAR_OFF = 6  # standard errors
UNLIKELY = 0.001
_FEWEST = 5  # plays of which an interval of the mean means anything
_VARIANCE_UP_TO = 20_000  # vertices on the way


@dataclass(frozen=True)
class PromiseReport:
    """The promise and what happened, in one line; `surprise` says where they disagree."""

    promised: str
    happened: str
    data: dict[str, Any] = field(default_factory=dict)
    surprise: str = ""
    approximate: bool = False
    """Whether the promise is of the grouped model, so that the model itself promises nothing."""

    def lines(self) -> list[str]:
        of = " of the grouped model" if self.approximate else ""
        lines = [f"promise{of}: {self.promised}; {self.happened}"]
        return [*lines, f"surprise: {self.surprise}"] if self.surprise else lines

    def json(self) -> dict[str, Any]:
        told = {"promised": self.promised, "happened": self.happened, **self.data, "surprise": self.surprise or None}
        return told | ({"approximate": True} if self.approximate else {})


@dataclass(frozen=True)
class PlayOutcome:
    """The outcome of one conforming play."""

    arrived: bool
    cost: Fraction | None
    """Of its moves up to the goal, or of all where it did not arrive; None where nobody can tell."""
    cut: bool
    """Whether it was ended by the number of steps and might have gone on."""


class PromiseMonitor(Monitor):
    """Adds up what plays cost and cover, by the game in which the answer was found."""

    def __init__(self, answer: Answer, steps: int) -> None:
        self.answer, self._steps = answer, steps
        self.plays, self.visited, self.taken = list[PlayOutcome](), set[int](), set[int]()
        self._watching, self._costs = GamePosition(answer.game), list[Fraction | None]()

    def observe(self, event: RunEvent) -> None:
        super().observe(event)
        if isinstance(event, PlayEnded) and isinstance(event.verdict, Pass):
            moves = len(self._costs) if event.moves is None else event.moves
            paid = self._costs[:moves]
            cost = sum((one or Fraction(0) for one in paid), Fraction(0)) if None not in paid else None
            cut = event.moves is None and event.steps >= self._steps
            self.plays.append(PlayOutcome(event.moves is not None, cost, cut))

    def begin(self) -> None:
        self._watching, self._costs = GamePosition(self.answer.game), []
        self.visited.add(self.answer.game.initial)

    def take(self, step: Step) -> None:
        if step.label is None:
            return
        moves = self._watching.moves(step.before, step.label)
        costs = {cost for move in moves for _, cost in self._ways(*move)}
        self._costs.append(costs.pop() if len(costs) == 1 else None)
        if len(moves) == 1:
            self.visited.add(moves[0][2])
            self.taken.update(edge for way, _ in self._ways(*moves[0]) for edge in way)
        self._watching = self._watching.after(step.label)

    def _ways(self, before: int, text: str, after: int) -> list[tuple[tuple[int, ...], Fraction]]:
        """The edges that a move may have taken, with a decision of the tester before it, and what they cost."""
        game, state = self.answer.game, self.answer.game.roles.state
        found = list[tuple[tuple[int, ...], Fraction]]()
        for edge in game.edges_of(before):
            behind = () if game.moves[edge] else game.edges_of(int(game.target[edge]))
            for way in ((edge,), *((edge, answer) for answer in behind)):
                last = way[-1]
                fits = game.label_of(last) == text and state[game.target[last]] == state[after]
                if fits and game.moves[last]:
                    found.append((way, sum((game.cost[one] or Fraction(0) for one in way), Fraction(0))))
        return found

    def complete(self, result: RunResult) -> RunResult:
        return replace(result, promise=self.report(result) if self.plays else None)

    def report(self, result: RunResult) -> PromiseReport | None:
        """Report what became of the promise; None where the answer makes none."""
        answer = self.answer
        found: PromiseReport | None = None
        if isinstance(answer, Expectation):
            found = self._average(answer)
        elif isinstance(answer, SureWin):
            found = self._worst(answer)
        elif isinstance(answer, Likelihood):
            found = self._rate(float(answer.value or 0), "ever")
        elif isinstance(answer, Bounded):
            found = self._rate(float(answer.value.probability), f"within {counted(answer.steps, 'move')}")
        elif isinstance(answer, Coverage):
            found = self._covered(answer)
        elif isinstance(answer, EdgeTour):
            found = self._toured(answer)
        if found is not None and answer.game.origin.approximate:
            return replace(found, surprise="", approximate=True)
        broken = result.audit is not None and not result.audit.held
        if found is None or not found.surprise or not broken:
            return found
        why = "the system broke the test assumption, so nothing is promised"
        return replace(found, surprise=f"{found.surprise} ({why})")

    def _cut(self) -> str:
        cut, at = sum(play.cut for play in self.plays), counted(self._steps, "step")
        return f"; {counted(cut, 'play')} cut off at {at}, more steps would tell" if cut else ""

    def _average(self, answer: Expectation) -> PromiseReport | None:
        promise = answer.value_of(answer.game.initial)
        costs = [play.cost for play in self.plays if play.arrived and play.cost is not None]
        if promise is None or not costs:
            return None
        learnt, mean = isinstance(answer, LearntExpectation), sum(costs, Fraction(0)) / len(costs)
        low, high = _mean_interval(costs)
        between = f" (95 % interval {format_rounded(low)} to {format_rounded(high)})" if len(costs) >= _FEWEST else ""
        told = f"cost {'at most ' if learnt else ''}{format_rounded(promise)} on average"
        data = {"expected_cost": float(promise), "mean_cost": float(mean), "interval": [low, high], "plays": len(costs)}
        surprise = ""
        if not learnt and not any(play.cut for play in self.plays):
            surprise = self._far_off(answer, float(mean - Fraction(promise)), len(costs))
        paid = f"measured {format_rounded(mean)}{between} in {counted(len(costs), 'play')}{self._cut()}"
        return PromiseReport(told, paid, data, surprise)

    def _far_off(self, answer: Expectation, off: float, plays: int) -> str:
        deviation = cost_deviation(answer)
        if deviation is None or abs(off) <= max(FAR_OFF * deviation / math.sqrt(plays), 1e-6):
            return ""
        more = "dearer" if off > 0 else "cheaper"
        return f"{more} than promised: this system does not choose with the probabilities of the model"

    def _worst(self, answer: SureWin) -> PromiseReport | None:
        costs = [play.cost for play in self.plays if play.arrived and play.cost is not None]
        if not costs:
            return None
        most, above = max(costs), sum(cost > answer.value for cost in costs)
        surprise = f"{counted(above, 'play')} cost more than can be, by the model" if above else ""
        told = f"cost at most {format_number(answer.value)}"
        paid = f"measured at most {format_number(most)} in {counted(len(costs), 'play')}"
        return PromiseReport(told, paid, {"cost": float(answer.value), "most_cost": float(most)}, surprise)

    def _rate(self, promise: float, within: str) -> PromiseReport:
        reached, plays = sum(play.arrived for play in self.plays), len(self.plays)
        low, high = binomial_interval(reached, plays)
        surprise = ""
        if binomial_at_most(reached, plays, promise) < UNLIKELY and not any(play.cut for play in self.plays):
            surprise = "less often than promised: this system helps less than the probabilities of the model say"
        elif binomial_at_most(plays - reached, plays, 1 - promise) < UNLIKELY:
            surprise = "more often than promised: this system helps more than the probabilities of the model say"
        told = f"reached {within} with probability {format_digits(promise, 3)}"
        between = f"(95 % interval {low:.2g} to {high:.2g})"
        happened = f"reached in {reached:,} of {counted(plays, 'play')} {between}{self._cut()}"
        data = {"probability": promise, "reached": reached, "plays": plays, "interval": [low, high]}
        return PromiseReport(told, happened, data, surprise)

    def _covered(self, answer: Coverage) -> PromiseReport:
        proven, weighted = answer.strategy.proven, answer.weighted
        gained = weighted.gain(weighted.weigh(sorted(self.visited)))
        missing = proven - gained
        told = f"{format_number(proven)} of {format_number(answer.total)} covered by each play that is long enough"
        happened = f"{format_number(gained)} covered"
        cut, surprise = any(play.cut for play in self.plays), ""
        if missing > 0 and cut:
            happened += (
                f"; plays of more than {counted(self._steps, 'step')} cover {format_number(missing)} more for sure"
            )
        elif missing > 0 and not all(play.cut for play in self.plays):
            surprise = f"{format_number(missing)} fewer than is sure, though no play was cut off"
        data = {"sure": float(proven), "covered": float(gained), "total": float(answer.total)}
        return PromiseReport(told, happened, data, surprise)

    def _toured(self, answer: EdgeTour) -> PromiseReport:
        required = set(answer.required.tolist())
        covered, pieces, drawn = len(required & self.taken), answer.pieces, answer.persistent.drawn
        rounds, count = pieces.rounds_for(SURE), len(pieces.pieces)
        by_then = pieces.covered_within(drawn // count) if pieces.is_cut else None
        told = f"all {counted(len(required), 'edge')}"
        if pieces.is_cut and rounds is not None:
            told += f" with probability {SURE} after {counted(rounds * count, 'piece')}"
        played = f" after {counted(drawn, 'piece')}" if pieces.is_cut and drawn else ""
        happened = f"{covered:,} of {len(required):,} covered{played}"
        surprise = ""
        if covered < len(required) and by_then is not None and by_then > 1 - UNLIKELY:
            surprise = "some edge stays away: this system does not choose with the probabilities of the model"
        elif covered < len(required):
            happened += "; more plays or longer ones would cover more"
        data = {
            "edges": len(required),
            "covered": covered,
            "pieces": drawn,
            "probability": None if by_then is None else float(by_then),
        }
        return PromiseReport(told, happened, data, surprise)


def _mean_interval(costs: Sequence[Fraction]) -> tuple[float, float]:
    """Between which numbers the mean lies with 95 %, by Student's distribution.

    >>> [round(end, 2) for end in _mean_interval([Fraction(n) for n in (1, 2, 3, 4, 5)])]
    [1.04, 4.96]
    """
    count, mean = len(costs), float(sum(costs, Fraction(0)) / len(costs))
    if count < 2:
        return mean, mean
    deviation = math.sqrt(sum((float(cost) - mean) ** 2 for cost in costs) / (count - 1))
    free = count - 1
    quantile = 1.96 + 2.372 / free + 2.822 / free**2 + 2.556 / free**3  # of Student's distribution, nearly
    half = quantile * deviation / math.sqrt(count)
    return mean - half, mean + half


def cost_deviation(answer: Expectation) -> float | None:
    """Return the standard deviation of a play's promised cost; None where there are too many vertices on the way.

    The second moment S of the cost to come solves S = Σ p (c² + 2 c m + S'), where m is the value of the target.
    """
    import numpy as np
    from scipy.sparse import coo_array, identity
    from scipy.sparse.linalg import spsolve

    game, met = answer.game, answer.met()
    goals = set(answer.goal_vertices.tolist())
    inside = {vertex: place for place, vertex in enumerate(at for at in met if at not in goals)}
    if len(inside) > _VARIANCE_UP_TO or game.initial not in inside:
        return None if game.initial not in goals else 0.0
    right, rows = np.zeros(len(inside)), list[tuple[int, int, float]]()
    for vertex, place in inside.items():
        for edge, share in _shares(game, vertex, answer.chosen(vertex)):
            target, cost = int(game.target[edge]), float(game.cost[edge] or 0)
            value = answer.value_of(target)
            if value is None:
                return None
            right[place] += share * (cost * cost + 2 * cost * float(value))
            if target in inside:
                rows.append((place, inside[target], share))
    size = (len(inside), len(inside))
    row, column, weight = zip(*rows, strict=True) if rows else ((), (), ())
    chain = coo_array((weight, (row, column)), shape=size).tocsr()
    moment = float(np.atleast_1d(spsolve((identity(len(inside)) - chain).tocsc(), right))[inside[game.initial]])
    mean = float(answer.value_of(game.initial) or 0)
    return math.sqrt(max(moment - mean * mean, 0.0))


def _shares(game: Game, vertex: int, chosen: int | None) -> list[tuple[int, float]]:
    if game.owner[vertex] == SYSTEM:
        return [(edge, float(p)) for edge, p in zip(game.edges_of(vertex), exact_chances(game, vertex), strict=True)]
    return [] if chosen is None else [(chosen, 1.0)]
