"""A run on record: the trace as it grows, and the failing play kept by itself."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from outplay.campaign.run import Outcome, Watcher
from outplay.cli.models import Named
from outplay.cli.progress import counting
from outplay.cli.systems import Contact
from outplay.formats.trace_jsonl import TraceWriter, event_json, write_trace
from outplay.play.event import Event
from outplay.play.system import System
from outplay.play.trace import Header
from outplay.verdict.verdicts import Verdict

FOLDER = Path(".outplay")


@dataclass(frozen=True)
class Recording:
    """A trace file that is being written."""

    path: Path
    writer: TraceWriter
    watch: Watcher

    def verdict(self, verdict: Verdict) -> None:
        """Close the trace with what it means."""
        self.writer.verdict(verdict)


@contextmanager
def recording(path: Path | None, header: Header, plays: int) -> Iterator[Recording]:
    """Write a trace event by event and show progress; an interrupted one stays readable."""
    chosen = path or FOLDER / "trace.jsonl"
    chosen.parent.mkdir(parents=True, exist_ok=True)
    with chosen.open("w", encoding="utf-8") as stream, counting(plays, "playing") as show:
        writer = TraceWriter(stream, header)

        def watch(event: Event) -> None:
            writer.event(event)
            show(event.play - 1)

        try:
            yield Recording(chosen, writer, watch)
        except KeyboardInterrupt:
            raise KeyboardInterrupt(f"interrupted; the trace so far is in {chosen}") from None


def header_of(
    named: Named, contact: Contact, opponent: System, *, goal: tuple[str, ...], model_hash: str, **options: Any
) -> Header:
    """All that is needed to judge or play the run again."""
    timing = contact.timing.for_system(opponent)
    return Header(
        model=named.reference,
        model_hash=model_hash,
        sut=contact.sut,
        goal=goal,
        seed=contact.seed,
        started=datetime.now(UTC).isoformat(timespec="seconds"),
        options={
            "silence": timing.silence,
            "latency": timing.latency,
            **options,
            "ready": contact.ready,
            "reset": contact.reset_message,
            **named.reading,
        },
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
