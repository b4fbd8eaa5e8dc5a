"""The folders of runs: each run has one of its own, which no other run writes to.

    .outplay/runs/20260301-101530-4f2a91/   job.json  trace.jsonl  report.html  failures/788f7340.jsonl
    .outplay/last                           a link to the newest

Folders are made, linked and removed by one process at a time, and the folder of a run that still goes on is locked.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from outplay.errors import FormatError, UsageError
from outplay.formats.common.writing import unwritten_file, write_whole
from outplay.formats.trace_jsonl import event_json, write_trace
from outplay.play.trace import Trace
from outplay.verdict.verdicts import Verdict

FOLDER = Path(".outplay")
FAILURES = "failures"
KEPT = 50
PATIENCE = 10.0
"""Seconds to wait for another process that makes a folder; then it is done beside it, which harms nothing."""
_LAST = FOLDER / "last"
_NAMING = 1_000  # characters that may name the newest run
_OURS = re.compile(r"\d{8}-\d{6}-[0-9a-f]{6}")


class RunFolder:
    """The folder of one run, locked until it is closed."""

    def __init__(self, keep: int = KEPT, name: str = "", *, again: bool = False) -> None:
        """Make a folder, of this name where that is free; or have the one of this name `again`."""
        runs = FOLDER / "runs"
        for folder in (FOLDER, runs):
            if folder.is_symlink():
                raise FormatError(f"{folder}: a link to elsewhere, where no run is written; remove the link")
        try:
            with _alone(runs):
                self.path = runs / name if again else _made(runs, name or new_run_name())
                self._lock = _locked(self.path)
                if again and self._lock is None:
                    raise UsageError(f"run {name} still goes on in another process; wait for it, or end it first")
                self._before = _last(runs)
                _link(self.path)
                _remove_old(runs, self.path, keep)
        except OSError as error:
            raise FormatError(unwritten_file(runs, error)) from None

    def close(self) -> None:
        """Let it go: from now on it may be removed when there are too many."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def withdraw(self) -> None:
        """Remove it, where there was nothing to run; the last one is again the one before it, if that is left."""
        runs = self.path.parent
        with suppress(OSError), _alone(runs):
            shutil.rmtree(self.path, ignore_errors=True)
            self.close()
            left = [one for one in runs.iterdir() if _OURS.fullmatch(one.name)]
            if _last(runs) not in left:
                newest = self._before if self._before in left else max(left, default=None)
                _link(newest) if newest else _LAST.unlink(missing_ok=True)
            runs.rmdir()
            FOLDER.rmdir()  # each unless it holds something else


def keep_failing_play(failure: Trace, verdict: Verdict, folder: Path | None = None) -> Path:
    """Write a failing play under a name made from what happened; without a folder, into the folder of a run."""
    if folder is None:
        with closing(RunFolder()) as made:
            return keep_failing_play(failure, verdict, made.path)
    path = failure_file(folder, failure)
    write_trace(path, failure, verdict)
    return path


def failure_file(folder: Path, failure: Trace) -> Path:
    """The file of a failing play in the folder of its run."""
    what = json.dumps([[event_json(event)["kind"], event_json(event)["label"]] for event in failure.events])
    return folder / FAILURES / f"{hashlib.sha256(what.encode()).hexdigest()[:8]}.jsonl"


def new_run_name() -> str:
    """Return a new name for the folder of a run: when it begins, and a few random digits."""
    return f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"


def _made(runs: Path, name: str) -> Path:
    while True:
        with suppress(FileExistsError):
            (runs / name).mkdir(parents=True)  # another process may just have removed the last run of all
            return runs / name
        name = new_run_name()


def _last(runs: Path) -> Path | None:
    """The run that is named as the newest, by a link or by a file, if there is one."""
    if _LAST.is_symlink():
        return runs / _LAST.readlink().name
    if not _LAST.is_file():
        return None
    with _LAST.open(encoding="utf-8", errors="replace") as file:  # whoever wrote it
        return runs / Path(file.read(_NAMING).strip()).name


def _link(path: Path) -> None:
    """Name the newest run, at once and in one step; where there are no links, a file says which it is."""
    target = path.relative_to(FOLDER)
    temporary = FOLDER / f".{secrets.token_hex(8)}.tmp"
    try:
        temporary.symlink_to(target)
        temporary.replace(_LAST)
    except OSError:
        temporary.unlink(missing_ok=True)
        with suppress(FormatError):  # a folder of that name: somebody else's
            write_whole(_LAST, [f"{target}\n"])


def _remove_old(runs: Path, own: Path, keep: int) -> None:
    """Keep this many runs: the oldest without failures go first, one that still goes on never."""
    others = sorted(path for path in runs.iterdir() if _OURS.fullmatch(path.name) and path != own)
    order = sorted(others, key=lambda path: (path / FAILURES).exists())
    surplus = len(others) + 1 - keep
    for path in order:
        if surplus <= 0:
            return
        lock = _locked(path)
        if lock is not None:
            shutil.rmtree(path, ignore_errors=True)
            os.close(lock)
            surplus -= 1


def _locked(folder: Path) -> int | None:
    """Lock a folder as long as what is returned is open; None where another process has it or nothing can be locked."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    deadline = time.monotonic() + PATIENCE
    folder.mkdir(parents=True, exist_ok=True)
    while (lock := _locked(folder)) is None and time.monotonic() < deadline:
        time.sleep(0.01)
        folder.mkdir(parents=True, exist_ok=True)
    try:
        yield
    finally:
        if lock is not None:
            os.close(lock)
