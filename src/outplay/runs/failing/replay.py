"""Replay: give a recorded play's inputs again, at the same places, until the system fails again.

A nondeterministic system may answer otherwise this time. So the play is tried several times, every answer that the
model allows is taken, and how often it failed is counted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from outplay.cancellation import Cancelled, CancelToken
from outplay.errors import UsageError
from outplay.formats.trace_jsonl import read_trace
from outplay.model.kinds import specification
from outplay.model.specification import Specification
from outplay.play.plan import Plan
from outplay.play.system import System
from outplay.play.timing import Timing
from outplay.play.trace import Event, Trace
from outplay.runs.failing.attempts import paced_labels
from outplay.runs.failing.shrinking import shrink
from outplay.runs.failing.shrunk import Shrunk
from outplay.runs.job import Job, recorded_job
from outplay.runs.preparing.loaded_model import load_model, other_model_warning
from outplay.runs.preparing.option_rules import refuse_unsupported_options
from outplay.runs.preparing.planning import Prepared
from outplay.runs.preparing.systems import system_of
from outplay.runs.run import Run
from outplay.runs.secrets import (
    is_redacted_output,
    redaction_of,
    shrunk_without_secrets,
    trace_without_secrets,
    verdict_without_secrets,
)
from outplay.tester.script import PACES, Pace, PacedScript
from outplay.verdict.judge import judge_play
from outplay.verdict.verdicts import Fail, Verdict


@dataclass(frozen=True)
class Replay:
    """The result of playing a trace again."""

    tries: int
    fails: int
    verdict: Verdict
    """Of the last try: the Fail when it was reproduced."""
    trace: Trace
    """The last try."""
    warnings: tuple[str, ...] = ()
    shrunk: Shrunk | None = None
    """The failing try made short, where that was asked for."""
    pace: Pace = "recorded"
    """The pace of the last try."""

    @property
    def reproduced(self) -> bool:
        return self.fails > 0

    @property
    def shown(self) -> Verdict:
        """The verdict on the play that is shown: on the short one where it was shrunk."""
        return self.shrunk.verdict if self.shrunk else self.verdict


def replay_job(
    trace: Trace,
    job: Job,
    *,
    tries: int = 20,
    pace: Pace | None = None,
    seconds: float | None = 0.0,
    token: CancelToken | None = None,
) -> Replay:
    """Replay a trace by the model and against the system of a job, most often the one it was recorded by.

    One that fails again is then made short, for this many seconds; None is in proportion to what a play costs.
    """
    refuse_unsupported_options(job)
    token = token or CancelToken()
    with token.stretch():
        model = load_model(job)
        spec = model.specification()
        system = system_of(job, model)
    result = replay(spec, trace, system, timing=job.timing, tries=tries, pace=pace, token=token)
    result = replace(result, warnings=other_model_warning(trace.header, spec))
    if not result.reproduced or seconds == 0:
        return _quiet(result, job)
    timing = job.timing.for_system(system)
    times = timing.followed_by
    header = replace(trace.header, options=trace.header.options | times)
    failure = Trace(header, result.trace.events)
    made = shrink(spec, failure, system, timing=job.timing, seconds=seconds, token=token)
    return _quiet(replace(result, shrunk=made, warnings=result.warnings + (made.warnings if made else ())), job)


def _quiet(result: Replay, job: Job) -> Replay:
    """The replay without the secrets that are given to the system."""
    redact = redaction_of(job)
    return replace(
        result,
        verdict=verdict_without_secrets(result.verdict, redact),
        trace=trace_without_secrets(result.trace, redact),
        shrunk=shrunk_without_secrets(result.shrunk, redact),
    )


def replay(
    model: Any,
    trace: Trace | str | Path,
    system: System | str,
    *,
    timing: Timing | None = None,
    tries: int = 20,
    pace: Pace | None = None,
    token: CancelToken | None = None,
) -> Replay:
    """Play the trace's first failing play (or its last play) until it fails again, at most `tries` times.

    Inputs are given at the recorded `pace`, fast, or after random pauses; by turns where none is named.

    A trace may be named by its file, and a system as on the command line: `replay(Chat, "t.jsonl", "exec:./server")`.
    Without a timing the times are those it was recorded with.
    """
    spec, trace = specification(model), trace if isinstance(trace, Trace) else read_trace(Path(trace))
    timing, token = timing or recorded_job(trace.header).timing, token or CancelToken()
    with token.stretch():
        events = failing_play(spec, trace)
    if not any(event.is_move for event in events):
        raise UsageError("the trace has no moves to replay")
    script = PacedScript(paced_labels(events), PACES if pace is None else (pace,), seed=trace.header.seed)
    system = system_of(Job(sut=system)) if isinstance(system, str) else system
    steps = sum(event.is_move for event in events) + 1
    job = Job(plays=tries, steps=steps, **timing.options())
    prepared = Prepared(job, system, spec, Plan(spec, script), audited=False, planned=True)
    result = Run(prepared, token=token).finish()
    if result.interrupted:
        raise Cancelled
    failure = result.failure()
    last = failure or result.trace.play(max(len(result.played), 1))
    tries = len(result.played)
    return Replay(tries, int(failure is not None), result.verdict, last, pace=script.pace_of(tries))


def failing_play(spec: Specification, trace: Trace) -> list[Event]:
    """Return the events to replay: of the first play that fails, cut where it does; of the last one where none does."""
    chosen: list[Event] = []
    for _, events in trace.plays():
        chosen = events
        verdict = judge_play(spec, events, **trace.header.followed_by)
        if isinstance(verdict, Fail) and not is_redacted_output(verdict.event):
            return [event for event in events if event.n <= verdict.event.n]
    return chosen
