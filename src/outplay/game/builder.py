"""Making a game graph: vertex by vertex, or from whole arrays. Both end in the same checks.

The checks take O(vertices + edges) array operations, so a million vertices and four million edges pass in well under a
second; edges that do not come sorted by source cost one stable sort.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from outplay.errors import GameError
from outplay.game.graph import SYSTEM, TESTER, Game, Numbered, Picked
from outplay.game.tables import Exact, constant, exact_from

_TOLERANCE = Fraction(1, 10**9)  # decimals such as 0.333333333 may sum to almost 1
MOVES = "an edge counts 1 move, or 0 where the tester only decides"
OWNERS = {"tester": TESTER, "system": SYSTEM, "sut": SYSTEM}


class PartError(GameError):
    """A mistake at one vertex or edge, given by name, so that a reader of files can find its line."""

    def __init__(self, what: str, *, vertex: str | None = None, edge: str | None = None) -> None:
        super().__init__(what)
        self.vertex, self.edge = vertex, edge


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
        columns = list(zip(*self._edges, strict=True)) or [()] * 7
        return game_from_arrays(
            owner=self._owners,
            source=[self._number(name, f"edge {place}: source") for place, name in enumerate(columns[0])],
            target=[self._number(name, f"edge {place}: target") for place, name in enumerate(columns[1])],
            label=[labels.setdefault(text, len(labels)) for text in columns[2]],
            labels=tuple(labels),
            cost=_column("edge {}: cost", columns[3]),
            probability=_column("edge {}: probability", columns[4]),
            moves=columns[5],
            edge_names=_edge_names(columns[6]),
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
    owners = _whole("vertex {}: owner", owner, 2, np.uint8, "write 0 for the tester or 1 for the system")
    vertices = len(owners)
    cure = f"there are {vertices} vertices, numbered from 0"
    sources = _whole("edge {}: source", source, vertices, np.uint32, cure)
    targets = _whole("edge {}: target", target, vertices, np.uint32, cure)
    count = len(targets)
    cost = constant(1, count) if cost is None else cost
    probability = constant(None, count) if probability is None else probability
    gain = constant(1, vertices) if gain is None else gain
    weights = np.ones(count, dtype=np.uint8)
    if moves is not None:
        weights = _whole("edge {}: moves", moves, 2, np.uint8, MOVES)
    marks = np.zeros(count, dtype=np.uint32)
    if label is not None:
        marks = _whole("edge {}: label", label, len(labels), np.uint32, f"there are {len(labels)}, numbered from 0")
    names = Numbered("v", vertices) if names is None else names
    names_of_edges = Numbered("e", count) if edge_names is None else edge_names
    _check_lengths("vertex", vertices, gain=gain, names=names)
    _check_lengths(
        "edge",
        count,
        source=sources,
        moves=weights,
        label=marks,
        cost=cost,
        probability=probability,
        edge_names=names_of_edges,
    )
    _check_unique(names, names_of_edges)
    if count and np.any(sources[1:] < sources[:-1]):
        order = np.argsort(sources, kind="stable")
        sources, targets, weights, marks = sources[order], targets[order], weights[order], marks[order]
        cost, probability = cost.taken(order), probability.taken(order)
        names_of_edges = Picked(names_of_edges, order)
    first = np.zeros(vertices + 1, dtype=np.uint32)
    np.cumsum(np.bincount(sources, minlength=vertices), out=first[1:])
    game = Game(
        owner=owners,
        first=first,
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
        origin=origin,
    )
    _check(game, sources)
    return game


def _whole(name: str, given: ArrayLike, below: int, kind: type[Any], cure: str) -> NDArray[Any]:
    """Take whole numbers from 0 to `below`; nothing else is cut to fit."""
    numbers = np.asarray(given)
    if not numbers.size:
        return np.zeros(0, dtype=kind)
    if numbers.ndim != 1 or numbers.dtype.kind not in "biu":
        raise GameError(f"{name.format('…')} must be a flat list of whole numbers; {cure}")
    if int(numbers.min()) < 0 or int(numbers.max()) >= below:
        place = int(np.flatnonzero((numbers < 0) | (numbers >= below))[0])
        raise GameError(f"{name.format(place)} is {numbers[place]}; {cure}")
    return np.ascontiguousarray(numbers, dtype=kind)


def _column(name: str, values: Sequence[Any]) -> Exact:
    """Make a column of exact numbers; a mistake in it is looked for only when there is one."""
    try:
        return exact_from(values)
    except (GameError, TypeError):
        for place, value in enumerate(values):
            try:
                exact_from([value])
            except (GameError, TypeError) as error:
                raise GameError(f"{name.format(place)}: {error}") from None
        raise


def _members(name: str, given: ArrayLike, vertices: int) -> NDArray[np.uint32]:
    cure = f"there are {vertices} vertices, numbered from 0"
    return np.unique(_whole(f"goal {name!r}: member {{}}", given, vertices, np.uint32, cure))


def _check_lengths(part: str, count: int, **columns: Any) -> None:
    for name, column in columns.items():
        if len(column) != count:
            raise GameError(f"{name} has {len(column)} entries, not {count}; give one for each {part}")


def _check_unique(names: Sequence[str], edge_names: Sequence[str]) -> None:
    """Refuse names that stand twice; names that are made when asked for (`Numbered` and its like) never do."""
    for what, given in (("vertex", names), ("edge", edge_names)):
        if isinstance(given, tuple | list) and len(set(given)) < len(given):
            double = Counter(given).most_common(1)[0][0]
            raise PartError(f"{what} id {double!r} is there twice; give each its own id", **{what: double})


def _check(game: Game, source: NDArray[np.uint32]) -> None:
    if not 0 <= game.initial < game.vertex_count:
        raise GameError(
            f"initial is {game.initial}; there are {game.vertex_count} vertices, numbered from 0: name one of them"
        )
    edge = _first(game.cost, lambda value: value is None or value < 0)
    if edge is not None:
        name = game.edge_names[edge]
        raise PartError(f"edge {name!r}: cost is {game.cost[edge]}; write a number that is 0 or more", edge=name)
    vertex = _first(game.gain, lambda value: value is None or value < 0)
    if vertex is not None:
        name = game.names[vertex]
        raise PartError(f"vertex {name!r}: gain is {game.gain[vertex]}; write a number that is 0 or more", vertex=name)
    _check_probabilities(game, source)


def _first(column: Exact, wrong: Callable[[Any], bool]) -> int | None:
    """Find the first place that holds a wrong number."""
    rows = [row for row, value in enumerate(column.table) if wrong(value)]
    places = np.flatnonzero(np.isin(column.index, rows))
    return int(places[0]) if places.size else None


def _check_probabilities(game: Game, source: NDArray[np.uint32]) -> None:
    """At each system vertex all probabilities are given, positive and sum to 1, or all are absent."""
    if game.probability.table in ((), (None,)):
        return
    edge = _first(game.probability, lambda value: value is not None and not 0 < value <= 1)
    if edge is not None:
        name = game.edge_names[edge]
        raise PartError(
            f"edge {name!r}: probability is {game.probability[edge]}; it must be above 0 and at most 1, "
            "leave out what cannot happen",
            edge=name,
        )
    values = game.probability.floats
    has = ~np.isnan(values)
    wrong = np.flatnonzero(has & (game.owner[source] == TESTER))
    if wrong.size:
        name = game.edge_names[int(wrong[0])]
        raise PartError(
            f"edge {name!r} of a tester vertex has a probability; leave it out, only system vertices choose by chance",
            edge=name,
        )
    given = np.bincount(source, weights=has, minlength=game.vertex_count)
    mixed = np.flatnonzero((given > 0) & (given < np.diff(game.first)))
    if mixed.size:
        name = game.names[int(mixed[0])]
        raise PartError(f"vertex {name!r}: some probabilities are missing; give all or none", vertex=name)
    sums = np.bincount(source, weights=np.where(has, values, 0.0), minlength=game.vertex_count)
    # Floats only say which vertices to look at: at the very edge of the tolerance they would err.
    for vertex in np.flatnonzero((given > 0) & (np.abs(sums - 1.0) > 0.9 * float(_TOLERANCE))).tolist():
        total = sum((game.probability[edge] or Fraction(0) for edge in game.edges_of(vertex)), Fraction(0))
        if abs(total - 1) > _TOLERANCE:
            name = game.names[vertex]
            raise PartError(
                f"vertex {name!r}: probabilities sum to {float(total):.12g}, not 1; "
                "add the missing outcome or mend them",
                vertex=name,
            )


def _edge_names(given: Sequence[str | None]) -> Sequence[str]:
    if all(name is None for name in given):
        return Numbered("e", len(given))
    return tuple(f"e{place}" if name is None else name for place, name in enumerate(given))
