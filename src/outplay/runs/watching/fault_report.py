"""The faults of the network that the system was played with, and those that its model tolerates."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from outplay.play.system import Disturbed, System
from outplay.plurals import counted
from outplay.runs.events import Observer, PlayEnded, RunEvent
from outplay.runs.result import RunResult


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
