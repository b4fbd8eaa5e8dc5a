"""A run that the page looks into, live or past: its failing plays step by step, replayed, made short, written down."""

from __future__ import annotations

import io
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from outplay.cancellation import CancelToken
from outplay.errors import UsageError
from outplay.formats.trace_jsonl import TraceWriter
from outplay.play.following import follow
from outplay.play.trace import Trace
from outplay.redaction import Redact
from outplay.runs.failing.replay import replay_job
from outplay.runs.job import Job
from outplay.runs.secrets import redaction_of, trace_without_secrets, verdict_without_secrets
from outplay.studio.document import Asked, Document
from outplay.studio.feed import FailedPlay, Feed
from outplay.studio.workspace import Workspace, new_id
from outplay.verdict.judge import judge
from outplay.verdict.show import explanation, failing_path, headline, replay_line, step_numbers
from outplay.verdict.verdicts import Fail, Verdict

TRIES = 10
SHRINKING = 10.0  # seconds
SAVED_AS = Path("failing-play.jsonl")
MOST_STATES = 3


@dataclass
class ShownRun:
    """A run of a document: what its failures are, and whether it still goes on."""

    document: Document
    job: Job
    id: str = field(default_factory=new_id)
    token: CancelToken = field(default_factory=CancelToken)
    over: bool = False

    @property
    def failures(self) -> list[FailedPlay]:
        """The failing plays."""
        raise NotImplementedError

    @property
    def seen(self) -> Collection[int]:
        """The vertices where it has been."""
        raise NotImplementedError

    @property
    def suspected(self) -> Collection[str]:
        """The states where a suspicion is left."""
        return ()

    def json(self, count: int = 0) -> dict[str, Any]:
        """The run for the page, with the events since this many."""
        raise NotImplementedError

    def replay_job(self, asked: Asked) -> Job:
        """The job by which its plays are played again."""
        return self.job

    @property
    def redact(self) -> Redact:
        """Leaves out the secrets of its system."""
        return redaction_of(self.job)

    def failure(self, asked: Asked) -> FailedPlay:
        """The failing play that is asked for."""
        if not self.failures:
            raise UsageError("no play of this run has failed")
        return self.failures[asked.number("failure", len(self.failures))]


def run_of(workspace: Workspace, asked: Asked) -> ShownRun:
    """The run of an id."""
    name = asked.text("run")
    found = next((one.runs[name] for one in workspace.documents.values() if name in one.runs), None)
    if not isinstance(found, ShownRun):
        raise UsageError("this run is not open any more; open or start it again")
    return found


def failing_play(workspace: Workspace, asked: Asked) -> dict[str, Any]:
    """A failing play step by step, with the vertex of the graph where each step led, and how to see it again."""
    run = run_of(workspace, asked)
    failed = run.failure(asked)
    trace = trace_without_secrets(failed.trace, run.redact)
    verdict = _judged(run, trace)
    told = {**failed.json(), **_shown_steps(run, trace, verdict), "sut": run.redact(trace.header.sut)}
    if isinstance(verdict, Fail):
        told["states"] = list(verdict.states[:MOST_STATES])
        told["change"] = verdict.change.text if verdict.change else ""
    else:
        told["now"] = f"As the model is now, this play is allowed: {headline(verdict)}"
    command = replay_line(trace.header, failed.file or SAVED_AS)
    return {**told, "command": command, "file": None if failed.file else SAVED_AS.name}


def saved_failure(workspace: Workspace, asked: Asked) -> dict[str, Any]:
    """The trace of a failing play, to be saved and played again."""
    run = run_of(workspace, asked)
    trace = trace_without_secrets(run.failure(asked).trace, run.redact)
    text = io.StringIO()
    writer = TraceWriter(text, trace.header)
    for event in trace.events:
        writer.event(event)
    writer.verdict(_judged(run, trace))
    return {"name": SAVED_AS.name, "text": text.getvalue()}


def _judged(run: ShownRun, trace: Trace) -> Verdict:
    """The verdict of the model as it is now."""
    with run.document.lock:
        plain = replace(trace, header=replace(trace.header, goal=()))
        found = judge(run.document.model.judging(()), plain)
    verdict: Verdict = verdict_without_secrets(found, run.redact)
    return verdict


def _shown_steps(run: ShownRun, trace: Trace, verdict: Verdict) -> dict[str, Any]:
    """The rows of a play, followed on the model and numbered by its steps, and the state after each."""
    document = run.document
    feed = Feed(document.vertex_of_key, run.redact, None)
    with document.lock:
        for step in follow(document.model.judging(()), trace.events, **trace.header.followed_by):
            feed.observe(step)
    rows: list[list[Any]] = feed.since(0)["rows"]
    numbers = step_numbers(trace)[-len(rows) :]
    numbered = [[int(number or 0), *row[1:]] for number, row in zip(numbers, rows, strict=True)]
    return {"rows": numbered, "after": failing_path(trace, verdict)[-len(rows) :]}


def replay_failure(workspace: Workspace, asked: Asked) -> dict[str, Any]:
    """Play a failing play again against a system, and make it short where that is asked."""
    run = run_of(workspace, asked)
    failed = run.failure(asked)
    if not run.over:
        raise UsageError("the run still goes on, and a system may serve one player only: cancel it first")
    seconds, job = SHRINKING if asked.flag("shrink") else 0.0, run.replay_job(asked)
    again = replay_job(failed.trace, job, tries=TRIES, seconds=seconds, token=run.document.token)
    short = again.shrunk
    shown, trace = (short.verdict, short.trace) if short else (again.verdict, again.trace)
    told = {"tries": again.tries, "fails": again.fails, "headline": headline(shown)}
    if not again.reproduced:
        return {**told, "lines": [], "short": False, "rows": [], "after": []}
    lines = [line.strip() for line in explanation(shown)]
    return {**told, "lines": lines, "short": bool(short and short.shorter), **_shown_steps(run, trace, shown)}
