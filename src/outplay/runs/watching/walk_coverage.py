"""Coverage of graphs to be walked, element by element: the edges, vertices and requirements that plays have passed.

What the models' own generators ask for, such as `random(edge_coverage(100))`, is counted too: it says until when
GraphWalker would walk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from outplay.model.walk_models import WalkModels, WalkSpecification
from outplay.model.walk_stop import stop_conditions
from outplay.model.wrapping import own_specification
from outplay.play.following import Step
from outplay.play.walking import edges_of_step
from outplay.runs.events import Monitor
from outplay.runs.result import RunResult

KINDS = {"edge": "edges", "vertex": "vertices", "requirement": "requirements"}
STOP = "stop condition"
MOST_NAMED = 3  # elements that were never passed


@dataclass(frozen=True)
class WalkElement:
    """An edge, a vertex or a requirement of the models, and how often plays have passed it.

    Or a stop condition, and how many of its goals are met.
    """

    kind: str
    name: str
    passed: int
    needed: int = 0
    """For a stop condition: the number of goals that are enough."""

    def json(self) -> dict[str, Any]:
        needed = {"needed": self.needed} if self.kind == STOP else {}
        return {"kind": self.kind, "name": self.name, "passed": self.passed, **needed}


class WalkCoverage(Monitor):
    """Counts the edges of walk models that plays take; of other models it sees nothing."""

    def __init__(self) -> None:
        self._models: WalkModels | None = None
        self._other = False
        self._taken = dict[int, int]()

    def take(self, step: Step) -> None:
        if self._other or step.label is None or not step.label.is_input:
            return
        spec = own_specification(step.before.spec)
        if not isinstance(spec, WalkSpecification):
            self._other = True
            return
        self._models = spec.models
        for edge in edges_of_step(step):
            self._taken[edge] = self._taken.get(edge, 0) + 1

    def complete(self, result: RunResult) -> RunResult:
        if self._models is None:
            return result
        elements = (*self._elements(self._models), *self._stops(self._models))
        return replace(result, elements=elements, toured=(*result.toured, *_lines(elements)))

    def _elements(self, models: WalkModels) -> list[WalkElement]:
        vertices, requirements = dict.fromkeys(range(len(models.vertices)), 0), dict.fromkeys(models.requirements, 0)
        for number, times in self._taken.items():
            edge = models.edges[number]
            vertices[edge.target] += times
            for one in dict.fromkeys([*edge.requirements, *models.vertices[edge.target].requirements]):
                requirements[one] += times
        edges = [WalkElement("edge", edge.name, self._taken.get(at, 0)) for at, edge in enumerate(models.edges)]
        names = {at: models.vertices[at].name for at in vertices}
        seen = [
            WalkElement("vertex", names[at], times) for at, times in vertices.items() if names[at] in models.entered
        ]
        return [*edges, *seen, *(WalkElement("requirement", one, times) for one, times in requirements.items())]

    def _stops(self, models: WalkModels) -> Iterator[WalkElement]:
        for name, choices in stop_conditions(models):
            counts = [(sum(not goal.isdisjoint(self._taken) for goal in one.goals), one.needed) for one in choices]
            met, needed = min(counts, key=lambda count: max(count[1] - count[0], 0))
            yield WalkElement(STOP, name, min(met, needed), needed)


def _lines(elements: Sequence[WalkElement]) -> Iterator[str]:
    """Return the elements that were passed, and the stop conditions that are met, for people."""
    passed = []
    for kind, several in KINDS.items():
        if listed := [one for one in elements if one.kind == kind]:
            never = [one.name for one in listed if not one.passed]
            more = ", …" if len(never) > MOST_NAMED else ""
            left = f" (never: {', '.join(never[:MOST_NAMED])}{more})" if never else ""
            passed.append(f"{len(listed) - len(never):,} of {len(listed):,} {several}{left}")
    yield f"passed {', '.join(passed)}"
    for one in elements:
        if one.kind == STOP:
            met = "met" if one.passed >= one.needed else f"not met, {one.passed:,} of {one.needed:,}"
            yield f"{one.name}: {met}"
