"""Do a job: prepare it, play it with the trace on record, and hold what was forecast against what happened."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from outplay.campaign.comparison import Comparison, compare
from outplay.campaign.job import Job
from outplay.campaign.planning import Prepared, prepare
from outplay.campaign.recording import FOLDER, Recording, header_of, keep_failure, recording
from outplay.campaign.run import Outcome, Watcher, run
from outplay.campaign.suite import CaseResult, run_suite
from outplay.play.audit import Audit
from outplay.play.event import Event
from outplay.strategy.forecast.forecast import forecast

FORECAST_UP_TO = 200_000  # edges; above that the comparison would take longer than many a run


@dataclass(frozen=True)
class JobResult:
    """What a job came to."""

    outcome: Outcome
    trace: Path
    """Where the whole trace was written."""
    failure: Path | None = None
    """Where the failing play was written by itself."""
    comparison: Comparison | None = None
    audit: Audit | None = None
    tests: tuple[CaseResult, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def findings(self) -> tuple[str, ...]:
        """What came of the forecast and of the assumption, for people.

        Without a goal nothing was promised, so only a broken assumption is worth a line.
        """
        compared = self.comparison.lines() if self.comparison else []
        audited = self.audit.lines() if self.audit and (self.comparison or not self.audit.held) else []
        return (*compared, *audited)


def run_job(job: Job, *, trace: Path | None = None, started: str | None = None) -> JobResult:
    """Do all that a job asks for, in this process; `started` is the time of day that the trace names."""
    prepared = prepare(job)
    result = play(prepared, trace=trace, started=started)
    return replace(result, warnings=prepared.warnings + result.warnings)


def play(
    prepared: Prepared,
    *,
    trace: Path | None = None,
    started: str | None = None,
    watch: Watcher = lambda event: None,
) -> JobResult:
    """Play what was prepared, and look back on it."""
    path = trace or FOLDER / "trace.jsonl"
    with recording(path, header_of(prepared, started)) as record:
        outcome, tests = _played(prepared, record, watch)
        record.writer.verdict(outcome.verdict)
    comparison, seen, warnings = _looking_back(prepared, outcome)
    return JobResult(outcome, path, keep_failure(outcome), comparison, seen, tests, warnings)


def _played(prepared: Prepared, record: Recording, watch: Watcher) -> tuple[Outcome, tuple[CaseResult, ...]]:
    job = prepared.job

    def watching(event: Event) -> None:
        record.writer.event(event)
        watch(event)

    how: dict[str, Any] = {
        "header": record.header,
        "timing": job.timing,
        "plays": job.plays,
        "keep_going": job.keep_going,
        "watch": watching,
    }
    if prepared.suite is not None:
        played = run_suite(prepared.suite, prepared.specification, prepared.system, **how)
        return played.outcome, played.results
    return run(prepared.plan, prepared.system, steps=job.steps, assumption=job.assumption, **how), ()


def _looking_back(prepared: Prepared, outcome: Outcome) -> tuple[Comparison | None, Audit | None, tuple[str, ...]]:
    """Hold the forecast against what happened, and see whether the system kept to the assumption."""
    if prepared.plan is None or not outcome.tally.steps:
        return None, None, ()
    try:
        return *_compared(prepared, outcome), ()
    except Exception as error:  # whatever goes wrong here must not cost the verdict
        what = f"what happened could not be held against the forecast: {type(error).__name__}: {error}"
        return None, None, (what,)


def _compared(prepared: Prepared, outcome: Outcome) -> tuple[Comparison | None, Audit | None]:
    seen = outcome.audit
    if prepared.game is None or prepared.game.edge_count > FORECAST_UP_TO:
        return None, seen
    before = forecast(prepared.game, prepared.goals, steps=prepared.job.steps, together=True)
    sure = prepared.job.objective in ("auto", "win")
    return compare(before, outcome, seen, sure=sure), seen
