"""The columns of a game's edges, from a model's transitions and the layout of the game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.game.exploring.turn_based import CHOICE, TIME_OUT, WAIT, Arena, Unfolding, probabilities
from outplay.game.tables import Exact, exact

_OWN_LABELS = ("", "wait", "delta")
FIRST_LABEL = len(_OWN_LABELS)
"""The number of the model's first label in the game."""


@dataclass(frozen=True)
class Columns:
    """The edges of a game, those of each kind together."""

    source: NDArray[Any]
    target: NDArray[Any]
    label: NDArray[Any]
    moves: NDArray[Any]
    cost: Exact
    probability: Exact | None


def game_labels(labels: Sequence[str]) -> list[str]:
    """The labels of a game: its own, then those of the model."""
    return [*_OWN_LABELS, *labels]


def columns(model: Unfolding, weights: Sequence[Fraction] | None, layout: Arena) -> Columns:
    """Return the edges of a layout; where the model has weights, with probabilities."""
    source = np.concatenate([part.source for part in layout.parts])
    transition = np.concatenate([part.transition for part in layout.parts])
    kind = np.repeat([part.kind for part in layout.parts], [len(part.source) for part in layout.parts])
    label = np.where(transition >= 0, model.label[transition] + FIRST_LABEL if len(model.label) else 0, kind)
    label = np.where(kind == WAIT, 1, np.where(kind == TIME_OUT, 2, label))
    free = (kind == CHOICE) | (kind == WAIT)
    zero, one = len(model.cost.table), len(model.cost.table) + 1
    paid = np.where(transition >= 0, model.cost.index[transition] if len(model.cost) else 0, one)
    return Columns(
        source=source,
        target=np.concatenate([part.target for part in layout.parts]),
        label=label,
        moves=np.where(free, 0, 1),
        cost=exact([*model.cost.table, 0, 1], np.where(free, zero, paid)),
        probability=None if weights is None else exact(*probabilities(weights, transition, source, layout.owner)),
    )
