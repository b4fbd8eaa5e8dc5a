"""Hiring the workers of a job: processes on this machine, or seats at a cluster."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

from outplay.errors import UsageError
from outplay.play.adapters.adapters import SERVER, adapter_of
from outplay.runs.job import Job
from outplay.runs.preparing.systems import for_worker
from outplay.scale.cluster import Cluster
from outplay.scale.seats import Seat, WorkerProcess


@dataclass(frozen=True)
class Hiring:
    """How to find a worker for each seat, and what to do when all have been let go."""

    hire: list[Callable[[], Executor]]
    close: Callable[[], None]

    def seats(self) -> list[Seat]:
        """A seat for each worker."""
        return [Seat(hire) for hire in self.hire]


def hiring(job: Job, ending: str, run: str) -> Hiring:
    """Return the workers a job asks for; each calls the function `ending` when it ends early."""
    if job.scheduler is None:
        return Hiring([lambda: WorkerProcess(ending)] * (job.jobs or 1), lambda: None)
    cluster = Cluster(job.scheduler)
    return Hiring([lambda: cluster.hire(ending, run)] * (job.jobs or max(len(cluster.workers), 1)), cluster.close)


def dismiss(seats: list[Seat]) -> None:
    """Let all workers go."""
    for seat in seats:
        seat.dismiss()
    for seat in seats:
        seat.close()


def refuse_shared_system(job: Job) -> None:
    """Refuse workers that would all play against one and the same system: each needs its own."""
    adapter = adapter_of(job.sut)
    one_for_all = adapter.contacted and for_worker(job, 0) == for_worker(job, 1)
    own_servers = any(text.startswith(f"{SERVER}=") for text in job.options)
    several = (job.jobs or 1) > 1 or job.scheduler is not None
    if several and one_for_all and not own_servers:
        option = "--scheduler" if job.scheduler else f"--jobs {job.jobs}"
        raise UsageError(
            f"{option}: all workers would play against the same system, {job.sut}; give each its own, "
            f"by {{worker}} in --sut or by --{SERVER}"
        )
