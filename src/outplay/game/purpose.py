"""A game with a test purpose beside it: the tester's goal is that the purpose is fulfilled.

Definition (004, 5.5.3): vertices are pairs of a vertex of the game and a place of the purpose; an edge moves the latter
by its label; a decision that nobody sees, or an edge whose label has no direction, leaves it where it is. Only pairs
that plays can reach are made, one place of the purpose after the other on whole arrays: O(places · (vertices + edges)).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.errors import FormatError, UsageError
from outplay.game.builder import game_from_arrays
from outplay.game.graph import Game, Picked
from outplay.game.origin import Origin
from outplay.game.roles import Roles
from outplay.model.label import TAU, Label
from outplay.model.purpose import Purpose, PurposeSpecification

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Beside:
    """The meaning of a game with a purpose: states of its specification are pairs, and so are its vertices."""

    base: Game
    purpose: Purpose
    numbers: Ints
    """For each place of the purpose and each vertex of the base: its number in this game, or -1."""
    pairs: tuple[Ints, Ints]
    """For each vertex of this game: the vertex of the base, and the place of the purpose."""

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


def with_purpose(game: Game, purpose: Purpose, *, goals: Collection[str] = ()) -> Game:
    """Put a purpose beside a game; it is a goal of the result under its own name.

    The goals of the game stay, and `goals` are vertices of it that shall be goals by their names too.

    >>> from outplay import automaton, explore, win
    >>> from outplay.model.purpose import AutomatonPurpose
    >>> lamp = explore(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    >>> twice = AutomatonPurpose(automaton([("0", "!light", "1"), ("1", "!light", "accept")]), name="twice")
    >>> win(with_purpose(lamp, twice), "twice")
    SureWin(to twice at cost 4)
    """
    if purpose.name in game.goals:
        raise UsageError(f"the model has a goal {purpose.name!r} already: rename the purpose file")
    product = _Product(game, purpose, goals)
    product.search()
    return product.game()


class _Product:
    def __init__(self, game: Game, purpose: Purpose, kept: Collection[str]) -> None:
        self.base, self.purpose, self.kept = game, purpose, kept
        self.states = game.is_state
        self.named, self.by_label = game.state_names, _by_label(game)
        self.rows: dict[int, Ints] = {}
        self.met: dict[int, NDArray[np.bool_]] = {}

    def search(self) -> None:
        """Find all pairs that plays can reach."""
        work = [(self.purpose.initial, np.array([self.base.initial]))]
        self._meet(*work[0])
        while work:
            place, vertices = work.pop()
            edges = _edges_of(self.base, vertices)
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

    def _after(self, place: int, label: Label, edges: NDArray[Any]) -> int | list[int]:
        never, always = (self.purpose.after(place, label, answer, answer) for answer in (_no, _yes))
        if never == always:
            return never  # the purpose does not look at states
        names, source, target = self.named, self.base.source, self.base.target
        return [
            self.purpose.after(place, label, names[source[edge]].__eq__, names[target[edge]].__eq__)
            for edge in edges.tolist()
        ]

    def game(self) -> Game:
        """The pairs that were met: states first, as in other games, and then decisions, place by place."""
        base = self.base
        vertex, place_of = self._pairs()
        numbers = np.full((max(self.met) + 1, base.vertex_count), -1, dtype=np.int64)
        numbers[place_of, vertex] = np.arange(len(vertex))
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
            initial=int(numbers[self.purpose.initial, base.initial]),
            goals=self._goals(vertex, place_of),
            names=list(_Pairs(base.names, vertex, places, place_of)),
            edge_names=_Pairs(base.edge_names, own, places, place_of_edge),
            roles=self._roles(numbers, vertex, place_of),
            origin=self._origin(numbers, vertex, place_of),
        )

    def _pairs(self) -> tuple[Ints, Ints]:
        """Vertex and place of each vertex of the game to be."""
        vertex = np.concatenate([np.flatnonzero(met) for met in self.met.values()])
        place_of = np.repeat(list(self.met), [int(met.sum()) for met in self.met.values()])
        order = np.argsort(~self.states[vertex], kind="stable")
        return vertex[order], place_of[order]

    def _goals(self, vertex: Ints, place_of: Ints) -> dict[str, Any]:
        named = {name: self.base.vertex_numbers[name] for name in self.kept if name in self.base.vertex_numbers}
        members: dict[str, Any] = {**named, **self.base.goals}
        goals = {name: np.flatnonzero(np.isin(vertex, wanted)) for name, wanted in members.items()}
        final = [place for place in self.met if self.purpose.is_final(place)]
        return {**goals, self.purpose.name: np.flatnonzero(np.isin(place_of, final) & self.states[vertex])}

    def _roles(self, numbers: Ints, vertex: Ints, place_of: Ints) -> Roles:
        """As in the base; where the play never is in the state itself at this place, its active copy stands for it."""
        base = self.base.roles
        state = numbers[place_of, base.state[vertex]]
        known = np.where(state < 0, np.arange(len(vertex)), state).astype(np.uint32)
        return Roles(known, base.role[vertex], base.choice[vertex], Picked(self.base.state_names, vertex))

    def _origin(self, numbers: Ints, vertex: Ints, place_of: Ints) -> Origin:
        return replace(
            self.base.origin,
            meaning=Beside(self.base, self.purpose, numbers, (vertex, place_of)),
            states=int(self.states[vertex].sum()),
            explored=True,
            numbered=False,
        )


class _Pairs(Sequence[str]):
    """Names with the place of the purpose beside them, made when asked for."""

    def __init__(self, names: Sequence[str], own: Ints, places: Mapping[int, str], place_of: Ints) -> None:
        self._names, self._own, self._places, self._place_of = names, own, places, place_of

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[number] for number in range(*at.indices(len(self)))]
        return f"{self._names[int(self._own[at])]} | {self._places[int(self._place_of[at])]}"

    def __len__(self) -> int:
        return len(self._own)


def _by_label(game: Game) -> list[tuple[Label, NDArray[Any]]]:
    """The edges that show something, by what they show."""
    seen = np.flatnonzero(game.moves > 0)
    order = seen[np.argsort(game.label[seen], kind="stable")]
    used, starts = np.unique(game.label[order], return_index=True)
    groups = np.split(order, starts[1:]) if len(used) else []
    labels = [followed(game.labels[number]) for number in used.tolist()]
    return [(label, edges) for label, edges in zip(labels, groups, strict=True) if label is not None]


def followed(text: str) -> Label | None:
    """The label a purpose sees on an edge; None where it sees none, as labels without a direction are no steps."""
    try:
        label = Label.parse(text)
    except FormatError:
        return None
    return None if label.kind == TAU else label


def _edges_of(game: Game, vertices: NDArray[Any]) -> NDArray[Any]:
    """All edges of some vertices: ranges laid one after the other."""
    first, count = game.first[vertices].astype(np.int64), np.diff(game.first.astype(np.int64))[vertices]
    offset = np.arange(int(count.sum())) - np.repeat(np.cumsum(count) - count, count)
    return np.asarray(np.repeat(first, count) + offset)


def _no(name: str) -> bool:
    return False


def _yes(name: str) -> bool:
    return True
