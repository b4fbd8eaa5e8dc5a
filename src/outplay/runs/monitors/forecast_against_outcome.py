"""Forecast against actual: what was said about a goal before a run, what happened, and whether the two agree.

A forecast of a sure win is a promise about every conforming play that keeps the test assumption; one that did not
arrive in the moves it had shows that the assumption was broken, or that the model or outplay is wrong.
A probability is none about single plays: a run that is far off, by a binomial test at one in a thousand, only shows
that this system does not choose with the probabilities of the model.

The count of an event, and what that says about its probability: tails and intervals of the binomial.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from outplay.cancellation import CancelToken
from outplay.game.graph import Game
from outplay.play.audit import Audit
from outplay.plurals import counted, times
from outplay.runs.events import Observer
from outplay.runs.preparing.option_rules import chosen_objective
from outplay.runs.preparing.planning import Prepared
from outplay.runs.result import RunResult
from outplay.strategy.forecast.entries import Forecast
from outplay.strategy.forecast.sentences import sentence
from outplay.verdict.verdicts import Pass

FAR_OFF = 0.001
FORECAST_UP_TO = 200_000  # edges; above that the comparison would take longer than many a run


@dataclass(frozen=True)
class Comparison:
    """The forecast beside what happened; `surprise` says where they disagree and why that may be, "" if nowhere."""

    goal: str
    forecast: str
    plays: int
    reached: tuple[int, ...]
    """For each play that reached the goal the moves it took."""
    surprise: str = ""
    by_chance: bool = False
    """Whether the goal is reached by chance: then how often it was has an interval."""
    approximate: bool = False
    """Whether the forecast is of the grouped model, so that the model itself promises nothing."""

    def lines(self) -> list[str]:
        most = f", in at most {counted(max(self.reached), 'move')}" if self.reached else ""
        low, high = binomial_interval(len(self.reached), self.plays)
        between = f" (95 % interval {low:.2g} to {high:.2g})" if self.by_chance and self.plays else ""
        lines = [
            f"forecast{' of the grouped model' if self.approximate else ''}: {self.goal} {self.forecast}",
            f"happened: reached in {len(self.reached):,} of {counted(self.plays, 'play')}{between}{most}",
        ]
        return [*lines, f"surprise: {self.surprise}"] if self.surprise else lines

    def json(self) -> dict[str, object]:
        return {
            "goal": self.goal,
            "forecast": self.forecast,
            "plays": self.plays,
            "reached": len(self.reached),
            "most_moves": max(self.reached, default=None),
            "interval": list(binomial_interval(len(self.reached), self.plays))
            if self.by_chance and self.plays
            else None,
            "surprise": self.surprise or None,
            **({"approximate": True} if self.approximate else {}),
        }


def compare(seen: Forecast, outcome: RunResult, audit: Audit | None = None, *, sure: bool = True) -> Comparison:
    """Compare the first entry of a forecast, made with `together=True`, with the outcome of a run.

    `sure` says that the tester played to force the goal where that can be; if it had another aim, such as a low cost on
    the average, a forced goal is promised to nobody.
    """
    entry = seen.entries[0]
    return Comparison(
        goal=entry.name,
        forecast=sentence(entry, seen),
        plays=len(outcome.played),
        reached=tuple(play.arrived for play in outcome.played if play.arrived is not None),
        surprise=_surprise(seen, outcome, audit, sure),
        by_chance=entry.forced is None and not entry.impossible,
        approximate=seen.game.origin.approximate,
    )


class ForecastComparison(Observer):
    """Holds the forecast on the game that was played against what happened, where that takes no longer than a run."""

    def __init__(self, prepared: Prepared, game: Game, token: CancelToken) -> None:
        self._prepared, self._game, self._token = prepared, game, token

    def complete(self, result: RunResult) -> RunResult:
        game, job = self._game, self._prepared.job
        if game.edge_count > FORECAST_UP_TO or not result.tally.steps:
            return result
        from outplay.strategy.forecast.forecast import forecast  # takes long to load, and most runs need none

        try:
            with self._token.stretch():
                before = forecast(game, self._prepared.goals, steps=job.steps, together=True)
                objective = chosen_objective(job)
                sure = objective is None or objective.forces
                return replace(result, comparison=compare(before, result, result.audit, sure=sure))
        except (Exception, KeyboardInterrupt) as error:  # whatever goes wrong here must not cost the verdict
            why = f"what happened could not be held against the forecast: {type(error).__name__}: {error}"
            return replace(result, warnings=(*result.warnings, *([] if result.interrupted else [why])))


def _steps(outcome: RunResult) -> int | None:
    given = outcome.trace.header.options.get("steps")
    return int(given) if given is not None else None


def _surprise(seen: Forecast, outcome: RunResult, audit: Audit | None, sure: bool) -> str:
    entry, steps = seen.entries[0], _steps(outcome)
    if seen.game.origin.approximate:
        return ""  # a state of a group may behave otherwise than the one that was explored
    if entry.impossible and any(play.arrived is not None for play in outcome.played):
        return "it was reached although it is impossible: the model has changed, or outplay is wrong; please report it"
    # A play that failed was cut short: it breaks no promise, and says nothing about chances.
    counted = [play.arrived for play in outcome.played if isinstance(play.verdict, Pass)]
    if entry.forced:
        bound = entry.forced.moves if seen.counts_moves and sure else None
        if bound is None or (steps is not None and bound > steps):
            return ""
        missed = sum(moves is None or moves > bound for moves in counted)
        return _why_missed(missed, audit) if missed else ""
    arrived = sum(moves is not None for moves in counted)
    return _odds(entry.probability, arrived, len(counted), audit) if steps == seen.steps else ""


def _why_missed(missed: int, audit: Audit | None) -> str:
    plays = f"{counted(missed, 'conforming play')} did not reach it within the moves forecast"
    if audit is not None and not audit.held:
        return f"{plays}: the system broke {audit.assumption.value}, on which the forecast rests"
    return f"{plays}, though nothing shows that the assumption was broken: have a look at the trace"


def _odds(chance: float | None, reached: int, plays: int, audit: Audit | None) -> str:
    if chance is None or not plays:
        return ""
    if binomial_at_most(reached, plays, chance) < FAR_OFF:
        unknown = 0 if audit is None else audit.unknown
        if unknown:
            return (
                f"less often than that, or nobody can tell: {times(unknown)} an output came so soon after an input "
                "that either may have been first; a smaller --latency may tell them apart"
            )
        return "less often than that: this system helps less than the probabilities say, or another goal was played for"
    if binomial_at_most(plays - reached, plays, 1.0 - chance) < FAR_OFF:
        return "more often than that: this system helps more than the probabilities say"
    return ""


def binomial_at_most(count: int, trials: int, chance: float) -> float:
    """Return the probability of at most this many successes in so many trials, to judge an outcome by its forecast.

    >>> round(binomial_at_most(1, 4, 0.5), 4)
    0.3125
    """
    if count >= trials or chance <= 0.0:
        return 1.0
    if chance >= 1.0:
        return 0.0
    won, lost = math.log(chance), math.log1p(-chance)
    binomials = (math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1) for k in range(count + 1))
    return min(1.0, math.fsum(math.exp(log + k * won + (trials - k) * lost) for k, log in enumerate(binomials)))


def binomial_interval(count: int, trials: int) -> tuple[float, float]:
    """Return the 95 % interval of a probability after this many successes (Clopper and Pearson 1934).

    >>> [round(end, 3) for end in binomial_interval(2, 10)]
    [0.025, 0.556]
    """

    def least(successes: int) -> float:
        """The probability with which this many successes or more come in 2.5 % of the cases."""
        low, high = 0.0, 1.0
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if 1 - binomial_at_most(successes - 1, trials, middle) < 0.025 else (low, middle)
        return low

    return (least(count) if count else 0.0), (1 - least(trials - count) if count < trials else 1.0)
