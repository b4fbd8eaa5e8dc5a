"""The header of a trace: all that is needed to judge or play a run again, as it was asked for and as it was timed."""

from __future__ import annotations

from typing import Any

from outplay.play.trace import TraceHeader
from outplay.plurals import counted
from outplay.redaction import redacted
from outplay.runs.preparing.planning import Prepared
from outplay.runs.secrets import redaction_of


def header_of(prepared: Prepared, started: str = "") -> TraceHeader:
    """Return the header of a trace; a job that names no model, because that is alive, is not kept."""
    job, redact = prepared.job, redaction_of(prepared.job)
    return TraceHeader(
        model=job.model or prepared.specification.name,
        model_hash=prepared.specification.fingerprint,
        sut=redact(job.sut),
        goal=prepared.plan.goals if prepared.plan else (),
        seed=job.seed,
        options=_options(prepared),
        started=started,
        job=redacted(job.json(), redact) if job.model else {},
    )


def _options(prepared: Prepared) -> dict[str, Any]:
    """The times that were kept, and what a reader wants to know first."""
    job, suite, timing = prepared.job, prepared.suite, prepared.job.timing.for_system(prepared.system)
    options: dict[str, Any] = {**timing.followed_by, "assumption": job.assumption}
    options |= {name: value for name in ("plays", "labels") if (value := getattr(job, name)) is not None}
    if suite:
        ordered = ", those first that meet the most suspicion" if job.tester else ""
        further = f", and {counted(job.extra_steps, 'step')} after each" if job.extra_steps else ""
        tests = "tests" if suite.size is None else counted(suite.size, "test")
        return {**options, "suite": f"{tests} of {suite.model}{ordered}{further}"}
    return {**options, "steps": job.steps, **({"tester": name} if (name := _player(prepared)) else {})}


def _player(prepared: Prepared) -> str | None:
    """Name the tester without a goal, where the job that is kept does not: one of the two that play anything."""
    job, plan = prepared.job, prepared.plan
    if plan is None or plan.goals:
        return None
    return plan.tester.name or (None if job.model else job.tester or type(plan.tester).__name__)
