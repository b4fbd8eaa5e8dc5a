"""A behaviour as the suspicion game reads it: found by state and label, with chances of answers as they are learnt.

The steps that are suspected as one: a transition or, where the system owes an answer, the question together with it. A
state that offers nothing but answers is only the moment between a question and its answer; many questions may share it.
Which of them leads astray is the question's own matter, so each question has its own suspicions of where its answers
lead, and they are met by asking it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from outplay.conformance.transition_table import TransitionTable
from outplay.game.algebra import row_of_each
from outplay.strategy.suspicion._kernels import AnsweringRows

Floats = NDArray[np.float64]
States = NDArray[np.int64]


class Steps:
    """The steps of a behaviour, numbered: first one for each transition, then one for each answer to each question."""

    def __init__(self, rows: AnsweringRows, silence: int) -> None:
        first, split, target = rows.first, rows.split, rows.target
        edges = len(target)
        owes = (split == first[:-1]) & (first[1:] > split)
        source = row_of_each(first)
        asks = owes[target] & (np.arange(edges) < split[source])
        answers = np.where(asks, first[target + 1] - split[target], 0)
        self._asks, self._first = asks, edges + np.concatenate([[0], np.cumsum(answers)])
        question = np.repeat(np.arange(edges), answers)
        answer = np.arange(len(question)) - (self._first[question] - edges) + split[target[question]]
        self._split = split
        self.credited: States = np.concatenate([np.arange(edges), question])
        """By which transition each step is met."""
        self.edge: States = np.concatenate([np.arange(edges), answer])
        """The transition that each step ends with."""
        self.target: States = np.concatenate([target, target[answer]])
        share = np.concatenate([np.ones(edges), 1.0 / np.maximum(answers, 1)[question]])
        self.share: Floats = share
        """The probability in that case."""
        self.passing = np.concatenate([asks, np.zeros(len(question), dtype=bool)])
        """Steps to a state that owes an answer, whose suspects show in that answer or belong to a step with it."""
        unasked = np.ones(edges, dtype=bool)
        unasked[answer] = False
        unasked = np.concatenate([unasked, np.ones(len(question), dtype=bool)])
        self.suspected = unasked & (rows.label[self.edge] != silence)
        """All but the answers that belong to questions, and silence: where nothing happens nothing leads astray."""

    def __len__(self) -> int:
        return len(self.target)

    def number(self, before: int | None, edge: int, state: int) -> int:
        """The step that a transition from a state is, after the transition before it."""
        if before is None or not self._asks[before]:
            return edge
        return int(self._first[before] + edge - self._split[state])


NOWHERE = -1


def answering_rows(table: TransitionTable) -> AnsweringRows:
    """Return the rows of a behaviour table, all answers of a state equally likely."""
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
    >>> Lookup(answering_rows(lamp), len(lamp.labels)).following(0, np.array([0, 1])).tolist()
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
