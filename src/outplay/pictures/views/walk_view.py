"""Graphs to be walked seen as nodes and edges, as they stand in their file: guards and actions are texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import accumulate

from outplay.model.expressions.computing import write_assignment
from outplay.model.walks.walk_models import WalkModels
from outplay.pictures.elements import ROUND, STATE, Edge, LabelPart, Node
from outplay.plurals import counted

START = "Start"


class WalkView:
    """Vertices and edges of all models; a shared state is one node, and the start edge has a node before it."""

    noun, noun_for_one = "vertices", "vertex"
    goals: Mapping[int, Sequence[str]] = {}
    initial = 0

    def __init__(self, model: WalkModels) -> None:
        self._model, self.name = model, model.name
        first = model.start_vertex if model.start_edge is None else None
        places = list(dict.fromkeys(model.places))
        if first is not None:
            places.remove(model.places[first])
            places.insert(0, model.places[first])
        self._places: list[int | None] = [*([] if first is not None else [None]), *places]
        self._numbers = {place: number for number, place in enumerate(self._places)}
        rows = [self._leaving(place) for place in self._places]
        self.order = [edge for row in rows for edge in row]
        self.first = [0, *accumulate(map(len, rows))]
        self.target = [self._numbers[model.places[model.edges[edge].target]] for edge in self.order]

    def _leaving(self, place: int | None) -> list[int]:
        if place is None:
            return [] if self._model.start_edge is None else [self._model.start_edge]
        return self._model.leaving.get(place, [])

    @cached_property
    def _source(self) -> list[int]:
        return [node for node in range(len(self._places)) for _ in range(self.first[node], self.first[node + 1])]

    def node(self, number: int) -> Node:
        place = self._places[number]
        if place is None:
            return Node(START, STATE, ROUND)
        vertices = [
            vertex for vertex, its in zip(self._model.vertices, self._model.places, strict=True) if its == place
        ]
        shared = vertices[0].shared
        lines = [f"in model {self._model.names[vertex.model]}" for vertex in vertices]
        lines += [f"requirement: {one}" for vertex in vertices for one in vertex.requirements]
        lines += [write_assignment(vertex.actions) for vertex in vertices if vertex.actions]
        names = " = ".join(dict.fromkeys(vertex.name for vertex in vertices))
        return Node(names, STATE, ROUND, f"shared {shared}" if shared else "", details="\n".join(lines))

    def edge(self, number: int) -> Edge:
        edge = self._model.edges[self.order[number]]
        guard = f"[{edge.guard}]" if edge.guard is not None else ""
        actions = f"/ {write_assignment(edge.actions)}" if edge.actions else ""
        more = [part for text in (guard, actions) if text for part in (LabelPart(" "), LabelPart(text))]
        return Edge(self._source[number], self.target[number], (LabelPart(edge.name, "input"), *more))

    def reads(self, number: int) -> tuple[str, ...]:
        return (f"?{self._model.edges[self.order[number]].name}",)

    def quiet(self, number: int) -> bool:
        return False  # silence is allowed everywhere, so that it tells nothing here

    def census(self) -> list[tuple[str, str]]:
        model = self._model
        found = [("models", f"{len(model.names)}: {', '.join(model.names)}")]
        return [*found, ("requirements", counted(len(model.requirements), "requirement"))]
