"""A forecast in words, for people who have solved no game before: each entry as a sentence, for terminals and pages.

"Help" is what van den Bos 2020, chapter 6, calls a joker: the system, free to do otherwise, does what the tester
wishes, once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from outplay.game.graph import Game
from outplay.plurals import counted, times
from outplay.strategy.words import rounded

if TYPE_CHECKING:  # a forecast tells itself by these sentences
    from outplay.strategy.forecast.entries import Entry, Forced, Forecast, GoalValues

MOST_RIVALS = 2
MOST_HELPS = 2


def sentence(entry: Entry, forecast: Forecast) -> str:
    """Say what is to be expected of a target."""
    verdict = verdict_of(entry, forecast)
    return verdict if entry.forced or entry.jokers is None else f"{verdict}; {probability_in_words(entry, forecast)}"


def verdict_of(entry: Entry, forecast: Forecast) -> str:
    """Say whether a target is forced, what help it needs, or why it is impossible; chances apart."""
    if entry.forced:
        return _forced(entry.forced, forecast.counts_moves)
    if entry.impossible:
        return f"impossible: {entry.why}"
    return f"not forced: {entry.why}"


def probability_in_words(entry: Entry, forecast: Forecast) -> str:
    """The best probability, and what it costs on the average."""
    if entry.probability is None:
        return "the probability is not known"
    within = f"with probability {_probability(entry.probability)} within {counted(forecast.steps, 'move')}"
    if entry.expected_cost is None:
        return f"{within}, and never for sure"
    amount = rounded(entry.expected_cost)
    return f"{within}, {amount} moves expected" if forecast.counts_moves else f"{within}, cost {amount} expected"


def _forced(forced: Forced, counts_moves: bool) -> str:
    if forced.moves is None:
        return "forced" if forced.cost is None else f"forced at cost {rounded(forced.cost)}"
    if forced.moves == 0 and not forced.cost:
        return "holds at the start"
    cost = "" if counts_moves or forced.cost is None else f", cost {rounded(forced.cost)}"
    return f"forced in {counted(forced.moves, 'move')}{cost}"


def _probability(value: float) -> str:
    """Two digits that are not rounded to certainty."""
    if value in (0.0, 1.0):
        return f"{value:.0f}"
    return "above 0.99" if value > 0.99 else f"{value:.2g}"


def help_words(game: Game, edge: int) -> str:
    """Say what the system has to do so that it takes this edge, and what it might do instead.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("s ?go", "system").vertex("g", "tester")
    >>> game = builder.edge("s", "s ?go", moves=0).edge("s ?go", "g", "?go").edge("s ?go", "s", "!busy").build()
    >>> help_words(game, 1)
    'take ?go before it says !busy'
    >>> help_words(game, 2)
    'say !busy before it takes ?go'
    """
    label, others = game.label_of(edge), [other for other in game.edges_of(int(game.source[edge])) if other != edge]
    texts = list(dict.fromkeys(text for other in others if (text := game.label_of(other)) and text != label))
    inputs = [text for text in texts if text.startswith("?")]
    outputs = [text for text in texts if text not in inputs and text != "delta"]
    if not label:
        rivals = [game.names[int(game.target[other])] for other in others]
        return f"go to {game.names[int(game.target[edge])]} rather than {_listed(rivals)}"
    if label.startswith("?"):
        said = f"take {label}{f' before it says {_listed(outputs, one=True)}' if outputs else ''}"
    elif label == "delta":
        said = f"stay silent{f' rather than say {_listed(outputs)}' if outputs else ''}"
    else:
        instead = [*outputs, *(["nothing"] if "delta" in texts else [])]
        said = f"say {label}{f' rather than {_listed(instead)}' if instead else ''}"
        said += f" before it takes {_listed(inputs)}" if inputs else ""
    alike = any(game.label_of(other) == label for other in others)
    return f"{said} and go to {game.names[int(game.target[edge])]}" if alike else said


def explain(values: GoalValues, game: Game, *, states: int, members: int, stopped: bool) -> str:
    """Say why a target is forced, or what help it needs, or why it is impossible."""
    if values.forced:
        return "whatever the system does"
    if values.impossible:
        return _never(states, members, stopped)
    if values.jokers is None:
        return "the system can keep the tester away for ever, however fair it is to inputs"
    helps = [help_words(game, edge) for edge in values.helps]
    return f"needs help {times(values.jokers)} (the system has to {_in_turn(helps)})"


def _never(states: int, members: int, stopped: bool) -> str:
    if stopped:
        return f"not met in the {counted(states, 'state')} explored"
    if not members:
        return f"none of the {states:,} states has it" if states > 1 else "the only state does not have it"
    return f"no way leads there: whatever is done, play stays in {counted(states, 'other state')}"


def _in_turn(helps: Sequence[str]) -> str:
    more = len(helps) - MOST_HELPS
    listed = ", then to ".join(helps[:MOST_HELPS])
    return f"{listed}, and {more} more like this" if more > 0 else listed


def _listed(texts: Sequence[str], *, one: bool = False) -> str:
    if len(texts) > (1 if one else MOST_RIVALS):
        return "anything" if one else "anything else"
    return " or ".join(texts)
