"""The items to cover of a game: its states, its transitions or its labels, numbered.

An edge shows an item where it leads to a state, is a transition or has a label; decisions of the tester show none, and
neither does a reset, which is the tester's own. A state and its active copy are one, and a transition is a state, a
label and a state. Counted is only what some play can come to at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from outplay.errors import UsageError, did_you_mean
from outplay.game.algebra import reachable
from outplay.game.exact_numbers import Ints
from outplay.game.goals.goal import transition_text
from outplay.game.graph import Game
from outplay.game.reset import RESET

STATES, TRANSITIONS, LABELS = "states", "transitions", "labels"
COVERABLE = (STATES, TRANSITIONS, LABELS)


@dataclass(frozen=True, eq=False)
class Items:
    """The items of one kind: for each edge the one that it shows, and the one that is seen at the start; -1 for none.

    >>> from outplay import automaton, explore
    >>> lamp = explore(automaton([("off", "?press", "on"), ("on", "!light", "off"), ("on", "!spark", "off")]))
    >>> [len(items_to_cover(lamp, kind).names) for kind in COVERABLE]
    [2, 3, 3]
    """

    game: Game
    kind: str
    names: tuple[str, ...]
    of_edge: NDArray[np.int64]
    at_start: int = -1

    @property
    def count(self) -> int:
        return len(self.names)

    @cached_property
    def _number(self) -> dict[object, int]:
        """The items by what a play shows of them."""
        edges = np.flatnonzero(self.of_edge >= 0).tolist()
        return {self._shown(edge): int(self.of_edge[edge]) for edge in edges}

    def _shown(self, edge: int) -> object:
        game = self.game
        return self._key(int(game.source[edge]), game.label_of(edge), int(game.target[edge]))

    def _key(self, before: int, label: str, after: int) -> object:
        state = self.game.roles.state
        if self.kind == STATES:
            return int(state[after])
        return label if self.kind == LABELS else (int(state[before]), label, int(state[after]))

    def seen_by(self, before: int, label: str, after: int) -> int:
        """The item that a play shows which goes from one vertex where it rests to another; -1 for none."""
        return self._number.get(self._key(before, label, after), -1)


def items_to_cover(game: Game, kind: str) -> Items:
    """Number the items to cover of a kind in a game, in O(vertices + edges)."""
    if kind not in COVERABLE:
        raise UsageError(f"there is no coverage of {kind!r}; {did_you_mean(kind, COVERABLE)}")
    met = reachable(game, game.initial)
    shows = met[game.source] & (game.moves > 0)
    if kind == STATES:
        return _states(game, met)
    reset = [number for number, text in enumerate(game.labels) if text in (RESET, "")]
    shows &= ~np.isin(game.label, reset)
    return _labels(game, shows) if kind == LABELS else _transitions(game, shows)


def _states(game: Game, met: NDArray[np.bool_]) -> Items:
    own = np.where(met & game.is_state, game.roles.state.astype(np.int64), -1)
    number = _numbered(own)
    _, example = np.unique(number, return_index=True)
    names = tuple(game.state_names[int(own[vertex])] for vertex in example.tolist() if number[vertex] >= 0)
    return Items(game, STATES, names, np.where(met[game.source], number[game.target], -1), int(number[game.initial]))


def _transitions(game: Game, shows: NDArray[np.bool_]) -> Items:
    state, number = game.roles.state.astype(np.int64), dict[tuple[int, str, int], int]()
    of_edge = np.full(game.edge_count, -1, dtype=np.int64)
    for edge in np.flatnonzero(shows).tolist():
        shown = int(state[game.source[edge]]), game.label_of(edge), int(state[game.target[edge]])
        of_edge[edge] = number.setdefault(shown, len(number))
    names = (transition_text(game.names[start], label, game.names[end]) for start, label, end in number)
    return Items(game, TRANSITIONS, tuple(names), of_edge)


def _labels(game: Game, shows: NDArray[np.bool_]) -> Items:
    texts = dict.fromkeys(game.label_of(edge) for edge in np.flatnonzero(shows).tolist())
    place = {text: number for number, text in enumerate(texts)}
    by_label = np.array([place.get(text, -1) for text in game.labels], dtype=np.int64)
    return Items(game, LABELS, tuple(texts), np.where(shows, by_label[game.label], -1).astype(np.int64))


def _numbered(keys: Ints) -> Ints:
    """Equal keys get equal numbers, 0, 1, …, in the order of the keys; -1 stays."""
    kept, number = np.unique(keys, return_inverse=True)
    return number.reshape(keys.shape).astype(np.int64) - int(len(kept) > 0 and kept[0] == -1)


class Sightings:
    """The items seen so far."""

    def __init__(self, items: Items) -> None:
        self.items, self.seen = items, np.zeros(items.count, dtype=bool)

    @property
    def count(self) -> int:
        return int(self.seen.sum())

    def begin(self) -> bool:
        """A play starts; say whether that shows anything new."""
        return self.add([self.items.at_start])

    def moved(self, before: int, label: str, after: int) -> bool:
        """A play went from one vertex where it rests to another; say whether that shows anything new."""
        return self.add([self.items.seen_by(before, label, after)])

    def add(self, items: Iterable[int]) -> bool:
        """See items; say whether any is new."""
        new = [item for item in items if item >= 0 and not self.seen[item]]
        self.seen[new] = True
        return bool(new)
