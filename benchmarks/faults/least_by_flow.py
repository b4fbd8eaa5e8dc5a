"""What no tester can beat, by a linear program, where a model says one thing at most in each of its states.

Whoever plays such a model sees nothing but what it knows already, until the fault shows; so a tester is a walk through
the model, or a draw of one. Let x(t) be how often, on average, it has made a move within t labels. A mutant does as the
model does until the one move that it gets wrong is made. Each time it is, what goes wrong does so with a chance p at
most, and shows k labels later at the earliest. So within t labels no more than 1 - (1 - p)^n of it is found, where n is
how often the move was made within t - k labels; between whole numbers that is the straight line, which is concave, so
that n may be the average x(t - k) of walks that are drawn.

Walks are a flow of 1 through states and time. Of all flows the linear program finds the one with the least mean number
of labels, the sum over t of the share that is not yet found. Every tester is one of them, even if it knows the list of
all mutants; so the mean of none is below. What is not found within the time looked at counts no further.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array

from benchmarks.faults.playing import RESET, WAIT
from benchmarks.faults.rows import Rows
from benchmarks.faults.systems import System

LABELS = 200
MOST_STATES = 50
CORNERS = 6  # of the concave lines, beyond which they go on straight
Move = tuple[int, int]
"""A state, and what is done there: an input, `WAIT` or `RESET`."""


class Fault(NamedTuple):
    """All that counts of a mutant: the moves that go wrong, how likely at most, and how much later it shows."""

    moves: tuple[Move, ...]
    chance: float
    later: int


def is_small_walk(system: System) -> bool:
    """Whether the program applies, and is not too large: what a right system shows is known before."""
    states = range(len(system.moves))
    return len(states) <= MOST_STATES and not system.races and all(len(_answers(system, one)) <= 1 for one in states)


def least_by_flow(system: System, mutants: Sequence[Rows], labels: int = LABELS) -> float:
    """A number of labels that no tester needs less than, on average over the mutants."""
    return _Program(system, Counter(fault_of(system, rows) for rows in mutants), labels).least() / len(mutants)


def fault_of(system: System, rows: Rows) -> Fault:
    """Where a mutant differs from the model; all that it differs in counts as one, as likely as the likeliest."""
    wrong: list[Move] = []
    chance = 0.0
    for state in range(len(system.moves)):
        answers, shown = _answers(system, state), rows.shown(state)
        if sorted(answers) != sorted(shown):
            wrong.append((state, WAIT))
            chance = max(chance, 1 - sum(step in answers for step in shown) / len(shown))
        for label, target in _inputs(system, state):
            if rows.given(state).get(label, state) != target:
                wrong.append((state, label))
                chance = 1.0
    return Fault(tuple(wrong), chance, _later(system, rows, wrong))


def _later(system: System, rows: Rows, wrong: Iterable[Move]) -> int:
    """The fewest labels after a move that goes wrong until something forbidden is shown."""
    reached: set[tuple[int, int]] = set()
    for state, label in wrong:
        if label == WAIT:
            after = [(system.moves[state].get(one), target) for one, target in rows.shown(state)]
        else:
            after = [(system.moves[state][label], rows.given(state).get(label, state))]
        if any(at is None for at, _ in after):
            return 0
        reached |= {(at, there) for at, there in after if at is not None and at != there}
    later, seen = 0, set(reached)
    while reached:
        later += 1
        found = {pair for at, there in reached for pair in _next(system, rows, at, there)}
        if any(at is None for at, _ in found):
            return later
        reached = {(at, there) for at, there in found if at is not None} - seen
        seen |= reached
    raise ValueError("this mutant shows nothing that the model forbids")


def _next(system: System, rows: Rows, at: int, there: int) -> Iterator[tuple[int | None, int]]:
    """The states of model and system one label later; None where the model forbids it."""
    for label, target in rows.shown(there):
        yield system.moves[at].get(label), target
    for label, target in _inputs(system, at):
        yield target, rows.given(there).get(label, there)


def _answers(system: System, state: int) -> list[Move]:
    return [(label, target) for label, target in system.moves[state].items() if label >= system.table.inputs]


def _inputs(system: System, state: int) -> list[Move]:
    return [(label, target) for label, target in system.moves[state].items() if label < system.table.inputs]


class _Program:
    """Variables: for each label and move how likely it is made; how often it was made before; what is found of it."""

    def __init__(self, system: System, faults: Counter[Fault], labels: int) -> None:
        self._faults, self._labels, self._states = faults, labels, len(system.moves)
        self._targets: dict[Move, int] = {}
        for state in range(self._states):
            self._targets |= {(state, label): target for label, target in _inputs(system, state)}
            for _, target in _answers(system, state):  # one at most
                self._targets[state, WAIT] = target
            self._targets[state, RESET] = 0
        places = count()
        times = range(labels + 1)
        self._made = {(move, t): next(places) for t in range(labels) for move in self._targets}
        counted = dict.fromkeys(move for fault in faults for move in fault.moves)
        self._before = {(move, t): next(places) for move in counted for t in times}
        self._found = {(fault, t): next(places) for fault in faults for t in times}
        self._variables = next(places)

    def least(self) -> float:
        """The least sum of labels over all mutants."""
        cost, most = np.zeros(self._variables), np.full(self._variables, np.inf)
        for (fault, t), place in self._found.items():
            cost[place] = -self._faults[fault]
            most[place] = 1.0 if t > fault.later else 0.0
        for (_, t), place in self._before.items():
            most[place] = t
        equal, sums = self._matrix([*self._walks(), *self._counts()])
        below, bounds = self._matrix(list(self._shares()))
        limits = np.stack([np.zeros(self._variables), most], axis=1)
        answer = linprog(cost, A_ub=below, b_ub=bounds, A_eq=equal, b_eq=sums, bounds=limits, method="highs-ipm")
        assert answer.status == 0, answer.message
        return float(self._faults.total() * (self._labels + 1) + answer.fun)

    def _matrix(self, rows: Sequence[_Row]) -> tuple[coo_array, np.ndarray]:
        entries = [(number, place, factor) for number, row in enumerate(rows) for place, factor in row.factors]
        number, place, factor = zip(*entries, strict=True)
        matrix = coo_array((factor, (number, place)), shape=(len(rows), self._variables)).tocsr()
        return matrix, np.array([row.bound for row in rows])

    def _walks(self) -> Iterator[_Row]:
        """Whoever is in a state makes a move there."""
        here: list[list[Move]] = [[] for _ in range(self._states)]
        into: list[list[Move]] = [[] for _ in range(self._states)]
        for move, target in self._targets.items():
            here[move[0]].append(move)
            into[target].append(move)
        for t in range(self._labels):
            for state in range(self._states):
                before = [(self._made[move, t - 1], -1.0) for move in into[state]] if t else []
                now = [(self._made[move, t], 1.0) for move in here[state]]
                yield _Row([*now, *before], 1.0 if t == 0 and state == 0 else 0.0)

    def _counts(self) -> Iterator[_Row]:
        for (move, t), place in self._before.items():
            if t == 0:
                yield _Row([(place, 1.0)], 0.0)
            else:
                before = [(self._before[move, t - 1], -1.0), (self._made[move, t - 1], -1.0)]
                yield _Row([(place, 1.0), *before], 0.0)

    def _shares(self) -> Iterator[_Row]:
        """What is found lies below the line from each corner to the next."""
        for (fault, t), place in self._found.items():
            if t <= fault.later:
                continue
            for corner in range(CORNERS if fault.chance < 1 else 1):
                low, high = (1 - (1 - fault.chance) ** times for times in (corner, corner + 1))
                made = [(self._before[move, t - fault.later], low - high) for move in fault.moves]
                yield _Row([(place, 1.0), *made], low - (high - low) * corner)


class _Row(NamedTuple):
    """Σ factor · variable, and what it equals or is at most."""

    factors: list[tuple[int, float]]
    bound: float
