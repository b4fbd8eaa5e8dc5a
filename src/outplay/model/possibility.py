"""A possible history: a state, inputs that may be on their way to it, outputs on their way back, an excuse."""

from __future__ import annotations

import math
from collections.abc import Iterable
from enum import Enum
from typing import NamedTuple, TypeAlias

from outplay.model.label import Label
from outplay.model.specification import UNNAMED, State


class Outside(Enum):
    """The place outside the specification, where an input leads that it does not cover."""

    UNSPECIFIED = "unspecified"


UNSPECIFIED = Outside.UNSPECIFIED


MICROSECONDS = 1_000_000
MOST_UNSEEN = 6  # outputs of other channels that may be on their way unseen when one is seen
Member: TypeAlias = tuple[State, bool]
"""A state the system may be in, and whether the goal was met on the way there."""


def in_microseconds(seconds: float) -> float:
    """Round a time to whole microseconds, as stamps are, so that differences are exact; infinity stays infinite."""
    scaled = seconds * MICROSECONDS
    return round(scaled) if abs(scaled) < 1e300 else scaled


class OnTheWay(NamedTuple):
    """An input given at a time that may not have arrived yet; times are in microseconds."""

    label: Label
    given: float
    grace: float = 0.0
    """The lag of the tester itself since then."""
    channel: str = UNNAMED
    taken: float | None = None
    """The time at which the system acknowledged it, if it did."""
    since: float = 0.0
    """From when on the latency counts: since it was given, unless handing it over took long."""


class Unseen(NamedTuple):
    """An output that must have been sent for what was seen to be possible, and has not been seen itself."""

    label: Label
    channel: str
    until: float
    """Before this time it has to be seen, in microseconds."""
    grace: float = 0.0


class Clipping(NamedTuple):
    """Outputs beyond those that are followed unseen: they matter only where that many come in time."""

    until: float
    beside: str
    """The channel of the output that they may have been sent before."""
    left: int = MOST_UNSEEN + 1

    def after(self, channel: str) -> Clipping:
        """After an output on a channel."""
        return self._replace(left=self.left - (channel != self.beside and self.left > 0))


class Stall(NamedTuple):
    """The tester's own delay: what was seen until then may have been sent so much earlier."""

    until: float
    lag: float

    def before(self, seen: float) -> float:
        """The time by which an output may have been sent earlier than it was seen, beside the latency."""
        return self.lag if seen <= self.until else 0.0


class Possibility(NamedTuple):
    """One order of what happened: where the system may be after it, and the inputs that have not arrived.

    In one order the system itself may have chosen unseen, so there are several states. The states that do not specify
    what came next drop out; where none specifies an input that arrives, the order has left the specification.
    """

    members: tuple[Member, ...]
    on_the_way: tuple[OnTheWay, ...] = ()
    excused: bool = False
    """It may have happened only if the tester's own delay explains what was seen."""
    unseen: tuple[Unseen, ...] = ()
    stall: Stall | None = None
    """For timers, where it is excused: since when the tester was late."""

    @property
    def states(self) -> tuple[State, ...]:
        """The states the system may be in, each once."""
        if len(self.members) == 1:
            return (self.members[0][0],)
        return tuple(dict.fromkeys(state for state, _ in self.members))

    @property
    def left(self) -> bool:
        """Say whether the specification was left."""
        return self.members[0][0] is UNSPECIFIED

    @property
    def in_flight(self) -> bool:
        """Say whether an input or an output is on its way."""
        return bool(self.on_the_way or self.unseen)

    @property
    def is_in_line(self) -> bool:
        """Say whether what is on its way can arrive in one order only."""
        waiting = self.on_the_way
        return len(waiting) < 2 or all(way.channel == waiting[0].channel for way in waiting)

    def heads(self) -> tuple[int, ...]:
        """The places of the inputs that may arrive next: the first of each channel, after what was taken before it."""
        waiting = self.on_the_way
        if len(waiting) < 2:
            return (0,) if waiting else ()
        found: dict[str, int] = {}
        taken = math.inf
        for place, way in enumerate(waiting):
            if way.channel not in found:
                found[way.channel] = place if way.given < taken else -1
            if way.taken is not None and way.taken < taken:
                taken = way.taken
        return tuple(place for place in found.values() if place >= 0)

    def without(self, place: int, members: tuple[Member, ...]) -> Possibility:
        """After the input at a place has arrived, which has led to these members."""
        waiting = self.on_the_way
        return Possibility(members, waiting[:place] + waiting[place + 1 :], self.excused, self.unseen, self.stall)

    def graced(self, more: float) -> Possibility:
        """The same where what is on its way may be for this much longer."""
        on_the_way = tuple(way._replace(grace=way.grace + more) for way in self.on_the_way)
        return self._replace(
            on_the_way=on_the_way, unseen=tuple(one._replace(grace=one.grace + more) for one in self.unseen)
        )

    def __eq__(self, other: object) -> bool:
        if len(self.members) == 1 or not isinstance(other, Possibility):
            return tuple.__eq__(self, other) if isinstance(other, tuple) else False
        return self[1:] == other[1:] and frozenset(self.members) == frozenset(other.members)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        if len(self.members) == 1:
            return tuple.__hash__(self)
        return hash((frozenset(self.members), *self[1:]))


class Moment:
    """A moment by which the latency of some inputs and outputs has passed; with a share of their grace added."""

    def __init__(self, now: float, bound: float, share: float) -> None:
        self.now, self.bound, self.share = now, bound, share

    def arrived(self, way: OnTheWay) -> bool:
        """Say whether an input can be on its way no longer."""
        return self.now - way.since >= self.bound + self.share * way.grace

    def missed(self, one: Unseen) -> bool:
        """Say whether an output that was sent had to be seen before now."""
        return self.now >= one.until + self.share * one.grace

    def touches(self, possibility: Possibility) -> bool:
        """Say whether something is over by now."""
        return any(map(self.arrived, possibility.on_the_way)) or any(map(self.missed, possibility.unseen))

    def differs(self, possibility: Possibility, other: Moment) -> bool:
        """Say whether it is otherwise by another reading."""
        ways, unseen = possibility.on_the_way, possibility.unseen
        return any(self.arrived(w) != other.arrived(w) for w in ways) or any(
            self.missed(one) != other.missed(one) for one in unseen
        )


def as_excused(possibility: Possibility) -> Possibility:
    """Mark a possibility as true only if the tester's own delay explains what was seen."""
    return possibility if possibility.excused else possibility._replace(excused=True)


def undominated(possible: Iterable[Possibility]) -> tuple[Possibility, ...]:
    """Return each possibility once, without those that need an excuse where one that needs none is the same."""
    found = dict.fromkeys(possible)
    if not any(p.excused for p in found):
        return tuple(found)
    return tuple(p for p in found if not (p.excused and p._replace(excused=False) in found))


def outside_members(members: Iterable[Member]) -> tuple[Member, ...]:
    """Return the members that have left the specification, with the goal met where it was met before."""
    return tuple(dict.fromkeys((UNSPECIFIED, met) for _, met in members))
