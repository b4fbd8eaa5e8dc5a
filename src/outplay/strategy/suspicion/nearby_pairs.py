"""The game on pairs around the place of play, for behaviours that have too many states for all pairs.

Suspected are the neighbours: where the transitions beside a step lead. The states nearest to the place of play are cut
out, what leads away from them is left out, and the game is solved for their pairs; it is done anew where play comes to
the edge. Of states beyond it is only assumed that they differ in the usual way.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.game.algebra import ranges, row_of_each, row_starts
from outplay.strategy.suspicion._kernels import AnsweringRows, nearest
from outplay.strategy.suspicion.pairs import MOST_STATES, PairGame, Pairs, solved_pairs
from outplay.strategy.suspicion.steps import Floats, States, Steps

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
        edges, owner = ranges(rows.first, near)
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


def pair_game(rows: AnsweringRows) -> PairGame:
    """All pairs where there are not too many, else those nearby."""
    return solved_pairs(rows) if len(rows.first) - 1 <= MOST_STATES else NearbyPairs(rows)
