"""Inspecting the model of a job: for each kind of model what is told of it, for programs and for people.

The parts of a model that tests are named after and coverage is counted by: its goals and its actions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

from outplay.conformance.automaton_report import inspect_automaton
from outplay.game.exploring.breadth_first import Limits, Progress
from outplay.game.exploring.inspection import inspect_program
from outplay.game.graph import SYSTEM, Game
from outplay.model.automaton import Automaton
from outplay.model.kinds import model_report
from outplay.model.label import INPUT, OUTPUT
from outplay.model.machine import ExtendedMachine, Machine
from outplay.model.programs.program import Model, Program
from outplay.model.symbolic.execution_graph import Silence, SymbolicLimits, quiescent_states
from outplay.model.symbolic.switch_coverage import CoveringPaths, covering_paths
from outplay.model.symbolic.symbolic_system import SymbolicSystem
from outplay.model.walk_models import WalkModels
from outplay.plurals import counted
from outplay.renderable import Renderable
from outplay.runs.job import READING, Job
from outplay.runs.preparing.loaded_model import LoadedModel
from outplay.runs.python_run import live_model, model_name

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
    played_out: Renderable

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
        """Warn of what was not decided."""
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


def inspect_loaded(loaded: LoadedModel, *, pairs: bool = False, progress: Progress | None = None) -> Renderable:
    """Inspect a model: report its sizes and properties, and what looks wrong; the compatible `pairs` too."""
    return _report(loaded.model, loaded.limits, pairs, progress)


@singledispatch
def _report(model: Any, limits: Limits, pairs: bool, progress: Progress | None) -> Renderable:
    """Return the report of the model's kind, or that of any specification."""
    return model_report(model)


@_report.register(Automaton)
@_report.register(Machine)
def _(model: Automaton | Machine, limits: Limits, pairs: bool, progress: Progress | None) -> Renderable:
    return inspect_automaton(model, with_pairs=pairs)


@_report.register
def _(model: Program, limits: Limits, pairs: bool, progress: Progress | None) -> Renderable:
    return inspect_program(model, limits, progress)


@_report.register
def _(model: ExtendedMachine, limits: Limits, pairs: bool, progress: Progress | None) -> Renderable:
    return ExtendedReport(model, _report(model.machine, limits, pairs, progress))


@_report.register
def _(model: SymbolicSystem, limits: Limits, pairs: bool, progress: Progress | None) -> Renderable:
    """Look for paths that take every switch, for a limited time, and for silence on the way."""
    within = SymbolicLimits(seconds=min(limits.seconds, MOST_SECONDS))
    found = covering_paths(model, limits=within, progress=progress)
    return SymbolicReport(model, found, quiescent_states(found.graph))


@_report.register
def _(model: Game, limits: Limits, pairs: bool, progress: Progress | None) -> Renderable:
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
def _(model: WalkModels, limits: Limits, pairs: bool, progress: Progress | None) -> Renderable:
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


@dataclass(frozen=True)
class ModelParts:
    """The name of a model, and its named parts."""

    name: str
    goals: tuple[str, ...] = ()
    """In the order of their names."""
    actions: frozenset[str] = frozenset()
    """Those of a model program."""


def model_parts(model: Any, options: Mapping[str, Any], *, explored: bool = True) -> ModelParts:
    """Name the parts of a model, given alive or by a text and read by these options of a job.

    What has to be explored for that has no parts unless it may be `explored`.

    >>> from outplay import Model, goal
    >>> class Lamp(Model):
    ...     on: bool = False
    ...     @goal
    ...     def lit(self):
    ...         return self.on
    >>> model_parts(Lamp, {})
    ModelParts(name='Lamp', goals=('lit',), actions=frozenset())
    """
    name = model if isinstance(model, str) else getattr(model, "__name__", None) or getattr(model, "name", None)
    program: Any = model
    if isinstance(model, type) and issubclass(model, Model):
        program = Program(model)
    elif isinstance(model, str) and (explored or Job(model).is_code):
        program = live_model(model, job_that_reads(model, options)).model
    if isinstance(program, Program):
        return ModelParts(name or "", tuple(sorted(program.goals)), frozenset(one.name for one in program.actions))
    goals = live_model(model, job_that_reads(model, options)).game().goals if explored else ()
    return ModelParts(name or type(model).__name__, tuple(sorted(goals)))


def job_that_reads(model: Any, options: Mapping[str, Any]) -> Job:
    """Make the job that reads a model; options that say how it is played are left out."""
    reading = {name: options[name] for name in READING if name in options}
    return Job(**{"model": model_name(model), **reading})
