"""Inspecting a model of any kind by its specification: what it is called, its goals, and what it offers at first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from outplay.model.kinds import seen_as, specification
from outplay.model.specification import Specification
from outplay.plurals import counted
from outplay.showing import Told


@dataclass(frozen=True)
class SpecificationReport:
    """What can be said of a specification without exploring it, which may have no end."""

    specification: Specification

    def json(self) -> dict[str, Any]:
        """For programs."""
        spec = self.specification
        sizes = {"name": spec.name, "initial_states": len(spec.initial)}
        return {**sizes, "first": self._first(), "goals": list(spec.goals)}

    def lines(self) -> list[str]:
        """For people."""
        known, first = self.json(), self._first()
        outputs = [*first["outputs"], *(["silence"] if first["silence"] else [])]
        return [
            f"{known['name']}: {counted(known['initial_states'], 'initial state')}",
            f"inputs at first: {', '.join(first['inputs']) or 'none'}",
            f"outputs at first: {', '.join(outputs) or 'none'}",
            f"goals: {', '.join(known['goals']) or 'none'}",
        ]

    def _first(self) -> dict[str, Any]:
        """What is on offer in the initial states."""
        spec = self.specification
        inputs = dict.fromkeys(str(offer) for state in spec.initial for offer in spec.inputs(state))
        outputs = dict.fromkeys(str(offer) for state in spec.initial for offer in spec.outputs(state))
        return {"inputs": list(inputs), "outputs": list(outputs), "silence": any(map(spec.quiet, spec.initial))}


def model_report(model: Any) -> Told:
    """What is told of a model when it is inspected: what its kind has to say, or else its specification."""
    report: Told | None = seen_as(model, "report")
    return SpecificationReport(specification(model)) if report is None else report
