"""The header of a trace: all that is needed to judge or play a run again, as it was asked for and as it was timed."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from outplay.campaign.preparing.planning import Prepared
from outplay.campaign.preparing.testers import SUSPICION
from outplay.campaign.preparing.trust import code_of
from outplay.play.trace import TraceHeader
from outplay.plurals import counted
from outplay.redaction import redacted, redaction
from outplay.tester.suspicious import Suspicious
from outplay.tester.walker import Walker


def header_of(prepared: Prepared, started: str = "") -> TraceHeader:
    """What a trace begins with; a job that names no model, because that is alive, is not kept."""
    job, redact = prepared.job, redaction(prepared.job.redact)
    return TraceHeader(
        model=job.model or prepared.specification.name,
        model_hash=prepared.specification.fingerprint,
        sut=redact(job.sut),
        goal=prepared.plan.goals if prepared.plan else (),
        seed=job.seed,
        options=_options(prepared),
        started=started,
        job=redacted(replace(job, model_code=code_of(job)).json(), redact) if job.model else {},
    )


def _options(prepared: Prepared) -> dict[str, Any]:
    """The times that were kept, and what a reader wants to know first."""
    job, suite, timing = prepared.job, prepared.suite, prepared.job.timing.for_system(prepared.system)
    options = {"silence": timing.silence, "latency": timing.latency, "plays": job.plays, "assumption": job.assumption}
    if suite:
        ordered = ", those first that meet the most suspicion" if job.tester else ""
        further = f", and {counted(job.then_walk, 'step')} after each" if job.then_walk else ""
        tests = "tests" if suite.size is None else counted(suite.size, "test")
        return {**options, "suite": f"{tests} of {suite.model}{ordered}{further}"}
    return {**options, "steps": job.steps, **({"tester": name} if (name := _player(prepared)) else {})}


def _player(prepared: Prepared) -> str | None:
    """Who plays without a goal, where the job that is kept does not say it: one of the two that play anything."""
    job, plan = prepared.job, prepared.plan
    if plan is None or plan.goals:
        return None
    known = {Suspicious: SUSPICION, Walker: "walk"}.get(type(plan.tester))
    return known or (None if job.model else job.tester or type(plan.tester).__name__)
