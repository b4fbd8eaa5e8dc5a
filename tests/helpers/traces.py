"""Events and traces, written short."""

from __future__ import annotations

from collections.abc import Iterable

from outplay.model.label import Label
from outplay.model.specification import Specification
from outplay.model.tracking import GoalTest
from outplay.play.following import Arrival, follow
from outplay.play.trace import KINDS, Event, Trace, TraceHeader


def event(text: str, play: int, n: int) -> Event:
    """Read `?a@0.5`, `!x`, `late!x`, `delta`, `crash`, `tester-late@0.5` (late by half a second), `reset-failed`…"""
    what, _, time = text.partition("@")
    seconds = float(time) if time else n / 1000
    if what.startswith("?"):
        return Event("input", Label.parse(what), given=seconds, play=play, n=n)
    if what.startswith(("!", "late!")):
        kind = "late" if what.startswith("late") else "output"
        return Event(kind, Label.parse(what.removeprefix("late")), seen=seconds, play=play, n=n)
    if what == "tester-late":
        return Event(what, given=0.0, seen=seconds, play=play, n=n, detail=f"{seconds * 1000:.0f} ms")
    kind = what.removesuffix("-failed").replace("delta", "silence")
    assert kind in KINDS
    return Event(kind, seen=seconds, play=play, n=n, failed=what.endswith("-failed"))


def trace_of(*plays: str, goal: tuple[str, ...] = (), latency: float = 0.0, silence: float = 0.0) -> Trace:
    """A trace of plays, each a line such as `reset ?a !x delta`."""
    words = [(text, number) for number, line in enumerate(plays, 1) for text in line.split()]
    events = tuple(event(text, play, n) for n, (text, play) in enumerate(words, 1))
    return Trace(TraceHeader(goal=goal, options={"latency": latency, "silence": silence}), events)


def arrival(spec: Specification, events: Iterable[Event], goal: GoalTest, **times: float) -> int | None:
    """After how many moves a recorded play had reached the goal; None if it never had, or nobody can tell."""
    found = Arrival()
    for step in follow(spec, events, goal=goal, **times):
        found.take(step)
    return found.moves
