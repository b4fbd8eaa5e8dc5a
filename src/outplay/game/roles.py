"""The meaning of each vertex of a game: which state, and whether it is the state itself or something behind it.

Explorers and products know it. For a game from a file or by hand it is read off the edges: a vertex that is entered
only by edges that count no move is a decision of the tester in the state before it.

Names of vertices and edges that take no room: made when they are asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray


class LazyNames(Sequence[str]):
    """This many names, each made from its place."""

    def __init__(self, count: int, name: Callable[[int], str]) -> None:
        self._count, self._name = count, name

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return [self._name(number) for number in range(*place.indices(self._count))]
        if not -self._count <= place < self._count:
            raise IndexError(place)
        return self._name(index(place) % self._count)

    def __iter__(self) -> Iterator[str]:
        return map(self._name, range(self._count))

    def __len__(self) -> int:
        return self._count

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (tuple(self),)  # what makes them need not be of a kind that pickles


class Numbered(LazyNames):
    """`v0`, `v1`, …"""

    def __init__(self, prefix: str, count: int) -> None:
        super().__init__(count, lambda number: f"{prefix}{number}")


class Picked(LazyNames):
    """Names taken from another list in a new order."""

    def __init__(self, names: Sequence[str], order: NDArray[Any]) -> None:
        super().__init__(len(order), lambda place: names[int(order[place])])


class Extended(LazyNames):
    """Names with some more at their end."""

    def __init__(self, names: Sequence[str], more: Sequence[str]) -> None:
        count = len(names)
        super().__init__(count + len(more), lambda at: names[at] if at < count else more[at - count])


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
    """Infer the role of each vertex of a game from its edges, in O(vertices + edges)."""
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
