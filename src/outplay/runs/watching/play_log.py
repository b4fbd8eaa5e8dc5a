"""A log of the plays of a run in numbers: how long each was, when it ended, and how much had been seen by then."""

from __future__ import annotations

from dataclasses import replace

from outplay.runs.events import CoverageChanged, Observer, PlayEnded, RunEvent
from outplay.runs.result import PlayCounts, RunResult

MOST_PLAYS = 10_000  # listed; of more the first
MOST_POINTS = 2_000  # of the curve; of more every second is left out, again and again


class PlayLog(Observer):
    """Keeps the counts of each play, and a curve of what was seen that stays short however long the run is."""

    remembers = True

    def __init__(self) -> None:
        self._plays, self._curve = dict[int, PlayCounts](), list[tuple[int, PlayCounts]]()
        self._states = self._transitions = 0
        self._stride, self._last = 1, list[tuple[int, PlayCounts]]()

    def observe(self, event: RunEvent) -> None:
        if isinstance(event, CoverageChanged):
            self._states, self._transitions = event.states, event.transitions
        elif isinstance(event, PlayEnded):
            before = self._plays.get(event.play)
            steps = event.steps + (before.steps if before else 0)  # one that went on after a test
            counts = PlayCounts(steps, event.time, self._states, self._transitions)
            if event.play <= MOST_PLAYS:
                self._plays[event.play] = counts
            self._last = [(event.play, counts)]
            if not event.play % self._stride or event.play == 1:
                self._curve.append((event.play, counts))
            if len(self._curve) > MOST_POINTS:
                self._curve, self._stride = self._curve[::2], 2 * self._stride

    def complete(self, result: RunResult) -> RunResult:
        return replace(result, counts=tuple(self._plays.values()), curve=tuple(self._curve + self._last))
