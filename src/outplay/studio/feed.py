"""The feed of a live run: its events in short rows, its counts, failures and confidence, since a given event."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from outplay.model.wrapping import own_state
from outplay.play.following import Step
from outplay.play.trace import Trace
from outplay.redaction import Redact
from outplay.runs.events import (
    CoverageChanged,
    FailureFound,
    Noted,
    Observer,
    PlayEnded,
    PlayStarted,
    RunEnded,
    RunEvent,
)
from outplay.runs.monitors.suspicion_monitor import SuspicionMonitor

MOST_ROWS = 20_000
MOST_SENT = 2_000
MOST_POINTS = 600  # of the curve of coverage
MOST_FAILURES = 200
_CONFIDENCE_EVERY = 1.0  # seconds


@dataclass(frozen=True)
class FailedPlay:
    """A failing play, with what tells its kind."""

    number: int
    play: int
    kind: str
    why: str
    allowed: tuple[str, ...]
    trace: Trace
    file: Path | None = None
    """The file that holds it, where there is one by a name that the user knows."""
    short: bool = False
    """Whether the play was made short after it failed."""

    def json(self) -> dict[str, Any]:
        given = {"number": self.number, "play": self.play, "kind": self.kind, "why": self.why}
        return {**given, "allowed": list(self.allowed), "short": self.short}


class Feed(Observer):
    """Keeps the last events as rows: number, play, kind, label, when, until, vertex, lane, allowed or not, detail."""

    def __init__(self, vertices: Mapping[str, int], redact: Redact, suspected: SuspicionMonitor | None) -> None:
        self._lock = threading.Lock()
        self._vertices, self._redact, self._suspected = vertices, redact, suspected
        self._rows: deque[list[Any]] = deque(maxlen=MOST_ROWS)
        self.count = 0
        self.plays = self.passed = self.steps = 0
        self.coverage: list[tuple[float, int, int]] = []
        self._coverage_end = (0.0, 0, 0)
        self.seen: dict[int, int] = {}
        self.failures: list[FailedPlay] = []
        self.failed = 0
        self.confidence: dict[str, Any] = {}
        self._asked = self._now = 0.0
        self._seen_edges: list[tuple[int, str]] = []
        self.ended: dict[str, Any] | None = None

    def observe(self, event: RunEvent) -> None:
        """Take the next event of the run."""
        with self._lock:
            if isinstance(event, Step | Noted):
                self._step(event)
            elif isinstance(event, CoverageChanged):
                self._cover(event)
            elif isinstance(event, PlayStarted) and event.reset:
                self.plays = event.play
            elif isinstance(event, PlayEnded):
                self.passed += event.verdict.name == "pass"
            elif isinstance(event, FailureFound):
                self._fail(event)
            elif isinstance(event, RunEnded):
                result = event.result
                self.ended = {"verdict": result.verdict.name, "headline": self._redact(result.headline)}
                self.ended["lines"] = [self._redact(line) for line in result.lines(None)]
        if isinstance(event, PlayEnded | RunEnded):
            self._confide()

    def _step(self, event: Step | Noted) -> None:
        made = event.event
        vertex, allowed = -1, True
        if isinstance(event, Step):
            allowed = event.after.conforms
            states = event.after.states or event.before.states
            if states:
                spec, state = own_state(event.after.spec, states[0])
                vertex = self._vertices.get(spec.key(state), -1)
        self.count += 1
        self.steps += made.is_move
        self._now = made.time
        lane = made.channel or ("tester" if made.kind == "input" else "system" if made.is_move else "run")
        until = max(made.time, made.taken or 0.0, made.seen or 0.0)
        label = self._redact(made.label.text) if made.label else ""
        detail = self._redact(made.detail)[:300]
        self._rows.append([self.count, made.play, made.kind, label, made.time, until, vertex, lane, allowed, detail])
        if vertex >= 0:
            self.seen[vertex] = self.seen.get(vertex, 0) + 1

    def _cover(self, event: CoverageChanged) -> None:
        self._coverage_end = point = (self._now, event.states, event.transitions)
        if len(self.coverage) >= MOST_POINTS:
            self.coverage[:] = self.coverage[::2]
        self.coverage.append(point)

    def _fail(self, event: FailureFound) -> None:
        self.failed += 1
        if len(self.failures) < MOST_FAILURES:
            last = event.verdict.event
            kind = self._redact(str(last.label.gate if last.label else last.kind))
            allowed = tuple(label.text for label in event.verdict.allowed)
            why = self._redact(event.verdict.why)
            self.failures.append(FailedPlay(len(self.failures), event.play, kind, why, allowed, event.trace))

    def _confide(self) -> None:
        """Ask now and then what passing so far is worth; that takes a while, so not after every play."""
        now = time.monotonic()
        if self._suspected is None or (self.ended is None and now - self._asked < _CONFIDENCE_EVERY):
            return
        report = self._suspected.report()
        self._asked = time.monotonic() + 5 * (time.monotonic() - now)  # a report that is dear comes seldom
        opened = [[one.state, one.label] for one in report.cleared.open]
        told = {"share": report.cleared.share, "words": report.sentences(self.plays), "open": opened}
        self.confidence = {**told, "states": list(report.states), "transitions": list(report.transitions)}

    def since(self, count: int) -> dict[str, Any]:
        """All that happened since this many events had come; of very many only the last."""
        with self._lock:
            new = min(max(self.count - count, 0), MOST_SENT, len(self._rows))
            rows = [self._rows[at] for at in range(len(self._rows) - new, len(self._rows))]
            return {
                "count": self.count,
                "rows": rows,
                "plays": self.plays,
                "passed": self.passed,
                "failed": self.failed,
                "steps": self.steps,
                "coverage": [*self.coverage, self._coverage_end],
                "failures": [one.json() for one in self.failures],
                "confidence": self.confidence,
                "ended": self.ended,
            }

    def seen_often(self) -> dict[int, int]:
        """Count the visits of each vertex."""
        with self._lock:
            return dict(self.seen)
