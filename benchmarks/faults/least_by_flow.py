"""What no tester can beat, by a linear program, whatever the model may say by chance and whoever comes first.

Until a mutant goes wrong, play is that of the model: its outputs come with the same chances, which a tester knows, and
what it sees tells it nothing of the mutant. So up to there a tester is a way to make moves in the model by chance. Let
x(m, t) be how likely it makes the move m as its label t + 1. A mutant is followed beside the model in pairs of states,
and for each state of the model one of these pairs is *in step*. Whatever else happens is that it parts: a label comes
that the model forbids, or one that leads to another pair, or one that comes more often than of the model. So

- in its label t + 1 it parts in some way c at most with the chance Σ p(m, c) · x(m, t), and it does so only once;
- having parted, it is found within j labels more with no more than the chance r(c, j) of the best tester who knows the
  mutant and where it is, which value iteration gives;
- where all moves in which it may part have one outcome in the model, n of them let it part no more often than
  1 - (1 - p)^n; between whole numbers that is the straight line, which is concave, so that n may be a mean.

Moves are a flow of 1 through states and time. Of all flows the linear program finds the one with the least mean number
of labels, the sum over t of the share that is not yet found. Every tester is one of them, even one that knows the list
of all mutants; so the mean of none is below. What is not found within the time looked at counts no further. Which pairs
count as in step makes no difference to that; here it is those that show least.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_array

from benchmarks.faults.any_tester import pairs_of
from benchmarks.faults.playing import RESET, WAIT
from benchmarks.faults.rows import Rows
from benchmarks.faults.systems import System

LABELS = 200
MOST_MOVES = 2_000
VARIABLES = 40_000  # moves and labels at most; where there are many moves fewer labels are looked at
CORNERS = 6  # of the concave lines, beyond which they go on straight
PARTS = 64  # chances that a mutant shows are rounded up to these
_LEAST = 1e-12
Move = tuple[int, int]
"""A state, and what is done there: an input, `WAIT` or `RESET`."""
Outcomes = list[tuple[float, int, int]]
"""Chances with a label and what is there after it."""


class Fault(NamedTuple):
    """The moves in which a mutant parts, with the chances, by how soon that may be found: within 0, 1, … labels."""

    parts: tuple[tuple[tuple[int, ...], tuple[tuple[Move, float], ...]], ...]

    @property
    def moves(self) -> dict[Move, float]:
        """How likely it parts in each move."""
        found: dict[Move, float] = {}
        for _, moves in self.parts:
            for move, chance in moves:
                found[move] = found.get(move, 0.0) + chance
        return found


def is_small(system: System) -> bool:
    """Whether the program is not too large."""
    return len(_moves(system)) <= MOST_MOVES


def least_by_flow(system: System, mutants: Sequence[Rows], labels: int = LABELS) -> float:
    """A number of labels that no tester needs less than, on average over the mutants."""
    labels = min(labels, VARIABLES // len(_moves(system)))
    faults = Counter(fault_of(system, rows, labels) for rows in mutants)
    return _Program(system, faults, labels).least() / len(mutants)


def _moves(system: System) -> list[Move]:
    """All moves: inputs, waiting and, but in the first state, a reset."""
    found = list[Move]()
    for state, row in enumerate(system.moves):
        found += [(state, label) for label in row if label < system.table.inputs]
        found += [(state, WAIT)] if any(label >= system.table.inputs for label in row) else []
        found += [(state, RESET)] if state else []
    return found


class _Pairs:
    """The pairs of model and system that plays of a mutant reach, and what comes of each move there."""

    def __init__(self, system: System, rows: Rows) -> None:
        self.model, self.after, self._waiting, self._hasty, self._taken, self.there = pairs_of(system, rows)
        self._inputs = system.table.inputs
        self._enabled = np.zeros((len(system.moves), self._inputs), dtype=bool)
        for state, row in enumerate(system.moves):
            self._enabled[state, [label for label in row if label < self._inputs]] = True

    def found_within(self, labels: int) -> NDArray[np.float64]:
        """How likely the best tester who knows the mutant finds it within 0, 1, … labels, a row for each pair."""
        count = len(self.model)
        found = np.zeros((labels, count + 1))
        found[:, count] = 1.0  # beyond the pairs that are looked at
        wrong = 1.0 - self._waiting.sum(axis=1)
        forestalled = 1.0 - self._taken - self._hasty.sum(axis=1)
        enabled = self._enabled[self.model]
        for within in range(1, labels):
            last = found[within - 1]
            best = np.maximum(wrong + (self._waiting * last[self.after]).sum(axis=1), last[0])
            hasty = forestalled + (self._hasty * last[self.after]).sum(axis=1)
            given = hasty[:, None] + self._taken[:, None] * last[self.after[:, : self._inputs]]
            found[within, :count] = np.maximum(best, np.where(enabled, given, 0.0).max(axis=1, initial=0.0))
        return np.minimum(found[:, :count].T, 1.0)

    def outcomes(self, pair: int, move: int) -> Outcomes:
        """What a move leads to that the model allows: chances with labels and pairs."""
        if move == RESET:
            return [(1.0, RESET, 0)]
        chances = (self._waiting if move == WAIT else self._hasty)[pair]
        found = [(float(chances[label]), int(label), int(self.after[pair, label])) for label in np.flatnonzero(chances)]
        return found + ([] if move == WAIT else [(float(self._taken[pair]), move, int(self.after[pair, move]))])


def fault_of(system: System, rows: Rows, labels: int = LABELS) -> Fault:
    """Where a mutant parts from the model."""
    pairs, right = _Pairs(system, rows), _right(system)
    within = np.ceil(PARTS * pairs.found_within(labels) - 1e-9).astype(np.int64)
    in_step = _in_step(pairs, within)
    place = {int(state): number for number, state in enumerate(right.model)}
    parts: dict[tuple[int, ...], dict[Move, float]] = {}
    for state, move in _moves(system):
        if state not in in_step or state not in place:
            continue
        usual = {label: chance for chance, label, _ in right.outcomes(place[state], move)}
        found = pairs.outcomes(in_step[state], move)
        ways = [((PARTS,) * labels, 1.0 - sum(chance for chance, _, _ in found))]
        for chance, label, pair in found:
            kept = pair >= 0 and in_step[int(pairs.model[pair])] == pair
            shows = tuple(within[pair].tolist()) if pair >= 0 else (PARTS,) * labels
            ways.append((shows, chance - usual.get(label, 0.0) if kept else chance))
        for shows, chance in ways:
            if chance > _LEAST:
                at = parts.setdefault(shows, {})
                at[state, move] = at.get((state, move), 0.0) + chance
    return Fault(tuple((shows, tuple(moves.items())) for shows, moves in sorted(parts.items())))


def _right(system: System) -> _Pairs:
    """The model beside itself."""
    return _Pairs(system, system.right)


def _in_step(pairs: _Pairs, within: NDArray[np.int64]) -> dict[int, int]:
    """For each state of the model the pair that shows least, of several the one of the same number; first the first."""
    found: dict[int, int] = {0: 0}
    shown = within.sum(axis=1)
    order = np.lexsort((pairs.there != pairs.model, shown))
    for pair in order.tolist():
        found.setdefault(int(pairs.model[pair]), pair)
    return found


class _Rows:
    """Rows of a matrix, each with what it equals or is at most."""

    def __init__(self) -> None:
        self._entries: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]] = []
        self.bounds: list[float] = []

    def add(self, places: Sequence[int], factors: Sequence[float], bound: float) -> None:
        """One more: Σ factor · variable."""
        row = np.full(len(places), len(self.bounds))
        self._entries.append((row, np.array(places, dtype=np.int64), np.array(factors, dtype=np.float64)))
        self.bounds.append(bound)

    def matrix(self, variables: int) -> coo_array:
        row, place, factor = (np.concatenate([one[part] for one in self._entries]) for part in range(3))
        return coo_array((factor, (row, place)), shape=(len(self.bounds), variables)).tocsr()


class _Program:
    """Variables: how likely each move is made at each label; how likely each fault has parted there in each way."""

    def __init__(self, system: System, faults: Counter[Fault], labels: int) -> None:
        self._faults, self._labels = faults, labels
        self._moves = {move: number for number, move in enumerate(_moves(system))}
        right = _right(system)
        place = {int(state): number for number, state in enumerate(right.model)}
        self._leads = {
            move: [(chance, int(right.model[pair])) for chance, _, pair in right.outcomes(place[move[0]], move[1])]
            for move in self._moves
            if move[0] in place
        }
        self._states = len(system.moves)
        self._equal, self._below = _Rows(), _Rows()
        self._variables = len(self._moves) * labels
        self._cost: list[tuple[int, float]] = []

    def least(self) -> float:
        """The least sum of labels over all mutants."""
        self._flow()
        for fault, count in self._faults.items():
            self._part(fault, count)
        cost = np.zeros(self._variables)
        for place, worth in self._cost:
            cost[place] = -worth
        answer = linprog(
            cost,
            A_ub=self._below.matrix(self._variables),
            b_ub=self._below.bounds,
            A_eq=self._equal.matrix(self._variables),
            b_eq=self._equal.bounds,
            method="highs-ipm",
        )
        assert answer.status == 0, answer.message
        return float(self._faults.total() * (self._labels + 1) + answer.fun)

    def _made(self, move: Move, t: int) -> int:
        """The number of the variable."""
        return t * len(self._moves) + self._moves[move]

    def _new(self, count: int) -> range:
        """So many more variables."""
        self._variables += count
        return range(self._variables - count, self._variables)

    def _flow(self) -> None:
        """Whoever is in a state makes a move there."""
        here: list[list[Move]] = [[] for _ in range(self._states)]
        into: list[list[tuple[Move, float]]] = [[] for _ in range(self._states)]
        for move, leads in self._leads.items():
            here[move[0]].append(move)
            for chance, state in leads:
                into[state].append((move, chance))
        for t in range(self._labels):
            for state in range(self._states):
                now = [self._made(move, t) for move in here[state]]
                before = [(self._made(move, t - 1), -chance) for move, chance in into[state]] if t else []
                start = 1.0 if t == 0 and state == 0 else 0.0
                if now or before:
                    places, factors = zip(*before, strict=True) if before else ((), ())
                    self._equal.add([*now, *places], [*[1.0] * len(now), *factors], start)

    def _part(self, fault: Fault, count: int) -> None:
        """How a fault may part, and what it is worth when."""
        parted = [self._new(self._labels) for _ in fault.parts]
        for places, (shows, moves) in zip(parted, fault.parts, strict=True):
            worth = count * np.cumsum(shows)[::-1] / PARTS
            self._cost += list(zip(places, worth.tolist(), strict=True))
            for t, place in enumerate(places):
                made = [self._made(move, t) for move, _ in moves]
                self._below.add([place, *made], [1.0, *(-chance for _, chance in moves)], 0.0)
        every = [place for places in parted for place in places]
        self._below.add(every, [1.0] * len(every), 1.0)
        likely = max(fault.moves.values())
        if likely < 1 - _LEAST and all(len(self._leads[move]) == 1 for move in fault.moves):
            for t, times in self._times(fault):
                self._corners([places[u] for places in parted for u in range(t + 1)], times, likely)

    def _times(self, fault: Fault) -> Iterator[tuple[int, int]]:
        """For each label the variable that says how often a fault could have parted by then."""
        times = self._new(self._labels)
        for t, place in enumerate(times):
            before = [times[t - 1]] if t else []
            made = [self._made(move, t) for move in fault.moves]
            self._equal.add([place, *before, *made], [1.0, *[-1.0] * (len(before) + len(made))], 0.0)
            yield t, place

    def _corners(self, parted: Sequence[int], times: int, chance: float) -> None:
        """What has parted lies below the line from each corner to the next."""
        for corner in range(1, CORNERS):
            low, high = (1 - (1 - chance) ** n for n in (corner, corner + 1))
            bound = low - (high - low) * corner
            self._below.add([*parted, times], [*[1.0] * len(parted), low - high], bound)
