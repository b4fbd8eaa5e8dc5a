"""Models as GraphWalker has them: graphs to be walked, joined at shared states, with guards and actions on data.

A walk begins with the start element and goes along edges whose guards hold; an edge does its actions, then the vertex
it leads to does its own. Each model has variables of its own, `global.x` is shared by all. Vertices of the same shared
state are one place: a walk that comes to one of them goes on from any. A guard that speaks of a variable without a
value does not hold. To a tester every edge is an input; vertices are where it looks whether all is well.

The specification of models as GraphWalker has them: every edge is an input, and silence is allowed everywhere.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from outplay.errors import ModelError
from outplay.grouping import grouped
from outplay.model.expressions.evaluation import evaluate
from outplay.model.expressions.term import Term
from outplay.model.label import INPUT, SILENCE, Label
from outplay.model.specification import ListedSpecification, State
from outplay.renderable import Drawn

SHARED = -1
"""The model that `global.` variables belong to."""
Slot: TypeAlias = tuple[int, str]
Data: TypeAlias = tuple[Any, ...]
FEW_STATES, STATES_EACH = 1_000, 100  # explored where data may have no end: at least, and for each vertex


@dataclass(frozen=True)
class WalkPart:
    """A vertex or an edge of one of the models."""

    model: int
    id: str
    name: str
    requirements: tuple[str, ...] = field(default=(), kw_only=True)
    actions: Mapping[str, Term] = field(default_factory=dict, kw_only=True)


@dataclass(frozen=True)
class WalkVertex(WalkPart):
    """A vertex; those of one shared name are one place."""

    shared: str | None = None


@dataclass(frozen=True)
class WalkEdge(WalkPart):
    """An edge; one without a source is taken only as the start."""

    source: int | None
    target: int
    guard: Term | None = None
    weight: float | None = None
    """The weight of it in a walk at random, where one is given; no cost."""


@dataclass(frozen=True)
class WalkPosition:
    """The position of a walk: a place, None before the first edge, with the values of all variables."""

    place: int | None
    data: Data


@dataclass(frozen=True, eq=False)
class WalkModels(Drawn):
    """Models that are walked together; edges and vertices are numbered through all of them."""

    name: str
    names: tuple[str, ...]
    vertices: tuple[WalkVertex, ...]
    edges: tuple[WalkEdge, ...]
    starts: Mapping[int, Mapping[str, Term]]
    """For each model what its variables are at first."""
    start_edge: int | None
    start_vertex: int | None = None
    generators: tuple[str, ...] = ()
    """For each model how it wants to be walked, and until when, as it is written."""

    @cached_property
    def places(self) -> tuple[int, ...]:
        """For each vertex its place: the first vertex of the same shared state, or itself."""
        first: dict[str, int] = {}
        return tuple(
            number if vertex.shared is None else first.setdefault(vertex.shared, number)
            for number, vertex in enumerate(self.vertices)
        )

    @cached_property
    def names_at(self) -> dict[int, list[str]]:
        """For each place the names of its vertices."""
        return grouped((place, vertex.name) for place, vertex in zip(self.places, self.vertices, strict=True))

    @cached_property
    def entered(self) -> tuple[str, ...]:
        """The names of the vertices that walks may come to: a vertex that nothing leads to only marks a start."""
        into = {self.places[edge.target] for edge in self.edges}
        if self.start_vertex is not None:
            into.add(self.places[self.start_vertex])
        found = (vertex.name for vertex, place in zip(self.vertices, self.places, strict=True) if place in into)
        return tuple(dict.fromkeys(found))

    @cached_property
    def leaving(self) -> dict[int, list[int]]:
        """For each place the edges that leave it."""
        edges = enumerate(self.edges)
        return grouped((self.places[edge.source], number) for number, edge in edges if edge.source is not None)

    @cached_property
    def slots(self) -> dict[Slot, int]:
        """Every variable with its place in the data."""
        named = [(model, name) for model, actions in self.starts.items() for name in actions]
        named += [(edge.model, name) for edge in self.edges for name in edge.actions]
        named += [(vertex.model, name) for vertex in self.vertices for name in vertex.actions]
        return {slot: number for number, slot in enumerate(dict.fromkeys(variable_slot(*slot) for slot in named))}

    @cached_property
    def initial(self) -> WalkPosition:
        """Return the beginnings of walks."""
        data: Data = (None,) * len(self.slots)
        for model, actions in self.starts.items():
            data = self._done(data, model, actions)
        if self.start_vertex is None:
            return WalkPosition(None, data)
        return WalkPosition(self.places[self.start_vertex], self._entered(data, self.start_vertex))

    def steps(self, spot: WalkPosition) -> Iterator[tuple[int, WalkPosition]]:
        """The edges that can be taken, and where each leads."""
        if spot.place is None:
            candidates = [] if self.start_edge is None else [self.start_edge]
        else:
            candidates = self.leaving.get(spot.place, [])
        for number in candidates:
            edge = self.edges[number]
            if edge.guard is None or self._holds(edge.guard, edge.model, spot.data):
                data = self._entered(self._done(spot.data, edge.model, edge.actions), edge.target)
                yield number, WalkPosition(self.places[edge.target], data)

    def _entered(self, data: Data, vertex: int) -> Data:
        return self._done(data, self.vertices[vertex].model, self.vertices[vertex].actions)

    def _done(self, data: Data, model: int, actions: Mapping[str, Term]) -> Data:
        if not actions:
            return data
        values, after = self._values(data, model), list(data)
        for name, term in actions.items():
            after[self.slots[variable_slot(model, name)]] = evaluate(term, values)
        return tuple(after)

    def _holds(self, guard: Term, model: int, data: Data) -> bool:
        try:
            return bool(evaluate(guard, self._values(data, model)))
        except ModelError:  # of a variable that has no value
            return False

    def _values(self, data: Data, model: int) -> dict[str, Any]:
        known = ((name, data[place]) for (whose, name), place in self.slots.items() if whose in (model, SHARED))
        return {name: value for name, value in known if value is not None}

    def described(self, spot: WalkPosition) -> str:
        """A spot in words: the vertex, and the values of variables."""
        where = "before the start" if spot.place is None else self._named(spot.place)
        data = [f"{name}={value}" for (_, name), value in zip(self.slots, spot.data, strict=True) if value is not None]
        return " ".join([where, *data])

    def _named(self, place: int) -> str:
        """A place by its vertex, with the id where the name alone does not tell it."""
        vertex = self.vertices[place]
        return vertex.name if self._names[vertex.name] == 1 else f"{vertex.name} ({vertex.id})"

    @cached_property
    def _names(self) -> Counter[str]:
        return Counter(self.vertices[place].name for place in set(self.places))

    def requirements_of(self, walk: Sequence[int]) -> list[str]:
        """The requirements of the edges and vertices that a walk passes, each once."""
        found: dict[str, None] = {}
        for number in walk:
            edge = self.edges[number]
            found.update(dict.fromkeys([*edge.requirements, *self.vertices[edge.target].requirements]))
        return list(found)

    @cached_property
    def requirements(self) -> tuple[str, ...]:
        """All requirements, in the order in which they stand."""
        listed = [vertex.requirements for vertex in self.vertices] + [edge.requirements for edge in self.edges]
        return tuple(dict.fromkeys(one for required in listed for one in required))


def variable_slot(model: int, name: str) -> Slot:
    """Return the variable that a name in a GraphWalker model means: its own, or with `global.` a shared one."""
    return (SHARED, name) if name.startswith("global.") else (model, name)


class WalkSpecification(ListedSpecification):
    """The next moves of walks; states are numbers of positions, in the order in which they are met."""

    def __init__(self, models: WalkModels, name: str) -> None:
        self.models, self.name = models, name
        self._spots: list[WalkPosition] = [models.initial]
        self._numbers: dict[WalkPosition, int] = {models.initial: 0}
        self._moves: dict[int, dict[Label, list[State]]] = {}
        self.initial: Collection[State] = (0,)
        self.labels = _labels(models)
        self.goals = models.entered

    @property
    def fingerprint(self) -> str:
        parts = (self.models.vertices, self.models.edges, sorted(self.models.starts.items()))
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]

    @property
    def alphabet(self) -> Collection[Label]:
        return list(dict.fromkeys(self.labels))

    def moves(self, state: Any) -> dict[Label, list[State]]:
        if state not in self._moves:
            steps = self.models.steps(self._spots[state])
            self._moves[state] = grouped((self.labels[edge], self._number(spot)) for edge, spot in steps)
        return self._moves[state]

    def edges_at(self, state: Any, label: Label) -> list[int]:
        """The edges that a label takes in a state, by number."""
        return [edge for edge, _ in self.models.steps(self._spots[state]) if self.labels[edge] == label]

    def _number(self, spot: WalkPosition) -> int:
        if spot not in self._numbers:
            self._numbers[spot] = len(self._spots)
            self._spots.append(spot)
        return self._numbers[spot]

    def quiet(self, state: Any) -> bool:
        return True

    @property
    def enough_states(self) -> int | None:
        """Counters may count without end, so that only the first values of data are explored."""
        return max(FEW_STATES, STATES_EACH * len(self.models.vertices)) if self.models.slots else None

    def holds(self, goal: str, state: Any) -> bool:
        place = self._spots[state].place
        return place is not None and goal in self.models.names_at[place]

    def after(self, state: Any, label: Label) -> Collection[State]:
        return (state,) if label == SILENCE else self.moves(state).get(label, ())

    def describe(self, state: Any) -> str:
        return f"at {self.models.described(self._spots[state])}"

    def key(self, state: Any) -> str:
        return self.models.described(self._spots[state])


def _labels(models: WalkModels) -> list[Label]:
    """For each edge its name as an input, with its id where edges of one place share a name."""
    names = [[models.edges[edge].name for edge in leaving] for leaving in models.leaving.values()]
    shared = {name for together in names for name in together if together.count(name) > 1}
    return [Label(INPUT, edge.name, (edge.id,) if edge.name in shared else ()) for edge in models.edges]


def of_walks(model: WalkModels, *, name: str | None = None, **_: Any) -> WalkSpecification:
    """Return the specification of GraphWalker's walk models."""
    return WalkSpecification(model, name or model.name)
