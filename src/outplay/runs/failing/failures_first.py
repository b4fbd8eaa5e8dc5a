"""Failing plays of earlier runs, played again before anything else is played.

A nondeterministic system need not fail again at once, so each is tried several times. These plays come on top of the
budget; one that fails again is a Fail of this run like any other.

Failing plays that are kept from one test session to the next, and played again before anything else.
A nondeterministic system need not fail again, so each is tried several times. One that was stored by a session goes
when it did not fail again and the run after it passed; files that the user names stay.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from outplay.errors import OutplayError, UsageError
from outplay.escaping import escaped, for_shell
from outplay.model.label import SILENCE, Label
from outplay.play.plan import Plan
from outplay.play.system import System
from outplay.play.trace import Event
from outplay.plurals import counted
from outplay.runs.events import PlayEnded, RunEnded, RunEvent, RunStarted
from outplay.runs.failing.replay import Replay, replay
from outplay.runs.play_loop import Play
from outplay.runs.play_sources import PlaySource
from outplay.runs.preparing.planning import Prepared
from outplay.runs.recorded_play import RecordedPlay
from outplay.runs.result import NotPassed, RunResult
from outplay.runs.run_folders import FAILURES
from outplay.tester.script import Script
from outplay.verdict.show import failing_steps, headline
from outplay.verdict.verdicts import Fail

TRIES = 5  # of each stored failure
MOST_KEPT = 10  # of one test
LONG = ".long.jsonl"  # a play before it was made short


@dataclass(frozen=True)
class StoredFailures:
    """The failing plays of one test: those of earlier sessions in a folder of its own, and those the user names."""

    folder: Path | None = None
    named: tuple[Path, ...] = ()

    @property
    def files(self) -> list[Path]:
        """All that is played again, in this order."""
        return [*self.named, *self.kept()]

    def kept(self) -> list[Path]:
        """The plays of earlier sessions, the newest first."""
        if self.folder is None:
            return []
        found = [path for path in (self.folder / FAILURES).glob("*.jsonl") if not path.name.endswith(LONG)]
        return sorted(found, key=lambda path: (-path.stat().st_mtime_ns, path.name))

    def check(self, model: Any, system: System | str) -> None:
        """Play them again, and raise for the first that fails again."""
        __tracebackhide__ = True  # pytest shows the line of the test, not ours
        for path in self.kept()[MOST_KEPT:]:
            _remove(path)
        for path in self.files:
            try:
                again = replay(model, path, system, tries=TRIES)
            except OutplayError:
                if path in self.named:
                    raise
                _remove(path)  # the model or the format has changed
                continue
            if again.reproduced:
                raise NotPassed(_shown(again, path), again.verdict)
            if again.verdict.name == "error":
                raise NotPassed(f"{headline(again.verdict)}\n  while {path} was replayed", again.verdict)

    def again(self, path: Path, test: str) -> str:
        """Say how pytest plays a failure again, where failures are kept: by the file and the id of its test."""
        if self.folder is None:
            return ""
        near = os.path.relpath(self.folder / FAILURES)
        kept = self.folder / FAILURES if near.startswith("..") else near
        test = f"{os.path.relpath(path)}::{test.partition('::')[2]}"
        return f"pytest {for_shell(test)} plays it again first; it is kept in {kept}"

    def forget(self) -> None:
        """Remove those of earlier sessions: they did not fail again, and the test passed."""
        for path in self.kept():
            _remove(path)


def folder_of_test(root: Path, name: str) -> Path:
    """Return the folder that keeps the failing plays of a test: readable, and different for different names.

    >>> folder_of_test(Path("kept"), "test_chat.py::test_it[goal]").name
    'test_chat.py-test_it-goal-adb8211a'
    """
    readable = re.sub(r"[^\w.]+", "-", name).strip("-")[-60:]
    return root / f"{readable}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def named_failures(patterns: str | Sequence[str], folder: Path) -> tuple[Path, ...]:
    """Find the files of failing plays that a user names; a pattern may match none, a name has to exist."""
    found = list[Path]()
    for pattern in (patterns,) if isinstance(patterns, str) else patterns:
        if any(mark in pattern for mark in "*?["):
            found += sorted(path for path in folder.glob(pattern) if not path.name.endswith(LONG))
        elif (folder / pattern).is_file():
            found.append(folder / pattern)
        else:
            raise UsageError(f"replay={pattern!r}: there is no file {folder / pattern}; check the path")
    return tuple(found)


def _shown(again: Replay, path: Path) -> str:
    where = f"  a stored failure failed again, in try {again.tries} of {TRIES}: {path}"
    text = [headline(again.verdict), *failing_steps(again.trace, again.verdict), where]
    return "\n".join(map(escaped, [*text, f"  {counted(again.tries, 'play')}; nothing else was played"]))


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.with_name(path.stem + LONG).unlink(missing_ok=True)


def failure_labels(events: Sequence[Event]) -> tuple[Label, ...]:
    """Return the moves of a failing play of an earlier run, to be given and waited for again."""
    return tuple(SILENCE if event.label is None else event.label for event in events if event.is_move)


class FailuresFirst(PlaySource):
    """The plays of another source, behind those that failed earlier."""

    def __init__(self, prepared: Prepared, source: PlaySource) -> None:
        self._source, self._spec = source, prepared.specification
        self.goals, self.afterwards = source.goals, source.afterwards
        self._left = deque(prepared.failures)
        self._tries, self._again, self._all = 0, 0, len(prepared.failures)
        self._own = False  # whether the play that goes on is one of these

    def next(self) -> Play | None:
        self._own = bool(self._left)
        if not self._left:
            return self._source.next()
        labels = self._left[0]
        return Play(Plan(self._spec, Script(labels)), len(labels) + 1)

    def again(self, recorded: RecordedPlay) -> Play:
        self._left.clear()
        return self._source.again(recorded)

    def observe(self, event: RunEvent) -> None:
        if not self._own or isinstance(event, RunStarted | RunEnded):
            self._source.observe(event)
        elif isinstance(event, PlayEnded):
            self._tries += 1
            failed = isinstance(event.verdict, Fail)
            self._again += failed
            if failed or self._tries == TRIES:
                self._left.popleft()
                self._tries = 0

    @property
    def enough(self) -> bool:
        return not self._own and self._source.enough

    @property
    def may_end(self) -> bool:
        return not self._own and self._source.may_end

    @property
    def progress(self) -> dict[str, Any]:
        return {} if self._own else self._source.progress

    def complete(self, result: RunResult) -> RunResult:
        found, played = self._source.complete(result), self._all - len(self._left)
        gone = played - self._again
        words = f"{counted(played, 'earlier failure')} played again first: {self._again} failed again"
        told = f"{words}, {gone} did not in {TRIES} tries" if gone else words
        return replace(found, warnings=(*found.warnings, told))

    def close(self, error: BaseException | None) -> None:
        self._source.close(error)
