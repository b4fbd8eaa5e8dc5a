"""Making a game graph: vertex by vertex, or from whole arrays. Both end in the same checks.

The checks take O(vertices + edges) array operations, so a million vertices and four million edges pass in well under a
second; edges that do not come sorted by source cost one stable sort.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from outplay.errors import GameError
from outplay.game.graph import SYSTEM, TESTER, Game, Numbered, Picked
from outplay.game.tables import Exact, constant, exact_from

_TOLERANCE = 1e-9  # decimals such as 0.333333333 may sum to almost 1; fractions sum exactly
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
            raise GameError(f"vertex {name!r} is there twice: give each its own id")
        if owner not in OWNERS:
            raise GameError(f"vertex {name!r}: owner {owner!r} is neither 'tester' nor 'system'")
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
            raise GameError("a game needs at least one vertex")
        start = 0 if initial is None else self._number(initial, "initial")
        labels = {"": 0}
        columns = list(zip(*self._edges, strict=True)) or [()] * 7
        return game_from_arrays(
            owner=self._owners,
            source=[self._number(name, f"edge {place}: source") for place, name in enumerate(columns[0])],
            target=[self._number(name, f"edge {place}: target") for place, name in enumerate(columns[1])],
            label=[labels.setdefault(text, len(labels)) for text in columns[2]],
            labels=tuple(labels),
            cost=exact_from(columns[3]),
            probability=exact_from(columns[4]),
            moves=columns[5],
            edge_names=_edge_names(columns[6]),
            names=tuple(self._numbers),
            gain=exact_from(self._gains),
            initial=start,
            goals=self._goals,
        )

    def _number(self, name: str, where: str) -> int:
        try:
            return self._numbers[name]
        except (KeyError, TypeError):
            raise GameError(f"{where}: there is no vertex {name!r}: add it or mend the id") from None

    def __repr__(self) -> str:
        return f"GameBuilder({len(self._owners)} vertices, {len(self._edges)} edges)"


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
    origin: Any = None,
) -> Game:
    """Build a game from whole arrays, one entry per vertex or edge; missing costs, moves and gains are 1."""
    owners = np.ascontiguousarray(owner, dtype=np.uint8)
    sources, targets = _ends(source, target, len(owners))
    count = len(targets)
    cost = constant(1, count) if cost is None else cost
    probability = constant(None, count) if probability is None else probability
    weights = np.ones(count, dtype=np.uint8) if moves is None else np.asarray(moves, dtype=np.uint8)
    marks = np.zeros(count, dtype=np.uint32) if label is None else np.asarray(label, dtype=np.uint32)
    names_of_edges = Numbered("e", count) if edge_names is None else edge_names
    if count and np.any(sources[1:] < sources[:-1]):
        order = np.argsort(sources, kind="stable")
        sources, targets, weights, marks = sources[order], targets[order], weights[order], marks[order]
        cost, probability = cost.taken(order), probability.taken(order)
        names_of_edges = Picked(names_of_edges, order)
    first = np.zeros(len(owners) + 1, dtype=np.uint32)
    np.cumsum(np.bincount(sources, minlength=len(owners)), out=first[1:])
    game = Game(
        owner=owners,
        first=first,
        target=targets,
        cost=cost,
        probability=probability,
        moves=weights,
        label=marks,
        labels=tuple(labels),
        gain=constant(1, len(owners)) if gain is None else gain,
        initial=int(initial),
        goals={name: np.unique(np.asarray(members, dtype=np.uint32)) for name, members in (goals or {}).items()},
        names=Numbered("v", len(owners)) if names is None else names,
        edge_names=names_of_edges,
        origin=origin,
    )
    _check(game, sources)
    return game


def _ends(source: ArrayLike, target: ArrayLike, vertices: int) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    ends = []
    for what, given in (("source", source), ("target", target)):
        numbers = np.asarray(given)
        if numbers.size and (int(numbers.min()) < 0 or int(numbers.max()) >= vertices):
            place = int(np.flatnonzero((numbers < 0) | (numbers >= vertices))[0])
            raise GameError(f"edge {place}: {what} {numbers[place]} is no vertex (there are {vertices})")
        ends.append(np.ascontiguousarray(numbers, dtype=np.uint32))
    return ends[0], ends[1]


def _check(game: Game, source: NDArray[np.uint32]) -> None:
    vertices, edges = game.vertex_count, game.edge_count
    if not 0 <= game.initial < vertices:
        raise GameError(f"initial vertex {game.initial} does not exist (there are {vertices})")
    lengths = (len(game.moves), len(game.label), len(game.cost), len(game.probability), len(game.edge_names))
    if set(lengths) != {edges} or len(game.gain) != vertices or len(game.names) != vertices:
        raise GameError("arrays of different lengths: give one entry for each vertex or edge")
    if vertices and int(game.owner.max()) > SYSTEM:
        raise GameError("owner must be 0 (tester) or 1 (system)")
    if edges and int(game.label.max()) >= len(game.labels):
        raise GameError("a label number has no label")
    if any(value is None or value < 0 for value in game.cost.table):
        raise GameError("a cost is missing or below 0: costs are 0 or more")
    for name, members in game.goals.items():
        if members.size and int(members[-1]) >= vertices:
            raise GameError(f"goal {name!r} holds {int(members[-1])}, which is no vertex (there are {vertices})")
    _check_probabilities(game, source)


def _check_probabilities(game: Game, source: NDArray[np.uint32]) -> None:
    """At each system vertex all probabilities are given, positive and sum to 1, or all are absent."""
    if game.probability.table in ((), (None,)):
        return
    if any(value is not None and value <= 0 for value in game.probability.table):
        raise GameError("a probability is 0 or below: leave out what cannot happen")
    values = game.probability.floats
    has = ~np.isnan(values)
    wrong = has & (game.owner[source] == TESTER)
    if wrong.any():
        raise GameError(
            f"edge {game.edge_names[int(np.flatnonzero(wrong)[0])]!r} of a tester vertex has a probability: "
            "only system vertices choose by chance"
        )
    given = np.bincount(source, weights=has, minlength=game.vertex_count)
    degree = np.diff(game.first)
    mixed = np.flatnonzero((given > 0) & (given < degree))
    if mixed.size:
        raise GameError(f"vertex {game.names[int(mixed[0])]!r}: some probabilities are missing: give all or none")
    sums = np.bincount(source, weights=np.where(has, values, 0.0), minlength=game.vertex_count)
    off = np.flatnonzero((given > 0) & (np.abs(sums - 1.0) > _TOLERANCE))
    if off.size:
        vertex = int(off[0])
        raise GameError(
            f"vertex {game.names[vertex]!r}: probabilities sum to {sums[vertex]:.12g}, not 1: "
            "add the missing outcome or mend them"
        )


def _edge_names(given: Sequence[str | None]) -> Sequence[str]:
    if all(name is None for name in given):
        return Numbered("e", len(given))
    names = tuple(f"e{place}" if name is None else name for place, name in enumerate(given))
    if len(set(names)) < len(names):
        double = Counter(names).most_common(1)[0][0]
        raise GameError(f"edge id {double!r} is there twice: give each its own id")
    return names
