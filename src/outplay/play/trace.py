"""A trace: what happened in a run, event by event, with all that is needed to judge or play it again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from outplay.play.event import Event
from outplay.showing import Tabled


@dataclass(frozen=True)
class TraceHeader:
    """The head of a trace: the model, the system, and how they were played."""

    model: str = ""
    model_hash: str = ""
    sut: str = ""
    goal: tuple[str, ...] = ()
    seed: int = 0
    options: dict[str, Any] = field(default_factory=dict)
    started: str = ""
    job: dict[str, Any] = field(default_factory=dict)
    """The job that was done, in its JSON form (runs/job.py); empty where a log tells none."""

    @property
    def latency(self) -> float:
        """The time after an input in which an output may still have been sent before it."""
        return float(self.options.get("latency") or 0.0)

    @property
    def silence(self) -> float:
        """After how long silence was called; 0 where that is not known."""
        return float(self.options.get("silence") or 0.0)

    @property
    def followed_by(self) -> dict[str, Any]:
        """The times, and whether all went over one connection, by which the plays were followed."""
        return {"latency": self.latency, "silence": self.silence, "one_wire": bool(self.options.get("one_wire"))}


@dataclass(frozen=True)
class Trace(Tabled):
    """A header and the events of all plays in order."""

    header: TraceHeader = field(default_factory=TraceHeader)
    events: tuple[Event, ...] = ()
    cut: bool = field(default=False, compare=False)
    """Read from a file without a verdict at its end: the run did not come to one."""

    def plays(self) -> Iterator[tuple[int, list[Event]]]:
        """The events of each play, with its number; a log without numbers is cut at its resets."""
        played: list[Event] = []
        for event in self.events:
            if played and (event.kind == "reset" or event.play != played[-1].play):
                yield played[-1].play, played
                played = []
            played.append(event)
        if played:
            yield played[-1].play, played

    def events_of(self, number: int) -> list[Event]:
        """The events of one play as they are."""
        return [event for event in self.events if event.play == number]

    def play(self, number: int, until: int | None = None) -> Trace:
        """One play alone, numbered anew, cut after the event with number `until`."""
        chosen: list[Event] = []
        for play, events in self.plays():
            if play == number and (until is None or events[0].n <= until):
                chosen = [event for event in events if until is None or event.n <= until]
        return Trace(self.header, tuple(replace(event, play=1, n=n) for n, event in enumerate(chosen, 1)))
