"""How often an output comes before an input that was meant: learnt while playing.

One system answers at once, and whoever means to give the next input before an answer never can; another is slow, or has
a timer that may run out at any time. So what was seen in a state counts there, then where the same outputs may come,
whatever their arguments, and then everywhere: each counts as so many tries for the one before it. A plan that rests on
winning a race that is always lost would else be tried again and again.
"""

from __future__ import annotations

import numpy as np

from outplay.conformance.transition_table import TransitionTable
from outplay.strategy.suspicion.steps import Floats, States

BEFORE = (0.5, 5.0)  # of so many inputs that an output could forestall, before any was seen, this many were
TRIES = 4.0  # that what is known of alike states, or of all of them, counts for


class RaceOdds:
    """In each state how likely an output is to forestall an input."""

    def __init__(self, table: TransitionTable) -> None:
        heard = [_outputs(table, state) for state in range(table.state_count)]
        numbers: dict[frozenset[str], int] = {}
        asked = np.bincount(table.source[table.label < table.inputs], minlength=table.state_count) > 0
        self._states: States = np.flatnonzero(asked & np.array([bool(one) for one in heard], dtype=bool))
        """Those that have inputs and outputs."""
        kinds = [numbers.setdefault(heard[state], len(numbers)) for state in self._states.tolist()]
        self._kind = np.array(kinds, dtype=np.int64)
        self._place = {state: place for place, state in enumerate(self._states.tolist())}
        self._here = np.zeros((2, len(kinds)))
        self._alike = np.zeros((2, len(numbers)))
        self._all = np.zeros(2)
        """Of each: how many were lost, and tried."""
        self.lost: Floats = np.zeros(table.state_count)
        """How likely it is in each state; where there is no race, 0."""
        self._reckon()

    @property
    def counts(self) -> tuple[int, int, float]:
        """How many inputs were forestalled, of how many that could be, and how likely that is by now."""
        return int(self._all[0]), int(self._all[1]), self._everywhere

    @property
    def _everywhere(self) -> float:
        lost, tried = self._all + BEFORE
        return float(lost / tried)

    def saw(self, state: int, *, lost: bool) -> None:
        """An input was meant, and was given, or an output came first."""
        place = self._place.get(state)
        if place is None:
            return
        for counts, at in ((self._here, place), (self._alike, int(self._kind[place])), (self._all[:, None], 0)):
            counts[:, at] += lost, 1
        self._reckon()

    def _reckon(self) -> None:
        alike = (self._alike[0] + TRIES * self._everywhere) / (self._alike[1] + TRIES)
        self.lost[self._states] = (self._here[0] + TRIES * alike[self._kind]) / (self._here[1] + TRIES)


def _outputs(table: TransitionTable, state: int) -> frozenset[str]:
    """What a state may say, without arguments."""
    labels = (table.labels[label] for label in table.moves(state))
    return frozenset(label.gate for label in labels if label.is_output)
