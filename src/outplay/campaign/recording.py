"""A run on record: the trace as it grows, and the failing play kept by itself."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from outplay.campaign.planning import Prepared
from outplay.campaign.run import Outcome
from outplay.formats.trace_jsonl import TraceWriter, event_json, write_trace
from outplay.play.trace import Header

FOLDER = Path(".outplay")


@dataclass(frozen=True)
class Recording:
    """A trace file that is being written."""

    header: Header
    writer: TraceWriter


@contextmanager
def recording(path: Path, header: Header) -> Iterator[Recording]:
    """Write a trace event by event; an interrupted one stays readable."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8") as stream:
        try:
            yield Recording(header, TraceWriter(stream, header))
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"interrupted; the trace so far is in {path}") from None


def header_of(prepared: Prepared, started: str | None = None) -> Header:
    """All that is needed to judge or play the run again: the job as it was asked, and the times that were kept."""
    job, suite, timing = prepared.job, prepared.suite, prepared.job.timing.for_system(prepared.system)
    options = {"silence": timing.silence, "latency": timing.latency, "plays": job.plays, "assumption": job.assumption}
    return Header(
        model=job.model,
        model_hash=prepared.specification.fingerprint,
        sut=job.sut,
        goal=prepared.plan.goals if prepared.plan else (),
        seed=job.seed,
        options=options | ({"suite": f"{len(suite.tests)} tests of {suite.model}"} if suite else {"steps": job.steps}),
        started=datetime.now(UTC).isoformat(timespec="seconds") if started is None else started,
        job=job.json(),
    )


def keep_failure(outcome: Outcome) -> Path | None:
    """Write the failing play alone, under a name made from what happened and not from when."""
    failure = outcome.failure()
    if failure is None:
        return None
    what = json.dumps([[event_json(event)["kind"], event_json(event)["label"]] for event in failure.events])
    path = FOLDER / "failures" / f"{hashlib.sha256(what.encode()).hexdigest()[:8]}.jsonl"
    write_trace(path, failure, outcome.verdict)
    return path
