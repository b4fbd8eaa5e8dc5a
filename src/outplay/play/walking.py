"""The vertices that the plays of walk models come to, told to a system that has methods for them."""

from __future__ import annotations

from outplay.model.specification import Specification
from outplay.model.walk_models import WalkModels, WalkSpecification
from outplay.model.wrapping import own_specification, own_states
from outplay.play.following import Step
from outplay.play.system import System, Walking


class Walk:
    """Goes along with a play: after each edge the system is told the vertex, where it is known which one it is."""

    def __init__(self, system: Walking, models: WalkModels) -> None:
        self._system, self._models = system, models

    def take(self, step: Step) -> None:
        """Take a step: a reset, or an edge."""
        if step.event.kind == "reset" and not step.event.failed:
            start = self._models.start_vertex
            self._system.arrive([] if start is None else [self._models.vertices[start].name])
        else:
            edges = [self._models.edges[edge] for edge in edges_of_step(step)]
            names = {self._models.vertices[edge.target].name for edge in edges}
            if len(names) == 1:
                self._system.arrive(names)


def walk_of(system: System, spec: Specification) -> Walk | None:
    """Return the walk of a play, where the model is walked and the system has methods for that."""
    own = own_specification(spec)
    return Walk(system, own.models) if isinstance(own, WalkSpecification) and isinstance(system, Walking) else None


def edges_of_step(step: Step) -> list[int]:
    """The edges of walk models that a step may have taken, by number."""
    found = dict[int, None]()
    if step.label is not None and step.label.is_input:
        for wrapped in step.before.states:
            for spec, state in own_states(step.before.spec, wrapped):
                if isinstance(spec, WalkSpecification):
                    found |= dict.fromkeys(spec.edges_at(state, step.label))
    return list(found)
