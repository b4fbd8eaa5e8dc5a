"""The plan for where to go next: the one that meets the most suspicion for each label.

A plan gives inputs, waits and starts again, up to a horizon, and may end at any time. Wanted is the plan with the
largest ratio of suspicion met to labels used, both expected: the largest price of a label at which some plan is still
worth its labels. It is found by raising the price to the ratio of the best plan at the last price (Dinkelbach 1967),
from one decision to the next, where it changes little.

The probability of each answer, learnt in its state and where the same may be said. Before all is begun each answer of a
state counts as seen once (Laplace's rule of succession). But a server that always sends its receipt before it sends the
news does so in every state in which both may come; who learns that in each state alone goes on hoping for the other
order, and for all that could be seen after it, in one state after the other. So what counts as seen before is as much,
but shared among the names of the answers as they came in all states with these names, whatever their arguments. Where
all answers have one name there is nothing to be learnt from elsewhere.

The chance that an output comes before an input that was meant: learnt while playing. One system answers at once, and
whoever means to give the next input before an answer never can; another is slow, or has a timer that may run out at any
time. So what was seen in a state counts there, then where the same outputs may come, whatever their arguments, and then
everywhere: each counts as this many tries for the one before it. A plan that rests on winning a race that is always
lost would else be tried again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import NamedTuple

import numpy as np

from outplay.compiling import COMPILE_FROM_EDGES, best_for
from outplay.conformance.transition_table import TransitionTable
from outplay.game.algebra import row_entries
from outplay.strategy.suspicion._kernels import AnsweringRows, PlanValues, Terms, best_plans, nearest
from outplay.strategy.suspicion.behaviour_table import Floats, Learnt, States


class _Alike(NamedTuple):
    """States in which answers of the same names may come, and how often each name came."""

    edges: States
    """All their answers."""
    name: States
    source: States
    of_state: Floats
    """The number of answers of the state of each."""
    of_name: Floats
    """The number of answers with the same name."""
    came: Floats


class PooledEstimates(Learnt):
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


BEFORE = (0.5, 5.0)  # of this many inputs that an output could forestall, before any was seen, this many were
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
        """The probability in each state; where there is no race, 0."""
        self._reckon()

    @property
    def counts(self) -> tuple[int, int, float]:
        """Return the number of inputs that were forestalled, of how many that could be, and the probability by now."""
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
    """Return the possible outputs of a state, without arguments."""
    labels = (table.labels[label] for label in table.moves(state))
    return frozenset(label.gate for label in labels if label.is_output)


HORIZON = 32
ROUNDS = 2  # prices tried for a decision
AROUND = 2000  # states that a plan looks at
_LEAST = 1e-9


class SuspicionPlan:
    """The best plans from where the play is."""

    def __init__(self, rows: AnsweringRows, races: RaceOdds, initial: int, silence: int) -> None:
        self._rows, self._races, self._initial, self._silence = rows, races, initial, silence
        states = len(rows.first) - 1
        self._now, self._then = PlanValues(*np.zeros((3, states))), PlanValues(*np.zeros((3, states)))
        self._mark, self._found = np.zeros(states, dtype=np.int64), np.zeros(states, dtype=np.int64)
        self._all = np.arange(states) if states <= AROUND else None
        self._looked = np.zeros(0, dtype=np.int64)
        self._reward, self._work = np.zeros(len(rows.label)), 0
        self.price = 1.0

    def worth(self, state: int, suspicion: Callable[[States | slice], Floats], *, fresh: bool) -> Floats:
        """Return the worth of each move, beside the best: the inputs in their order, waiting, and starting again."""
        rows, states = self._rows, self._around(state)
        edges = self._edges(states)
        reward = self._reward
        reward[edges] = suspicion(edges)
        self._work += len(reward[edges])
        # So much work is worth compiling; but each plan is made in a moment, in which no signal need be heard.
        kernel = best_for(best_plans, min(self._work, COMPILE_FROM_EDGES))
        for _ in range(ROUNDS):
            terms = Terms(self.price, self._initial, HORIZON, self._silence)
            kernel(states, rows, reward, self._races.lost, terms, self._now, self._then)
            worth, met, labels = self._moves(state, reward, fresh)
            best = int(np.argmax(worth))
            self.price = max(met[best] / max(labels[best], 1.0), _LEAST)
        return worth

    def _moves(self, state: int, reward: Floats, fresh: bool) -> tuple[Floats, Floats, Floats]:
        """For each move what it is worth, what is met by it and after it, and in how many labels."""
        rows = self._rows
        low, split, high = int(rows.first[state]), int(rows.split[state]), int(rows.first[state + 1])
        chance, race = rows.chance[split:high], float(self._races.lost[state])
        found = []
        for ahead, label in ((self._now.worth, -self.price), (self._now.met, 0.0), (self._now.labels, 1.0)):
            counted = 0.0 if label == 1.0 else 1.0
            each = counted * reward[low:high] + ahead[rows.target[low:high]] + label
            wait = float((chance * each[split - low :]).sum())
            give = (1 - race) * each[: split - low] + race * wait
            found.append(np.concatenate([give, [wait, ahead[self._initial] + label]]))
        worth, met, labels = found
        if split + 1 == high and rows.target[split] == state and rows.label[split] == self._silence:
            self._then_something_else(reward[split], worth, met, labels)
        if split == high:
            worth[-2] = -np.inf  # nothing can come of waiting
        if fresh or low == split < high:
            worth[-1] = -np.inf  # it has just been started, or an answer is owed
        return worth, met, labels

    def _then_something_else(self, reward: float, worth: Floats, met: Floats, labels: Floats) -> None:
        """Silence that lasts is waited for once: after it comes the best of the other moves, or nothing."""
        others = np.delete(np.arange(len(worth)), -2)
        best = int(others[np.argmax(worth[others])])
        ahead = (worth[best], met[best], labels[best]) if worth[best] > 0 else (0.0, 0.0, 0.0)
        worth[-2], met[-2], labels[-2] = ahead[0] + reward - self.price, ahead[1] + reward, ahead[2] + 1.0

    def _around(self, state: int) -> States:
        """The states a plan looks at: all, or those around here and around the start; what lies beyond is an end."""
        if self._all is not None:
            return self._all
        for array in (*self._now, *self._then):
            array[self._looked] = 0.0
        kernel, rows = best_for(nearest, 10 * AROUND), self._rows
        here = self._found[: kernel(state, rows, AROUND, self._mark, self._found)].copy()
        start = self._found[: kernel(self._initial, rows, AROUND // 4, self._mark, self._found)]
        self._looked = np.unique(np.concatenate([here, start]))
        return self._looked

    def _edges(self, states: States) -> States | slice:
        """The transitions of some states."""
        if states is self._all:
            return slice(None)
        return row_entries(self._rows.first, states)[0]
