"""Failing plays of earlier runs, played again before anything else is played.

A nondeterministic system need not fail again at once, so each is tried several times. These plays come on top of the
budget; one that fails again is a Fail of this run like any other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from outplay.model.label import SILENCE, Label
from outplay.play.plan import Plan
from outplay.play.trace import Event
from outplay.plurals import counted
from outplay.runs.events import PlayEnded, RunEnded, RunEvent, RunStarted
from outplay.runs.failing.stored_failures import TRIES
from outplay.runs.parallel.recorded_play import RecordedPlay
from outplay.runs.playing import Play
from outplay.runs.preparing.planning import Prepared
from outplay.runs.result import RunResult
from outplay.runs.sources import PlaySource
from outplay.tester.script import Script
from outplay.verdict.verdicts import Fail


def labels_of(events: Sequence[Event]) -> tuple[Label, ...]:
    """The moves of a play, to be given and waited for again."""
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
