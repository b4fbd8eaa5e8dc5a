"""A forecast in words, for people who have solved no game before: each entry as a sentence, for terminals and pages.

"Help" is what van den Bos 2020, chapter 6, calls a joker: the system, free to do otherwise, does what the tester
wishes, once.

A forecast line by line, as the terminal shows it: kind by kind, the easiest first, folded to a width.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from outplay.escaping import escaped
from outplay.game.graph import Game
from outplay.plurals import counted, times
from outplay.strategy.forecast.listed_goals import KINDS
from outplay.strategy.number_format import format_rounded

if TYPE_CHECKING:
    from outplay.strategy.forecast.entries import Entry, Forced, Forecast, GoalValues


MOST_RIVALS = 2
MOST_HELPS = 2


def sentence(entry: Entry, forecast: Forecast) -> str:
    """Say in a sentence what is to be expected of the target of a forecast."""
    verdict = verdict_of(entry, forecast)
    return verdict if entry.forced or entry.jokers is None else f"{verdict}; {_probability_in_words(entry, forecast)}"


def verdict_of(entry: Entry, forecast: Forecast) -> str:
    """Say whether a forecast's target is forced, what help it needs, or why it is impossible; chances apart."""
    if entry.forced:
        return _forced(entry.forced, forecast.counts_moves)
    if entry.impossible:
        return f"impossible: {entry.why}"
    return f"not forced: {entry.why}"


def _probability_in_words(entry: Entry, forecast: Forecast) -> str:
    """The best probability, and what it costs on the average."""
    if entry.probability is None:
        return "the probability is not known"
    within = f"with probability {_probability(entry.probability)} within {counted(forecast.steps, 'move')}"
    if entry.expected_cost is None:
        return f"{within}, but never surely"
    amount = format_rounded(entry.expected_cost)
    return f"{within}, {amount} moves expected" if forecast.counts_moves else f"{within}, cost {amount} expected"


def _forced(forced: Forced, counts_moves: bool) -> str:
    if forced.moves is None:
        return "forced" if forced.cost is None else f"forced at cost {format_rounded(forced.cost)}"
    if forced.moves == 0 and not forced.cost:
        return "holds at the start"
    cost = "" if counts_moves or forced.cost is None else f", cost {format_rounded(forced.cost)}"
    return f"forced in {counted(forced.moves, 'move')}{cost}"


def _probability(value: float) -> str:
    """Two digits that are not rounded to certainty."""
    if value in (0.0, 1.0):
        return f"{value:.0f}"
    return "above 0.99" if value > 0.99 else f"{value:.2g}"


def _help_words(game: Game, edge: int) -> str:
    """Say what the system has to do so that it takes this edge, and what it might do instead.

    >>> from outplay import GameBuilder
    >>> builder = GameBuilder().vertex("s", "tester").vertex("s ?go", "system").vertex("g", "tester")
    >>> game = builder.edge("s", "s ?go", moves=0).edge("s ?go", "g", "?go").edge("s ?go", "s", "!busy").build()
    >>> _help_words(game, 1)
    'take ?go before it says !busy'
    >>> _help_words(game, 2)
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


def explain(values: GoalValues, game: Game, *, states: int, members: int, stopped: bool, unmet: str = "") -> str:
    """Explain why a forecast's target is forced, what help it needs, or why it is impossible."""
    if values.forced:
        return "whatever the system does"
    if values.impossible:
        return f"{_never(states, members, stopped)}{f': {unmet}' if unmet else ''}"
    if values.jokers is None:
        return "the system can keep the tester away for ever, however fair it is to inputs"
    helps = [_help_words(game, edge) for edge in values.helps]
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


SHOWN = 12
"""Of each kind, where not all are asked for."""
WIDTH = 100
_NARROWEST = 60
_WIDEST_NAME = 40


@dataclass(frozen=True)
class Listing:
    """The listing of a forecast."""

    most: int | None = SHOWN
    """Of each kind; goals are always told in full."""
    width: int = WIDTH
    more: str = "`entries` has them"
    """The place of those that were left out."""
    painted: Callable[[str, Entry], str] = lambda line, entry: line
    """Takes the first line of each entry, for one who has colours."""

    def lines(self, seen: Forecast) -> Iterator[str]:
        """All of a forecast: those that were named one after the other, else kind by kind."""
        if scope := seen.game.origin.scope:
            yield scope.rstrip()
        if seen.named:
            yield from self._flat(seen, seen.entries)
            return
        groups = {kind: [entry for entry in seen.entries if entry.kind == kind] for kind in KINDS}
        filled = {kind: entries for kind, entries in groups.items() if entries}
        if not filled:
            yield "nothing to forecast: the model has no goals; name targets with --goal, or ask for kinds with --of"
        for kind, entries in filled.items():
            yield f"{kind}s: {_summary(entries)}"
            most = self.most
            if most is None or len(entries) <= most or kind == "goal":
                yield from self._flat(seen, entries)
            else:
                easy, hard = entries[: most // 2], entries[len(entries) - (most - most // 2) :]
                yield from self._flat(seen, [*easy, *hard], gap=len(easy), left=len(entries) - most)

    def _flat(self, seen: Forecast, entries: Sequence[Entry], *, gap: int = -1, left: int = 0) -> Iterator[str]:
        """One target after the other; after `gap` of them a word about those that are left out."""
        width = min(max(len(entry.name) for entry in entries), _WIDEST_NAME)
        for place, entry in enumerate(entries):
            if place == gap:
                yield f"  … {left:,} more between these; {self.more}"
            first, *rest = self._folded(entry.name, [sentence(entry, seen), *filter(None, [entry.about])], width)
            yield self.painted(first, entry)
            yield from rest

    def _folded(self, name: str, texts: Sequence[str], width: int) -> Iterator[str]:
        """A name in its column and texts beside it, folded."""
        name = escaped(name)
        room = max(self.width, _NARROWEST) - width - 4
        fold = textwrap.TextWrapper(room, break_long_words=False, break_on_hyphens=False)
        first, *rest = [line for text in texts for line in fold.wrap(escaped(text))]
        if len(name) > width:
            yield f"  {name}"
            yield f"  {'':{width}}  {first}"
        else:
            yield f"  {name:{width}}  {first}"
        for line in rest:
            yield f"  {'':{width}}  {line}"


def _summary(entries: Sequence[Entry]) -> str:
    forced = sum(entry.forced is not None for entry in entries)
    never = sum(entry.impossible for entry in entries)
    parts = {"forced": forced, "not forced": len(entries) - forced - never, "impossible": never}
    return ", ".join(f"{count:,} {what}" for what, count in parts.items() if count)
