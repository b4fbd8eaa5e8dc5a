"""The record of a run, written while it goes on; a file that cannot be written is noted and costs no verdict."""

from __future__ import annotations

import fcntl
import json
import os
import stat
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TextIO, TypeVar

from outplay.campaign.outcome import Outcome
from outplay.campaign.records import KEPT, RunFolder
from outplay.errors import FormatError, NothingToRun, UsageError
from outplay.formats.texts.writing import unwritten, write_whole
from outplay.formats.trace_jsonl import TraceWriter
from outplay.play.event import Event
from outplay.play.trace import TraceHeader
from outplay.verdict.verdicts import Verdict

Made = TypeVar("Made")


class Recording:
    """A run's job, trace, failure and report. `lost` says what could not be written, and why."""

    def __init__(self, header: TraceHeader, *, trace: Path | None = None, keep: int = KEPT) -> None:
        self.lost: list[str] = []
        self._stream: TextIO | None = None
        self._writer: TraceWriter | None = None
        self._folder = self._tried(lambda: RunFolder(keep))
        self.trace = trace or (self._folder.path / "trace.jsonl" if self._folder else None)
        if self._folder:
            job = self._folder.path / "job.json"
            self._tried(lambda: write_whole(job, [_job(header)]))
        if self.trace:
            self._trying(lambda: self._open(header))

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is NothingToRun:
            self._withdraw()
        self._stop()
        if self._folder:
            self._folder.close()
        if kind is KeyboardInterrupt and self.trace and not self.lost:
            raise KeyboardInterrupt(f"interrupted; the trace so far is in {self.trace}") from None

    def _withdraw(self) -> None:
        """Leave no record: nothing could be tested. A trace that could not be written is not ours to remove."""
        with suppress(OSError):
            if self._stream and self.trace and stat.S_ISREG(self.trace.lstat().st_mode):
                self.trace.unlink()
        if self._folder:
            self._folder.withdraw()

    def event(self, event: Event) -> None:
        """Append an event to the trace."""
        if writer := self._writer:
            self._trying(lambda: writer.event(event))

    def verdict(self, verdict: Verdict) -> None:
        """Append the last line."""
        if writer := self._writer:
            self._trying(lambda: writer.verdict(verdict))

    def failure(self, outcome: Outcome) -> Path | None:
        """Keep the failing play by itself, if one failed."""
        folder = self._folder
        return self._tried(lambda: outcome.keep_failure(folder.path)) if folder else None

    def report(self, outcome: Outcome, kept: Path | None, findings: tuple[str, ...]) -> Path | None:
        """Write the page about the run, if anything was played."""
        folder = self._folder
        if folder is None or (outcome.verdict.name == "error" and not outcome.tally.steps):
            return None
        return self._tried(lambda: outcome.report(folder.path / "report.html", kept=kept, findings=findings))

    def _tried(self, write: Callable[[], Made]) -> Made | None:
        try:
            return write()
        except FormatError as error:
            self.lost.append(str(error))
            return None

    def _trying(self, write: Callable[[], object]) -> None:
        """Write to the trace; after the first failure no more is written, since a gap would be a false record."""
        try:
            write()
        except OSError as error:
            self.lost.append(f"the trace is not whole: {unwritten(self.trace or '', error)}")
            self._stop()

    def _open(self, header: TraceHeader) -> None:
        assert self.trace
        self.trace.parent.mkdir(parents=True, exist_ok=True)
        self._stream = _opened(self.trace)
        self._writer = TraceWriter(self._stream, header)

    def _stop(self) -> None:
        stream, self._stream, self._writer = self._stream, None, None
        if stream:
            with suppress(OSError):  # what it still holds cannot be written; that was said
                stream.close()


def _job(header: TraceHeader) -> str:
    return json.dumps({"format": "outplay-job/1", "job": header.job}, ensure_ascii=False, indent=1) + "\n"


def _opened(path: Path) -> TextIO:
    """Open a trace for this run alone; what was there of an earlier one goes.

    Only a regular file is one run's own: any number may write to one device at a time.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        _lock(descriptor, path)
        os.ftruncate(descriptor, 0)
    return open(descriptor, "w", encoding="utf-8")


def _lock(descriptor: int, path: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        raise UsageError(f"--trace {path}: another run is writing it; give each run a file of its own") from None
    except OSError:
        pass  # nothing can be locked there
