"""Failing plays that are kept from one test session to the next, and played again before anything else.

A nondeterministic system need not fail again, so each is tried several times. One that was stored by a session goes
when it did not fail again and the run after it passed; files that the user names stay.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outplay.errors import OutplayError, UsageError
from outplay.escaping import escaped
from outplay.play.system import System
from outplay.plurals import counted
from outplay.runs.failing.replay import Replay, replay
from outplay.runs.records import FAILURES
from outplay.runs.result import NotPassed
from outplay.verdict.show import headline, steps

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

    def forget(self) -> None:
        """Remove those of earlier sessions: they did not fail again, and the test passed."""
        for path in self.kept():
            _remove(path)


def folder_of_test(root: Path, name: str) -> Path:
    """The folder in which the failing plays of a test are kept: readable, and different for different names.

    >>> folder_of_test(Path("kept"), "test_chat.py::test_it[goal]").name
    'test_chat.py-test_it-goal-adb8211a'
    """
    readable = re.sub(r"[^\w.]+", "-", name).strip("-")[-60:]
    return root / f"{readable}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def named_failures(patterns: str | Sequence[str], folder: Path) -> tuple[Path, ...]:
    """The trace files that a user names, relative to a folder; a pattern may match none, a name has to exist."""
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
    text = [headline(again.verdict), *steps(again.trace, again.verdict), where]
    return "\n".join(map(escaped, [*text, f"  {counted(again.tries, 'play')}; nothing else was played"]))


def _remove(path: Path) -> None:
    path.unlink(missing_ok=True)
    path.with_name(path.stem + LONG).unlink(missing_ok=True)
