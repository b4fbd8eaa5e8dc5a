"""The meaning of each vertex of a game: which state, and whether it is the state itself or something behind it.

Explorers and products know it. For a game from a file or by hand it is read off the edges: a vertex that is entered
only by edges that count no move is a decision of the tester in the state before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.game.names import Picked


class Role(IntEnum):
    """The role of a vertex for its state."""

    STATE = 0
    """The state itself."""
    ACTIVE = 1
    """The state after a time-out, when the tester may act."""
    CHOICE = 2
    """The tester has chosen an input, which the system has not taken yet."""
    WAITING = 3
    """The tester has decided to wait."""
    PASSING = 4
    """On the way along a transition, about to enter the state."""


@dataclass(frozen=True, eq=False)
class Roles:
    """For each vertex its state (the number of the vertex that stands for it), its role, and the input chosen there."""

    state: NDArray[np.uint32]
    role: NDArray[np.uint8]
    choice: NDArray[np.int32]
    """The number of the label of the input that was chosen; -1 where none was."""
    names: Sequence[str] | None = None
    """The name of the model's own state, where that is not the name of the vertex `state`."""

    def extended(self, beside: NDArray[Any], role: Role) -> Roles:
        """These, and at the end new vertices of one role, each in the state of another vertex."""
        count = len(self.state)
        vertices = np.append(np.arange(count), beside)
        roles, choice = self.role[vertices], self.choice[vertices]
        roles[count:], choice[count:] = role, -1
        return Roles(self.state[vertices], roles, choice, None if self.names is None else Picked(self.names, vertices))


def inferred_roles(
    initial: int, source: NDArray[Any], target: NDArray[Any], moves: NDArray[Any], label: NDArray[Any],
    labels: Sequence[str], count: int,
) -> Roles:  # fmt: skip
    """Read the roles off the edges, in O(vertices + edges)."""
    state, role = np.arange(count, dtype=np.uint32), np.zeros(count, dtype=np.uint8)
    choice = np.full(count, -1, dtype=np.int32)
    free = np.flatnonzero(moves == 0)
    if len(free):
        decided = np.zeros(count, dtype=bool)
        decided[target[free]] = True
        entered = decided.copy()
        decided[target[moves > 0]] = False
        decided[initial] = False
        before = free[decided[target[free]]]
        state[target[before]] = source[before]
        _follow(state)
        inputs = np.array([text.startswith("?") for text in labels])
        chosen = np.flatnonzero(inputs[label] & entered[source])[::-1]  # the first input of a vertex is written last
        choice[source[chosen]] = label[chosen]
        role[decided] = np.where(choice[decided] >= 0, Role.CHOICE, Role.WAITING)
    return Roles(state, role, choice)


def _follow(state: NDArray[np.uint32]) -> None:
    """Decisions may follow one another: go back to where the first was made, in steps that double."""
    for _ in range(len(state).bit_length()):
        further = state[state]
        if np.array_equal(further, state):
            return
        state[:] = further
