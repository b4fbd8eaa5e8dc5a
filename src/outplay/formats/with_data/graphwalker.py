"""GraphWalker's JSON models: read with their guards and actions, which are parsed and never run as code.

A file has `models`, each with `vertices` and `edges`; one names the `startElementId`. Fields that do not say how the
model is walked, such as positions, are passed over.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from outplay.formats.texts.json_document import (
    Wrong,
    clipped,
    decode,
    list_of,
    placed,
    refuse_halves,
    text_of,
    typed,
)
from outplay.formats.texts.source import Source
from outplay.model.expressions.script_dialect import read_script_actions, read_script_guard
from outplay.model.expressions.sorts import Sort
from outplay.model.expressions.term import Term
from outplay.model.expressions.tokens import ExpressionError
from outplay.model.walks.walk_models import WalkEdge, WalkModels, WalkVertex, owner

_BEGINNING = 4096


def is_graphwalker(text: str) -> bool:
    """Say whether a JSON text is GraphWalker's: it begins with models, or names them, and is no format of ours."""
    head = text[:_BEGINNING]
    return '"models"' in head and '"outplay-' not in head


def read(source: Source, *, name: str | None = None) -> WalkModels:
    """Read the models of a file."""
    document = decode(source)
    refuse_halves(source)
    if not isinstance(document, dict):
        raise source.error(1, 1, 'one JSON object is needed; start with {"models": […]}')
    try:
        return _Reader(document).models(name or source.name)
    except Wrong as error:
        raise placed(source, error) from None


class _Reader:
    """Reads model after model; variables get their sorts from what they are first given, in any order."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.given = list_of(document, "models")
        self.sorts: dict[tuple[int, str], Sort] = {}
        self.actions: dict[tuple[str | int, ...], dict[str, Term]] = {}
        self.numbers: dict[tuple[int, str], int] = {}

    def models(self, name: str) -> WalkModels:
        for number, model in enumerate(self.given):
            if not isinstance(model, dict):
                raise Wrong(f"model {number} is {clipped(model)} and should be an object", "models", number)
        self._read_actions()
        vertices = [vertex for number in range(len(self.given)) for vertex in self._vertices(number)]
        edges = [edge for number in range(len(self.given)) for edge in self._edges(number)]
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

    def _each(self, number: int, what: str) -> Iterator[tuple[int, dict[str, Any]]]:
        for place, entry in enumerate(list_of_within(self.given[number], what, "models", number)):
            if not isinstance(entry, dict):
                raise Wrong(f"{what} has {clipped(entry)}, which is no object", "models", number, what, place)
            yield place, entry

    def _vertices(self, number: int) -> Iterator[WalkVertex]:
        for place, entry in self._each(number, "vertices"):
            path = ("models", number, "vertices", place)
            own = _field(entry, "id", path)
            if (number, own) in self.numbers:
                raise Wrong(f"vertex {clipped(own)} stands twice in its model; give it an id of its own", *path, "id")
            self.numbers[number, own] = len(self.numbers)
            yield WalkVertex(
                model=number, id=own, shared=_optional(entry, "sharedState", path), **self._alike(entry, path)
            )

    def _edges(self, number: int) -> Iterator[WalkEdge]:
        for place, entry in self._each(number, "edges"):
            path = ("models", number, "edges", place)
            own = _field(entry, "id", path)
            source = _optional(entry, "sourceVertexId", path)
            known = None if source is None else self.numbers.get((number, source))
            target = self._known(number, _field(entry, "targetVertexId", path), *path, "targetVertexId")
            weight = entry.get("weight")
            yield WalkEdge(
                model=number,
                id=own,
                source=known,  # a source that is no vertex, such as Start, is none
                target=target,
                guard=self._guard(number, entry, path),
                weight=float(weight) if isinstance(weight, int | float) and not isinstance(weight, bool) else None,
                **self._alike(entry, path),
            )

    def _alike(self, entry: dict[str, Any], path: tuple[str | int, ...]) -> dict[str, Any]:
        """What vertices and edges may have alike."""
        return {
            "name": _optional(entry, "name", path) or entry["id"],
            "requirements": _texts(entry, "requirements", path),
            "actions": self.actions.get((*path, "actions"), {}),
        }

    def _known(self, number: int, vertex: str, *path: str | int) -> int:
        if (number, vertex) not in self.numbers:
            raise Wrong(f"{clipped(vertex)} is no vertex of the model; name one by its id", *path)
        return self.numbers[number, vertex]

    def _guard(self, number: int, entry: dict[str, Any], path: tuple[str | int, ...]) -> Term | None:
        text = _optional(entry, "guard", path)
        if not text or not text.strip():
            return None
        try:
            return read_script_guard(text, self._scope(number))
        except ExpressionError as error:
            raise Wrong(f"the guard {clipped(text)}: {error}", *path, "guard") from None

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
                raise Wrong(what, "models", number, "startElementId")
            return found[0], None
        sourceless = [place for place, edge in enumerate(edges) if edge.source is None]
        if not sourceless:
            raise Wrong("no model says where walks begin; name a startElementId", "models")
        return sourceless[0], None

    def _scope(self, number: int) -> dict[str, Sort]:
        return {name: sort for (whose, name), sort in self.sorts.items() if whose in (number, owner(number, name)[0])}

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
                    trouble = trouble or Wrong(f"the actions {clipped(text)}: {error}", *path)
                else:
                    self.sorts.update({owner(number, name): sort for name, sort in known.items()})
            if trouble is not None and len(later) == len(waiting):
                raise trouble
            waiting = later

    def _texts(self) -> Iterator[tuple[tuple[str | int, ...], int, str]]:
        """The actions of models, edges and vertices, with the place where they stand."""
        for number, model in enumerate(self.given):
            entries: list[tuple[tuple[str | int, ...], dict[str, Any]]] = [(("models", number), model)]
            for what in ("edges", "vertices"):
                entries += [(("models", number, what, place), entry) for place, entry in self._each(number, what)]
            for path, entry in entries:
                if lines := _texts(entry, "actions", path):
                    yield (*path, "actions"), number, ";".join(lines)


def list_of_within(entry: dict[str, Any], key: str, *path: str | int) -> list[Any]:
    """A field that is a list, in an entry at a place of the document."""
    try:
        return list_of(entry, key)
    except Wrong as error:
        raise Wrong(str(error), *path, *error.path) from None


def _field(entry: dict[str, Any], key: str, path: tuple[str | int, ...]) -> str:
    try:
        return text_of(entry, key)
    except Wrong as error:
        raise Wrong(str(error), *path, *error.path) from None


def _optional(entry: dict[str, Any], key: str, path: tuple[str | int, ...]) -> str | None:
    try:
        found: str | None = typed(entry, key, str, None)
    except Wrong as error:
        raise Wrong(str(error), *path, *error.path) from None
    return found


def _texts(entry: dict[str, Any], key: str, path: tuple[str | int, ...]) -> tuple[str, ...]:
    found = entry.get(key) or []
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise Wrong(f"{key} is {clipped(found)} and should be a list of texts", *path, key)
    return tuple(found)
