"""What experiments can show."""

from __future__ import annotations

from collections.abc import Iterator

from outplay.conformance.distinguishing.experiment import Experiment
from outplay.model.label import Label


def observations(experiment: Experiment) -> Iterator[tuple[Label, ...]]:
    """All traces that come to an end; there may be very many."""
    stack: list[tuple[Experiment, tuple[Label, ...]]] = [(experiment, ())]
    while stack:
        part, trace = stack.pop()
        if not part.moves:
            yield trace
        stack += [(after, (*trace, label)) for label, after in reversed(part.moves.items())]
