"""A document of the studio: one model that was opened, its game, and what was found out about it so far.

The questions of the page: parameters of a request, each read as what it should be or refused.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from outplay.cancellation import CancelToken
from outplay.errors import UsageError
from outplay.game.graph import Game
from outplay.game.roles import Role
from outplay.model.wrapping import NumberedSpecification
from outplay.runs.job import Job
from outplay.runs.preparing.loaded_model import LoadedModel, load_model

MOST_KEPT = 64  # answers of one document
MOST_LABELS = 200  # that are offered as goals
_Found = TypeVar("_Found")


@dataclass
class Document:
    """A model, opened. One question is answered at a time, because models step on one scratch state."""

    id: str
    job: Job
    title: str
    lock: threading.RLock = field(default_factory=threading.RLock)
    token: CancelToken = field(default_factory=CancelToken)
    explored: tuple[int, int] = (0, 0)
    """States expanded and known while exploring goes on."""
    draft_of: Document | None = None
    """The document that this one is a draft of."""
    runs: dict[str, Any] = field(default_factory=dict)
    """Live runs of the model by their ids."""
    _kept: OrderedDict[Any, Any] = field(default_factory=OrderedDict)

    @cached_property
    def model(self) -> LoadedModel:
        """The model as it was read when it was opened."""
        with self.lock, self.token.stretch():
            return load_model(self.job)

    @cached_property
    def game(self) -> Game:
        """The model played out on paper."""
        with self.lock:
            if "game" in self.__dict__:  # found by another thread meanwhile
                return self.__dict__["game"]  # type: ignore[no-any-return]
            model = self.model
            with self.token.stretch():
                made = self.__dict__["game"] = model.game(self._explored)
            return made

    def _explored(self, done: int, known: int) -> None:
        self.explored = done, known

    def kept(self, key: Any, find: Callable[[], _Found]) -> _Found:
        """Return the value found before for this key, or find it now; the least recently used is forgotten."""
        with self.lock:
            if key not in self._kept:
                self._kept[key] = find()
            self._kept.move_to_end(key)
            while len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)
            return self._kept[key]  # type: ignore[no-any-return]

    def about(self, vertex: int) -> str:
        """The state of a vertex in words."""
        with self.lock:
            return self.game.origin.describe(int(self.game.roles.state[vertex]))

    @cached_property
    def texts(self) -> list[str]:
        """Return the texts to search: the name of each vertex and, where it is a state, its values."""
        game, origin = self.game, self.game.origin
        numbered = origin.numbered
        return [
            f"{game.names[vertex]} {origin.describe(vertex) if numbered and role == Role.STATE else ''}".lower()
            for vertex, role in enumerate(game.roles.role.tolist())
        ]

    @cached_property
    def vertex_of_key(self) -> dict[str, int]:
        """The vertex of each state by its key, which is the same in every run of the model."""
        game, found = self.game, dict[str, int]()
        if isinstance(game.origin.specification, NumberedSpecification):
            return (
                found  # a vertex stands for a region of endless data, whose states have no number before they are met
            )
        spec, roles = game.origin.specification, game.roles.role.tolist()
        for state in range(game.vertex_count):
            vertex = game.origin.vertex(state) if roles[state] == Role.STATE else None
            if vertex is not None:
                found.setdefault(spec.key(state), vertex)
        return found

    def close(self) -> None:
        """End what still works on it."""
        self.token.cancel()
        for run in self.runs.values():
            run.token.cancel()

    def facts(self) -> dict[str, Any]:
        """Return the facts that the page shows above all else."""
        game, origin = self.game, self.game.origin
        return {
            "id": self.id,
            "title": self.title,
            "vertices": game.vertex_count,
            "edges": game.edge_count,
            "states": origin.states,
            "initial": game.initial,
            "goals": sorted(game.goals),
            "labels": sorted(text for text in game.labels if text[:1] in ("?", "!"))[:MOST_LABELS],
            "assumption": str(origin.assumption.value),
            "warnings": [*origin.cautions, *([origin.stopped] if origin.stopped else [])],
        }


LONGEST = 100_000
"""Letters of a parameter; whole files have a bound of their own."""


@dataclass(frozen=True)
class Asked:
    """The parameters of one request.

    >>> Asked({"vertex": "3", "goal": "done"}).number("vertex", 10)
    3
    """

    given: Mapping[str, Any]

    def text(self, name: str, default: str | None = None, *, longest: int = LONGEST) -> str:
        """A text; refused where it is missing and has no default."""
        value = self.given.get(name, default)
        if not isinstance(value, str) or len(value) > longest:
            raise UsageError(f"{name} is missing, too long or no text")
        return value

    def number(self, name: str, below: int, default: int | None = None) -> int:
        """A whole number from 0 on that is below another."""
        value = self.given.get(name, default)
        if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
            value = int(value)
        if type(value) is not int or not 0 <= value < below:
            raise UsageError(f"{name} is a whole number from 0 to {below - 1}")
        return value

    def numbers(self, name: str, below: int) -> list[int]:
        """A list of whole numbers below another."""
        value = self.given.get(name, [])
        if not isinstance(value, list) or not all(type(one) is int and 0 <= one < below for one in value):
            raise UsageError(f"{name} is a list of whole numbers from 0 to {below - 1}")
        return value

    def flag(self, name: str) -> bool:
        """Say whether something is asked for."""
        return self.given.get(name) in (True, "true", "1")
