"""Tracking: the states that the system may be in after what was seen.

The tester sees labels and times, not states, and on a pipe or socket it does not even see the order in which labels
passed each other. Of two events the first came first at the system for sure where the second came a `latency` later,
where both are inputs or both outputs of one channel, where the first is an output and the second an input, or where
the first is an input that was taken before the second was given. Every order that keeps this is followed. An input is
kept as possibly *on its way* until it can be so no longer, and placed in an order only where an observation needs it
(`arrivals.py`); an output of another channel may have been sent before one that is seen, and is then expected in time.

Within one order all states are kept that the system may have chosen unseen. States that do not specify an input drop
out when it arrives; where none does, that order leads to `UNSPECIFIED`, where anything may happen. Times are compared
in whole microseconds, as they are stamped.

Where the tester itself was late, what was seen may be excused by the delay: labels crossed for longer, silence was
called too early, or was missed. What is possible only so is kept, marked as `excused`: nothing right was seen for sure
where all of it is excused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from functools import cached_property
from math import inf

from outplay.model.arrivals import Bounds, GoalTest, no_goal
from outplay.model.belief import Belief, CommutingArrivals
from outplay.model.label import SILENCE, Label
from outplay.model.possibility import (
    MICROSECONDS,
    Clipping,
    Member,
    Moment,
    OnTheWay,
    Possibility,
    as_excused,
    in_microseconds,
    undominated,
)
from outplay.model.specification import ONE_FOR_ALL, Specification
from outplay.model.wrapping import KnowledgeSpecification, Wrapped, timers_of

__all__ = ["GoalTest", "Tracker", "no_goal"]


class Tracker(Belief):
    """Every possibility that fits what was seen, as a value; `possible` is empty once the system did what it may not.

    Methods named by what happened return the tracker afterwards; trackers are equal when they allow the same. With
    `one_wire` all labels keep their order, whatever channels the model names.
    """

    _since: float | None = None
    _doubtful = _silent_before = False
    _timed: Tracker | None = None  # the same play by a specification with timers, where the model has some
    unsure = False
    """More orders were possible than are followed: what hangs on them is open."""
    reduced = False
    """Orders were left out that seemed to make no difference; follow `exhaustively` what does not conform."""
    _clipped: Clipping | None = None

    def __init__(
        self,
        spec: Specification,
        *,
        latency: float = 0.0,
        silence: float = 0.0,
        goal: GoalTest = no_goal,
        one_wire: bool = False,
    ) -> None:
        self.spec, self.latency, self.silence = spec, latency, silence
        channels = ONE_FOR_ALL if one_wire else getattr(spec, "channels", ONE_FOR_ALL)
        self._arrivals = CommutingArrivals(spec, goal, channels, in_microseconds(latency))
        self._followed: tuple[Possibility, ...] = (
            Possibility(tuple((state, goal(None, None, state)) for state in spec.initial)),
        )
        timers = timers_of(spec)
        if timers is not None:
            self._timed = Tracker(timers, latency=latency, silence=silence, one_wire=one_wire)

    def _with(self, followed: Iterable[Possibility], bounds: Bounds | None = None) -> Tracker:
        """The same with other possibilities; `_doubtful` and `_since` are for who makes it to say."""
        made = object.__new__(Tracker)
        made.spec, made.latency, made.silence, made._arrivals = self.spec, self.latency, self.silence, self._arrivals
        made._followed, made._silent_before = tuple(followed), self._silent_before
        made._since, made._doubtful = self._since, self._doubtful
        if bounds is not None:
            made.unsure, made.reduced = self.unsure or bounds.met, self.reduced or bounds.reduced
        elif self.unsure or self.reduced:
            made.unsure, made.reduced = self.unsure, self.reduced
        if self._clipped is not None:
            made._clipped = self._clipped
        if self._timed is not None:
            made._timed = self._timed
        return made

    def _beside(self, step: Callable[[Tracker], Tracker]) -> Tracker:
        """With the same done to what is followed with timers."""
        if self._timed is not None:
            self._timed = step(self._timed)
            self.unsure = self.unsure or self._timed.unsure
        return self

    def exhaustively(self, on: bool = True) -> Tracker:
        """The same, from where all orders are followed, or not."""
        made = self._with(self._followed)
        made._arrivals = copy(self._arrivals)
        made._arrivals.exhaustive, made._arrivals.looked_at = on or not made._arrivals.crossing, 0
        return made._beside(lambda timed: timed.exhaustively(on))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tracker) and self._content() == other._content()

    def __hash__(self) -> int:
        return hash((self.possible, self._doubtful))

    def _content(self) -> tuple[object, ...]:
        return id(self.spec), self.latency, self.possible, self._doubtful

    def started(self, now: float) -> Tracker:
        """After the system was made ready: from now on it may speak."""
        made = self._with(self._followed)
        made._since = now
        if self._arrivals.timed is not None:
            states = self._arrivals.timed.started(in_microseconds(now))
            made._followed = (Possibility(tuple((state, False) for state in states)),)
        return made._beside(lambda timed: timed.started(now))

    def gave(
        self, label: Label, now: float = 0.0, *, handed: float | None = None, taken: float | None = None
    ) -> Tracker:
        """After the tester gave an input: it has arrived, or is on its way.

        `handed` is when it had been handed over, where that took long; `taken` when it had arrived, if known.
        """
        moment = in_microseconds(now)
        before = self._settled(moment)
        arrived = None if taken is None else in_microseconds(taken)
        since = moment if handed is None else in_microseconds(handed)
        if arrived is not None and arrived - moment > self._arrivals.bound:
            since = arrived  # it was waited for, and not on its way for this long
        given = OnTheWay(label, moment, 0.0, self.channel(label), arrived, since)
        waiting = [Possibility(p[0], (*p[1], given), p[2], p[3]) for p in before._followed]
        if not self.latency > 0:
            waiting = [after for p in waiting if (after := self._arrivals.arrived(p)).members]
        made = before._with(waiting if len(waiting) < 2 else undominated(waiting))
        # An output that is looked at late may have been seen before what was given meanwhile.
        made._doubtful, made._since, made._silent_before = False, max(handed or now, self._since or now), False
        return made if made._timed is None else made._beside(lambda t: t.gave(label, now, handed=handed, taken=taken))

    def saw(self, label: Label, now: float = 0.0) -> Tracker:
        """After the system showed an output or silence; nothing is possible then where no possibility allows it."""
        before, bounds = self.settled(now), Bounds()
        found = before._silent(now, bounds) if label == SILENCE else before._heard(label, now, bounds)
        seen = before._with(found, bounds)
        seen._doubtful, seen._since, seen._silent_before = False, max(now, self._since or now), label == SILENCE
        if self._arrivals.crossing:
            seen._clip(label, in_microseconds(now), bounds)
            seen.unsure |= bounds.open_data and not found
        return seen if seen._timed is None else seen._beside(lambda timed: timed.saw(label, now))

    def _clip(self, label: Label, now: float, bounds: Bounds) -> None:
        """Count the outputs that would have to come in time for it to matter how many are followed unseen."""
        if self._clipped is not None and now < self._clipped.until:
            self._clipped = self._clipped.after(self.channel(label))
            self.unsure |= not self._clipped.left
        else:
            self._clipped = Clipping(now + self._arrivals.bound, self.channel(label)) if bounds.clipped else None

    def _silent(self, now: float, bounds: Bounds) -> tuple[Possibility, ...]:
        """Silence means that nothing is on its way; called while the tester was late it proves nothing."""
        after = self._rested(now, bounds)
        return undominated((*after, *map(as_excused, self._followed))) if self._doubtful else after

    def _rested(self, now: float, bounds: Bounds) -> tuple[Possibility, ...]:
        """After a silence that counts; silence after silence tells nothing new before something is due."""
        if self._silent_before and self.due is not None and now <= self.due:
            return self._followed
        arrived = (step for p in self._followed for step in self._arrivals.silent(p, bounds))
        after = (self._arrivals.observed(p, SILENCE, in_microseconds(now)) for p in arrived)
        return undominated(p for p in after if p.members)

    def _heard(self, label: Label, now: float, bounds: Bounds) -> tuple[Possibility, ...]:
        """An output for which a late tester waited longer than silence takes: a silence may have been missed."""
        after = self._after(label, now, self._followed, bounds)
        if not self._doubtful or (
            self._since is not None
            and in_microseconds(now) - in_microseconds(self._since) < in_microseconds(self.silence)
        ):
            return after
        missed = self._after(label, now, self._rested(now, bounds), bounds)
        agree = self._unexcused_of(after) == self._unexcused_of(missed)
        return after if agree else tuple(dict.fromkeys(map(as_excused, (*after, *missed))))

    def _unexcused_of(self, followed: Iterable[Possibility]) -> set[Possibility]:
        return {p for p in self._arrivals.expanded(followed, Bounds()) if not p.excused}

    def _after(
        self, label: Label, now: float, followed: Iterable[Possibility], bounds: Bounds
    ) -> tuple[Possibility, ...]:
        channel, moment = self.channel(label) if self._arrivals.crossing else "", in_microseconds(now)
        found = [step for p in followed for step in self._arrivals.heard(p, label, channel, moment, bounds)]
        return tuple(found) if len(found) < 2 else undominated(found)

    def settled(self, now: float) -> Tracker:
        """Let arrive what can be on its way no longer, the latency having passed, and miss what had to be seen."""
        settled = self._settled(in_microseconds(now))
        if self._timed is None or self._timed.settled(now) is self._timed:
            return settled
        return settled._with(settled._followed)._beside(lambda timed: timed.settled(now))

    def _settled(self, moment: float) -> Tracker:
        made = self._arrived_by(moment)
        if self._arrivals.timed is None:
            return made
        kept = [self._arrivals.in_time(p, moment) for p in made._followed]
        return made if kept == list(made._followed) else made._with(p for p in kept if p.members)

    def _arrived_by(self, moment: float) -> Tracker:
        for p in self._followed:
            if p.on_the_way or p.unseen:
                break
        else:
            return self
        bounds, bound = Bounds(), self._arrivals.bound
        strict = Moment(moment, bound, 0.0)
        late = Moment(moment, bound, 1.0)
        if not any(strict.touches(p) for p in self._followed):
            return self
        kept: list[Possibility] = []
        for p in self._followed:
            if not any(map(strict.missed, p.unseen)):
                kept += self._arrivals.settled(p, strict.arrived, bounds)
            if strict.differs(p, late) and not any(map(late.missed, p.unseen)):
                kept += map(as_excused, self._arrivals.settled(p, late.arrived, bounds))
        return self._with(undominated(kept), bounds)

    def excused(self, lag: float, now: float | None = None) -> Tracker:
        """After the tester itself was late by this much, until now: what is on its way may be for that much longer."""
        until = None if now is None else in_microseconds(now)
        made = self._with(self._arrivals.late(self._followed, in_microseconds(max(lag, 0.0)), until))
        made._doubtful = True
        return made._beside(lambda timed: timed.excused(lag, now))

    @property
    def conforms(self) -> bool:
        """Say whether some order of events explains everything that was seen, and when it was seen."""
        return bool(self._followed) if self._timed is None else self._timed.conforms

    @property
    def specified(self) -> bool:  # without its times it may seem so for longer
        return super().specified if self._timed is None else self._timed.specified

    @property
    def maybe_left(self) -> bool:
        return super().maybe_left or (self._timed is not None and self._timed.maybe_left)

    @property
    def untimely(self) -> bool:
        """Say whether what was seen is possible, but not when it was seen."""
        return bool(self._followed) and self._timed is not None and not self._timed.conforms

    @cached_property
    def due(self) -> float | None:
        """Return when something that takes its time has to have been seen, in seconds; None where nothing has to."""
        latest = inf if self._timed is None else self._timed._arrivals.deadline(self._timed.possible)
        return (latest + self._arrivals.bound) / MICROSECONDS if latest < inf else None

    @cached_property
    def unexcused(self) -> Tracker:
        """Return the possibilities without the tester's own delay as an excuse."""
        timed = self._timed and self._timed.unexcused
        if timed is self._timed and not any(p.excused for p in self._followed):
            return self
        made = self._with(p for p in self._followed if not p.excused)
        return made._beside(lambda timed: timed.unexcused)

    def inside(self, spec: Specification) -> Tracker:
        """As it is for a specification around which those are wrapped by which the play is followed."""
        if self.spec is spec or not isinstance(self.spec, Wrapped | KnowledgeSpecification):
            return self
        return self._unwrapped.inside(spec)

    @cached_property
    def _unwrapped(self) -> Tracker:
        around = self.spec
        assert isinstance(around, Wrapped | KnowledgeSpecification)
        own = undominated(p._replace(members=p.members if p.left else _own(around, p.members)) for p in self.possible)
        made = self._with(own)
        made.spec = around.spec
        made._arrivals = CommutingArrivals(around.spec, no_goal, self._arrivals.channels, self._arrivals.bound)
        made.__dict__["_expanded"] = (own, self._expanded[1])
        return made


def _own(around: Wrapped | KnowledgeSpecification, members: Iterable[Member]) -> tuple[Member, ...]:
    return tuple(dict.fromkeys((own, False) for state, _ in members for own in around.inside(state)))
