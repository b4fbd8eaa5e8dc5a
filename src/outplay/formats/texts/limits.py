"""What a file may hold at most, looked at before anything is built."""

from __future__ import annotations

from dataclasses import dataclass

from outplay.formats.texts.source import Source

LONGEST_LABEL = 100_000  # characters; reading a label takes time and room for each of them


@dataclass(frozen=True)
class ReadLimits:
    """What a file may hold at most; looked at before anything is built."""

    states: int = 1_000_000
    edges: int = 10_000_000
    depth: int = 100

    def refuse_states(self, source: Source, line: int, column: int, count: int) -> None:
        """Raise when there are too many states."""
        if count > self.states:
            what = f"{count:,} states, more than {self.states:,}; raise --max-states or make the model smaller"
            raise source.error(line, column, what)

    def refuse_edges(self, source: Source, line: int, column: int, count: int) -> None:
        """Raise when there are too many transitions."""
        if count > self.edges:
            what = f"{count:,} transitions, more than {self.edges:,}; raise --max-edges or make the model smaller"
            raise source.error(line, column, what)


LIMITS = ReadLimits()
