"""The game on pairs: the model is in one state, the system is suspected to be in another. What will it show?

Definition: W(q, h) is the best chance, discounted by each label, that a system in state h shows an answer that the
model forbids, the model being in q. The tester gives an input that both have, or waits; the system answers by chance.

    W(q, q) = 0
    W(q, h) = γ · max(Σ P(x | h) · [1 if q forbids x, else W(q·x, h·x)] over the answers x of h,
                      W(q·a, h·a) for the inputs a of both)

This is the game of compatible states (`outplay.conformance.compatibility`) played against chance: where states are
incompatible it is above 0, and where all answers of h are among those of q, for ever, it is 0. Solved for all pairs at
once by value iteration, in O(n² · transitions of a state) for each of some dozen sweeps.

The game on pairs around the place of play, for behaviours that have too many states for all pairs. Suspected are the
neighbours: where the transitions beside a step lead. The states nearest to the place of play are cut out, what leads
away from them is left out, and the game is solved for their pairs; it is done anew where play comes to the edge. Of
states beyond it is only assumed that they differ in the usual way.
"""

from __future__ import annotations

import inspect
import sys
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from outplay.caching import Cache, entry_name
from outplay.compiling import best_for
from outplay.game.algebra import row_entries, row_of_each, row_starts
from outplay.strategy.suspicion._kernels import AnsweringRows, nearest, pair_values, pursuit
from outplay.strategy.suspicion.behaviour_table import Floats, States, Steps

DISCOUNT = 0.9
MOST_STATES = 1500  # for which all pairs are solved: 18 MB, and about 2 s
KEPT_FROM = 400  # states: the pairs of fewer are solved in about the time it takes to read them
_ENOUGH = 1e-4
_SWEEPS = 200


class PairGame(Protocol):
    """The questions of the tester to the game on pairs, solved for all of them or around the place of play."""

    def suspected(self, steps: Steps, most: int, rng: np.random.Generator) -> States:
        """For each step the states that it may lead to instead, at most this many."""

    def shows(self, state: int | States, suspected: States) -> Floats:
        """W of a state, or one for each row, and the states suspected in its place."""

    def alike(self, state: int, suspected: States) -> NDArray[np.bool_]:
        """Say whether each of the states suspected can show nothing that the model in a state forbids."""

    def look_from(self, state: int) -> None:
        """The play is in a state now."""

    def promises(self, state: int, suspected: States, weight: Floats) -> Floats:
        """For each move from a state, inputs in their order and then waiting: Σ weight · Q(q, h, move)."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs of states, solved."""

    rows: AnsweringRows
    value: Floats

    @property
    def count(self) -> int:
        return len(self.rows.first) - 1

    @property
    def apart(self) -> Floats:
        """W(q, h), a row for each state of the model."""
        return self.value.reshape(self.count, self.count)

    def suspected(self, steps: Steps, most: int, rng: np.random.Generator) -> States:
        """For each step the states that it may lead to: all, or as many as there is room for."""
        if self.count <= most:
            return np.broadcast_to(np.arange(self.count), (len(steps), self.count))
        return rng.integers(self.count, size=(len(steps), most))

    def shows(self, state: int | States, suspected: States) -> Floats:
        found: Floats = self.apart[state, suspected]
        return found

    def alike(self, state: int, suspected: States) -> NDArray[np.bool_]:
        none: NDArray[np.bool_] = self.apart[state, suspected] <= 0
        return none

    def look_from(self, state: int) -> None:
        """The play is in a state now: all that may be asked is known already."""

    def promises(self, state: int, suspected: States, weight: Floats) -> Floats:
        score = np.zeros(int(self.rows.split[state] - self.rows.first[state]) + 1)
        best_for(pursuit, 20 * len(suspected))(state, suspected, weight, self.rows, self.value, score)
        return score


def solved_pairs(rows: AnsweringRows, discount: float = DISCOUNT, sweeps: int = _SWEEPS) -> Pairs:
    """Solve the suspicion game on all pairs of states: how likely the system is to show that it is in the other.

    >>> from outplay import automaton
    >>> from outplay.conformance.transition_table import table_of
    >>> from outplay.strategy.suspicion.behaviour_table import answering_rows
    >>> lamp = table_of(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    >>> solved_pairs(answering_rows(lamp)).apart.round(2).tolist()  # each gives itself away by the first answer
    [[0.0, 0.9], [0.9, 0.0]]
    """
    states = len(rows.first) - 1
    value = np.zeros(states * states)
    edges = len(rows.label) * states
    best_for(pair_values, edges)(rows, value, discount, sweeps, _ENOUGH)
    return Pairs(rows, value)


WINDOW = 150  # states
USUAL = 0.5  # what a pair is taken to show of itself where that was not found out
_FEW_SWEEPS = 12
_MOST_NEIGHBOURS = 16


class NearbyPairs:
    """Pairs of states near the place of play."""

    def __init__(self, rows: AnsweringRows) -> None:
        self._rows = rows
        states = len(rows.first) - 1
        self._mark, self._found = np.zeros(states, dtype=np.int64), np.zeros(states, dtype=np.int64)
        self._place = np.full(states, -1, dtype=np.int64)
        self._near = np.zeros(0, dtype=np.int64)
        self._pairs: Pairs | None = None

    def suspected(self, steps: Steps, most: int, rng: np.random.Generator) -> States:
        """Draw from the targets of the transitions that begin where a step begins, and where it ends."""
        rows, slots = self._rows, min(most, _MOST_NEIGHBOURS)
        source = row_of_each(rows.first)[steps.credited]
        drawn = np.empty((len(steps), slots), dtype=np.int64)
        for slot in range(slots):
            here = source if slot % 2 == 0 else steps.target
            width = np.maximum(rows.first[here + 1] - rows.first[here], 1)
            edge = rows.first[here] + rng.integers(1 << 30, size=len(steps)) % width
            drawn[:, slot] = rows.target[np.minimum(edge, len(rows.target) - 1)]
        drawn[:, 0] = source  # nothing happened
        return drawn

    def shows(self, state: int | States, suspected: States) -> Floats:
        found: Floats = np.where(state == suspected, 0.0, USUAL)
        return found

    def alike(self, state: int, suspected: States) -> NDArray[np.bool_]:
        return np.zeros(len(suspected), dtype=bool)  # what shows nothing here may show something beyond

    def look_from(self, state: int) -> None:
        rows = self._rows
        around = rows.target[rows.first[state] : rows.first[state + 1]]
        if self._pairs is not None and self._place[state] >= 0 and (self._place[around] >= 0).all():
            return
        self._place[self._near] = -1
        count = best_for(nearest, 10 * WINDOW)(state, rows, WINDOW, self._mark, self._found)
        self._near = self._found[:count].copy()
        self._place[self._near] = np.arange(count)
        self._pairs = solved_pairs(self._cut_out(), sweeps=_FEW_SWEEPS)

    def _cut_out(self) -> AnsweringRows:
        """The rows of the states nearby, without what leads away."""
        rows, near = self._rows, self._near
        edges, owner = row_entries(rows.first, near)
        kept = self._place[rows.target[edges]] >= 0
        edges, owner = edges[kept], owner[kept]
        answers = edges >= rows.split[near[owner]]
        first = row_starts(owner, len(near)).astype(np.int64)
        split = first[1:] - np.bincount(owner[answers], minlength=len(near))
        return AnsweringRows(first, split, rows.label[edges], self._place[rows.target[edges]], rows.chance[edges])

    def promises(self, state: int, suspected: States, weight: Floats) -> Floats:
        rows, pairs = self._rows, self._pairs
        score = np.zeros(int(rows.split[state] - rows.first[state]) + 1)
        place = self._place[suspected]
        known = place >= 0
        if pairs is None or self._place[state] < 0 or not known.any():
            return score
        here = int(self._place[state])
        found = pairs.promises(here, place[known], weight[known])
        low, split = int(rows.first[state]), int(rows.split[state])
        inside = self._place[rows.target[low:split]] >= 0
        score[:-1][inside], score[-1] = found[:-1], found[-1]
        return score


def pair_game(rows: AnsweringRows, cache: Cache | None = None) -> PairGame:
    """Solve the game on all pairs of states where not too many, kept in a cache; else on those nearby."""
    states = len(rows.first) - 1
    if states > MOST_STATES:
        return NearbyPairs(rows)
    return solved_pairs(rows) if cache is None or states < KEPT_FROM else _kept_pairs(rows, cache)


def _kept_pairs(rows: AnsweringRows, cache: Cache) -> Pairs:
    """All pairs as they were solved before, or solved and kept now."""
    pairs = (len(rows.first) - 1) ** 2
    name = entry_name("pairs", _way_to_solve(), *(array.tobytes() for array in rows))
    content = cache.read(name)
    if content is not None and len(content) == pairs * np.dtype(np.float64).itemsize:
        value = np.frombuffer(content).copy()  # kernels take what may be written to
        if ((value >= 0) & (value <= 1)).all():
            return Pairs(rows, value)
    solved = solved_pairs(rows)
    cache.write(name, solved.value.tobytes())
    return solved


def _way_to_solve() -> bytes:
    """All but the rows that the values of pairs depend on."""
    numbers = DISCOUNT, _SWEEPS, _ENOUGH, sys.byteorder
    return f"{numbers} {inspect.getsource(sys.modules[pair_values.__module__])}".encode()
