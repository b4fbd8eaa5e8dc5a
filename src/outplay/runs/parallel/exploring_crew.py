"""Who helps exploring the model of a job: processes on this machine, or the workers of a cluster."""

from __future__ import annotations

import json
import secrets
from typing import Any

from outplay.game.exploring.crew import Crew
from outplay.model.programs.batches import BatchWorker
from outplay.model.programs.budget import Budget
from outplay.model.programs.guard import Guard
from outplay.model.programs.program_specification import ProgramSpecification
from outplay.runs.job import Job
from outplay.runs.parallel.hiring import hiring
from outplay.runs.preparing.loaded_model import load_model

ENDING = "outplay.runs.parallel.exploring_crew:forget_all"
_workers: dict[str, BatchWorker] = {}


def crew_for(job: Job, *, at_once: bool = False) -> Crew | None:
    """Return the helpers that a job asks for; None where one process is to do it alone."""
    if not job.is_code or (job.scheduler is None and (job.jobs or 1) < 2):
        return None
    run = secrets.token_hex(8)
    model = {"run": run, "job": job.reading().json()}
    hired = hiring(job, ENDING, run)
    return Crew(hired.hire, expand_task, model, close=hired.close, at_once=at_once)


def expand_task(request: str) -> str:
    """Expand states of a model as one of its workers."""
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


def forget_all(run: str = "") -> None:
    """Forget what all workers of this process know of models, or those of one search."""
    for name in [name for name in _workers if name.startswith(run)]:
        del _workers[name]
