"""The game graph: one frozen structure that every solver works on.

A directed graph whose vertices belong to the tester or to the system (the test graphs of Nachmanson et al. 2004,
section 2). Edges lie in compressed rows: those of vertex v are `first[v]` to `first[v + 1]`. Each edge has a target, a
cost, a weight in moves, a label and, at system vertices, perhaps a probability. A vertex without edges that is no goal
is lost for the tester.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.compiling import best_for
from outplay.errors import UsageError, did_you_mean
from outplay.game import _kernels
from outplay.game.assumption import Origin
from outplay.game.exact_numbers import Exact
from outplay.game.game_specification import origin_of_game
from outplay.game.roles import Picked, Role, Roles, inferred_roles
from outplay.grouping import grouped
from outplay.plurals import counted
from outplay.renderable import Drawn

TESTER, SYSTEM = 0, 1
Vertices = NDArray[np.uint32]
_HASHED_AT_ONCE = 10_000


@dataclass(frozen=True, eq=False)
class Incoming:
    """Edges in rows of their target: those into v are `edge[first[v]:first[v + 1]]`, ascending, with their sources."""

    first: NDArray[np.uint32]
    edge: NDArray[np.uint32]
    source: Vertices


@dataclass(frozen=True, eq=False, repr=False)
class Game(Drawn):
    """A game between tester and system. Build one with `GameBuilder`, `game_from_arrays`, `explore` or from a file."""

    owner: NDArray[np.uint8]
    first: NDArray[np.uint32]
    target: Vertices
    cost: Exact
    probability: Exact
    moves: NDArray[np.uint8]
    label: NDArray[np.uint32]
    labels: tuple[str, ...]
    gain: Exact
    initial: int
    goals: Mapping[str, Vertices]
    names: Sequence[str]
    edge_names: Sequence[str]
    known_roles: Roles | None = field(default=None)
    known_origin: Origin | None = field(default=None)
    """The origin of the game, if it is not from a file or made by hand; not part of what makes two games equal."""

    @property
    def vertex_count(self) -> int:
        return len(self.owner)

    @property
    def edge_count(self) -> int:
        return len(self.target)

    def edges_of(self, vertex: int) -> range:
        """Return the numbers of the edges that leave a vertex."""
        return range(int(self.first[vertex]), int(self.first[vertex + 1]))

    def label_of(self, edge: int) -> str:
        return self.labels[int(self.label[edge])]

    @cached_property
    def goals_at(self) -> dict[int, list[str]]:
        """The names of the goals that hold at each vertex where one does, in order."""
        return grouped((vertex, name) for name in sorted(self.goals) for vertex in self.goals[name].tolist())

    @cached_property
    def origin(self) -> Origin:
        """The origin of the game, and the meaning of its states; a game from elsewhere is its own specification."""
        return self.known_origin or origin_of_game(self)

    @cached_property
    def roles(self) -> Roles:
        """Return the meaning of each vertex; read off the edges where the maker of the game did not say."""
        if self.known_roles is not None:
            return self.known_roles
        edges = self.source, self.target, self.moves, self.label
        return inferred_roles(self.initial, *edges, self.labels, self.vertex_count)

    @cached_property
    def is_state(self) -> NDArray[np.bool_]:
        """For each vertex whether play can rest there: a state or its active copy, and no mere decision."""
        return np.asarray(self.roles.role <= Role.ACTIVE)

    @cached_property
    def state_names(self) -> Sequence[str]:
        """For each vertex the name of the model's state it stands for."""
        return Picked(self.names, self.roles.state) if self.roles.names is None else self.roles.names

    def at_state(self, name: str) -> NDArray[np.bool_]:
        """For each vertex whether it stands for the model's state of a name."""
        if self.roles.names is not None:
            return np.fromiter((one == name for one in self.roles.names), dtype=bool, count=self.vertex_count)
        vertex = self.vertex_numbers.get(name)
        return np.zeros(self.vertex_count, dtype=bool) if vertex is None else self.roles.state == vertex

    def input_of(self, edge: int) -> str | None:
        """The input an edge of the tester stands for: its own, or the one chosen behind it; None for waiting."""
        text = self.label_of(edge)
        if text.startswith("?"):
            return text
        chosen = -1 if self.moves[edge] else int(self.roles.choice[self.target[edge]])
        return None if chosen < 0 else self.labels[chosen]

    def about(self, vertex: int) -> str:
        """Return the values in the state of a vertex, where its name is a mere number; else nothing."""
        return self.origin.describe(int(self.roles.state[vertex])) if self.origin.numbered else ""

    @cached_property
    def source(self) -> Vertices:
        return np.repeat(np.arange(self.vertex_count, dtype=np.uint32), np.diff(self.first))

    @cached_property
    def incoming(self) -> Incoming:
        """Edges by target, made on demand."""
        start = np.zeros(self.vertex_count + 2, dtype=np.uint32)
        edge, source = np.zeros(self.edge_count, dtype=np.uint32), np.zeros(self.edge_count, dtype=np.uint32)
        best_for(_kernels.by_target, self.edge_count)(self.first, self.target, start, edge, source)
        return Incoming(start[:-1], edge, source)

    @cached_property
    def vertex_numbers(self) -> dict[str, int]:
        """Vertices by name."""
        return {name: number for number, name in enumerate(self.names)}

    def goal_vertices(self, name: str) -> Vertices:
        """The vertices of a goal: the name of a goal set, of a state with its active copy, or of another vertex."""
        if name in self.goals:
            return self.goals[name]
        if name in self.vertex_numbers:
            vertex = self.vertex_numbers[name]
            copies = (self.roles.role == Role.ACTIVE) & (self.roles.state == vertex)
            return np.unique([vertex, *np.flatnonzero(copies)]).astype(np.uint32)
        known = [*self.goals, *(self.names if self.vertex_count <= 10_000 else ())]
        raise UsageError(f"the game has no goal or vertex {name!r}; {did_you_mean(name, known)}")

    @cached_property
    def content_hash(self) -> str:
        """A hash of all that makes two games equal; no hash seed or machine changes it."""
        digest = hashlib.sha256()
        for part in self._content():
            data = part if isinstance(part, bytes) else json.dumps(part).encode()
            digest.update(b"%d:" % len(data))  # with its length first, no part can be taken for two
            digest.update(data)
        return digest.hexdigest()

    def _content(self) -> Iterable[Any]:
        yield from (self.vertex_count, self.edge_count, self.initial)
        for array in (self.owner, self.first, self.target, self.moves):
            yield array.astype("<u4").tobytes()
        yield from self._labels_in_order_of_use()
        for column in (self.cost, self.probability, self.gain):
            yield list(map(str, column.table))
            yield column.index.astype("<u4").tobytes()
        for name in sorted(self.goals):
            yield name
            yield self.goals[name].astype("<u4").tobytes()
        for names in (self.names, self.edge_names):
            for start in range(0, len(names), _HASHED_AT_ONCE):
                yield list(names[start : start + _HASHED_AT_ONCE])

    def _labels_in_order_of_use(self) -> Iterable[Any]:
        """Number the labels by their first edge, since their numbering means nothing."""
        used, first_edge, place = np.unique(self.label, return_index=True, return_inverse=True)
        order = np.argsort(first_edge)
        rank = np.empty(len(order), dtype="<u4")
        rank[order] = np.arange(len(order))
        yield [self.labels[number] for number in used[order].tolist()]
        yield rank[place].tobytes()

    def __getstate__(self) -> dict[str, Any]:
        """The game alone, as a file holds it: with its assumption, and without the model it was explored from."""
        kept = {field.name: getattr(self, field.name) for field in fields(self)}
        if (origin := self.known_origin) is not None:
            resting = (
                np.flatnonzero(self.is_state & (self.owner == SYSTEM)) if origin.assumption.waits_for_timeout else ()
            )
            rests = [int(vertex) for vertex in resting if origin.meaning.quiet(int(self.roles.state[vertex]))]
            kept["known_origin"] = origin.assumption, rests, origin.stopped, origin.approximate
        return kept

    def __setstate__(self, kept: dict[str, Any]) -> None:
        self.__dict__.update(kept)
        if kept["known_origin"] is not None:
            assumption, rests, stopped, approximate = self.__dict__.pop("known_origin")
            origin = origin_of_game(self, assumption, rests)
            self.__dict__["known_origin"] = replace(origin, stopped=stopped, approximate=approximate)

    def __deepcopy__(self, memo: object) -> Game:
        return self  # nothing in it changes

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Game) and self.content_hash == other.content_hash

    def __hash__(self) -> int:
        return hash(self.content_hash)

    def __repr__(self) -> str:
        sizes = f"{counted(self.vertex_count, 'vertex')}, {counted(self.edge_count, 'edge')}"
        return f"Game({sizes}, initial {self.names[self.initial]!r})"
