"""The pool of workers of a job: processes on this machine, or places at a cluster, hired and dismissed.

Who helps exploring the model of a job: processes on this machine, or the workers of a cluster.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any

from outplay.errors import UsageError
from outplay.game.exploring.exploration_workers import Crew
from outplay.model.programs.batches import BatchWorker
from outplay.model.programs.budget import Budget
from outplay.model.programs.guard import Guard
from outplay.model.programs.program_specification import ProgramSpecification
from outplay.play.adapters.adapters import SERVER, adapter_of
from outplay.runs.job import Job
from outplay.runs.preparing.loaded_model import load_model
from outplay.runs.preparing.systems import job_for_worker
from outplay.scale.cluster import Cluster
from outplay.scale.worker_slots import WorkerProcess, WorkerSlot

ENDING = "outplay.runs.parallel.worker_pool:forget_models"
_workers: dict[str, BatchWorker] = {}


@dataclass(frozen=True)
class Hiring:
    """A way to find a worker for each slot, and what to do when all have been let go."""

    hire: list[Callable[[], Executor]]
    close: Callable[[], None]

    def slots(self) -> list[WorkerSlot]:
        """A slot for each worker."""
        return [WorkerSlot(hire) for hire in self.hire]


def workers_of_job(job: Job, ending: str, run: str) -> Hiring:
    """Return how the workers that a job asks for are hired; each calls the function `ending` when it ends early."""
    if job.scheduler is None:
        return Hiring([lambda: WorkerProcess(ending)] * (job.jobs or 1), lambda: None)
    cluster = Cluster(job.scheduler)
    return Hiring([lambda: cluster.hire(ending, run)] * (job.jobs or max(len(cluster.workers), 1)), cluster.close)


def dismiss_workers(slots: list[WorkerSlot]) -> None:
    """Dismiss all workers of a pool."""
    for slot in slots:
        slot.dismiss()
    for slot in slots:
        slot.close()


def refuse_shared_system(job: Job) -> None:
    """Refuse a pool of workers that would all play against the same system: each needs its own."""
    adapter = adapter_of(job.sut)
    one_for_all = adapter.contacted and job_for_worker(job, 0) == job_for_worker(job, 1)
    own_servers = any(text.startswith(f"{SERVER}=") for text in job.options)
    several = (job.jobs or 1) > 1 or job.scheduler is not None
    if several and one_for_all and not own_servers:
        option = "--scheduler" if job.scheduler else f"--jobs {job.jobs}"
        raise UsageError(
            f"{option}: all workers would play against the same system, {job.sut}; give each its own, "
            f"by {{worker}} in --sut or by --{SERVER}"
        )


def exploration_crew(job: Job, *, at_once: bool = False) -> Crew | None:
    """Return the pool of workers that explores the model of a job; None where one process is to do it alone."""
    if not job.is_code or (job.scheduler is None and (job.jobs or 1) < 2):
        return None
    run = secrets.token_hex(8)
    model = {"run": run, "job": job.reading().json()}
    hired = workers_of_job(job, ENDING, run)
    return Crew(hired.hire, expand_task, model, close=hired.close, at_once=at_once)


def expand_task(request: str) -> str:
    """Expand states of a model as one worker of a pool."""
    asked: dict[str, Any] = json.loads(request)
    name = f"{asked['run']} {asked['worker']}"
    job = Job.from_json(asked["job"])
    budget = Budget(asked["seconds"] or job.limits.seconds, job.limits.memory)
    with Guard(budget):
        if name not in _workers:
            spec = load_model(job).bare()
            assert isinstance(spec, ProgramSpecification)
            _workers[name] = BatchWorker(spec.stepper)
        return json.dumps(_workers[name].answer(asked))


def forget_models(run: str = "") -> None:
    """Forget the models that the workers of this process have loaded, or those of one search."""
    for name in [name for name in _workers if name.startswith(run)]:
        del _workers[name]
