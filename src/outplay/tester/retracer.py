"""Retracing: back to places of a play by the shortest ways, along parts of it, and then whatever was tried least.

This is how a failing play becomes short: a part that was not needed is replaced by a shortcut, and behind the part that
may be to blame everything that is short enough is tried, in turn.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

from outplay.model.label import Label
from outplay.model.tracking import Tracker
from outplay.tester.shortcuts import Shortcuts
from outplay.tester.tester import Decision, End, Give, Labels, Stop, Wait


class Leg(NamedTuple):
    """To a place by the shortest way, and from there along these labels."""

    place: int
    then: Labels
    end: int
    """The place they lead to."""


@dataclass(frozen=True)
class Retraced:
    """How far a retracer is."""

    made: int = 0
    leg: int = 0
    since: Labels | None = None
    """The labels since the place of the leg; None on the way there."""


def length(shortcuts: Shortcuts, legs: tuple[Leg, ...]) -> int | None:
    """The labels of the legs and of the ways between them, without the one to the first; None where no way is known."""
    between = [shortcuts.distance(leg.end, after.place) for leg, after in pairwise(legs)]
    return None if None in between else sum(len(leg.then) for leg in legs) + sum(filter(None, between))


class Retracer:
    """Goes leg by leg within so many labels, and stops as soon as the rest cannot be done in what is left of them.

    A system that goes another way is followed, and the shortest way is taken from where it went. `tried` counts what
    was tried behind the last leg, over many plays; `room` bounds how many labels that may be.
    """

    start = Retraced()

    def __init__(
        self, shortcuts: Shortcuts, legs: tuple[Leg, ...], *, longest: int, room: int, tried: Counter[object]
    ) -> None:
        self._shortcuts, self._legs, self._tried = shortcuts, legs, tried
        self._longest, self._room = longest, room
        self._rest = [length(shortcuts, legs[number:]) or 0 for number in range(len(legs))]

    def decide(self, tracker: Tracker, memory: Retraced) -> Decision:
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
