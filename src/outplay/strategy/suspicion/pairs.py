"""The game on pairs: the model is in one state, the system is suspected to be in another. What will it show?

Definition: W(q, h) is the best chance, discounted by each label, that a system in state h shows an answer that the
model forbids, the model being in q. The tester gives an input that both have, or waits; the system answers by chance.

    W(q, q) = 0
    W(q, h) = γ · max(Σ P(x | h) · [1 if q forbids x, else W(q·x, h·x)] over the answers x of h,
                      W(q·a, h·a) for the inputs a of both)

This is the game of compatible states (`outplay.conformance.compatibility`) played against chance: where states are
incompatible it is above 0, and where all answers of h are among those of q, for ever, it is 0. Solved for all pairs at
once by value iteration, in O(n² · transitions of a state) for each of some dozen sweeps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.strategy.suspicion._kernels import AnsweringRows, pair_values, pursuit
from outplay.strategy.suspicion.steps import Floats, States, Steps

DISCOUNT = 0.9
MOST_STATES = 1500  # for which all pairs are solved: 18 MB, and about 2 s
_ENOUGH = 1e-4
_SWEEPS = 200


class PairGame(Protocol):
    """The questions of the tester to the game on pairs, solved for all of them or around the place of play."""

    def suspected(self, steps: Steps, most: int, rng: np.random.Generator) -> States:
        """For each step the states that it may lead to instead, at most so many."""

    def shows(self, state: int | States, suspected: States) -> Floats:
        """W of a state, or one for each row, and the states suspected in its place."""

    def alike(self, state: int, suspected: States) -> NDArray[np.bool_]:
        """Whether each of the states suspected can show nothing that the model in a state forbids."""

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
    """Solve the game on all pairs of states.

    >>> from outplay import automaton
    >>> from outplay.conformance.transition_table import table_of
    >>> from outplay.strategy.suspicion.rows import rows_of
    >>> lamp = table_of(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    >>> solved_pairs(rows_of(lamp)).apart.round(2).tolist()  # each gives itself away by the first answer
    [[0.0, 0.9], [0.9, 0.0]]
    """
    states = len(rows.first) - 1
    value = np.zeros(states * states)
    edges = len(rows.label) * states
    best_for(pair_values, edges)(rows, value, discount, sweeps, _ENOUGH)
    return Pairs(rows, value)
