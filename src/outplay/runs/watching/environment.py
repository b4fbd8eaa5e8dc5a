"""What the environment of the system did: resets that were tried again, counted and told."""

from __future__ import annotations

from dataclasses import replace

from outplay.play.following import Step
from outplay.play.retries import failed_tries
from outplay.plurals import counted
from outplay.runs.events import Observer, RunEvent
from outplay.runs.result import RunResult


class RetriedResets(Observer):
    """Counts the tries to reset the system that failed."""

    remembers = True

    def __init__(self) -> None:
        self._failed, self._last = 0, ""

    def observe(self, event: RunEvent) -> None:
        if isinstance(event, Step) and (tries := failed_tries(event.event)):
            self._failed += tries
            self._last = event.event.detail.partition("the last: ")[2]

    def complete(self, result: RunResult) -> RunResult:
        if not self._failed:
            return result
        told = f"the system was not ready {counted(self._failed, 'time')} and was tried again; the last: {self._last}"
        return replace(result, retries=self._failed, warnings=(*result.warnings, told))
