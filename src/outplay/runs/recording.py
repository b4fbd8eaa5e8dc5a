"""The record of a run, written while it goes on, with the header that a trace begins with."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import select
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from io import RawIOBase, TextIOWrapper
from pathlib import Path
from typing import Any, TextIO, TypeVar, cast

from outplay.cancellation import CancelToken
from outplay.errors import FormatError, NothingToRun, UsageError
from outplay.formats.common.writing import unwritten_file, write_whole
from outplay.formats.trace_jsonl import TraceWriter
from outplay.play.following import Step
from outplay.play.trace import TraceHeader
from outplay.plurals import counted
from outplay.redaction import Redact, redacted, redaction
from outplay.runs.events import Noted, Observer, RunEvent
from outplay.runs.preparing.planning import Prepared
from outplay.runs.recorded_play import CutRun
from outplay.runs.result import RunFiles, RunResult
from outplay.runs.run_folders import KEPT, RunFolder
from outplay.runs.secrets import event_without_secrets, redaction_of

Made = TypeVar("Made")
PATIENCE = 10.0
"""Seconds to wait for somebody who reads a trace that is a named pipe."""
_MOMENT = 0.05  # seconds until a signal is looked for again


class Record(Observer):
    """Keeps a run: its job, its trace as it grows, its failing play and its report, in a folder of its own.

    A trace that cannot be written on ends the run with an Error, for nothing may be lost silently. Anything else that
    cannot be written is said in the files of the result.
    """

    essential = True

    def __init__(
        self,
        header: TraceHeader,
        *,
        trace: Path | None = None,
        keep: int = KEPT,
        redact: Redact | None = None,
        token: CancelToken | None = None,
        name: str = "",
        cut: CutRun | None = None,
    ) -> None:
        self.lost: list[str] = []
        self._redact, self._token = redact or redaction(), token or CancelToken()
        self._stream: TextIO | None = None
        self._writer: TraceWriter | None = None
        self._cut = cut
        self._folder = RunFolder(keep, name, again=True) if cut else self._tried(lambda: RunFolder(keep, name))
        if cut:
            trace = cut.trace
        self.trace = trace or (self._folder.path / "trace.jsonl" if self._folder else None)
        if self._folder and not cut:
            job = self._folder.path / "job.json"
            self._tried(lambda: write_whole(job, [_job(header)]))
        if self.trace:
            try:
                self._open(header)
            except OSError as error:
                self._incomplete(error)

    def observe(self, event: RunEvent) -> None:
        """Append what happened to the trace."""
        if isinstance(event, Step | Noted) and self._writer:
            try:
                self._writer.event(event_without_secrets(event.event, self._redact))
            except OSError as error:
                self._incomplete(error)
                raise FormatError(self.lost[-1]) from None

    def complete(self, result: RunResult) -> RunResult:
        """Write the last line of the trace, the failing play by itself, and the page."""
        if self._writer and not result.interrupted:
            try:
                self._writer.verdict(result.verdict)
            except OSError as error:
                self._incomplete(error)
        failure = self._failure(result)
        page = self._report(result, failure)
        files = RunFiles(self.trace, failure, page, tuple(self.lost))
        return replace(result, files=files)

    def withdraw(self) -> None:
        """Leave no record: nothing was played."""
        self.close(NothingToRun("nothing was played"))

    def close(self, error: BaseException | None) -> None:
        if isinstance(error, NothingToRun):
            self._withdraw()
        self._stop()
        if self._folder:
            self._folder.close()

    def _withdraw(self) -> None:
        """Leave no record: nothing could be tested. A trace that could not be written is not ours to remove."""
        with suppress(OSError):
            if self._stream and self.trace and stat.S_ISREG(self.trace.lstat().st_mode):
                self.trace.unlink()
        if self._folder:
            self._folder.withdraw()

    def _failure(self, result: RunResult) -> Path | None:
        """Keep the failing play by itself, if one failed."""
        folder = self._folder
        return self._tried(lambda: result.keep_failure(folder.path)) if folder else None

    def _report(self, result: RunResult, kept: Path | None) -> Path | None:
        """Write the page about the run, if anything was played."""
        folder = self._folder
        if folder is None or (result.verdict.name == "error" and not result.tally.steps):
            return None
        return self._tried(lambda: result.report(folder.path / "report.html", kept=kept))

    def _tried(self, write: Callable[[], Made]) -> Made | None:
        try:
            return write()
        except FormatError as error:
            self.lost.append(str(error))
            return None

    def _incomplete(self, error: OSError) -> None:
        """Note that the trace ends here: nothing more is written, since a gap would be a false record."""
        self.lost.append(f"the trace is not whole: {unwritten_file(self.trace or '', error)}")
        self._stop()

    def _open(self, header: TraceHeader) -> None:
        assert self.trace
        self.trace.parent.mkdir(parents=True, exist_ok=True)
        size = self._cut.size if self._cut else 0
        self._stream = _opened(self.trace, self._token, size)
        self._writer = TraceWriter(self._stream, None if size else header)

    def _stop(self) -> None:
        stream, self._stream, self._writer = self._stream, None, None
        if stream:
            with suppress(OSError):  # what it still holds cannot be written; that was said
                stream.close()


def _job(header: TraceHeader) -> str:
    return json.dumps({"format": "outplay-job/1", "job": header.job}, ensure_ascii=False, indent=1) + "\n"


def _opened(path: Path, token: CancelToken, size: int = 0) -> TextIO:
    """Open a trace for this run alone; what was there of an earlier one goes, but for this many bytes.

    Only a regular file is one run's own: any number may write to one device at a time.
    """
    if path.is_fifo():
        return TextIOWrapper(cast(Any, _Pipe(path, token)), encoding="utf-8", write_through=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        _lock(descriptor, path)
        os.ftruncate(descriptor, size)
    return open(descriptor, "a", encoding="utf-8")


class _Pipe(RawIOBase):
    """A named pipe, written as fast as somebody reads it; whoever waits for that hears a signal to end."""

    def __init__(self, path: Path, token: CancelToken) -> None:
        deadline, self._token = time.monotonic() + PATIENCE, token
        while (opened := _with_reader(path)) is None:
            if token.cancelled or time.monotonic() > deadline:
                raise OSError(errno.ENXIO, "nobody reads this pipe")
            time.sleep(_MOMENT)
        self._descriptor = opened

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        left = memoryview(data)
        while left:
            try:
                left = left[os.write(self._descriptor, left) :]
            except BlockingIOError:
                if self._token.cancelled:
                    raise OSError(errno.EPIPE, "nobody reads on") from None
                select.select((), (self._descriptor,), (), _MOMENT)
        return len(data)

    def close(self) -> None:
        if not self.closed:
            os.close(self._descriptor)
        super().close()


def _with_reader(path: Path) -> int | None:
    """Open a named pipe where somebody reads it."""
    try:
        return os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        return None


def _lock(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise UsageError(f"--trace {path}: another run is writing it; give each run a file of its own") from None
    except OSError:
        pass  # nothing can be locked there


def trace_header_of(prepared: Prepared, started: str = "") -> TraceHeader:
    """Return the header of the trace that records a run; a job with a live model is not kept in it."""
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
