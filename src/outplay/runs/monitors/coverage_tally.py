"""Coverage: what plays have seen of a model, counted step by step.

States and transitions are kept by their keys, which are the same in every process and run, so tallies can be added up.

Coverage of graphs to be walked, element by element: the edges, vertices and requirements that plays have passed.
What the models' own generators ask for, such as `random(edge_coverage(100))`, is counted too: it says until when
GraphWalker would walk.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from outplay.model.offer import offer_of
from outplay.model.walk_models import WalkModels, WalkSpecification
from outplay.model.walk_stop import stop_conditions
from outplay.model.wrapping import own_specification, own_state
from outplay.play.following import Step, edges_of_step
from outplay.play.system import failed_resets
from outplay.runs.events import Monitor
from outplay.strategy.coverage.items import STATES, TRANSITIONS

if TYPE_CHECKING:
    from outplay.runs.result import RunResult


KINDS = {"edge": "edges", "vertex": "vertices", "requirement": "requirements"}
STOP = "stop condition"
MOST_NAMED = 3  # elements that were never passed


@dataclass
class Tally:
    """The states, transitions and labels that a run has seen so far."""

    plays: int = 0
    steps: int = 0
    inputs: int = 0
    outputs: int = 0
    states: set[str] = field(default_factory=set)
    """By the keys of the specification, without what is wrapped around it."""
    transitions: set[tuple[str, str]] = field(default_factory=set)
    """States with what was given or seen there: a label, or the whole family where there are infinitely many."""
    retries: int = 0
    """The number of tries to reset the system that failed before one succeeded."""
    _new: list[tuple[str, str]] = field(default_factory=list, init=False, compare=False, repr=False)
    """The items seen for the first time and not asked for yet, in that order; states with no label."""

    def take(self, step: Step) -> None:
        """Count a step, and where it was made."""
        if step.label is None:
            self.retries += failed_resets(step.event) if step.event.detail else 0
            return
        self.steps += 1
        self.inputs += step.event.kind == "input"
        self.outputs += step.event.kind in ("output", "late")
        for wrapped in step.before.states:
            spec, state = own_state(step.before.spec, wrapped)
            key = spec.key(state)
            offers = spec.inputs(state) if step.label.is_input else spec.outputs(state)
            self._see(key)
            self._see(key, (offer_of(step.label, offers) or step.label).text)
        for wrapped in step.after.states:  # nothing may come after it
            spec, state = own_state(step.after.spec, wrapped)
            self._see(spec.key(state))

    def _see(self, key: str, label: str = "") -> None:
        seen: set[Any] = self.transitions if label else self.states
        place = (key, label) if label else key
        if place not in seen:
            seen.add(place)
            self._new.append((key, label))

    def news(self) -> tuple[tuple[str, str], ...]:
        """Return what was seen for the first time since this was asked last: states, with labels for transitions."""
        found = tuple(self._new)
        self._new.clear()
        return found

    def of(self, kind: str) -> Collection[object]:
        """Return the seen items of a kind: states, transitions or labels."""
        found: dict[str, Collection[object]] = {STATES: self.states, TRANSITIONS: self.transitions}
        return found[kind] if kind in found else {label for _, label in self.transitions}

    def __add__(self, other: Tally) -> Tally:
        """Return the items that two runs of one model have seen together."""
        return Tally(
            self.plays + other.plays,
            self.steps + other.steps,
            self.inputs + other.inputs,
            self.outputs + other.outputs,
            self.states | other.states,
            self.transitions | other.transitions,
            self.retries + other.retries,
        )


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
