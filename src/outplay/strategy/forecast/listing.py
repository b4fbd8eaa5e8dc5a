"""A forecast line by line, as the terminal shows it: kind by kind, the easiest first, folded to a width."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from outplay.escaping import escaped
from outplay.strategy.forecast.listed_goals import KINDS
from outplay.strategy.forecast.sentences import sentence

if TYPE_CHECKING:  # a forecast lists itself
    from outplay.strategy.forecast.entries import Entry, Forecast

SHOWN = 12
"""Of each kind, where not all are asked for."""
WIDTH = 100
_NARROWEST = 60
_WIDEST_NAME = 40


@dataclass(frozen=True)
class Listing:
    """How a forecast is listed."""

    most: int | None = SHOWN
    """Of each kind; goals are always told in full."""
    width: int = WIDTH
    more: str = "`entries` has them"
    """Where those are that were left out."""
    painted: Callable[[str, Entry], str] = lambda line, entry: line
    """Takes the first line of each entry, for one who has colours."""

    def lines(self, seen: Forecast) -> Iterator[str]:
        """All of a forecast: those that were named one after the other, else kind by kind."""
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
