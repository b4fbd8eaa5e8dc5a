"""The specification of models as GraphWalker has them: every edge is an input, and silence is allowed everywhere."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from typing import Any

from outplay.groups import grouped
from outplay.model.label import INPUT, SILENCE, Label
from outplay.model.specification import ListedSpecification, State
from outplay.model.walks.walk_models import Spot, WalkModels


class WalkSpecification(ListedSpecification):
    """What walks may do next; states are numbers of spots, in the order in which they are met."""

    def __init__(self, models: WalkModels, name: str) -> None:
        self.models, self.name = models, name
        self._spots: list[Spot] = [models.initial]
        self._numbers: dict[Spot, int] = {models.initial: 0}
        self._moves: dict[int, dict[Label, list[State]]] = {}
        self.initial: Collection[State] = (0,)
        self.labels = _labels(models)

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

    def _number(self, spot: Spot) -> int:
        if spot not in self._numbers:
            self._numbers[spot] = len(self._spots)
            self._spots.append(spot)
        return self._numbers[spot]

    def quiet(self, state: Any) -> bool:
        return True

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
    """The specification of walk models."""
    return WalkSpecification(model, name or model.name)
