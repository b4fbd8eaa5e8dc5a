"""Tracking: which states may the system be in after what was seen?

The tester sees labels and times, not states, and on a pipe or socket it does not even see the order in which an input
and an output passed each other: an output seen less than `latency` after an input may have been sent before the input
arrived. So an input is kept as possibly *still on its way* until it can be so no longer, and every order that fits is
followed. An input that a state does not specify leads to `UNSPECIFIED`, where anything may happen (ioco says nothing
about it).

Where the tester itself was late, what was seen can be read in two ways: as it stands, or excused by the delay (an
output crossed an input for longer, silence was called too early, or was missed). What is possible only by the second
reading is kept, marked as `excused`: nothing forbidden was seen as long as anything is possible, and nothing right was
seen for sure where all of it is excused.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import cached_property
from typing import Any

from outplay.model.label import SILENCE, Label
from outplay.model.offer import Offer, in_all, offer_of
from outplay.model.possibility import UNSPECIFIED, OnTheWay, Possibility, as_excused, without_dominated
from outplay.model.specification import Specification, State
from outplay.model.wrapping import Wrapped

GoalTest = Callable[[State | None, Label | None, State], bool]
"""Says whether a step reaches the goal: the state before, the label and the state after; at the start only that."""


def no_goal(before: State | None, label: Label | None, after: State) -> bool:
    """Never reached: for plays without a goal."""
    return False


class Tracker:
    """Every possibility that fits what was seen, as a value; `possible` is empty once the system did what it may not.

    Methods named by what happened return the tracker afterwards. Trackers of one specification are equal when they
    allow the same possibilities.
    """

    def __init__(
        self, spec: Specification, *, latency: float = 0.0, silence: float = 0.0, goal: GoalTest = no_goal
    ) -> None:
        self.spec, self.latency, self.silence, self._goal = spec, latency, silence, goal
        self.possible = tuple(Possibility(state, reached=goal(None, None, state)) for state in spec.initial)
        self._doubtful = False
        self._since: float | None = None

    def _with(self, possible: tuple[Possibility, ...], doubtful: bool = False, since: float | None = None) -> Tracker:
        made = object.__new__(Tracker)
        made.spec, made.latency, made.silence, made._goal = self.spec, self.latency, self.silence, self._goal
        made.possible, made._doubtful = possible, doubtful
        made._since = self._since if since is None else since
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tracker) and self._content() == other._content()

    def __hash__(self) -> int:
        return hash((self.possible, self._doubtful))

    def _content(self) -> tuple[object, ...]:
        return id(self.spec), self.latency, self.possible, self._doubtful

    def started(self, now: float) -> Tracker:
        """After the system was made ready: from now on it may speak."""
        return self._with(self.possible, self._doubtful, now)

    def gave(self, label: Label, now: float = 0.0) -> Tracker:
        """After the tester gave an input: it has arrived, or is on its way."""
        given = OnTheWay(label, now)
        waiting = (replace(p, on_the_way=(*p.on_the_way, given)) for p in self.possible)
        return self._with(self._with_arrivals(waiting), since=now)

    def saw(self, label: Label, now: float = 0.0) -> Tracker:
        """After the system showed an output or silence; nothing is possible then where no possibility allows it."""
        before = self.settled(now)
        seen = before._silent() if label == SILENCE else before._heard(label, now)
        return self._with(seen, since=now)

    def _silent(self) -> tuple[Possibility, ...]:
        """Silence means that nothing is on its way; called while the tester was late it proves nothing."""
        after = self._following(SILENCE, (p for p in self.possible if not p.on_the_way))
        return without_dominated((*after, *map(as_excused, self.possible))) if self._doubtful else after

    def _heard(self, label: Label, now: float) -> tuple[Possibility, ...]:
        """An output for which a late tester waited longer than silence takes: a silence may have been missed."""
        after = self._following(label, self.possible)
        if not self._doubtful or (self._since is not None and now - self._since < self.silence):
            return after
        before = self._following(SILENCE, (p for p in self.possible if not p.on_the_way))
        missed = self._following(label, before)
        agree = {p for p in after if not p.excused} == {p for p in missed if not p.excused}
        return after if agree else tuple(dict.fromkeys(map(as_excused, (*after, *missed))))

    def settled(self, now: float) -> Tracker:
        """Forget that inputs may be on their way where the latency has passed: their arrival is followed already."""
        if not self.in_flight:
            return self
        kept = (self._still(p, now) for p in self.possible)
        return self._with(without_dominated(p for p in kept if p is not None), self._doubtful)

    def _still(self, possibility: Possibility, now: float) -> Possibility | None:
        """What is left of a possibility by now, which may be that the tester's delay explains it."""
        first = next(iter(possibility.on_the_way), None)
        if first is None or now - first.given < self.latency:
            return possibility
        return as_excused(possibility) if now - first.given < self.latency + first.grace else None

    def excused(self, lag: float) -> Tracker:
        """After the tester itself was late by so much: what is on its way may be for that much longer."""
        more = max(lag, 0.0)
        return self._with(
            tuple(
                replace(p, on_the_way=tuple(replace(w, grace=w.grace + more) for w in p.on_the_way))
                for p in self.possible
            ),
            doubtful=True,
        )

    def inside(self, spec: Specification) -> Tracker:
        """As it is for a specification around which those are wrapped by which the play is followed."""
        if self.spec is spec or not isinstance(self.spec, Wrapped):
            return self
        return self._unwrapped.inside(spec)

    @cached_property
    def _unwrapped(self) -> Tracker:
        around = self.spec
        assert isinstance(around, Wrapped)
        own = ((p.state if p.state is UNSPECIFIED else around.own(p.state), p) for p in self.possible)
        made = self._with(without_dominated(Possibility(state, p.on_the_way, excused=p.excused) for state, p in own))
        made._doubtful, made.spec, made._goal = self._doubtful, around.spec, no_goal
        return made

    @property
    def certain(self) -> tuple[Possibility, ...]:
        """What is possible without the tester's own delay as an excuse."""
        return tuple(p for p in self.possible if not p.excused)

    @cached_property
    def states(self) -> tuple[State, ...]:
        """The states the system may be in once everything given has arrived."""
        return tuple(dict.fromkeys(p.state for p in self.possible if not p.on_the_way and p.state is not UNSPECIFIED))

    @property
    def in_flight(self) -> bool:
        """Say whether some input may still be on its way."""
        return any(p.on_the_way for p in self.possible)

    @property
    def specified(self) -> bool:
        """Say whether the specification still says anything."""
        return any(p.state is not UNSPECIFIED for p in self.possible)

    @property
    def maybe_left(self) -> bool:
        """Under some order of events the specification was left, and then anything may happen."""
        return any(p.state is UNSPECIFIED for p in self.possible)

    @property
    def reached(self) -> bool:
        """The goal was met whatever the order of events was."""
        return bool(self.possible) and all(p.reached for p in self.possible)

    @property
    def maybe_reached(self) -> bool:
        """The goal was met under some order of events."""
        return any(p.reached for p in self.possible)

    def inputs(self) -> list[Offer]:
        """Inputs enabled in all states the system may be in."""
        if self.maybe_left or not self.states:
            return []
        return in_all([self.spec.inputs(state) for state in self.states])

    def enabled(self, label: Label) -> bool:
        """Say whether an input is enabled in all states the system may be in."""
        return offer_of(label, self.inputs()) is not None

    def outputs(self) -> list[Offer]:
        """Outputs possible in some state the system may be in, silence apart."""
        return list(
            dict.fromkeys(
                offer for p in self.possible if p.state is not UNSPECIFIED for offer in self.spec.outputs(p.state)
            )
        )

    def allowed(self) -> list[Offer]:
        """All observations allowed now, silence included: it is where nothing is on its way any more."""
        arrived = [p.state for p in self.possible if not p.on_the_way]
        quiet = any(state is UNSPECIFIED or self.spec.quiet(state) for state in arrived)
        return [*self.outputs(), *[SILENCE] * quiet]

    @property
    def owes(self) -> bool:
        """Some state that the system may be in has to be followed by an output."""
        return not self.maybe_left and any(not self.spec.quiet(p.state) for p in self.possible)

    def _following(self, label: Label, possible: Iterable[Possibility]) -> tuple[Possibility, ...]:
        return self._with_arrivals(step for possibility in possible for step in self._step(possibility, label))

    def _step(self, possibility: Possibility, label: Label) -> Iterable[Possibility]:
        if possibility.state is UNSPECIFIED:
            return (possibility,)
        targets = self.spec.after(possibility.state, label)
        return [self._moved(possibility, target, label) for target in targets]

    def _moved(
        self, before: Possibility, state: Any, label: Label, rest: tuple[OnTheWay, ...] | None = None
    ) -> Possibility:
        waiting = before.on_the_way if rest is None else rest
        met = before.reached or (state is not UNSPECIFIED and self._goal(before.state, label, state))
        return Possibility(state, waiting, met, before.excused)

    def _with_arrivals(self, possible: Iterable[Possibility]) -> tuple[Possibility, ...]:
        """Add all that follows when inputs on their way arrive, one after the other."""
        found: dict[Possibility, None] = {}
        stack = list(possible)[::-1]
        while stack:
            possibility = stack.pop()
            if possibility in found:
                continue
            if not possibility.on_the_way or self.latency > 0:
                found[possibility] = None
            if possibility.on_the_way:
                stack.extend(self._arrived(possibility))
        return without_dominated(found)

    def _arrived(self, possibility: Possibility) -> list[Possibility]:
        arriving, rest = possibility.on_the_way[0].label, possibility.on_the_way[1:]
        targets: Collection[Any] = ()
        if possibility.state is not UNSPECIFIED:
            targets = self.spec.after(possibility.state, arriving)
        return [self._moved(possibility, target, arriving, rest) for target in targets or (UNSPECIFIED,)]
