"""Inspecting the model of a job: for each kind of model what is told of it, for programs and for people."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from outplay.campaign.preparing.loaded_model import LoadedModel
from outplay.conformance.automaton_report import inspect_automaton
from outplay.game.exploring.breadth_first import Limits, Progress
from outplay.game.exploring.inspection import inspect_program
from outplay.game.graph import SYSTEM, Game
from outplay.model.automaton import Automaton
from outplay.model.extended_machine import ExtendedMachine
from outplay.model.label import INPUT, OUTPUT
from outplay.model.machine import Machine
from outplay.model.programs.program import Program
from outplay.model.specification_report import model_report
from outplay.model.symbolic.execution.execution_graph import SymbolicLimits
from outplay.model.symbolic.execution.quiescence import Silence, silence_in
from outplay.model.symbolic.execution.switch_coverage import CoveringPaths, covering_paths
from outplay.model.symbolic.symbolic_system import SymbolicSystem
from outplay.model.walks.walk_models import WalkModels
from outplay.plurals import counted
from outplay.showing import Told

MOST_SECONDS = 30.0  # of looking for switches that cannot be taken: whoever inspects does not wait as for a suite
MOST_NAMED = 20  # locations and switches for people


@dataclass(frozen=True)
class Facts:
    """A report that is no more than some facts by name."""

    known: dict[str, Any]

    def json(self) -> dict[str, Any]:
        return self.known

    def lines(self) -> list[str]:
        return [f"{name}: {value}" for name, value in self.known.items()]


@dataclass(frozen=True)
class ExtendedReport:
    """A machine with variables, and the machine it is when they are played out."""

    model: ExtendedMachine
    played_out: Told

    def json(self) -> dict[str, Any]:
        return {"locations": len(self.model.locations), "steps": len(self.model.steps), **self.played_out.json()}

    def lines(self) -> list[str]:
        sizes = f"{counted(len(self.model.locations), 'location')}, {counted(len(self.model.steps), 'step')}"
        variables = ", ".join(f"{name}: {sort}" for name, sort in self.model.variables.items())
        return [f"{sizes}, variables {variables or 'none'}; played out:", *self.played_out.lines()]


@dataclass(frozen=True)
class SymbolicReport:
    """A symbolic system: its sizes, paths that take its switches, and where silence is possible."""

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
            f"{counted(len(system.locations), 'location')}, {counted(len(system.switches), 'switch')}, "
            f"{counted(self._gates(INPUT), 'input')}, {counted(self._gates(OUTPUT), 'output')}",
            f"variables: {variables or 'none'}",
            f"silence is possible at {', '.join(self.silence.possible[:MOST_NAMED]) or 'no location'}",
            f"{counted(len(self.paths.purposes), 'path')} of {counted(self.paths.labels, 'switch')} in all take "
            f"{'every switch' if not missing else 'all that can be taken'}",
            *(f"! switch {name} cannot be taken: {why}" for name, why in list(missing.items())[:MOST_NAMED]),
            *(f"! {warning}" for warning in self.warnings),
        ]

    def _gates(self, kind: str) -> int:
        return sum(gate.kind == kind for gate in self.system.gates)


def inspect_loaded(loaded: LoadedModel, *, pairs: bool = False, progress: Progress | None = None) -> Told:
    """Tell the sizes and properties of a model, and what looks wrong in it; of automata the compatible `pairs` too."""
    return _report(loaded.model, loaded.limits, pairs, progress)


@singledispatch
def _report(model: Any, limits: Limits, pairs: bool, progress: Progress | None) -> Told:
    """What the kind says of itself, or what any specification can be asked."""
    return model_report(model)


@_report.register(Automaton)
@_report.register(Machine)
def _(model: Automaton | Machine, limits: Limits, pairs: bool, progress: Progress | None) -> Told:
    return inspect_automaton(model, with_pairs=pairs)


@_report.register
def _(model: Program, limits: Limits, pairs: bool, progress: Progress | None) -> Told:
    return inspect_program(model, limits, progress)


@_report.register
def _(model: ExtendedMachine, limits: Limits, pairs: bool, progress: Progress | None) -> Told:
    return ExtendedReport(model, _report(model.machine, limits, pairs, progress))


@_report.register
def _(model: SymbolicSystem, limits: Limits, pairs: bool, progress: Progress | None) -> Told:
    """Look for paths that take every switch, for a limited time, and for silence on the way."""
    within = SymbolicLimits(seconds=min(limits.seconds, MOST_SECONDS))
    found = covering_paths(model, limits=within, progress=progress)
    return SymbolicReport(model, found, silence_in(found.graph))


@_report.register
def _(model: Game, limits: Limits, pairs: bool, progress: Progress | None) -> Told:
    return Facts(
        {
            "vertices": model.vertex_count,
            "edges": model.edge_count,
            "system_vertices": int((model.owner == SYSTEM).sum()),
            "goals": {name: len(members) for name, members in sorted(model.goals.items())},
            "labels": len(set(model.labels) - {""}),
        }
    )


@_report.register
def _(model: WalkModels, limits: Limits, pairs: bool, progress: Progress | None) -> Told:
    return Facts(
        {
            "models": len(model.names),
            "vertices": len(model.vertices),
            "edges": len(model.edges),
            "shared_states": len({vertex.shared for vertex in model.vertices} - {None}),
            "guards": sum(edge.guard is not None for edge in model.edges),
            "variables": [name for _, name in model.slots],
            "requirements": len(model.requirements),
            "generators": list(dict.fromkeys(filter(None, model.generators))),
        }
    )
