"""A run on record: a job is prepared, played with its trace written as it grows, and held against its forecast.

The events of a run as JSON Lines, written as they happen, for other programs that follow it.

The faults of the network that the system was played with, and those that its model tolerates.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from outplay.cancellation import CancelToken
from outplay.errors import FormatError
from outplay.formats.common.writing import unwritten_file
from outplay.play.adapters.adapters import FAULTS
from outplay.play.following import Step
from outplay.play.system import Disturbed, System
from outplay.plurals import counted
from outplay.redaction import Redact, redacted
from outplay.runs.events import FailureFound, Noted, Observer, PlayEnded, RunEvent, run_event_json
from outplay.runs.failing.shrinking import Shrinking
from outplay.runs.job import Job
from outplay.runs.monitors.forecast_against_outcome import ForecastComparison
from outplay.runs.preparing.planning import Prepared, prepare
from outplay.runs.recorded_play import CutRun
from outplay.runs.recording import Record, trace_header_of
from outplay.runs.result import RunResult
from outplay.runs.run import Run
from outplay.runs.run_folders import KEPT
from outplay.runs.secrets import Secrets, event_without_secrets, redaction_of, trace_without_secrets


class FaultReport(Observer):
    """Counts the faults of each play, and the plays with them that failed."""

    def __init__(self, system: System) -> None:
        self._system = system
        self._happened, self._plays, self._failed = Counter[str](), Counter[str](), Counter[str]()

    def observe(self, event: RunEvent) -> None:
        if isinstance(event, PlayEnded):
            faults = self._system.faults() if isinstance(self._system, Disturbed) else {}
            self._happened.update(faults)
            self._plays.update(faults.keys())
            if event.verdict.name == "fail":
                self._failed.update(faults.keys())

    def complete(self, result: RunResult) -> RunResult:
        return replace(result, warnings=(*result.warnings, *self._lines()))

    def _lines(self) -> list[str]:
        if not self._happened:
            return ["faults: none happened; play more, or give them higher chances"]
        lines = []
        for name, many in sorted(self._happened.items()):
            plays, failed = self._plays[name], self._failed[name]
            told = f"{failed} of these plays failed" if failed else "all of these plays conformed"
            lines.append(f"fault {name}: {counted(many, 'time')} in {counted(plays, 'play')}; {told}")
        return lines


def run_job(job: Job | Prepared, *, trace: Path | None = None, started: str | None = None) -> RunResult:
    """Run a job in this process: all that it asks for; `started` is the time of day that the trace names."""
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
    """Run a job with a record of it (see `outplay.runs.run_folders`), in a folder of this name where it is free.

    `observers` see each event before it is recorded; `keepers` complete the result after the record, without secrets.
    A run that was `cut` short goes on, and so does its record.
    """
    prepared = prepare(asked) if isinstance(asked, Job) else asked
    now = datetime.now(UTC).isoformat(timespec="seconds") if started is None else started
    token, redact, header = token or CancelToken(), redaction_of(prepared.job), trace_header_of(prepared, now)
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


class EventLog(Observer):
    """Appends each event of a run to a file, without secrets, one JSON object a line."""

    def __init__(self, path: Path, redact: Redact) -> None:
        self._path, self._redact = path, redact
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._stream: TextIO = path.open("w", encoding="utf-8")
        except OSError as error:
            raise FormatError(unwritten_file(path, error)) from None

    def observe(self, event: RunEvent) -> None:
        """Write the event before anything else happens."""
        line = json.dumps(self._told(event), ensure_ascii=False).encode("utf-8", "backslashreplace").decode()
        try:
            self._stream.write(line + "\n")
            self._stream.flush()
        except OSError as error:
            raise FormatError(unwritten_file(self._path, error)) from None

    def _told(self, event: RunEvent) -> object:
        """The event without secrets; what the system was given stays, for the model names it."""
        if isinstance(event, Step | Noted):
            told = replace(event, event=event_without_secrets(event.event, self._redact))
            return run_event_json(told)
        if isinstance(event, FailureFound):
            event = replace(event, trace=trace_without_secrets(event.trace, self._redact))
            return run_event_json(event) | {"why": self._redact(event.verdict.why)}
        return redacted(run_event_json(event), self._redact)

    def close(self, error: BaseException | None) -> None:
        self._stream.close()
