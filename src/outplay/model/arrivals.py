"""Arrivals: the orders in which inputs on their way may have been taken, and unseen outputs may have been sent.

Just-in-time linearization (Lowe, Testing for linearizability, 2017): giving an input only appends it, and an order is
chosen when an observation needs one. Before an output, any of the inputs that wait may have arrived, each channel in
its order, and outputs of other channels may have been sent that are seen later. With k inputs on m channels that is the
product of (k_i + 1), not k!, since orders that lead to the same are one possibility; and of those only the ones are
kept that no other leads to by letting inputs arrive later.

A possibility with fewer states is not covered by one with more: it may leave the specification where that does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from math import inf

from outplay.model.label import SILENCE, Label
from outplay.model.possibility import (
    MOST_UNSEEN,
    Member,
    OnTheWay,
    Possibility,
    Stall,
    Unseen,
    as_excused,
    outside_members,
    undominated,
)
from outplay.model.specification import Channels, Span, Specification, State, TimedSteps

MOST_ORDERS = 20_000  # possibilities looked at for one event
_ANY_TIME = Span(0.0, inf, 0.0)
_REMEMBERED = 100_000  # steps from sets of states

GoalTest = Callable[[State | None, Label | None, State], bool]
"""Says whether a step reaches the goal: the state before, the label and the state after; at the start only that."""


def no_goal(before: State | None, label: Label | None, after: State) -> bool:
    """Return False, as the goal test of a play without a goal."""
    return False


@dataclass
class Bounds:
    """Notes where following stopped before all orders were looked at."""

    met: bool = False
    """There were more orders than are followed."""
    clipped: bool = False
    """There may be more outputs on their way unseen than are followed."""
    reduced: bool = False
    """Orders were left out in which other channels seem to make no difference."""
    open_data: bool = False
    """Outputs of other channels stand for many labels, which cannot be listed."""


class Arrivals:
    """Lets inputs arrive and outputs be sent, by a specification, with a goal, over channels."""

    def __init__(self, spec: Specification, goal: GoalTest, channels: Channels, bound: float) -> None:
        self.spec, self.goal, self.channels, self.bound = spec, goal, channels, bound
        self.crossing = bound > 0 and channels.named
        """Whether outputs of different channels may overtake each other."""
        self.timed = spec if isinstance(spec, TimedSteps) else None
        self.looked_at = 0
        """The number of possibilities that were looked at to find an order."""
        self._steps: dict[tuple[tuple[Member, ...], Label], tuple[Member, ...]] = {}

    def moved(self, members: tuple[Member, ...], label: Label, span: Span) -> tuple[Member, ...]:
        """The members that a label leads to from those that specify it, within a span of time."""
        if self.timed is not None:
            within = self.timed.after_within
            return tuple(dict.fromkeys((t, met) for state, met in members for t in within(state, label, span)))
        if not self.crossing:
            return self._moved(members, label)
        known = self._steps.get((members, label))
        if known is None:
            if len(self._steps) >= _REMEMBERED:
                self._steps.clear()
            known = self._steps[members, label] = self._moved(members, label)
        return known

    def _moved(self, members: tuple[Member, ...], label: Label) -> tuple[Member, ...]:
        after, goal = self.spec.after, self.goal
        found = [
            (target, met or goal(state, label, target)) for state, met in members for target in after(state, label)
        ]
        return tuple(found) if len(found) < 2 else tuple(dict.fromkeys(found))

    def observed(self, before: Possibility, label: Label, now: float) -> Possibility:
        """After an observation; no members are left where none allows it."""
        if before.left:
            return before
        span = _ANY_TIME if self.timed is None else self._sent_within(before, now)
        if label == SILENCE:
            span = span._replace(low=now)
        members = self.moved(before.members, label, span)
        return Possibility(members, before.on_the_way, before.excused, before.unseen, before.stall)

    def _sent_within(self, before: Possibility, seen: float) -> Span:
        """When an output may have been sent that is seen now, or later."""
        low = seen - self.bound - (before.stall.before(seen) if before.stall else 0.0)
        return Span(low, seen, seen - self.bound)

    def late(self, possible: Iterable[Possibility], lag: float, now: float | None) -> tuple[Possibility, ...]:
        """The same where the tester was late by this much, until now: what is on its way may be for that much longer.

        With timers, what is right without that stays apart from what is right only so.
        """
        if self.timed is None:
            return tuple(p.graced(lag) for p in possible)
        possible = tuple(possible)
        stall = None if now is None else Stall(now + self.bound, lag)
        late = (self._delayed(p.graced(lag), lag, stall) for p in possible)
        return undominated([*(p for p in possible if not p.excused), *map(as_excused, late)])

    def _delayed(self, before: Possibility, lag: float, stall: Stall | None) -> Possibility:
        timed = self.timed
        if timed is None or before.left:
            return before
        members = tuple((timed.delayed(state, lag), met) for state, met in before.members)
        return before._replace(members=members, stall=stall)

    def arrived(self, before: Possibility, place: int = 0) -> Possibility:
        """After the arrival of the input at a place of those on their way; no members are left where something was
        overdue before it.
        """
        if before.left:
            return before.without(place, before.members)
        way = before.on_the_way[place]
        span = _ANY_TIME
        if self.timed is not None:
            span = Span(way.given, way.since + self.bound + way.grace, way.given - self.bound)
        members = self.moved(before.members, way.label, span)
        return before.without(place, members or outside_members(self._in_time(before.members, span)))

    def in_time(self, possibility: Possibility, now: float) -> Possibility:
        """Without the members in which something is overdue, unless what is on its way may have prevented it."""
        if self.timed is None or possibility.in_flight or possibility.left or now == inf:
            return possibility
        return possibility._replace(members=self._in_time(possibility.members, Span(now, now, now - self.bound)))

    def _in_time(self, members: tuple[Member, ...], span: Span) -> tuple[Member, ...]:
        timed = self.timed
        return members if timed is None else tuple(one for one in members if not timed.is_overdue(one[0], span))

    def deadline(self, possible: Iterable[Possibility]) -> float:
        """Return when something that takes its time has to have happened, whatever it is; endless where nothing has
        to.
        """
        timed = self.timed
        if timed is None:
            return inf
        times = (timed.deadline(state) for p in possible if not p.left for state in p.states)
        return max((time for time in times if time is not None), default=inf)

    def expanded(self, possible: Iterable[Possibility], bounds: Bounds) -> tuple[Possibility, ...]:
        """All that may have arrived by now, one input after the other."""
        stack = list(possible)[::-1]
        if len(stack) == 1 and stack[0].is_in_line:
            return tuple(self._in_line(stack[0]))
        found: dict[Possibility, None] = {}
        while stack and len(found) < MOST_ORDERS:
            possibility = stack.pop()
            if possibility not in found:
                found[possibility] = None
                stack += reversed(list(self._arriving(possibility)))
        bounds.met |= bool(stack)
        return undominated(found)

    def settled(self, before: Possibility, has: Callable[[OnTheWay], bool], bounds: Bounds) -> list[Possibility]:
        """Let arrive what has arrived, with others before it."""
        if not any(map(has, before.on_the_way)):
            return [before]
        if before.is_in_line:
            rest = (node for node in self._in_line(before) if not any(map(has, node.on_the_way[:1])))
            return list(islice(rest, 1))
        done: dict[Possibility, None] = {}
        self._follow(before, lambda node: self._towards(node, has, done), bounds)
        return self._uncovered(done, lambda node: self._arriving(node))

    def _towards(
        self, node: Possibility, has: Callable[[OnTheWay], bool], done: dict[Possibility, None]
    ) -> Iterator[Possibility]:
        for after in self._arriving(node):
            if any(map(has, after.on_the_way)):
                yield after
            else:
                done[after] = None

    def silent(self, before: Possibility, bounds: Bounds) -> list[Possibility]:
        """Let all arrive, in every order; nothing may be on its way back."""
        return [] if before.unseen else self.settled(before, lambda _: True, bounds)

    def heard(self, before: Possibility, label: Label, channel: str, now: float, bounds: Bounds) -> list[Possibility]:
        """Return the possibilities after an output on a channel."""
        unseen = before.unseen
        mine = next((place for place, one in enumerate(unseen) if one.channel == channel), None) if unseen else None
        if mine is not None:
            rest = before._replace(unseen=unseen[:mine] + unseen[mine + 1 :])
            return [rest] if unseen[mine].label == label else []
        found: dict[Possibility, None] = {}
        if before.is_in_line and not self.crossing:
            for node in self._in_line(before):
                after = self.observed(node, label, now)
                if after.members:
                    found[after] = None
            return self._uncovered(found, self._arriving)

        def onwards(node: Possibility) -> Iterator[Possibility]:
            after = self.observed(node, label, now)
            if after.members:
                found[after] = None
            if not node.left:
                yield from self._arriving(node)
                yield from self.assumed(node, label, channel, now, bounds)

        def covering(node: Possibility) -> Iterator[Possibility]:
            yield from self._arriving(node)
            yield from self.sent(node, channel, now, Bounds())

        self._follow(before, onwards, bounds)
        return self._uncovered(found, covering)

    def _in_line(self, node: Possibility) -> Iterator[Possibility]:
        """Return it, and what it becomes as its inputs arrive, which can do so in one order only."""
        yield node
        while node.on_the_way:
            node = self.arrived(node)
            if not node.members:
                return
            yield node

    def _arriving(self, node: Possibility) -> Iterator[Possibility]:
        """Let the next input of a channel arrive."""
        found = (self.arrived(node, place) for place in node.heads())
        return found if self.timed is None else (after for after in found if after.members)

    def assumed(
        self, node: Possibility, label: Label, channel: str, now: float, bounds: Bounds
    ) -> Iterable[Possibility]:
        """Let an output of another channel be sent before one that was seen."""
        return self.sent(node, channel, now, bounds)

    def sent(self, node: Possibility, channel: str, now: float, bounds: Bounds) -> Iterator[Possibility]:
        """Let the next output of another channel be sent, which has to be seen before long."""
        if not self.crossing or node.left:
            return
        for offer in dict.fromkeys(offer for state in node.states for offer in self.spec.outputs(state)):
            label = offer.only
            if label is None:
                bounds.open_data = True
            elif (own := self.channels.of(label)) != channel:
                if len(node.unseen) >= MOST_UNSEEN:
                    bounds.clipped = True
                    return
                first = min((way.since for way in node.on_the_way), default=now)
                grace = max((way.grace for way in node.on_the_way), default=0.0)
                unseen = Unseen(label, own, min(first, now) + self.bound, grace)
                members = self.moved(node.members, label, self._sent_within(node, now))
                if members:
                    yield node._replace(members=members, unseen=(*node.unseen, unseen))

    def _follow(
        self, start: Possibility, onwards: Callable[[Possibility], Iterable[Possibility]], bounds: Bounds
    ) -> None:
        """Follow all orders from a start, fewest steps first."""
        found = {start: None}
        waiting = [start]
        for node in waiting:
            for after in onwards(node):
                if after not in found:
                    if len(found) >= MOST_ORDERS:
                        bounds.met = True
                        self.looked_at += len(found)
                        return
                    found[after] = None
                    waiting.append(after)
        self.looked_at += len(found)

    @staticmethod
    def _uncovered(
        found: dict[Possibility, None], onwards: Callable[[Possibility], Iterable[Possibility]]
    ) -> list[Possibility]:
        """Those to which none of the others leads by what may still happen: the futures of the rest are theirs too."""
        if len(found) < 2:
            return list(found)
        covered = {after for node in found for after in onwards(node)}
        return [node for node in found if node not in covered]
