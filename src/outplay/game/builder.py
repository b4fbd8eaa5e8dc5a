"""Making a game graph: vertex by vertex, or from whole arrays. Both end in the same checks.

The checks take O(vertices + edges) array operations, so a million vertices and four million edges pass in well under a
second; edges that do not come sorted by source cost one stable sort.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from outplay.errors import GameError
from outplay.game.algebra import row_starts
from outplay.game.assumption import Origin
from outplay.game.exact_numbers import Exact, constant_column, exact_column_of
from outplay.game.graph import SYSTEM, TESTER, Game
from outplay.game.roles import Numbered, Picked, Roles
from outplay.game.validation import PartError as PartError
from outplay.game.validation import check_lengths, check_numbers, check_unique, checked_naturals
from outplay.plurals import counted

MOVES = "an edge counts 1 move, or 0 where the tester only decides"
OWNERS = {"tester": TESTER, "system": SYSTEM, "sut": SYSTEM}


class GameBuilder:
    """Collects vertices and edges by name.

    >>> builder = GameBuilder()
    >>> builder.vertex("a", "tester").vertex("b", "system").vertex("c", "tester", goals=["done"])
    GameBuilder(3 vertices, 0 edges)
    >>> builder.edge("a", "b", "?go").edge("b", "c", "!done", cost="1/2")
    GameBuilder(3 vertices, 2 edges)
    >>> builder.build()
    Game(3 vertices, 2 edges, initial 'a')
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._owners: list[int] = []
        self._gains: list[Any] = []
        self._goals: dict[str, list[int]] = {}
        self._edges: list[tuple[str, str, str, Any, Any, int, str | None]] = []

    def vertex(self, name: str, owner: str, *, gain: Any = 1, goals: Iterable[str] = ()) -> GameBuilder:
        """Add a vertex; the first one added is the initial one unless `build` is told otherwise."""
        if name in self._numbers:
            raise GameError(f"vertex {name!r} is there twice; give each its own id")
        if owner not in OWNERS:
            raise GameError(f"vertex {name!r}: owner is {owner!r}; write 'tester' or 'system'")
        if isinstance(goals, str):
            raise GameError(f"vertex {name!r}: goals is the text {goals!r}; write a list, [{goals!r}]")
        for goal in goals:
            self._goals.setdefault(goal, []).append(len(self._numbers))
        self._numbers[name] = len(self._numbers)
        self._owners.append(OWNERS[owner])
        self._gains.append(gain)
        return self

    def edge(
        self,
        source: str,
        target: str,
        label: str = "",
        *,
        cost: Any = 1,
        probability: Any = None,
        moves: int = 1,
        name: str | None = None,
    ) -> GameBuilder:
        """Add an edge; parallel edges are kept apart."""
        self._edges.append((source, target, label, cost, probability, moves, name))
        return self

    def require(self, name: Any, where: str) -> None:
        """Raise GameError unless the vertex has been added."""
        self._number(name, where)

    def goal(self, name: str, vertices: Iterable[str]) -> GameBuilder:
        """Name a set of vertices as a goal."""
        members = self._goals.setdefault(name, [])
        members.extend(self._number(vertex, f"goal {name!r}") for vertex in vertices)
        return self

    def build(self, initial: str | None = None) -> Game:
        """Check everything and freeze it."""
        if not self._numbers:
            raise GameError("a game needs at least one vertex; add the one where play starts")
        start = 0 if initial is None else self._number(initial, "initial")
        labels = {"": 0}
        fields = list(zip(*self._edges, strict=True)) or [()] * 7
        return game_from_arrays(
            owner=self._owners,
            source=[self._number(name, f"edge {place}: source") for place, name in enumerate(fields[0])],
            target=[self._number(name, f"edge {place}: target") for place, name in enumerate(fields[1])],
            label=[labels.setdefault(text, len(labels)) for text in fields[2]],
            labels=tuple(labels),
            cost=_column("edge {}: cost", fields[3]),
            probability=_column("edge {}: probability", fields[4]),
            moves=fields[5],
            edge_names=_edge_names(fields[6]),
            names=tuple(self._numbers),
            gain=_column("vertex {}: gain", self._gains),
            initial=start,
            goals=self._goals,
        )

    def _number(self, name: str, where: str) -> int:
        try:
            return self._numbers[name]
        except (KeyError, TypeError):
            raise GameError(f"{where}: there is no vertex {name!r}; add it or mend the id") from None

    def __repr__(self) -> str:
        return f"GameBuilder({counted(len(self._owners), 'vertex')}, {counted(len(self._edges), 'edge')})"


def game_from_arrays(
    *,
    owner: ArrayLike,
    source: ArrayLike,
    target: ArrayLike,
    cost: Exact | None = None,
    probability: Exact | None = None,
    moves: ArrayLike | None = None,
    label: ArrayLike | None = None,
    labels: Sequence[str] = ("",),
    gain: Exact | None = None,
    initial: int = 0,
    goals: Mapping[str, ArrayLike] | None = None,
    names: Sequence[str] | None = None,
    edge_names: Sequence[str] | None = None,
    roles: Roles | None = None,
    origin: Origin | None = None,
) -> Game:
    """Build a game from whole arrays, one entry per vertex or edge; missing costs, moves and gains are 1.

    Roles and origin are known to whoever explores or combines games; else they are found when they are asked for.
    """
    owners = checked_naturals("vertex {}: owner", owner, 2, np.uint8, "write 0 for the tester or 1 for the system")
    vertices = len(owners)
    cure = f"the game has {counted(vertices, 'vertex')}, numbered from 0"
    sources = checked_naturals("edge {}: source", source, vertices, np.uint32, cure)
    targets = checked_naturals("edge {}: target", target, vertices, np.uint32, cure)
    count = len(targets)
    cost = constant_column(1, count) if cost is None else cost
    probability = constant_column(None, count) if probability is None else probability
    gain = constant_column(1, vertices) if gain is None else gain
    weights = np.ones(count, dtype=np.uint8)
    if moves is not None:
        weights = checked_naturals("edge {}: moves", moves, 2, np.uint8, MOVES)
    marks = np.zeros(count, dtype=np.uint32)
    if label is not None:
        marks = checked_naturals(
            "edge {}: label", label, len(labels), np.uint32, f"there are {len(labels)}, numbered from 0"
        )
    names = Numbered("v", vertices) if names is None else names
    names_of_edges = Numbered("e", count) if edge_names is None else edge_names
    check_lengths("vertex", vertices, gain=gain, names=names)
    check_lengths(
        "edge",
        count,
        source=sources,
        moves=weights,
        label=marks,
        cost=cost,
        probability=probability,
        edge_names=names_of_edges,
    )
    check_unique(names, names_of_edges)
    if count and np.any(sources[1:] < sources[:-1]):
        order = np.argsort(sources, kind="stable")
        sources, targets, weights, marks = sources[order], targets[order], weights[order], marks[order]
        cost, probability = cost.taken(order), probability.taken(order)
        names_of_edges = Picked(names_of_edges, order)
    game = Game(
        owner=owners,
        first=row_starts(sources, vertices),
        target=targets,
        cost=cost,
        probability=probability,
        moves=weights,
        label=marks,
        labels=tuple(labels),
        gain=gain,
        initial=int(initial),
        goals={name: _members(name, given, vertices) for name, given in (goals or {}).items()},
        names=names,
        edge_names=names_of_edges,
        known_roles=roles,
        known_origin=origin,
    )
    check_numbers(game, sources)
    return game


def _column(name: str, values: Sequence[Any]) -> Exact:
    """Make a column of exact numbers; a mistake in it is looked for only when there is one."""
    try:
        return exact_column_of(values)
    except (GameError, TypeError):
        for place, value in enumerate(values):
            try:
                exact_column_of([value])
            except (GameError, TypeError) as error:
                raise GameError(f"{name.replace('{}', str(place))}: {error}") from None
        raise


def _members(name: str, given: ArrayLike, vertices: int) -> NDArray[np.uint32]:
    cure = f"the game has {counted(vertices, 'vertex')}, numbered from 0"
    return np.unique(checked_naturals(f"goal {name!r}: member {{}}", given, vertices, np.uint32, cure))


def _edge_names(given: Sequence[str | None]) -> Sequence[str]:
    if all(name is None for name in given):
        return Numbered("e", len(given))
    return tuple(f"e{place}" if name is None else name for place, name in enumerate(given))
