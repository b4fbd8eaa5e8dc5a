"""A trace: what happened in a run, event by event, with all that is needed to judge or play it again.

Events: what happened during a play, one at a time. `input` and `output` are labels given and seen; `silence` is a wait
that ended with nothing; `late` is an output that came after silence had been called; `crash`, `closed` and `garbage`
are the system dying, ending or talking nonsense; `tester-late` is our own delay; `reset` starts a play; `note` is for
people, or tells of a failure of our own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from typing import Any

from outplay.model.label import Label
from outplay.renderable import Tabled

KINDS = ("input", "output", "silence", "late", "crash", "closed", "garbage", "tester-late", "reset", "note")
MOVES = ("input", "output", "silence", "late")
ENDS = ("crash", "closed", "garbage")


@dataclass(frozen=True)
class Event:
    """One event. Times are seconds since the run began: when an input was given, when anything else was seen.

    A delay of our own is given when it began and seen when it ended; so is an input that took long to hand over.
    """

    kind: str
    label: Label | None = None
    given: float | None = None
    seen: float | None = None
    play: int = 0
    n: int = 0
    detail: str = ""
    failed: bool = False
    """For `reset` and `note`: the system could not be made ready, or outplay itself failed."""
    traceback: str = ""
    """For a `crash` of Python code: where it happened."""
    words: str = ""
    """For what ended the play: the end of what the system wrote on standard error in it."""
    taken: float | None = None
    """For an input: when it had arrived, where the system says so; from then on it is on its way no longer."""
    channel: str | None = None
    """For a label: the channel that keeps its order; None for the unnamed one."""

    def __reduce__(self) -> tuple[type[Event], tuple[Any, ...]]:
        """Write down what is set only, for most of an event is not."""
        values = [getattr(self, field.name) for field in _FIELDS]
        while len(values) > 1 and values[-1] == _FIELDS[len(values) - 1].default:
            values.pop()
        return Event, tuple(values)

    @property
    def time(self) -> float:
        """The time when it happened, given or seen."""
        return self.given if self.given is not None else self.seen if self.seen is not None else 0.0

    @property
    def is_move(self) -> bool:
        """Say whether it counts as a step of the play."""
        return self.kind in MOVES

    @property
    def shown(self) -> str:
        """The event, in short."""
        return {"silence": "delta", "late": f"{self.label} (late)"}.get(self.kind) or str(self.label or self.kind)

    def __str__(self) -> str:
        return f"{self.shown}: {self.detail}" if self.detail else self.shown


_FIELDS = fields(Event)


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
