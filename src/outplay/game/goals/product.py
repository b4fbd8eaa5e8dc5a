"""A game with a test purpose beside it: the tester's goal is that the purpose is fulfilled.

Definition (van den Bos 2020, 5.5.3): vertices are pairs of a vertex of the game and a place of the purpose; an edge
moves the latter by its label; a decision that nobody sees, or an edge whose label has no direction, leaves it where it
is. Only pairs that plays can reach are made, one place of the purpose after the other on whole arrays: O(places ·
(vertices + edges)).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.errors import FormatError, UsageError
from outplay.game.algebra import row_entries
from outplay.game.assumption import Origin
from outplay.game.builder import game_from_arrays
from outplay.game.exact_numbers import Ints
from outplay.game.graph import Game
from outplay.game.roles import LazyNames, Picked, Roles
from outplay.model.label import TAU, Label
from outplay.model.purpose import IsAt, Purpose, PurposeSpecification


@dataclass(frozen=True)
class PurposeMeaning:
    """The meaning of a game with a purpose: states of its specification are pairs, and so are its vertices."""

    base: Game
    purpose: Purpose
    pairs: tuple[Ints, Ints]
    """For each vertex of this game: the vertex of the base, and the place of the purpose."""

    @cached_property
    def numbers(self) -> Ints:
        """For each place of the purpose and each vertex of the base: its number in this game, or -1."""
        vertex, place_of = self.pairs
        found = np.full((int(place_of.max()) + 1, self.base.vertex_count), -1, dtype=np.int64)
        found[place_of, vertex] = np.arange(len(vertex))
        return found

    @cached_property
    def specification(self) -> PurposeSpecification:
        return PurposeSpecification(self.base.origin.specification, self.purpose)

    def vertex(self, state: Any, after_silence: bool) -> int | None:
        if not isinstance(state, tuple) or state[1] >= len(self.numbers):
            return None
        vertex = self.base.origin.vertex(state[0], after_silence)
        number = -1 if vertex is None else int(self.numbers[state[1], vertex])
        return None if number < 0 else number

    def describe(self, state: int) -> str:
        inside = self.base.origin.describe(int(self.base.roles.state[self.pairs[0][state]]))
        return f"{inside}, {self.purpose.name} at {self.purpose.describe(int(self.pairs[1][state]))}"

    def quiet(self, state: int) -> bool:
        return self.base.origin.meaning.quiet(int(self.base.roles.state[self.pairs[0][state]]))


def with_purpose(game: Game, purpose: Purpose) -> Game:
    """Put a test purpose beside a game; it is a goal of the product under its own name, and the game's goals stay.

    >>> from outplay import automaton, explore, win
    >>> from outplay.model.purpose import AutomatonPurpose
    >>> lamp = explore(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    >>> twice = AutomatonPurpose(automaton([("0", "!light", "1"), ("1", "!light", "accept")]), name="twice")
    >>> win(with_purpose(lamp, twice), "twice")
    SureWin(twice can be forced at cost 4, in at most 4 steps)
    """
    if purpose.name in game.goals:
        raise UsageError(f"the model has a goal {purpose.name!r} already: rename the purpose file")
    product = _Product(game, purpose)
    product.search()
    return product.game()


class _Product:
    def __init__(self, game: Game, purpose: Purpose) -> None:
        self.base, self.purpose = game, purpose
        self.states, self.by_label = game.is_state, _by_label(game)
        self.names = list(purpose.names)
        self.at = _at_names(game, self.names)
        self.start = purpose.start(self._is_at(int(self.at[game.initial])))
        self.rows: dict[int, Ints] = {}
        self.met: dict[int, NDArray[np.bool_]] = {}

    def search(self) -> None:
        """Find all pairs that plays can reach."""
        work = [(self.start, np.array([self.base.initial]))]
        self._meet(*work[0])
        while work:
            place, vertices = work.pop()
            edges, _ = row_entries(self.base.first, vertices)
            places, targets = self._row(place)[edges], self.base.target[edges]
            for after in np.unique(places).tolist():
                new = self._meet(after, targets[places == after])
                if len(new):
                    work.append((after, new))

    def _meet(self, place: int, vertices: NDArray[Any]) -> NDArray[Any]:
        """Mark vertices as met with a place, and return those that are new."""
        met = self.met.setdefault(place, np.zeros(self.base.vertex_count, dtype=bool))
        new = np.unique(vertices[~met[vertices]])
        met[new] = True
        return new

    def _row(self, place: int) -> Ints:
        """The place that each edge of the game leads to."""
        if place not in self.rows:
            row = np.full(self.base.edge_count, place, dtype=np.int64)
            for label, edges in self.by_label:
                row[edges] = self._after(place, label, edges)
            self.rows[place] = row
        return self.rows[place]

    def _after(self, place: int, label: Label, edges: NDArray[Any]) -> Ints:
        """Return the target of a label along edges; asked once for all edges between states that are alike to the
        purpose.
        """
        pairs = np.stack([self.at[self.base.source[edges]], self.at[self.base.target[edges]]])
        kinds, kind_of = np.unique(pairs, axis=1, return_inverse=True)
        places = [
            self.purpose.after(place, label, self._is_at(before), self._is_at(behind))
            for before, behind in kinds.T.tolist()
        ]
        return np.array(places, dtype=np.int64)[kind_of.reshape(-1)]

    def _is_at(self, code: int) -> IsAt:
        return lambda name: bool(code >> self.names.index(name) & 1)

    def game(self) -> Game:
        """The pairs that were met: states first, as in other games, and then decisions, place by place."""
        base = self.base
        meaning = PurposeMeaning(base, self.purpose, self._pairs())
        (vertex, place_of), numbers = meaning.pairs, meaning.numbers
        edges, source, target = list[Any](), list[Any](), list[Any]()
        for place, met in self.met.items():
            own = np.flatnonzero(met[base.source])
            edges.append(own)
            source.append(numbers[place, base.source[own]])
            target.append(numbers[self._row(place)[own], base.target[own]])
        own, places = np.concatenate(edges), {place: self.purpose.describe(place) for place in self.met}
        place_of_edge = np.repeat(list(self.met), [len(some) for some in edges])
        return game_from_arrays(
            owner=base.owner[vertex],
            source=np.concatenate(source),
            target=np.concatenate(target),
            cost=base.cost.taken(own),
            probability=base.probability.taken(own),
            moves=base.moves[own],
            label=base.label[own],
            labels=base.labels,
            gain=base.gain.taken(vertex),
            initial=int(numbers[self.start, base.initial]),
            goals=self._goals(vertex, place_of),
            names=list(_pairs(base.names, vertex, places, place_of)),
            edge_names=_pairs(base.edge_names, own, places, place_of_edge),
            roles=self._roles(numbers, vertex, place_of),
            origin=self._origin(meaning),
        )

    def _pairs(self) -> tuple[Ints, Ints]:
        """Vertex and place of each vertex of the game to be."""
        vertex = np.concatenate([np.flatnonzero(met) for met in self.met.values()])
        place_of = np.repeat(list(self.met), [int(met.sum()) for met in self.met.values()])
        order = np.argsort(~self.states[vertex], kind="stable")
        return vertex[order], place_of[order]

    def _goals(self, vertex: Ints, place_of: Ints) -> dict[str, Any]:
        goals = {name: np.flatnonzero(np.isin(vertex, wanted)) for name, wanted in self.base.goals.items()}
        final = [place for place in self.met if self.purpose.is_final(place)]
        return {**goals, self.purpose.name: np.flatnonzero(np.isin(place_of, final) & self.states[vertex])}

    def _roles(self, numbers: Ints, vertex: Ints, place_of: Ints) -> Roles:
        """As in the base; where the play never is in the state itself at this place, its active copy stands for it."""
        base = self.base.roles
        state = numbers[place_of, base.state[vertex]]
        known = np.where(state < 0, np.arange(len(vertex)), state).astype(np.uint32)
        return Roles(known, base.role[vertex], base.choice[vertex], Picked(self.base.state_names, vertex))

    def _origin(self, meaning: PurposeMeaning) -> Origin:
        return replace(
            self.base.origin,
            meaning=meaning,
            states=int(self.states[meaning.pairs[0]].sum()),
            explored=True,
            numbered=False,
        )


def _pairs(names: Sequence[str], own: Ints, places: Mapping[int, str], place_of: Ints) -> LazyNames:
    """Names with the place of the purpose beside them."""
    return LazyNames(len(own), lambda at: f"{names[int(own[at])]} | {places[int(place_of[at])]}")


def _by_label(game: Game) -> list[tuple[Label, NDArray[Any]]]:
    """The edges that show something, by what they show."""
    seen = np.flatnonzero(game.moves > 0)
    order = seen[np.argsort(game.label[seen], kind="stable")]
    used, starts = np.unique(game.label[order], return_index=True)
    groups = np.split(order, starts[1:]) if len(used) else []
    labels = [label_for_purpose(game.labels[number]) for number in used.tolist()]
    return [(label, edges) for label, edges in zip(labels, groups, strict=True) if label is not None]


def label_for_purpose(text: str) -> Label | None:
    """Return the label that a purpose sees on an edge of a product; None where it sees none, as for internal edges."""
    try:
        label = Label.parse(text)
    except FormatError:
        return None
    return None if label.kind == TAU else label


def _at_names(game: Game, names: Sequence[str]) -> Ints:
    """For each vertex which of the names hold there, states or goals, as bits."""
    found = np.zeros(game.vertex_count, dtype=np.int64)
    for bit, name in enumerate(names):
        if name in game.goals:
            found[game.goals[name]] |= 1 << bit
        else:
            found |= game.at_state(name).astype(np.int64) << bit
    return found
