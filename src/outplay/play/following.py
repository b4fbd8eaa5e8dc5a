"""Following: a play event by event, with what was possible before and after each.

The runner, the judge, the audit, coverage and the comparison with a forecast all ask the same of an event: where may
the system have been, and where may it be now? So each event is followed once, and they take the steps this makes.

The vertices that the plays of walk models come to, told to a system that has methods for them.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from outplay.model.label import SILENCE, Label
from outplay.model.specification import Specification
from outplay.model.tracking import GoalTest, Tracker, no_goal
from outplay.model.walk_models import WalkModels, WalkSpecification
from outplay.model.wrapping import own_specification, own_states
from outplay.play.system import System, Walking
from outplay.play.trace import ENDS, Event

RECENT = 64  # events that are followed once more in all orders first, where some were left out
MOST_KEPT = 1_000  # events kept to be followed once more
MOST_LOOKED_AT = 200_000  # possibilities, when events are followed once more


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
    """Follow the events of one play step by step; `silence` is after how long it was called so, if known.

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
        """Count times so that now it is this many seconds since the run began."""
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
        self._past = Past(tracker)

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
        self.tracker = self._past.confirmed(before, event, label, self.tracker)
        if self.numbering:
            self.numbering.count += 1  # only now: an event on which the model raises is none of the run
        return Step(event, label, before, self.tracker)


class Past:
    """The events since all orders were followed, to be followed once more where it matters which were left out.

    The orders left out are seldom others than those followed, but what they lead to may last. So what is followed
    without them is a part of what is possible: what conforms to a part conforms. A Fail, a goal that was reached in all
    orders, and the end of the specification are looked at again in all orders, from where none was left out.
    """

    def __init__(self, start: Tracker) -> None:
        self._start: Tracker | None = start
        """From where all orders are known; None where that was too long ago to follow them again."""
        self._events: list[tuple[Event, Label | None]] = []
        self._recent: deque[tuple[Tracker, Event, Label | None]] = deque(maxlen=RECENT)

    def confirmed(self, before: Tracker, event: Event, label: Label | None, after: Tracker) -> Tracker:
        """Return the knowledge after an event, with all orders where something hangs on them."""
        if not after.reduced:
            self._begin(after)
            return after
        self._recent.append((before, event, label))
        self._events.append((event, label))
        if len(self._events) > MOST_KEPT:
            self._go_on()
        if not after.conforms:
            return self._once_more(after)
        if not after.specified or (after.reached and not before.reached):
            return self._in_all_orders() or after
        return after

    def _begin(self, start: Tracker | None) -> None:
        self._start = start
        self._events.clear()
        self._recent.clear()

    def _once_more(self, failed: Tracker) -> Tracker:
        """Follow a Fail once more: the last events, which explain most of what others do not, then all of them."""
        first = self._recent[0][0].exhaustively()
        recent = _followed(first, ((event, label) for _, event, label in self._recent))
        if recent is not None and recent.conforms:
            return recent.exhaustively(False)
        found = self._in_all_orders()
        if found is None:
            found = failed.exhaustively(False)
            found.unsure = True
        return found

    def _in_all_orders(self) -> Tracker | None:
        """Follow all that is kept in all orders; None where there are too many."""
        if self._start is None:
            return None
        found = _followed(self._start.exhaustively(), self._events)
        if found is not None:
            found = found.exhaustively(False)
            self._begin(found)
        return found

    def _go_on(self) -> None:
        """Follow the first half of what is kept in all orders, and keep the rest."""
        half = MOST_KEPT // 2
        found = None if self._start is None else _followed(self._start.exhaustively(), self._events[:half])
        self._start = found
        self._events = self._events[half:] if found else []


def _followed(tracker: Tracker, events: Iterable[tuple[Event, Label | None]]) -> Tracker | None:
    """Return the knowledge after more events; None where too much had to be looked at."""
    for event, label in events:
        tracker = _after(tracker.settled(event.time) if label is not None else tracker, event, label)
        if tracker.looked_at > MOST_LOOKED_AT:
            return None
    return tracker


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


class Walk:
    """Goes along with a play: after each edge the system is told the vertex, where it is known which one it is."""

    def __init__(self, system: Walking, models: WalkModels) -> None:
        self._system, self._models = system, models

    def take(self, step: Step) -> None:
        """Take a step: a reset, or an edge."""
        if step.event.kind == "reset" and not step.event.failed:
            start = self._models.start_vertex
            self._system.arrive([] if start is None else [self._models.vertices[start].name])
        else:
            edges = [self._models.edges[edge] for edge in edges_of_step(step)]
            names = {self._models.vertices[edge.target].name for edge in edges}
            if len(names) == 1:
                self._system.arrive(names)


def walk_of(system: System, spec: Specification) -> Walk | None:
    """Return the walk that follows a play, where the model is walked and the system has methods for that."""
    own = own_specification(spec)
    return Walk(system, own.models) if isinstance(own, WalkSpecification) and isinstance(system, Walking) else None


def edges_of_step(step: Step) -> list[int]:
    """Return the edges of walk models that a followed step may have taken, by number."""
    found = dict[int, None]()
    if step.label is not None and step.label.is_input:
        for wrapped in step.before.states:
            for spec, state in own_states(step.before.spec, wrapped):
                if isinstance(spec, WalkSpecification):
                    found |= dict.fromkeys(spec.edges_at(state, step.label))
    return list(found)
