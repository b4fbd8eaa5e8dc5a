"""Failures known before, kept in a file, so that CI fails only on new ones.

    {"format": "outplay-baseline/1", "model": "chat.py:Chat",
     "failures": [{"kind": "output", "gate": "deliver", "states": ["…"], "why": "…"}]}

A failure is known by its kind, its gate and the state of the model, as failures are grouped. Known ones do not end a
run, so that new ones are still looked for.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from outplay.errors import FormatError
from outplay.formats.common.json_document import (
    InvalidDocument,
    load_json_document,
    mistyped,
    placed_error,
    refuse_unknown_fields,
    within_place,
)
from outplay.formats.common.source import read_source
from outplay.formats.common.writing import write_whole
from outplay.plurals import counted
from outplay.redaction import Redact
from outplay.runs.events import FailureFound
from outplay.runs.monitors.failure_groups import FailureGroup, FailureGroups
from outplay.runs.result import RunResult
from outplay.verdict.judge import combine_verdicts
from outplay.verdict.verdicts import Fail

FORMAT = "outplay-baseline/1"
Key: TypeAlias = tuple[str, str | None, tuple[str, ...]]


@dataclass(frozen=True)
class BaselineReport:
    """The failures of a run held against those known before."""

    file: Path
    known: tuple[FailureGroup, ...] = ()
    new: tuple[FailureGroup, ...] = ()
    gone: tuple[str, ...] = ()
    """The reasons of known failures that did not come in this run."""
    written: bool = False
    """Whether the failures of this run were added to the file."""
    accepted: frozenset[int] = frozenset()
    """The numbers of the plays that failed in a known way."""
    exit_code: int = Fail.exit_code
    """With which a run ends that failed: as if the plays that failed in known ways had not been made."""

    def knows(self, group: FailureGroup) -> bool:
        """Say whether a way to fail is known, or was just written down."""
        return group in self.known or self.written

    def accepts(self, verdict: Fail) -> bool:
        """Say whether a play failed in a known way."""
        return verdict.event.play in self.accepted or self.written

    def json(self) -> dict[str, Any]:
        counts = {"known": [group.json() for group in self.known], "new": [group.json() for group in self.new]}
        return {"file": str(self.file), **counts, "gone": list(self.gone), "written": self.written}

    def lines(self) -> list[str]:
        """The comparison for people."""
        if self.written:
            return [
                f"baseline {self.file}: added {counted(len(self.new), 'way')} to fail; {len(self.known)} were known"
            ]
        found = [f"{len(group)} {word}" for group, word in ((self.known, "known"), (self.new, "new")) if group]
        first = f"baseline {self.file}: {' and '.join(found) or 'no'} ways to fail"
        first += "" if self.new or not self.known else f", no new one: the exit code is {self.exit_code}"
        gone = f"{counted(len(self.gone), 'known failure')} did not come; if they are mended, remove them from the file"
        return [first, *([f"  {gone}"] if self.gone else [])]


class Baseline(FailureGroups):
    """Holds the failures of a run against a baseline; a new one ends the run, unless it is to keep going."""

    essential = True

    def __init__(self, path: Path, redact: Redact, *, update: bool = False, keep_going: bool = False) -> None:
        super().__init__()
        self._path, self._redact, self._update, self._keep_going = path, redact, update, keep_going or update
        self._before = _read_baseline(path) if path.exists() or not update else {}
        self._accepted, self._new = set[int](), list[FailureFound]()

    @property
    def enough(self) -> bool:
        return bool(self._new) and not self._keep_going

    def _add(self, found: FailureFound) -> FailureGroup:
        group = super()._add(found)
        if self._key(group) in self._before:
            self._accepted.add(found.play)
        elif not self._new:
            self._new.append(found)
        return group

    def _key(self, group: FailureGroup) -> Key:
        told = group.without_secrets(self._redact)
        return told.kind, told.gate, told.states

    def complete(self, result: RunResult) -> RunResult:
        """Show the first new failure, if there is one; the verdict stays Fail where all are known."""
        result = super().complete(result)
        groups = tuple(group.without_secrets(self._redact) for group in result.failures)
        result = replace(result, failures=groups)
        known = tuple(group for group in groups if self._key(group) in self._before)
        new = tuple(group for group in groups if group not in known)
        gone = {key: why for key, why in self._before.items() if key not in map(self._key, known)}
        written = self._update and not result.interrupted
        if written:
            write_whole(self._path, [self._text(result)], folders=True)
        code = Fail.exit_code if new and not written else _code_of_others(result)
        report = BaselineReport(
            self._path,
            known,
            new,
            tuple(gone.values()),
            written,
            frozenset(self._accepted),
            code,
        )
        return replace(_showing(result, self._new), baseline=report)

    def _text(self, result: RunResult) -> str:
        failures = {**self._before, **{self._key(group): self._redact(group.why) for group in result.failures}}
        entries = [
            {"kind": kind, "gate": gate, "states": list(states), "why": why}
            for (kind, gate, states), why in failures.items()
        ]
        document = {"format": FORMAT, "model": result.trace.header.model, "failures": entries}
        return json.dumps(document, ensure_ascii=False, indent=1).encode("utf-8", "backslashreplace").decode() + "\n"


def _code_of_others(result: RunResult) -> int:
    """The exit code of the plays and tests that did not fail; 0 where all failed."""
    verdicts = [play.verdict for play in result.played] + [test.verdict for test in result.tests]
    others = [verdict for verdict in verdicts if not isinstance(verdict, Fail)]
    return combine_verdicts(others, result.trace.header.goal).exit_code if others else 0


def _showing(result: RunResult, new: list[FailureFound]) -> RunResult:
    """The result with the first new failure as its verdict, where its play is still in memory."""
    if not new or not isinstance(result.verdict, Fail) or not result.trace.events_of(new[0].play):
        return result
    same = result.verdict.event.play == new[0].play
    return result if same else replace(result, verdict=new[0].verdict)


def _read_baseline(path: Path) -> dict[Key, str]:
    """Read the failures that are known, each with why it failed."""
    if not path.exists():
        raise FormatError(f"{path}: there is no such baseline; --update-baseline writes it")
    source = read_source(path)
    document = load_json_document(source, kind=FORMAT)
    try:
        refuse_unknown_fields(document, ("format", "model", "failures"))
        entries = document.get("failures")
        if not isinstance(entries, list):
            raise mistyped("failures", entries, "a list")
        found = dict[Key, str]()
        for place, entry in enumerate(entries):
            with within_place("failures", place):
                found |= _read(entry)
        return found
    except InvalidDocument as error:
        raise placed_error(source, error) from None


def _read(entry: Any) -> dict[Key, str]:
    if not isinstance(entry, dict):
        raise InvalidDocument("a failure is an object with kind, gate, states and why")
    refuse_unknown_fields(entry, ("kind", "gate", "states", "why"))
    kind, gate, states = entry.get("kind"), entry.get("gate"), entry.get("states")
    if not isinstance(kind, str):
        raise mistyped("kind", kind, "a text")
    if gate is not None and not isinstance(gate, str):
        raise mistyped("gate", gate, "a text or null")
    if not isinstance(states, list) or not all(isinstance(state, str) for state in states):
        raise mistyped("states", states, "a list of texts")
    return {(kind, gate, tuple(states)): str(entry.get("why", ""))}
