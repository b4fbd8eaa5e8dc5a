"""How likely each answer is, learnt in its state and where the same may be said.

Before all is begun each answer of a state counts as seen once (Laplace's rule of succession). But a server that always
sends its receipt before it sends the news does so in every state in which both may come; who learns that in each state
alone goes on hoping for the other order, and for all that could be seen after it, in one state after the other. So what
counts as seen before is as much, but shared among the names of the answers as they came in all states with these names,
whatever their arguments. Where all answers have one name there is nothing to be learnt from elsewhere.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

import numpy as np

from outplay.conformance.transition_table import TransitionTable
from outplay.strategy.suspicion._kernels import AnsweringRows
from outplay.strategy.suspicion.rows import Learnt
from outplay.strategy.suspicion.steps import Floats, States


class _Alike(NamedTuple):
    """States in which answers of the same names may come, and how often each name came."""

    edges: States
    """All their answers."""
    name: States
    source: States
    of_state: Floats
    """How many answers the state of each has."""
    of_name: Floats
    """How many of them have its name."""
    came: Floats


class LearntAlike(Learnt):
    """Learnt answers, where states that may say the same learn from each other."""

    def __init__(self, rows: AnsweringRows, table: TransitionTable) -> None:
        super().__init__(rows)
        self._heard: Floats = np.zeros(len(rows.first) - 1)
        self._alike: dict[int, _Alike] = {}
        kinds: dict[Hashable, list[int]] = {}
        for state in np.flatnonzero(rows.first[1:] - rows.split > 1).tolist():
            names = frozenset(table.labels[label].gate for label in rows.label[self._answers(state)].tolist())
            kinds.setdefault(names if len(names) > 1 else state, []).append(state)
        for states in kinds.values():
            self._alike.update(dict.fromkeys(states, self._gathered(states, table)))

    def _answers(self, state: int) -> slice:
        return slice(int(self.rows.split[state]), int(self.rows.first[state + 1]))

    def _gathered(self, states: list[int], table: TransitionTable) -> _Alike:
        rows, numbers = self.rows, dict[str, int]()
        answers = rows.first[1:][states] - rows.split[states]
        edges = np.concatenate([np.arange(rows.split[state], rows.first[state + 1]) for state in states])
        gates = (table.labels[label].gate for label in rows.label[edges].tolist())
        name = np.array([numbers.setdefault(gate, len(numbers)) for gate in gates])
        place = np.repeat(np.arange(len(states)), answers)
        each, many = np.unique(place * len(numbers) + name, return_inverse=True, return_counts=True)[1:]
        of_state, of_name = answers[place].astype(np.float64), many[each].astype(np.float64)
        return _Alike(edges, name, np.array(states)[place], of_state, of_name, np.zeros(len(numbers)))

    def saw(self, state: int, edge: int) -> None:
        """Count what happened, and reckon anew with the answers of all states like this one."""
        self.seen[edge] += 1
        alike = self._alike.get(state)
        if alike is None or edge < self.rows.split[state]:
            return
        self._heard[state] += 1
        alike.came[alike.name[np.searchsorted(alike.edges, edge)]] += 1
        came, most = alike.came[alike.name], alike.came.sum() + alike.of_state
        before = alike.of_state * (came + alike.of_name) / (most * alike.of_name)
        total = self._heard[alike.source] + alike.of_state
        self.rows.chance[alike.edges] = (self.seen[alike.edges] + before) / total
