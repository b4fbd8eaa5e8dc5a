"""Reset and stop: what a tester can do besides giving inputs and waiting.

Definition (van den Bos 2020, 5.13): in every state the tester may play `?reset`, which leads back to the initial state
whatever the system wanted to do. On a finished game each state gets such an edge, with a cost of its own. A state in
which only the system moves thereby becomes the tester's, who waits or resets: its edges go to a new vertex behind the
waiting. The numbers of the vertices and the names of the edges stay, new ones come last. O(vertices + edges).

Stopping (van den Bos 2020, 5.11: `stop?` leads to a sink for ever) needs no edge: no goal lies behind it, so it changes
no value. A strategy stops at its goal and where it has no edge to take, and a test case says so with an end.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.errors import UsageError
from outplay.game.assumption import Meaning
from outplay.game.builder import game_from_arrays
from outplay.game.graph import SYSTEM, TESTER, Game
from outplay.game.roles import Role
from outplay.model.label import Label
from outplay.model.offer import Offer
from outplay.model.specification import Specification, State
from outplay.model.wrapping import Wrapped

RESET = "?reset"


def with_reset(game: Game, *, cost: Any = 1, label: str = RESET) -> Game:
    """Add a reset to every state of a game.

    >>> from outplay import GameBuilder, win
    >>> builder = GameBuilder().vertex("s", "tester").vertex("lost", "tester").vertex("g", "tester", goals=["done"])
    >>> game = builder.edge("s", "g", "?go").edge("s", "lost", "?slip").build()
    >>> win(with_reset(game, cost=5), "done").solution.values()
    [Fraction(1, 1), Fraction(6, 1), Fraction(0, 1)]
    """
    if label in game.labels:
        raise UsageError(f"the game has a label {label!r} already; name the reset something else")
    states = np.flatnonzero(game.is_state)
    passive = states[game.owner[states] == SYSTEM]
    waiting = game.vertex_count + np.arange(len(passive))
    behind = np.arange(game.vertex_count)  # where the old edges of a vertex start now
    behind[passive] = waiting
    source = np.concatenate([behind[game.source], passive, states])
    owner = np.concatenate([game.owner, np.full(len(passive), SYSTEM, dtype=np.uint8)])
    owner[passive] = TESTER
    more = len(passive)
    labels = list(game.labels)
    wait, back = _number(labels, "wait"), _number(labels, label)
    waits = [f"{game.names[vertex]} wait" for vertex in passive.tolist()]
    resets = [f"{game.names[vertex]} {label}" for vertex in states.tolist()]
    return game_from_arrays(
        owner=owner,
        source=source,
        target=np.concatenate([game.target, waiting, np.full(len(states), game.initial)]),
        cost=game.cost.extended(0, more).extended(cost, len(states)),
        probability=game.probability.extended(None, more + len(states)),
        moves=np.concatenate([game.moves, np.zeros(more), np.ones(len(states))]).astype(np.uint8),
        label=np.concatenate([game.label, np.full(more, wait), np.full(len(states), back)]),
        labels=labels,
        gain=game.gain.extended(0, more),
        initial=game.initial,
        goals=game.goals,
        names=_with_new(game.names, waits),
        edge_names=_with_new(game.edge_names, [*waits, *resets]),
        roles=game.roles.extended(passive, Role.WAITING),
        origin=replace(game.origin, meaning=_Resettable(game.origin.meaning, label)),
    )


def reset_edges(game: Game) -> NDArray[np.bool_]:
    """Mark the edges of a game that are resets: `?reset` to the initial vertex, where every state has one."""
    named = [number for number, text in enumerate(game.labels) if text == RESET]
    found = np.asarray(np.isin(game.label, named) & (game.target == game.initial))
    everywhere = set(np.flatnonzero(game.is_state).tolist()) <= set(game.source[found].tolist())
    return found if everywhere else np.zeros(game.edge_count, dtype=bool)


class ResettableSpecification(Wrapped):
    """A specification with an input that leads from every state to the initial ones."""

    def __init__(self, spec: Specification, label: str = RESET) -> None:
        super().__init__(spec)
        self._reset = Label.parse(label)

    def inputs(self, state: State) -> list[Offer]:
        return [*super().inputs(state), self._reset]

    def after(self, state: State, label: Label) -> Collection[State]:
        return self.initial if label == self._reset else super().after(state, label)


@dataclass(frozen=True)
class _Resettable:
    """The meaning of a game with a reset: the same states, and one more input."""

    inside: Meaning
    label: str

    @cached_property
    def specification(self) -> ResettableSpecification:
        return ResettableSpecification(self.inside.specification, self.label)

    def vertex(self, state: Any, after_silence: bool) -> int | None:
        return self.inside.vertex(state, after_silence)

    def describe(self, state: int) -> str:
        return self.inside.describe(state)

    def quiet(self, state: int) -> bool:
        return self.inside.quiet(state)


def _number(labels: list[str], text: str) -> int:
    if text not in labels:
        labels.append(text)
    return labels.index(text)


def _with_new(names: Sequence[str], wanted: Iterable[str]) -> list[str]:
    """The names with some more at their end, each with as many marks as it takes to be new."""
    extended, taken = list(names), set(names)
    for name in wanted:
        while name in taken:
            name += "'"
        taken.add(name)
        extended.append(name)
    return extended
