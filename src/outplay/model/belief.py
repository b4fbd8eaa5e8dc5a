"""The belief about the system: the questions of testers and judges, over all possibilities that fit what was seen.

Arrivals without the orders that make no difference: where what other channels do commutes with what was seen. With many
inputs in flight there are many orders, and in most of them the steps of other channels change nothing for an output. So
before all orders are followed, each single step of another channel is tried at each place where the output may have
been sent. Where all of them commute with it, only the inputs of its own channel are let arrive; the others may still
arrive later. Where some do not, all inputs are let arrive, and outputs of other channels are sent before the one that
was seen only where one of their channel makes a difference to it, to an arrival or to another channel. What several
steps of other channels do together is not looked at, so a play that does not conform is followed once more in all
orders before it fails (`play/following.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from outplay.model.arrivals import Arrivals, Bounds, GoalTest
from outplay.model.label import SILENCE, Label
from outplay.model.offer import Offer, common_offers, offer_of
from outplay.model.possibility import UNSPECIFIED, Member, OnTheWay, Possibility, outside_members
from outplay.model.specification import Channels, Span, Specification, State


class CommutingArrivals(Arrivals):
    """Leaves out orders that seem to make no difference, unless all are to be followed."""

    def __init__(self, spec: Specification, goal: GoalTest, channels: Channels, bound: float) -> None:
        super().__init__(spec, goal, channels, bound)
        self.exhaustive = not self.crossing
        """Whether all orders are followed."""

    def heard(self, before: Possibility, label: Label, channel: str, now: float, bounds: Bounds) -> list[Possibility]:
        if not self.exhaustive and not any(one.channel == channel for one in before.unseen):
            commuting = self._commuting(before, label, channel, now)
            if commuting is not None:
                bounds.reduced = True
                return commuting
        return super().heard(before, label, channel, now, bounds)

    def _commuting(self, before: Possibility, label: Label, channel: str, now: float) -> list[Possibility] | None:
        """Return the possibilities after an output for which nothing of other channels matters; None where something
        does.

        The inputs of its own channel are let arrive. At each place every step of another channel that is possible has
        to commute with the output and with the next of these inputs; what several such steps do is not looked at.
        """
        found: dict[Possibility, None] = {}
        covered = set()
        node: Possibility | None = before
        while node is not None:
            after, further = self.observed(node, label, now), self._own_arrival(node, channel)
            if node.left or not self._commutes(node, after, further, label, channel, now):
                return None
            if after.members:
                found[after] = None
                covered.add(self._own_arrival(after, channel))
            node = further
        return [one for one in found if one not in covered] or None

    def _commutes(
        self, node: Possibility, after: Possibility, further: Possibility | None, label: Label, channel: str, now: float
    ) -> bool:
        outputs = [(one.unseen[-1].label,) for one in self.sent(node, channel, now, Bounds())]
        for steps in (*self._inputs_beside(node, channel), *outputs):
            moved = self._stepped(node.members, steps, now)
            seen = self.observed(node._replace(members=moved), label, now).members
            if bool(seen) != bool(after.members) or (
                seen and not _same(seen, self._stepped(after.members, steps, now))
            ):
                return False
            if further is not None:
                own = self._own_arrival(node._replace(members=moved), channel)
                assert own is not None
                if not _same(own.members, self._stepped(further.members, steps, now)):
                    return False
        return True

    def assumed(
        self, node: Possibility, label: Label, channel: str, now: float, bounds: Bounds
    ) -> Iterable[Possibility]:
        """Leave out those of channels on which none makes a difference: they may be sent later as well."""
        found = list(self.sent(node, channel, now, bounds))
        if self.exhaustive:
            return found
        matters = {one.unseen[-1].channel for one in found if self._matters(node, one, found, label, channel, now)}
        kept = [one for one in found if one.unseen[-1].channel in matters]
        bounds.reduced |= len(kept) < len(found)
        return kept

    def _matters(
        self, node: Possibility, after: Possibility, beside: list[Possibility], label: Label, channel: str, now: float
    ) -> bool:
        """Say whether an output of another channel makes a difference to what was seen, or to what may come next."""
        sent, members = after.unseen[-1], (node.members, after.members)
        pairs = [(self.observed(node, label, now).members, self.observed(after, label, now).members)]
        others = [(one.unseen[-1].label,) for one in beside if one.unseen[-1].channel != sent.channel]
        for steps in (*self._inputs_beside(node), *others):
            pairs.append((self._stepped(members[0], steps, now), self._stepped(members[1], steps, now)))
        if any(not _same(later, self._stepped(first, (sent.label,), now)) for first, later in pairs):
            return True
        known = {one.unseen[-1].label for one in beside}
        further = list(self.sent(after, channel, now, Bounds()))
        new = (one for one in further if one.unseen[-1].label not in known)
        return any(self._matters(after, one, further, label, channel, now) for one in new)

    @staticmethod
    def _inputs_beside(node: Possibility, channel: str | None = None) -> Iterator[tuple[Label, ...]]:
        """The first inputs on their way of each other channel, in every number."""
        waiting: dict[str, tuple[Label, ...]] = {}
        for way in node.on_the_way:
            if way.channel != channel:
                waiting[way.channel] = (*waiting.get(way.channel, ()), way.label)
                yield waiting[way.channel]

    def _stepped(self, members: tuple[Member, ...], labels: Iterable[Label], now: float) -> tuple[Member, ...]:
        """After inputs or outputs of another channel; an input that nobody specifies leaves the specification."""
        for label in labels:
            if not members or members[0][0] is UNSPECIFIED:
                return members
            found = self.moved(members, label, Span(now - self.bound, now, now - self.bound))
            members = found or (outside_members(members) if label.is_input else ())
        return members

    def _own_arrival(self, node: Possibility, channel: str) -> Possibility | None:
        """After the next input of a channel has arrived, if one can arrive next."""
        for place in node.heads():
            if node.on_the_way[place].channel == channel:
                return self.arrived(node, place)
        return None


def _same(one: tuple[Member, ...], other: tuple[Member, ...]) -> bool:
    return one == other or (len(one) == len(other) and set(one) == set(other))


class Belief:
    """The possibilities that are followed, and what follows from them once inputs on their way may have arrived."""

    spec: Specification
    _arrivals: CommutingArrivals
    _followed: tuple[Possibility, ...]

    @cached_property
    def _expanded(self) -> tuple[tuple[Possibility, ...], bool]:
        bounds = Bounds()
        return self._arrivals.expanded(self._followed, bounds), not bounds.met

    @property
    def looked_at(self) -> int:
        """The number of possibilities looked at since all orders are followed, or not."""
        return self._arrivals.looked_at

    @property
    def possible(self) -> tuple[Possibility, ...]:
        """All that may be, with what may have arrived by now."""
        known = self._followed
        return known if len(known) == 1 and not known[0].on_the_way else self._expanded[0]

    def channel(self, label: Label) -> str:
        """The channel that keeps the order of a label."""
        return self._arrivals.channels.of(label)

    @property
    def places(self) -> set[tuple[State, tuple[Label, ...]]]:
        """The states the system may be in, each with the inputs that have not arrived there."""
        specified = (p for p in self.possible if not p.left)
        return {(state, _labels(p.on_the_way)) for p in specified for state in p.states}

    @property
    def unarrived_outside(self) -> set[tuple[Label, ...]]:
        """The inputs that have not arrived where the specification was left."""
        return {_labels(p.on_the_way) for p in self.possible if p.left}

    def may_precede_arrivals(self, label: Label) -> bool:
        """Say whether an output may be sent before an input arrives that was given already."""
        return any(waiting and self.spec.after(state, label) for state, waiting in self.places)

    def unarrived_at(self, label: Label) -> set[int]:
        """Return how many of the given inputs may not have arrived at the next observation."""
        allowing = (p for p in self.possible if p.left or any(self.spec.after(state, label) for state in p.states))
        return {len(p.on_the_way) for p in allowing}

    @cached_property
    def states(self) -> tuple[State, ...]:
        """The states the system may be in once everything given has arrived."""
        arrived = (p for p in self.possible if not p.on_the_way and not p.left)
        return tuple(dict.fromkeys(state for p in arrived for state in p.states))

    @property
    def knows_state(self) -> bool:
        """Say whether there is only one state the system may be in, with nothing on its way."""
        return len(self.possible) == 1 and len(self.possible[0].members) == 1

    @property
    def in_flight(self) -> bool:
        """Say whether some input, or some output, may still be on its way."""
        return any(p.in_flight for p in self._followed)

    @property
    def misses(self) -> bool:
        """Say whether an output must have been sent before one that was seen, and has not been seen itself."""
        return bool(self._followed) and all(p.unseen for p in self._followed)

    @property
    def specified(self) -> bool:
        """Say whether the specification still says anything."""
        return any(not p.left for p in self._followed)

    @property
    def maybe_left(self) -> bool:
        """Under some order of events the specification was left, and then anything may happen."""
        return any(p.left for p in self.possible)

    @property
    def reached(self) -> bool:
        """The goal was met whatever the order of events was."""
        return bool(self._followed) and all(met for p in self._followed for _, met in p.members)

    @property
    def maybe_reached(self) -> bool:
        """The goal was met under some order of events."""
        return any(met for p in self.possible for _, met in p.members)

    def inputs(self) -> list[Offer]:
        """Inputs enabled in all states the system may be in."""
        states = self.states
        if not states or self.maybe_left:
            return []
        offers = common_offers([self.spec.inputs(state) for state in states])
        if not (self._arrivals.crossing and self.in_flight):
            return offers
        if not self._expanded[1]:
            return []  # there are more orders than are followed: wait
        return [offer for offer in offers if self._in_any_order(offer)]

    def _in_any_order(self, offer: Offer) -> bool:
        """Say whether an input is enabled whatever arrives before it: what is given on other channels need not."""
        label = offer.only
        channel = None if label is None else self.channel(label)
        before = (p for p in self.possible if label is None or all(way.channel != channel for way in p.on_the_way))
        enabled = (self.spec.inputs(state) for p in before for state in p.states)
        return all(offer in some if label is None else offer_of(label, some) is not None for some in enabled)

    def enabled(self, label: Label) -> bool:
        """Say whether an input is enabled in all states the system may be in."""
        return offer_of(label, self.inputs()) is not None

    def outputs(self) -> list[Offer]:
        """Outputs possible in some state the system may be in, silence apart."""
        specified = (p for p in self.possible if not p.left)
        return list(dict.fromkeys(offer for p in specified for offer in self._shown(p)))

    def _shown(self, possibility: Possibility) -> Iterator[Offer]:
        """The outputs that may be seen next: on a channel where some are on their way, the first of these."""
        offers = (offer for state in possibility.states for offer in self.spec.outputs(state))
        if not possibility.unseen:
            yield from offers
            return
        first: dict[str, Label] = {}
        for one in possibility.unseen:
            first.setdefault(one.channel, one.label)
        yield from first.values()
        yield from (o for o in offers if o.only is None or self.channel(o.only) not in first)

    def allowed(self) -> list[Offer]:
        """All observations allowed now, silence included: it is where nothing is on its way any more."""
        arrived = [p for p in self.possible if not p.in_flight]
        quiet = any(p.left or any(self.spec.quiet(state) for state in p.states) for p in arrived)
        return [*self.outputs(), *[SILENCE] * quiet]

    @property
    def owes(self) -> bool:
        """Some state that the system may be in has to be followed by an output."""
        if self.maybe_left:
            return False
        return any(p.unseen or not all(self.spec.quiet(state) for state in p.states) for p in self.possible)


def _labels(on_the_way: Iterable[OnTheWay]) -> tuple[Label, ...]:
    return tuple(way.label for way in on_the_way)
