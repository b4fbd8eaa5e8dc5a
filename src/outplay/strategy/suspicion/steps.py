"""The steps that are suspected as one: a transition or, where the system owes an answer, the question together with it.

A state that offers nothing but answers is only the moment between a question and its answer; many questions may share
it. Which of them leads astray is the question's own matter, so each question has its own suspicions of where its
answers lead, and they are met by asking it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

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
