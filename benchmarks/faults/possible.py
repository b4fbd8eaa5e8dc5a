"""The best that any tester could do: the least expected number of labels until a known mutant is found.

The tester who knows the mutant plays on pairs of a state of the model and a state of the system. An input, an output, a
silence and a reset each cost 1; the system answers by its chances; what the model forbids ends the play. Values are
found by iterating from 0, which approaches them from below. Pairs beyond a limit, met breadth first, allow nothing but
a reset, so that the value is one that can be had; where one label more would find the fault from each of them it would
be less, and the limit is raised until that makes no difference, or there are too many pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from benchmarks.faults.playing import RESET
from benchmarks.faults.rows import Rows
from benchmarks.faults.systems import System
from outplay.model.label import SILENCE

FIRST_PAIRS, MOST_PAIRS = 2_000, 60_000
CLOSE = 0.01  # bounds that differ by no more than this share are near enough
FORBIDDEN = -1
Outcomes = list[tuple[float, int]]
"""Chances with the pairs they lead to."""


class Product:
    """The pairs that plays reach, with the moves of the tester and what they lead to."""

    def __init__(self, system: System, rows: Rows, most: int = MOST_PAIRS) -> None:
        self._system, self._rows, self._most = system, rows, most
        self._delta = system.table.labels.index(SILENCE)
        self._numbers = {(0, 0): 0}
        self._pairs = [(0, 0)]
        self.cut = False
        """Whether there are pairs beyond the limit."""
        self.finds = False
        """Whether anything forbidden was met: then it is found for sure, since play may begin again and again."""
        self.moves: list[list[Outcomes]] = []
        """For each pair what each move may lead to; resets are left out."""
        for pair in self._pairs:  # grows on the way
            self.moves.append(list(self._of_pair(*pair)))

    def _of_pair(self, at: int, there: int) -> Iterator[Outcomes]:
        row, shown = self._system.moves[at], self._rows.shown(there)
        yield self._outcomes(row, shown, 1.0)
        hasty = tuple(step for step in shown if step[0] != self._delta) if self._system.races else ()
        given = self._rows.given(there)
        for label, after in row.items():
            if label < self._system.table.inputs:
                taken = self._number(after, given.get(label, there))
                yield [(0.5, taken), *self._outcomes(row, hasty, 0.5)] if hasty else [(1.0, taken)]

    def _outcomes(self, row: dict[int, int], shown: tuple[tuple[int, int], ...], chance: float) -> Outcomes:
        each = chance / len(shown)
        found = [(each, self._number(row[label], after) if label in row else FORBIDDEN) for label, after in shown]
        self.finds = self.finds or any(target == FORBIDDEN for _, target in found)
        return found

    def _number(self, at: int, there: int) -> int:
        """The number of a pair; where there are too many, that of a place that allows only a reset."""
        number = self._numbers.get((at, there))
        if number is not None:
            return number
        if len(self._pairs) >= self._most:
            self.cut = True
            return RESET
        self._numbers[at, there] = len(self._pairs)
        self._pairs.append((at, there))
        return len(self._pairs) - 1


def least_expected(system: System, rows: Rows, *, most: int = MOST_PAIRS, precision: float = 1e-4) -> float:
    """The least expected number of labels until a mutant is found."""
    asked = min(most, FIRST_PAIRS)
    while True:
        product = Product(system, rows, asked)
        high = _value(product, math.inf, precision) if product.finds else math.inf
        if not product.cut or asked >= most or high - _value(product, 1.0, precision) < CLOSE * high:
            return high
        asked = min(most, 4 * asked)


def _value(product: Product, beyond: float, precision: float) -> float:
    """The value of the first pair, where those beyond the limit are worth this, or what a reset is worth."""
    count = len(product.moves)
    flat = [step for moves in product.moves for move in moves for step in move]
    chance = np.array([one for one, _ in flat])
    # Behind the pairs: what is beyond the limit, and what is forbidden.
    target = np.array([count if one == RESET else count + 1 if one == FORBIDDEN else one for _, one in flat])
    first = np.cumsum([0, *(len(move) for moves in product.moves for move in moves)][:-1])
    rows_of = np.cumsum([0, *map(len, product.moves)][:-1])
    value = np.zeros(count + 2)
    while True:
        cost = 1 + np.add.reduceat(chance * value[target], first)
        best = np.minimum(np.minimum.reduceat(cost, rows_of), 1 + value[0])
        change = float(np.max(best - value[:count]))
        value[:count] = best
        value[count] = min(beyond, 1 + value[0])
        if change < precision * max(1.0, value[0]) / 100:
            return float(value[0])
