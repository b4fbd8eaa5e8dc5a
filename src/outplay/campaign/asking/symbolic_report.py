"""Inspecting a symbolic system: its sizes, which switches cannot be taken, and where it may be silent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from outplay.game.exploring.breadth_first import Progress
from outplay.model.label import INPUT, OUTPUT
from outplay.model.symbolic.execution.execution_graph import SymbolicLimits
from outplay.model.symbolic.execution.quiescence import Silence, silence_in
from outplay.model.symbolic.execution.switch_coverage import CoveringPaths, covering_paths
from outplay.model.symbolic.symbolic_system import SymbolicSystem
from outplay.strategy.words import counted

MOST_SECONDS = 30.0  # of looking for switches that cannot be taken: whoever inspects does not wait as for a suite
MOST_NAMED = 20  # locations and switches for people


@dataclass(frozen=True)
class SymbolicReport:
    """Sizes of a symbolic system, paths that take its switches, and where silence is possible."""

    system: SymbolicSystem
    paths: CoveringPaths
    silence: Silence

    @property
    def warnings(self) -> list[str]:
        """What was not decided."""
        return [f"whether silence is possible at {place} was not decided" for place in self.silence.undecided]

    def json(self) -> dict[str, Any]:
        return {
            "locations": len(self.system.locations),
            "variables": {name: str(sort) for name, sort in self.system.variables.items()},
            "inputs": self._gates(INPUT),
            "outputs": self._gates(OUTPUT),
            "switches": len(self.system.switches),
            "unreachable": self.paths.missing,
            "silent_locations": self.silence.possible,
            "warnings": self.warnings,
        }

    def lines(self) -> list[str]:
        system, missing = self.system, self.paths.missing
        variables = ", ".join(f"{name}: {sort}" for name, sort in system.variables.items())
        return [
            f"{len(system.locations):,} locations, {len(system.switches):,} switches, "
            f"{self._gates(INPUT)} inputs, {self._gates(OUTPUT)} outputs",
            f"variables: {variables or 'none'}",
            f"silence is possible at {', '.join(self.silence.possible[:MOST_NAMED]) or 'no location'}",
            f"{counted(len(self.paths.purposes), 'path')} of {self.paths.labels:,} switches in all take "
            f"{'every switch' if not missing else 'all that can be taken'}",
            *(f"! switch {name} cannot be taken: {why}" for name, why in list(missing.items())[:MOST_NAMED]),
            *(f"! {warning}" for warning in self.warnings),
        ]

    def _gates(self, kind: str) -> int:
        return sum(gate.kind == kind for gate in self.system.gates)


def inspect_symbolic(system: SymbolicSystem, seconds: float, progress: Progress | None = None) -> SymbolicReport:
    """Look for paths that take every switch, for at most so many seconds, and for silence on the way."""
    limits = SymbolicLimits(seconds=min(seconds, MOST_SECONDS))
    found = covering_paths(system, limits=limits, progress=progress)
    return SymbolicReport(system, found, silence_in(found.graph))
