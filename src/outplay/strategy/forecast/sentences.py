"""A prospect as one sentence, for terminals and pages."""

from __future__ import annotations

from fractions import Fraction

from outplay.strategy.forecast.prospects import Forecast, Prospect
from outplay.strategy.forecast.solver import Forced


def sentence(prospect: Prospect, forecast: Forecast) -> str:
    """Say what is to be expected of a target."""
    told = verdict_of(prospect, forecast)
    return told if prospect.forced or prospect.jokers is None else f"{told}; {chances(prospect, forecast)}"


def verdict_of(prospect: Prospect, forecast: Forecast) -> str:
    """Say whether a target is forced, what help it needs, or why it is impossible; chances apart."""
    if prospect.forced:
        return _forced(prospect.forced, forecast.counts_moves)
    if prospect.impossible:
        return f"impossible: {prospect.why}"
    return f"not forced: {prospect.why}"


def chances(prospect: Prospect, forecast: Forecast) -> str:
    """The best probability, and what it costs on the average."""
    if prospect.probability is None:
        return "the probability is not known"
    within = f"with probability {_probability(prospect.probability)} within {_moves(forecast.steps)}"
    if prospect.expected_cost is None:
        return f"{within}, and never for sure"
    amount = number(prospect.expected_cost)
    return f"{within}, {amount} moves expected" if forecast.counts_moves else f"{within}, cost {amount} expected"


def number(value: float | Fraction) -> str:
    """A number as people write it: whole where it is whole, else with three digits."""
    return f"{int(value):,}" if value == int(value) else f"{float(value):,.3g}"


def _forced(forced: Forced, counts_moves: bool) -> str:
    if forced.moves is None:
        return "forced" if forced.cost is None else f"forced at cost {number(forced.cost)}"
    if forced.moves == 0 and not forced.cost:
        return "holds at the start"
    cost = "" if counts_moves or forced.cost is None else f", cost {number(forced.cost)}"
    return f"forced in {_moves(forced.moves)}{cost}"


def _moves(count: int) -> str:
    return f"{count} move{'' if count == 1 else 's'}"


def _probability(value: float) -> str:
    """Two digits that are not rounded to certainty."""
    if value in (0.0, 1.0):
        return f"{value:.0f}"
    return "above 0.99" if value > 0.99 else f"{value:.2g}"
