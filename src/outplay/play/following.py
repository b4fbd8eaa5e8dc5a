"""Following: a play event by event, with what was possible before and after each.

The runner, the judge, the audit, coverage and the comparison with a forecast all ask the same of an event: where may
the system have been, and where may it be now? So each event is followed once, and they take the steps this makes.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from outplay.model.label import SILENCE, Label
from outplay.model.specification import Specification
from outplay.model.tracking import GoalTest, Tracker, no_goal
from outplay.play.trace import ENDS, Event

CONFIRMED = 64  # events before a Fail that are followed once more in all orders, where some were left out


@dataclass(frozen=True)
class Step:
    """An event, and what is known of the system just before it and after it."""

    event: Event
    label: Label | None
    """The label given or seen; None for what is no move of the play."""
    before: Tracker
    """Settled to the time of the event."""
    after: Tracker


def follow(
    spec: Specification,
    events: Iterable[Event],
    *,
    latency: float = 0.0,
    silence: float = 0.0,
    goal: GoalTest = no_goal,
    one_wire: bool = False,
) -> Iterator[Step]:
    """Follow the events of one play; `silence` is after how long it was called so, if that is known.

    With `one_wire` all labels keep their order, whatever channels the specification names.

    >>> from outplay import automaton
    >>> from outplay.model.suspension import SuspensionAutomaton
    >>> lamp = SuspensionAutomaton(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    >>> events = [Event("reset"), Event("input", Label.parse("?press")), Event("output", Label.parse("!light"))]
    >>> for step in follow(lamp, events):
    ...     print(step.event, *map(lamp.describe, step.after.states))
    reset at off
    ?press at on
    !light at off
    """
    following = Following(Tracker(spec, latency=latency, silence=silence, goal=goal, one_wire=one_wire))
    return map(following.take, events)


class Numbering:
    """Makes events those of a run: numbered, with times from its start in microseconds.

    So they stand in a trace file, and what was followed live and what is read again are the same.
    """

    def __init__(self, began: float) -> None:
        self._began = began
        self.play = 1
        self.count = 0
        """The number of events of the run so far."""

    def numbered(self, event: Event) -> Event:
        """The event as the next one of the run."""
        given, taken, seen = map(self._stamp, (event.given, event.taken, event.seen))
        return replace(event, play=self.play, n=self.count + 1, given=given, taken=taken, seen=seen)

    def _stamp(self, now: float | None) -> float | None:
        return None if now is None else self.time(now)

    def go_on_from(self, seconds: float, now: float) -> None:
        """Count times so that now it is so many seconds since the run began."""
        self._began = now - seconds

    def time(self, now: float) -> float:
        """A time of the clock as one of the run."""
        return round(now - self._began, 6)


class Following:
    """Follows a play as it happens; with a numbering, events are made those of a run first."""

    def __init__(self, tracker: Tracker, numbering: Numbering | None = None) -> None:
        self.tracker = tracker
        """The knowledge after the last event."""
        self.numbering = numbering
        self._recent: deque[tuple[Tracker, Event, Label | None]] = deque(maxlen=CONFIRMED)

    def time(self, now: float) -> float:
        """A time of the clock as the events have it."""
        return self.numbering.time(now) if self.numbering else now

    def take(self, event: Event) -> Step:
        """Follow the next event."""
        if self.numbering:
            event = self.numbering.numbered(event)
            if event.label is not None and event.kind != "silence":
                event = replace(event, channel=self.tracker.channel(event.label) or None)
        label = (SILENCE if event.kind == "silence" else event.label) if event.is_move else None
        settles = event.is_move or event.kind in ENDS
        before = self.tracker.settled(event.time) if settles else self.tracker
        self.tracker = _after(before, event, label)
        if self.tracker.reduced:
            self.tracker = self._confirmed(before, event, label)
        if self.numbering:
            self.numbering.count += 1  # only now: an event on which the model raises is none of the run
        return Step(event, label, before, self.tracker)

    def _confirmed(self, before: Tracker, event: Event, label: Label | None) -> Tracker:
        """Return the knowledge after an event; where that is nothing, with all orders of what came shortly before."""
        self._recent.append((before, event, label))
        if self.tracker.conforms:
            return self.tracker
        tracker = self._recent[0][0].exhaustively()
        for _, past, moved in self._recent:
            tracker = _after(tracker.settled(past.time) if moved is not None else tracker, past, moved)
        self._recent.clear()
        return tracker.exhaustively(False)


def _after(before: Tracker, event: Event, label: Label | None) -> Tracker:
    if event.kind == "tester-late":
        lag = 0.0 if event.seen is None or event.given is None else event.seen - event.given
        return before.excused(lag, event.seen)
    if label is None:
        return before.started(event.time) if event.kind == "reset" else before
    if event.kind == "input":
        return before.gave(label, event.time, handed=event.seen, taken=event.taken)
    return before.saw(label, event.time)


class Arrival:
    """Counts, step by step, the moves of one play until its goal was reached.

    Where input and output may have crossed, it may take another event to know; what counts is when it was reached.
    """

    def __init__(self) -> None:
        self._made = 0
        self._since: int | None = None
        self._last: Tracker | None = None
        self._over = False

    def take(self, step: Step) -> None:
        """Count the next step."""
        if self._last is None and step.before.maybe_reached:
            self._since = 0
        self._last = step.after
        if step.label is None or self._over:
            return
        self._over = step.before.reached or not step.after.conforms
        if step.before.reached:
            return
        self._made += 1
        reached = self._made if self._since is None else self._since
        self._since = reached if step.after.maybe_reached else None

    @property
    def moves(self) -> int | None:
        """After how many moves the goal was reached; None if it never was, or nobody can tell."""
        sure = self._over or (self._last is not None and self._last.settled(math.inf).reached)
        return self._since if sure else None
