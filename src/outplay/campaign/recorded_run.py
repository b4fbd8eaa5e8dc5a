"""A run on record: a job is prepared, played with its trace written as it grows, and held against its forecast."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from outplay.campaign.finishing import event_without_secrets, shrunk, verdict_without_secrets, without_secrets
from outplay.campaign.heading import header_of
from outplay.campaign.job import Job
from outplay.campaign.outcome import Outcome
from outplay.campaign.playing import Interrupted, Watcher
from outplay.campaign.preparing.planning import Prepared, prepare
from outplay.campaign.preparing.ways import chosen_objective
from outplay.campaign.recording import Recording
from outplay.campaign.records import KEPT
from outplay.campaign.run import play_plan
from outplay.campaign.suite_runs.ledger import Ledger
from outplay.campaign.suite_runs.suite_run import play_suite
from outplay.campaign.watching.comparison import Comparison, compare
from outplay.campaign.watching.quiet import Quiet
from outplay.interrupting import breakable
from outplay.play.audit import Audit
from outplay.play.event import Event
from outplay.play.trace import TraceHeader
from outplay.redaction import redaction
from outplay.showing import Told
from outplay.verdict.verdicts import Pass

FORECAST_UP_TO = 200_000  # edges; above that the comparison would take longer than many a run


@dataclass(frozen=True)
class JobResult:
    """What a job came to."""

    outcome: Outcome
    trace: Path | None
    """Where the whole trace was written."""
    failure: Path | None = None
    """Where the failing play was written by itself."""
    report: Path | None = None
    """Where the page about it was written."""
    unwritten: tuple[str, ...] = ()
    """What could not be written, and why."""
    comparison: Comparison | None = None
    covered: Told | None = None
    """How much was covered, where it was watched."""
    toured: tuple[str, ...] = ()
    """What tours came to: planned, paid and shown."""
    quiet: Quiet | None = None
    """How long nothing new was seen, where that was counted."""
    warnings: tuple[str, ...] = ()
    interrupted: bool = False
    """Somebody ended the run; what is told is what had been found by then."""

    @property
    def audit(self) -> Audit | None:
        """Whether the system kept to the test assumption, where something was played that can tell."""
        return self.outcome.audit if self.outcome.tally.steps else None

    @property
    def findings(self) -> tuple[str, ...]:
        """What came of the forecast and of the assumption, for people.

        Without a goal nothing was promised, so only a broken assumption is worth a line.
        """
        compared = self.comparison.lines() if self.comparison else []
        audited = self.audit.lines() if self.audit and (self.comparison or not self.audit.held) else []
        covered = [*self.covered.lines()] if self.covered else []
        covered += [self.quiet.line()] if self.quiet and self.quiet.since else []
        return (*compared, *self.toured, *covered, *audited)


def run_job(job: Job, *, trace: Path | None = None, started: str | None = None) -> JobResult:
    """Do all that a job asks for, in this process; `started` is the time of day that the trace names."""
    prepared = prepare(job)
    result = run_prepared(prepared, trace=trace, started=started)
    return replace(result, warnings=prepared.warnings + result.warnings)


def run_prepared(
    prepared: Prepared,
    *,
    trace: Path | None = None,
    keep: int = KEPT,
    started: str | None = None,
    watch: Watcher = lambda event: None,
    progress: Callable[[Ledger], None] = lambda ledger: None,
) -> JobResult:
    """Play what was prepared, keep a record of it (see `outplay.campaign.records`), and look back on it."""
    now = datetime.now(UTC).isoformat(timespec="seconds") if started is None else started
    header, redact = header_of(prepared, now), redaction(prepared.job.redact)
    with Recording(header, trace=trace, keep=keep) as record:

        def watching(event: Event) -> None:
            record.event(event_without_secrets(event, redact))
            watch(event)

        interrupted = False
        try:
            outcome = _played(prepared, header, watching, progress)
            record.verdict(verdict_without_secrets(outcome.verdict, redact))
        except Interrupted as early:
            if not early.outcome.played:
                raise KeyboardInterrupt from None
            outcome, interrupted = early.outcome, True
        comparison, warnings = _compared(prepared, outcome)
        seconds = 0.0 if interrupted else prepared.job.shrink
        outcome, troubles = shrunk(outcome, prepared.specification, prepared.system, prepared.job.timing, seconds)
        outcome = without_secrets(outcome, redact)
        kept = record.failure(outcome)
        result = JobResult(outcome, record.trace, kept, comparison=comparison, warnings=(*warnings, *troubles))
        if prepared.monitor:
            cut_short = interrupted or not all(isinstance(play.verdict, Pass) for play in outcome.played)
            result = replace(result, covered=prepared.monitor.covered(outcome.tally.plays, cut_short=cut_short))
        result = replace(result, quiet=prepared.quiet, toured=_toured(prepared))
        page = record.report(outcome, kept, result.findings)
        return replace(result, report=page, unwritten=tuple(record.lost), interrupted=interrupted)


def _toured(prepared: Prepared) -> tuple[str, ...]:
    """What tours came to, where the tester keeps account of them."""
    accounts = getattr(prepared.plan.tester, "accounts", None) if prepared.plan else None
    return tuple(accounts()) if accounts else ()


def _played(prepared: Prepared, header: TraceHeader, watch: Watcher, progress: Callable[[Ledger], None]) -> Outcome:
    if prepared.suite is not None:
        return play_suite(prepared, header, watch, progress=progress)
    return play_plan(prepared, header, watch)


def _compared(prepared: Prepared, outcome: Outcome) -> tuple[Comparison | None, tuple[str, ...]]:
    """Hold the forecast against what happened, where there is one and it takes no longer than many a run."""
    game, job = prepared.game, prepared.job
    if game is None or game.edge_count > FORECAST_UP_TO or not outcome.tally.steps:
        return None, ()
    from outplay.strategy.forecast.forecast import forecast  # takes long to load, and most runs need none

    try:
        with breakable():
            before = forecast(game, prepared.goals, steps=job.steps, together=True)
            objective = chosen_objective(job)
            return compare(before, outcome, outcome.audit, sure=objective is None or objective.forces), ()
    except (Exception, KeyboardInterrupt) as error:  # whatever goes wrong here must not cost the verdict
        return None, (f"what happened could not be held against the forecast: {type(error).__name__}: {error}",)
