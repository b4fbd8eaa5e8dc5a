"""Finding transitions by state and label."""

from __future__ import annotations

import numpy as np

from outplay.game.algebra import row_of_each
from outplay.strategy.suspicion._kernels import AnsweringRows
from outplay.strategy.suspicion.steps import States

NOWHERE = -1


class Lookup:
    """The transitions of a behaviour, found by where they begin and what they say.

    >>> from outplay import automaton
    >>> from outplay.conformance.transition_table import table_of
    >>> from outplay.strategy.suspicion.rows import rows_of
    >>> lamp = table_of(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    >>> Lookup(rows_of(lamp), len(lamp.labels)).following(0, np.array([0, 1])).tolist()
    [1, -1]
    """

    def __init__(self, rows: AnsweringRows, labels: int) -> None:
        self._rows, self._labels = rows, labels
        self._keys = row_of_each(rows.first) * labels + rows.label

    def edge(self, state: int, label: int) -> int | None:
        """The transition of a state that has a label."""
        wanted = state * self._labels + label
        place = int(np.searchsorted(self._keys, wanted))
        return place if place < len(self._keys) and self._keys[place] == wanted else None

    def following(self, label: int, states: States) -> States:
        """Where a label leads from each of some states; -1 where it leads nowhere."""
        if not len(self._keys):
            return np.full(len(states), NOWHERE)
        wanted = states * self._labels + label
        place = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        return np.where(self._keys[place] == wanted, self._rows.target[place], NOWHERE)
