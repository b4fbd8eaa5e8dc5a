"""A behaviour as the suspicion game reads it: found by state and label, with chances of answers as they are learnt."""

from __future__ import annotations

import numpy as np

from outplay.conformance.transition_table import TransitionTable
from outplay.game.algebra import row_of_each
from outplay.strategy.suspicion._kernels import AnsweringRows
from outplay.strategy.suspicion.steps import States

NOWHERE = -1


def rows_of(table: TransitionTable) -> AnsweringRows:
    """The rows of a table, all answers of a state equally likely."""
    first = table.first.astype(np.int64)
    inputs = np.concatenate([[0], np.cumsum(table.label < table.inputs)])
    split = first[:-1] + inputs[first[1:]] - inputs[first[:-1]]
    answers = first[1:] - split
    chance = np.where(table.label < table.inputs, 0.0, 1.0 / np.maximum(answers, 1)[table.source])
    return AnsweringRows(first, split, table.label.astype(np.int64), table.target.astype(np.int64), chance)


class Lookup:
    """The transitions of a behaviour, found by where they begin and what they say.

    >>> from outplay import automaton
    >>> from outplay.conformance.transition_table import table_of
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
        """Return the targets of a label from each of some states; -1 where it leads nowhere."""
        if not len(self._keys):
            return np.full(len(states), NOWHERE)
        wanted = states * self._labels + label
        place = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        return np.where(self._keys[place] == wanted, self._rows.target[place], NOWHERE)


class Learnt:
    """The probability of each answer: each of a state was seen once before all is begun (Laplace's rule of
    succession).
    """

    def __init__(self, rows: AnsweringRows) -> None:
        self.rows = rows
        self.seen = np.zeros(len(rows.label), dtype=np.int64)

    def saw(self, state: int, edge: int) -> None:
        """Count what happened, and reckon anew with the answers of a state."""
        rows = self.rows
        self.seen[edge] += 1
        if edge >= rows.split[state]:
            here = slice(int(rows.split[state]), int(rows.first[state + 1]))
            counts = self.seen[here] + 1.0
            rows.chance[here] = counts / counts.sum()
