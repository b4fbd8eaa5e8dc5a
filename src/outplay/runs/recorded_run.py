"""A run on record: a job is prepared, played with its trace written as it grows, and held against its forecast."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from outplay.cancellation import CancelToken
from outplay.play.adapters.adapters import FAULTS
from outplay.runs.events import Observer
from outplay.runs.failing.shrinking import Shrinking
from outplay.runs.job import Job
from outplay.runs.preparing.planning import Prepared, prepare
from outplay.runs.recording import Record
from outplay.runs.records import KEPT
from outplay.runs.result import RunResult
from outplay.runs.resuming import CutRun
from outplay.runs.run import Run
from outplay.runs.secrets import Secrets, redaction_of
from outplay.runs.trace_header import header_of
from outplay.runs.watching.comparison import ForecastComparison
from outplay.runs.watching.fault_report import FaultReport


def run_job(job: Job | Prepared, *, trace: Path | None = None, started: str | None = None) -> RunResult:
    """Do all that a job asks for, in this process; `started` is the time of day that the trace names."""
    prepared = prepare(job) if isinstance(job, Job) else job
    result = recorded_run(prepared, trace=trace, started=started).finish()
    return replace(result, warnings=prepared.warnings + result.warnings)


def recorded_run(
    asked: Job | Prepared,
    *,
    trace: Path | None = None,
    keep: int = KEPT,
    started: str | None = None,
    name: str = "",
    observers: Iterable[Observer] = (),
    keepers: Iterable[Observer] = (),
    token: CancelToken | None = None,
    cut: CutRun | None = None,
) -> Run:
    """The run of a job with a record of it (see `outplay.runs.records`), in a folder of this name where it is free.

    `observers` see each event before it is recorded; `keepers` complete the result after the record, without secrets.
    A run that was `cut` short goes on, and so does its record.
    """
    prepared = prepare(asked) if isinstance(asked, Job) else asked
    now = datetime.now(UTC).isoformat(timespec="seconds") if started is None else started
    token, redact, header = token or CancelToken(), redaction_of(prepared.job), header_of(prepared, now)
    header = cut.header if cut else header
    record = Record(header, trace=trace, keep=keep, redact=redact, token=token, name=name, cut=cut)
    faults = [FaultReport(prepared.system)] if dict(prepared.job.own_options).get(FAULTS) else []
    forecast = [ForecastComparison(prepared, prepared.game, token)] if prepared.game else []
    looking_back = [*faults, *forecast, Shrinking(prepared, token), Secrets(redact), record]
    try:
        told, earlier = [*observers, *looking_back, *keepers], cut.plays if cut else ()
        return Run(prepared, observers=told, header=header, token=token, earlier=earlier)
    except Exception:
        if not cut:
            record.withdraw()  # what is asked for cannot be played
        raise
