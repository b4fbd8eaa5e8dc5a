"""Retracing: back to places of a play by the shortest ways, along parts of it, and then whatever was tried least.

This is how a failing play becomes short: a part that was not needed is replaced by a shortcut, and behind the part that
may be to blame everything that is short enough is tried, in turn.

Shortcuts: the shortest ways between the places of a model, where the system goes along. A place is what a tracker
knows: the set of states the system may be in. The model is explored breadth first from the start, and around the places
of a recorded play, up to a number of places; ways are shortest in what was explored.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from outplay.breadth_first_search import nearest_first
from outplay.model.label import SILENCE, Label
from outplay.model.offer import Offer
from outplay.model.tracking import Tracker
from outplay.tester.tester import Decision, End, Give, Labels, Stop, TraceBased, Wait

MOST_PLACES = 3_000


class Shortcuts:
    """The places found so far and the labels that lead from one to the next.

    >>> from outplay import automaton
    >>> from outplay.model.suspension import SuspensionAutomaton
    >>> lamp = SuspensionAutomaton(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    >>> start = Tracker(lamp)
    >>> found = Shortcuts(start)
    >>> lit = found.place(start.gave(Label.parse("?press")))
    >>> found.distance(found.place(start), lit), str(found.step(found.place(start), lit))
    (1, '?press')
    """

    def __init__(self, start: Tracker, labels: Iterable[Label] = ()) -> None:
        self._labels = tuple(dict.fromkeys(labels))
        self._places: dict[frozenset[object], int] = {}
        self._edges: list[list[tuple[Label, int]]] = []
        self._before: list[list[int]] = []
        self._distances: dict[int, dict[int, int]] = {}
        self._waiting: deque[tuple[int, Tracker]] = deque()
        self._explore(start, MOST_PLACES)

    def place(self, tracker: Tracker) -> int | None:
        """The number of the place a tracker is at; None where it was not found."""
        return self._places.get(frozenset(tracker.states))

    def add(self, trackers: Iterable[Tracker]) -> None:
        """Make sure of the places of a play, and of what is around them."""
        for tracker in trackers:
            if tracker.states and not tracker.in_flight:
                self._explore(tracker, len(self._edges) + 1)
        self._distances.clear()

    def distance(self, source: int, target: int) -> int | None:
        """Return the least number of labels; None where no way is known."""
        return self._to(target).get(source)

    def step(self, source: int, target: int) -> Label | None:
        """The first label of a shortest way, one of the tester where there is a choice; None at the target itself."""
        far = self._to(target)
        nearer = [label for label, place in self._edges[source] if place in far and far[place] < far[source]]
        return min(nearer, key=lambda label: not label.is_input, default=None)

    def path(self, source: int, target: int) -> Labels:
        """The labels of a shortest way."""
        labels: list[Label] = []
        while (label := self.step(source, target)) is not None:
            labels.append(label)
            source = next(place for known, place in self._edges[source] if known == label)
        return tuple(labels)

    def inputs(self, tracker: Tracker) -> list[Label]:
        """The inputs that can be given, each by itself; of a family those that are known by name."""
        return self._listed(tracker.inputs())

    def _to(self, target: int) -> dict[int, int]:
        found = self._distances.get(target)
        if found is None:
            found = self._distances[target] = {target: 0}
            for place, after in nearest_first([target], self._before.__getitem__).items():
                found[place] = found[after] + (place != after)
        return found

    def _explore(self, start: Tracker, most: int) -> None:
        self._found(start)
        while self._waiting and len(self._edges) < most:
            place, tracker = self._waiting.popleft()
            for label in [*self.inputs(tracker), *self._listed(tracker.outputs()), SILENCE]:
                after = tracker.gave(label) if label.is_input else tracker.saw(label)
                if after.states and not after.maybe_left:
                    target = self._found(after)
                    self._edges[place].append((label, target))
                    self._before[target].append(place)

    def _found(self, tracker: Tracker) -> int:
        key = frozenset(tracker.states)
        number = self._places.setdefault(key, len(self._places))
        if number == len(self._edges):
            self._edges.append([])
            self._before.append([])
            self._waiting.append((number, tracker))
        return number

    def _listed(self, offers: Iterable[Offer]) -> list[Label]:
        listed: list[Label] = []
        for offer in offers:
            listed += [offer.only] if offer.only is not None else [label for label in self._labels if label in offer]
        return list(dict.fromkeys(listed))


class Leg(NamedTuple):
    """To a place by the shortest way, and from there along these labels."""

    place: int
    then: Labels
    end: int
    """The place they lead to."""


@dataclass(frozen=True)
class Retraced:
    """The progress of a retracer."""

    made: int = 0
    leg: int = 0
    since: Labels | None = None
    """The labels since the place of the leg; None on the way there."""


def retraced_length(shortcuts: Shortcuts, legs: tuple[Leg, ...]) -> int | None:
    """Count the labels of retraced legs and the ways between them; None where no way is known."""
    between = [shortcuts.distance(leg.end, after.place) for leg, after in pairwise(legs)]
    return None if None in between else sum(len(leg.then) for leg in legs) + sum(filter(None, between))


class Retracer(TraceBased):
    """Goes leg by leg within this many labels, and stops as soon as the rest cannot be done in what is left of them.

    A system that goes another way is followed, and the shortest way is taken from where it went. `tried` counts what
    was tried behind the last leg, over many plays; `room` bounds how many labels that may be.
    """

    start = Retraced()

    def __init__(
        self, shortcuts: Shortcuts, legs: tuple[Leg, ...], *, longest: int, room: int, tried: Counter[object]
    ) -> None:
        self._shortcuts, self._legs, self._tried = shortcuts, legs, tried
        self._longest, self._room = longest, room
        self._rest = [retraced_length(shortcuts, legs[number:]) or 0 for number in range(len(legs))]

    def choose(self, tracker: Tracker, memory: Retraced) -> Decision:
        left = self._longest - memory.made
        if left <= 0 or not tracker.states:
            return Stop(End.INCONCLUSIVE)
        memory = self._arrived(tracker, memory)
        if memory.leg == len(self._legs):
            return self._untried(tracker, memory, min(left, self._room - len(memory.since or ())))
        leg = self._legs[memory.leg]
        label = self._on_the_way(tracker, memory, left) if memory.since is None else leg.then[len(memory.since)]
        if label is None or (label.is_input and not (left > 1 and tracker.enabled(label))):
            return Stop(End.INCONCLUSIVE)
        return Give(label) if label.is_input else Wait()

    def remember(self, tracker: Tracker, memory: Retraced, label: Label) -> Retraced:
        memory = self._arrived(tracker, memory)
        made = replace(memory, made=memory.made + 1)
        if memory.since is None:
            return made
        since = (*memory.since, label)
        if memory.leg < len(self._legs) and self._legs[memory.leg].then[: len(since)] != since:
            return replace(made, since=None)  # the system goes another way: back to where this leg begins
        return replace(made, since=since)

    def _arrived(self, tracker: Tracker, memory: Retraced) -> Retraced:
        """Go over to the next leg, or to what is behind the last one, where one has been done."""
        while memory.leg < len(self._legs):
            leg = self._legs[memory.leg]
            if memory.since is None and self._shortcuts.place(tracker) == leg.place:
                memory = replace(memory, since=())
            if memory.since is None or len(memory.since) < len(leg.then):
                return memory
            last = memory.leg + 1 == len(self._legs)
            memory = replace(memory, leg=memory.leg + 1, since=() if last else None)
        return memory

    def _on_the_way(self, tracker: Tracker, memory: Retraced, left: int) -> Label | None:
        here, target = self._shortcuts.place(tracker), self._legs[memory.leg].place
        distance = None if here is None else self._shortcuts.distance(here, target)
        if here is None or distance is None or distance + self._rest[memory.leg] > left:
            return None
        return self._shortcuts.step(here, target)

    def _untried(self, tracker: Tracker, memory: Retraced, left: int) -> Decision:
        if left <= 0:
            return Stop(End.INCONCLUSIVE)
        inputs = self._shortcuts.inputs(tracker) if left > 1 else []
        choices: list[Label | None] = [None, *inputs]
        chosen = min(choices, key=lambda label: self._tried[self._legs, memory.since, label])
        self._tried[self._legs, memory.since, chosen] += 1
        return Wait() if chosen is None else Give(chosen)
