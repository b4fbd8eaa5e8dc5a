"""The events of a run, and who is told of them.

A run is one stream: it started, a play started, a step was made, coverage grew, a play ended with its verdict, a
failure was found, the run ended. Events are plain data with a JSON form. A step also carries what was possible before
and after it, for observers in the same process; its JSON form leaves that out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from outplay.formats.trace_jsonl import event_json, trace_header_json, verdict_json
from outplay.play.following import Step
from outplay.play.trace import Event, Trace, TraceHeader
from outplay.verdict.verdicts import Fail, Verdict

if TYPE_CHECKING:
    from outplay.runs.result import RunResult


@dataclass(frozen=True)
class RunStarted:
    """A run begins; the header says what is played, against what, and how."""

    header: TraceHeader

    def json(self) -> dict[str, Any]:
        return {"type": "run-started", "header": trace_header_json(self.header)}


@dataclass(frozen=True)
class PlayStarted:
    """A play begins, after a reset unless it goes on where the last one ended."""

    play: int
    test: str = ""
    """The test case it is a play of, where a suite is played."""
    reset: bool = True

    def json(self) -> dict[str, Any]:
        return {"type": "play-started", "play": self.play, "test": self.test or None, "reset": self.reset}


@dataclass(frozen=True)
class Noted:
    """Something that is no step of the play, such as a failure of our own."""

    event: Event

    def json(self) -> dict[str, Any]:
        return {"type": "noted", **event_json(self.event)}


@dataclass(frozen=True)
class CoverageChanged:
    """A step showed something new; the counts are those of the run so far."""

    play: int
    states: int
    transitions: int
    new: tuple[tuple[str, str], ...] = ()
    """States that are new, by their keys, and transitions: each a state with a label, which is empty for the state."""

    def json(self) -> dict[str, Any]:
        counts = {"states": self.states, "transitions": self.transitions}
        new = [{"state": state, "label": label or None} for state, label in self.new]
        return {"type": "coverage-changed", "play": self.play, **counts, "new": new}


@dataclass(frozen=True)
class PlayEnded:
    """A play ended: its verdict, its steps, and after how many moves it reached its goal, if it did."""

    play: int
    verdict: Verdict
    steps: int
    moves: int | None = None
    time: float = 0.0
    """The time when it ended, in seconds since the run began."""
    tests: int | None = None
    """The number of tests that are done, where a suite is played, and of branches of them that are open."""
    open: int | None = None

    def json(self) -> dict[str, Any]:
        counts = {"steps": self.steps, "moves": self.moves, "time": self.time, "tests": self.tests, "open": self.open}
        return {"type": "play-ended", "play": self.play, **verdict_json(self.verdict), **counts}


@dataclass(frozen=True)
class FailureFound:
    """A play failed; the trace is that play alone, cut where it failed."""

    play: int
    verdict: Fail
    trace: Trace

    def json(self) -> dict[str, Any]:
        events = [event_json(event) for event in self.trace.events]
        return {"type": "failure-found", "play": self.play, **verdict_json(self.verdict), "events": events}


@dataclass(frozen=True)
class RunEnded:
    """The run ended; the result is what all of it came to."""

    result: RunResult

    def json(self) -> dict[str, Any]:
        return {"type": "run-ended", "result": self.result.json()}


RunEvent: TypeAlias = RunStarted | PlayStarted | Step | Noted | CoverageChanged | PlayEnded | FailureFound | RunEnded


def run_event_json(event: RunEvent) -> dict[str, Any]:
    """Write an event of a run as JSON for other programs.

    >>> run_event_json(PlayStarted(3))
    {'type': 'play-started', 'play': 3, 'test': None, 'reset': True}
    """
    if isinstance(event, Step):
        return {"type": "step", **event_json(event.event)}
    return event.json()


class Observer:
    """Watches a run. What an observer raises costs a warning; an `essential` one ends the run with an Error.

    >>> class Counting(Observer):
    ...     plays = 0
    ...     def observe(self, event):
    ...         self.plays += isinstance(event, PlayEnded)
    """

    essential = False
    """Whether the run must not go on without it: nothing may be lost silently."""

    remembers = False
    """Whether it is told again of plays that were made before the run was cut short, when that is resumed."""

    @property
    def enough(self) -> bool:
        """Whether there is nothing left to play for; asked after each play."""
        return False

    def observe(self, event: RunEvent) -> None:
        """See the next event."""

    def recall(self, event: RunEvent) -> None:
        """See again what happened before the run was cut short; the first new play waits for that."""
        self.observe(event)

    def complete(self, result: RunResult) -> RunResult:
        """Add to the result what this observer knows; asked once, when all plays have ended."""
        return result

    def close(self, error: BaseException | None) -> None:
        """The run is over, by an exception where there is one."""


class Monitor(Observer):
    """An observer of the steps of each play; what it counts is part of the result, so the run needs it."""

    essential = remembers = True

    def observe(self, event: RunEvent) -> None:
        if isinstance(event, Step):
            self.take(event)
        elif isinstance(event, PlayStarted) and event.reset:
            self.begin()

    def begin(self) -> None:
        """A play begins after a reset."""

    def take(self, step: Step) -> None:
        """See the next step."""
