"""Inspecting a model of any kind by its specification: what it is called, its goals, and what it offers at first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from outplay.model.kinds import seen_as, specification
from outplay.showing import Told


@dataclass(frozen=True)
class SpecificationReport:
    """What can be said of a specification without exploring it, which may have no end."""

    name: str
    initial_states: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    silence: bool
    goals: tuple[str, ...]

    def json(self) -> dict[str, Any]:
        """For programs."""
        first = {"inputs": list(self.inputs), "outputs": list(self.outputs), "silence": self.silence}
        return {"name": self.name, "initial_states": self.initial_states, "first": first, "goals": list(self.goals)}

    def lines(self) -> list[str]:
        """For people."""
        silent = ["silence"] if self.silence else []
        return [
            f"{self.name}: {self.initial_states:,} initial state{'s' * (self.initial_states != 1)}",
            f"inputs at first: {', '.join(self.inputs) or 'none'}",
            f"outputs at first: {', '.join([*self.outputs, *silent]) or 'none'}",
            f"goals: {', '.join(self.goals) or 'none'}",
        ]


def inspect_specification(model: Any) -> SpecificationReport:
    """What the specification of a model says of itself."""
    spec = specification(model)
    inputs = dict.fromkeys(str(offer) for state in spec.initial for offer in spec.inputs(state))
    outputs = dict.fromkeys(str(offer) for state in spec.initial for offer in spec.outputs(state))
    silence = any(map(spec.quiet, spec.initial))
    return SpecificationReport(spec.name, len(spec.initial), tuple(inputs), tuple(outputs), silence, tuple(spec.goals))


def model_report(model: Any) -> Told:
    """What is told of a model when it is inspected: what its kind has to say, or else its specification."""
    told: Told | None = seen_as(model, "report")
    return inspect_specification(model) if told is None else told
