"""What kernels see of games and decision processes: arrays, by name."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from outplay.game.graph import Game
from outplay.strategy.arrays import Array

UNIT = 2.0**-53
"""The relative error of one rounding."""


class Weighted(NamedTuple):
    """The edges of a game forward, with their numbers; a probability that is absent is not a number."""

    owner: Array
    first: Array
    target: Array
    cost: Array
    probability: Array


class ProcessArrays(NamedTuple):
    """A decision process; `DecisionProcess` says what each array holds."""

    row_first: Array
    action_first: Array
    action_cost: Array
    leave: Array
    outcome_first: Array
    outcome_state: Array
    outcome_chance: Array


def weighted(game: Game, cost: NDArray[np.float64] | None = None) -> Weighted:
    """The edges of a game with their probabilities and costs, or with other costs."""
    paid = game.cost.floats if cost is None else cost
    return Weighted(game.owner, game.first, game.target, paid, game.probability.floats)
