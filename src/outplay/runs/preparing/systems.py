"""Making the system under test that a job names, of a kind that is in the registry, with what the job tells it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from random import Random
from typing import Any

from outplay.errors import UsageError
from outplay.formats.table_toml import read_table
from outplay.model.specification import Specification
from outplay.play.adapters.adapters import ADAPTERS, Adapter, adapter_of
from outplay.play.adapters.line_system import Resetting
from outplay.play.adapters.simulated import Simulated
from outplay.play.system import System
from outplay.registries import DeclaredOption
from outplay.runs.job import FIELDS, Job
from outplay.runs.preparing.loaded_model import LoadedModel, load_model
from outplay.runs.secrets import refuse_redacted
from outplay.strategy.objectives import OBJECTIVES
from outplay.strategy.opponent import Opponent


def taken_by_system(job: Job) -> Mapping[str, DeclaredOption]:
    """Return the options that the system of a job takes, by its kind."""
    adapter = ADAPTERS.get(job.sut.partition(":")[0])
    return adapter.options if adapter else {}


def unsupported_fields(job: Job, kind: str) -> list[str]:
    """Return the fields of a job that a kind of system does not take."""
    known = dict.fromkeys(name for each in ADAPTERS.values() for name in each.options)
    taken = ADAPTERS[kind].options if kind in ADAPTERS else known
    solvers = {name for each in OBJECTIVES.values() for name in each.options}
    told = {name for name, _ in job.own_options} - solvers
    told |= {name for name in known if name in FIELDS and getattr(job, name) != getattr(Job, name)}
    return [name for name in known if name in told and name not in taken]


def with_other_system(job: Job, system: str) -> Job:
    """Return a recorded job with another system; fields that it does not take are left out.

    >>> with_other_system(Job("chat.py:Chat", sut="tcp:localhost:7000", ready="hello"), "model:chat.py:Chat").json()
    {'model': 'chat.py:Chat', 'sut': 'model:chat.py:Chat'}
    """
    left_out = unsupported_fields(job, system.partition(":")[0])
    fields: dict[str, Any] = {name: getattr(Job, name) for name in left_out if name in FIELDS}
    kept = tuple(f"{name}={value}" for name, value in job.own_options if name not in left_out)
    return replace(job, sut=system, options=kept, **fields)


def job_for_worker(job: Job, worker: int) -> Job:
    """Return a job with the number of a worker in place of `{worker}` in all that its system is told.

    >>> job_for_worker(Job(sut="exec:./server --port 70{worker}0"), 2).sut
    'exec:./server --port 7020'
    """

    def filled(text: str) -> str:
        return text.replace("{worker}", str(worker))

    ready, reset = (text if text is None else filled(text) for text in (job.ready, job.reset))
    return replace(job, sut=filled(job.sut), ready=ready, reset=reset, options=tuple(map(filled, job.options)))


def system_of(job: Job, model: LoadedModel | None = None) -> System:
    """Make the system under test of a job, with a reset in the middle of a play where the rules have one.

    A simulation of the job's own model, where that is loaded already, is read as the model was.
    """
    job = job_for_worker(job, 0)  # of several workers each has filled in its own number
    adapter = adapter_of(job.sut)
    refuse_redacted(job, "sut", *(name for name in adapter.options if name in FIELDS))

    def read_model(name: str) -> Specification:
        own = model if model is not None and name == model.job.model else None
        return (own or load_model(Job(name, assumption=job.assumption))).bare()

    further: dict[str, Any] = {"seed": job.seed, "assumption": job.assumption}
    further |= {"read_model": read_model, "read_table": read_table}
    told = options_of_system(job, adapter) | {name: further[name] for name in adapter.also}
    made = adapter.system(job.sut.partition(":")[2], **told)
    return made if model is None or model.reset_cost is None else Resetting(made)


def adversarial_system(model: LoadedModel, played: Specification, opponent: Opponent) -> System:
    """Make a system that simulates the model and does the worst it may, by an opponent who knows its states."""
    job = model.job
    if job.sut != f"model:{job.model}":
        raise UsageError(f"--adversarial is for a simulation of the model itself: --sut model:{job.model}")
    made = Simulated(played, Random(job.seed + 1), adversarial=opponent, assumption=job.assumption)
    return made if model.reset_cost is None else Resetting(made)


def options_of_system(job: Job, adapter: Adapter) -> dict[str, Any]:
    """Return the options of a job for its system: the fields that it takes, and its own options."""
    told: dict[str, Any] = {name: getattr(job, name) for name in adapter.options if name in FIELDS}
    for name, text in job.own_options:
        if option := adapter.options.get(name):
            told[name] = option.read(name, text)
    return told
