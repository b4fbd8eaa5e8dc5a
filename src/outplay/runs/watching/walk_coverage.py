"""Coverage of graphs to be walked, element by element: which edges, vertices and requirements plays have passed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from outplay.model.walk_models import WalkModels, WalkSpecification
from outplay.model.wrapping import own_state
from outplay.play.following import Step
from outplay.runs.events import Monitor
from outplay.runs.result import RunResult


@dataclass(frozen=True)
class WalkElement:
    """An edge, a vertex or a requirement of the models, and how often plays have passed it."""

    kind: str
    name: str
    passed: int

    def json(self) -> dict[str, Any]:
        return {"kind": self.kind, "name": self.name, "passed": self.passed}


class WalkCoverage(Monitor):
    """Counts the edges of walk models that plays take; of other models it sees nothing."""

    def __init__(self) -> None:
        self._models: WalkModels | None = None
        self._other = False
        self._taken = dict[int, int]()

    def take(self, step: Step) -> None:
        if self._other or step.label is None or not step.label.is_input:
            return
        for wrapped in step.before.states:
            spec, state = own_state(step.before.spec, wrapped)
            if not isinstance(spec, WalkSpecification):
                self._other = True
                return
            self._models = spec.models
            for edge in spec.edges_at(state, step.label):
                self._taken[edge] = self._taken.get(edge, 0) + 1

    def complete(self, result: RunResult) -> RunResult:
        return replace(result, elements=tuple(self._elements(self._models))) if self._models else result

    def _elements(self, models: WalkModels) -> list[WalkElement]:
        vertices, requirements = dict.fromkeys(range(len(models.vertices)), 0), dict.fromkeys(models.requirements, 0)
        for number, times in self._taken.items():
            edge = models.edges[number]
            vertices[edge.target] += times
            for one in dict.fromkeys([*edge.requirements, *models.vertices[edge.target].requirements]):
                requirements[one] += times
        edges = [WalkElement("edge", edge.name, self._taken.get(at, 0)) for at, edge in enumerate(models.edges)]
        seen = [WalkElement("vertex", models.vertices[at].name, times) for at, times in vertices.items()]
        return [*edges, *seen, *(WalkElement("requirement", one, times) for one, times in requirements.items())]
