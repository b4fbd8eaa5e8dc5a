"""Forecast against actual: what was said about a goal before a run, what happened, and whether the two agree.

A forecast of a sure win is a promise about every conforming play that keeps the test assumption; one that did not
arrive in the moves it had shows that the assumption was broken, or that the model or outplay is wrong.
A probability is none about single plays: a run that is far off, by a binomial test at one in a thousand, only shows
that this system does not choose with the probabilities of the model.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from outplay.campaign.outcome import Outcome
from outplay.play.audit import UNKNOWN, Audit
from outplay.plurals import counted, times
from outplay.strategy.forecast.entries import Forecast
from outplay.strategy.forecast.sentences import sentence
from outplay.verdict.verdicts import Pass

FAR_OFF = 0.001


@dataclass(frozen=True)
class Comparison:
    """What was forecast and what happened; `surprise` says where they disagree and why that may be, "" if nowhere."""

    goal: str
    forecast: str
    plays: int
    reached: tuple[int, ...]
    """For each play that reached the goal the moves it took."""
    surprise: str = ""

    def lines(self) -> list[str]:
        most = f", in at most {counted(max(self.reached), 'move')}" if self.reached else ""
        lines = [
            f"forecast: {self.goal} {self.forecast}",
            f"happened: reached in {len(self.reached):,} of {counted(self.plays, 'play')}{most}",
        ]
        return [*lines, f"surprise: {self.surprise}"] if self.surprise else lines

    def json(self) -> dict[str, object]:
        return {
            "goal": self.goal,
            "forecast": self.forecast,
            "plays": self.plays,
            "reached": len(self.reached),
            "most_moves": max(self.reached, default=None),
            "surprise": self.surprise or None,
        }


def compare(seen: Forecast, outcome: Outcome, audit: Audit | None = None, *, sure: bool = True) -> Comparison:
    """Hold the first entry of a forecast, made with `together=True`, against what a run of it came to.

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
    )


def _steps(outcome: Outcome) -> int | None:
    given = outcome.trace.header.options.get("steps")
    return int(given) if given is not None else None


def _surprise(seen: Forecast, outcome: Outcome, audit: Audit | None, sure: bool) -> str:
    entry, steps = seen.entries[0], _steps(outcome)
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
    if at_most(reached, plays, chance) < FAR_OFF:
        unknown = 0 if audit is None else audit.count(UNKNOWN)
        if unknown:
            return (
                f"less often than that, or nobody can tell: {times(unknown)} an output came so soon after an input "
                "that either may have been first; a smaller --latency may tell them apart"
            )
        return "less often than that: this system helps less than the probabilities say, or another goal was played for"
    if at_most(plays - reached, plays, 1.0 - chance) < FAR_OFF:
        return "more often than that: this system helps more than the probabilities say"
    return ""


def at_most(count: int, trials: int, chance: float) -> float:
    """The probability of at most so many successes among so many trials.

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
