"""The belief about the system: the questions of testers and judges, over all possibilities that fit what was seen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

from outplay.model.arrivals import Bounds
from outplay.model.commuting import CommutingArrivals
from outplay.model.label import SILENCE, Label
from outplay.model.offer import Offer, in_all, offer_of
from outplay.model.possibility import OnTheWay, Possibility
from outplay.model.specification import Specification, State


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
        offers = in_all([self.spec.inputs(state) for state in states])
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
