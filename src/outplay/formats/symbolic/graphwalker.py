"""GraphWalker's JSON models: read with their guards and actions, which are parsed and never run as code.

A file has `models`, each with `vertices` and `edges`; one names the `startElementId`. Fields that do not say how the
model is walked, such as positions, are passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, TypeVar

from outplay.formats.common.json_document import (
    InvalidDocument,
    clipped,
    decode_json,
    list_field,
    placed_error,
    refuse_half_characters,
    text_field,
    texts_field,
    typed_field,
    within_place,
)
from outplay.formats.common.source import Source
from outplay.model.expressions.reading import ExpressionError
from outplay.model.expressions.script_dialect import read_script_actions, read_script_guard
from outplay.model.expressions.sorts import Sort
from outplay.model.expressions.term import Term
from outplay.model.walk_models import WalkEdge, WalkModels, WalkVertex, variable_slot

_BEGINNING = 4096
_Path: TypeAlias = tuple[str | int, ...]
Part = TypeVar("Part", WalkVertex, WalkEdge)


def is_graphwalker(text: str) -> bool:
    """Say whether a JSON text is a model of GraphWalker: it begins with models, or names them."""
    head = text[:_BEGINNING]
    return '"models"' in head and '"outplay-' not in head


def read(source: Source, *, name: str | None = None) -> WalkModels:
    """Read the models of a GraphWalker JSON file."""
    document = decode_json(source)
    refuse_half_characters(source)
    if not isinstance(document, dict):
        raise source.error(1, 1, 'one JSON object is needed; start with {"models": […]}')
    try:
        return _Reader(document).models(name or source.name)
    except InvalidDocument as error:
        raise placed_error(source, error) from None


class _Reader:
    """Reads model after model; variables get their sorts from what they are first given, in any order."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.given = list_field(document, "models")
        self.sorts: dict[tuple[int, str], Sort] = {}
        self.actions: dict[_Path, dict[str, Term]] = {}
        self.numbers: dict[tuple[int, str], int] = {}

    def models(self, name: str) -> WalkModels:
        for number, model in enumerate(self.given):
            if not isinstance(model, dict):
                raise InvalidDocument(f"model {number} is {clipped(model)} and should be an object", "models", number)
        self._read_actions()
        vertices = self._read("vertices", self._vertex)
        edges = self._read("edges", self._edge)
        starts = {number: self.actions.get(("models", number, "actions"), {}) for number in range(len(self.given))}
        start_edge, start_vertex = self._start(edges)
        return WalkModels(
            name,
            tuple(str(model.get("name", number)) for number, model in enumerate(self.given)),
            tuple(vertices),
            tuple(edges),
            starts,
            start_edge,
            start_vertex,
            tuple(str(model.get("generator", "")) for model in self.given),
        )

    def _read(self, what: str, read: Callable[[int, _Path, dict[str, Any]], Part]) -> list[Part]:
        found = []
        for number in range(len(self.given)):
            for path, entry in self._each(number, what):
                with within_place(*path):
                    found.append(read(number, path, entry))
        return found

    def _each(self, number: int, what: str) -> Iterator[tuple[_Path, dict[str, Any]]]:
        with within_place("models", number):
            entries = list_field(self.given[number], what)
        for place, entry in enumerate(entries):
            if not isinstance(entry, dict):
                raise InvalidDocument(f"{what} has {clipped(entry)}, which is no object", "models", number, what, place)
            yield ("models", number, what, place), entry

    def _vertex(self, number: int, path: _Path, entry: dict[str, Any]) -> WalkVertex:
        own = text_field(entry, "id")
        if (number, own) in self.numbers:
            raise InvalidDocument(f"vertex {clipped(own)} stands twice in its model; give it an id of its own", "id")
        self.numbers[number, own] = len(self.numbers)
        shared = typed_field(entry, "sharedState", str, None)
        return WalkVertex(model=number, id=own, shared=shared, **self._alike(path, entry))

    def _edge(self, number: int, path: _Path, entry: dict[str, Any]) -> WalkEdge:
        own, source = text_field(entry, "id"), typed_field(entry, "sourceVertexId", str, None)
        weight = entry.get("weight")
        return WalkEdge(
            model=number,
            id=own,
            source=self.numbers.get((number, source)),  # a source that is no vertex, such as Start, is none
            target=self._target(number, entry),
            guard=self._guard(number, entry),
            weight=float(weight) if isinstance(weight, int | float) and not isinstance(weight, bool) else None,
            **self._alike(path, entry),
        )

    def _alike(self, path: _Path, entry: dict[str, Any]) -> dict[str, Any]:
        """The properties that vertices and edges may share."""
        return {
            "name": typed_field(entry, "name", str, None) or entry["id"],
            "requirements": texts_field(entry.get("requirements") or [], "requirements"),
            "actions": self.actions.get((*path, "actions"), {}),
        }

    def _target(self, number: int, entry: dict[str, Any]) -> int:
        vertex = text_field(entry, "targetVertexId")
        if (number, vertex) not in self.numbers:
            raise InvalidDocument(f"{clipped(vertex)} is no vertex of the model; name one by its id", "targetVertexId")
        return self.numbers[number, vertex]

    def _guard(self, number: int, entry: dict[str, Any]) -> Term | None:
        text = typed_field(entry, "guard", str, None)
        if not text or not text.strip():
            return None
        try:
            return read_script_guard(text, self._scope(number))
        except ExpressionError as error:
            raise InvalidDocument(f"the guard {clipped(text)}: {error}", "guard") from None

    def _start(self, edges: list[WalkEdge]) -> tuple[int | None, int | None]:
        for number, model in enumerate(self.given):
            start = model.get("startElementId")
            if start is None:
                continue
            if (number, start) in self.numbers:
                return None, self.numbers[number, start]
            found = [place for place, edge in enumerate(edges) if (edge.model, edge.id) == (number, start)]
            if not found:
                what = f"startElementId {clipped(start)} is no vertex and no edge of its model"
                raise InvalidDocument(what, "models", number, "startElementId")
            return found[0], None
        sourceless = [place for place, edge in enumerate(edges) if edge.source is None]
        if not sourceless:
            raise InvalidDocument("no model says where walks begin; name a startElementId", "models")
        return sourceless[0], None

    def _scope(self, number: int) -> dict[str, Sort]:
        return {
            name: sort
            for (whose, name), sort in self.sorts.items()
            if whose in (number, variable_slot(number, name)[0])
        }

    def _read_actions(self) -> None:
        """Read all actions; those that speak of variables not yet known wait until others have made them known."""
        waiting = list(self._texts())
        while waiting:
            later, trouble = [], None
            for path, number, text in waiting:
                try:
                    self.actions[path], known = read_script_actions(text, self._scope(number))
                except ExpressionError as error:
                    later.append((path, number, text))
                    trouble = trouble or InvalidDocument(f"the actions {clipped(text)}: {error}", *path)
                else:
                    self.sorts.update({variable_slot(number, name): sort for name, sort in known.items()})
            if trouble is not None and len(later) == len(waiting):
                raise trouble
            waiting = later

    def _texts(self) -> Iterator[tuple[_Path, int, str]]:
        """The actions of models, edges and vertices, with the place where they stand."""
        for number, model in enumerate(self.given):
            own: tuple[_Path, dict[str, Any]] = ("models", number), model
            for path, entry in [own, *self._each(number, "edges"), *self._each(number, "vertices")]:
                with within_place(*path):
                    lines = texts_field(entry.get("actions") or [], "actions")
                if lines:
                    yield (*path, "actions"), number, ";".join(lines)
