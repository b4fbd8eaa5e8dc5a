"""An adapter held against the model of a job, before anything is played: what is missing, and what can never fit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from outplay.errors import UsageError
from outplay.formats.table_toml import read_table
from outplay.model.label import INPUT, OUTPUT
from outplay.model.programs.actions import FAULTS as NETWORK_FAULTS
from outplay.model.programs.program import Program
from outplay.play.adapters.adapters import FAULTS, adapter_of
from outplay.play.adapters.gate_use import Gates, Misfit, gates_of
from outplay.plurals import counted
from outplay.registries import imported
from outplay.runs.job import Job
from outplay.runs.preparing.loaded_model import LoadedModel, load_model
from outplay.runs.preparing.systems import options_of_system


@dataclass(frozen=True)
class Verified:
    """An adapter held against a model."""

    job: Job
    gates: Gates
    misfits: tuple[Misfit, ...]

    @property
    def fits(self) -> bool:
        """Whether nothing was found."""
        return not self.misfits

    def json(self) -> dict[str, Any]:
        return {"fits": self.fits, "misfits": [misfit.json() for misfit in self.misfits]}

    def lines(self) -> Iterator[str]:
        inputs = sum(use.kind == "?" for use in self.gates.values())
        sizes = f"{counted(inputs, 'input')} and {counted(len(self.gates) - inputs, 'output')}"
        if self.fits:
            yield f"✓ {self.job.sut} fits {self.job.model}: {sizes}"
            return
        yield f"✗ {self.job.sut} does not fit {self.job.model} ({sizes}):"
        for misfit in self.misfits:
            yield f"  {misfit.label}: {misfit.what}"


def verify_job(job: Job) -> Verified:
    """Verify the adapter of a job against its model."""
    adapter = adapter_of(job.sut)
    told = options_of_system(job, adapter)
    if adapter.misfits is None or ("table" in adapter.options and told.get("table") is None):
        kinds = "python:MODULE:CLASS and every system with --table FILE"
        raise UsageError(f"{job.sut}: nothing of it shows before it is played; verify looks at {kinds}")
    model = load_model(job)
    gates = gates_of(model.bare(), declared_gates(model))
    if told.get(FAULTS):  # inputs that are faults are not for the adapter
        gates = {key: use for key, use in gates.items() if key not in {(INPUT, name) for name in NETWORK_FAULTS}}
    look: Callable[..., Iterable[Misfit]] = imported(adapter.misfits)
    found = look(job.sut.partition(":")[2], gates, **told, read_table=read_table)
    return Verified(job, gates, tuple(dict.fromkeys(found)))


def declared_gates(model: LoadedModel) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    """Return the actions of a model program as direction, gate and parameters, to verify an adapter against."""
    if not isinstance(model.model, Program):
        return
    channels = model.model.channels.gates
    for action in model.model.actions:
        if action.mark.internal or (action.mark.returns is not None and not action.mark.controllable):
            continue
        names = tuple(action.domains)
        yield (INPUT if action.mark.controllable else OUTPUT), action.name, names
        if action.mark.returns is not None:
            place = channels.get((INPUT, action.name))
            yield OUTPUT, action.name, (*([names[place]] if isinstance(place, int) else []), "result")
