"""A simulated system: a specification that plays itself, by chance from a seed or as badly for the tester as it may.

It is synchronous and lives on a virtual clock, so whole campaigns take no time. It plays the game that solvers solve
(odds.py): where the tester waits it speaks or stays silent by the weights of the model, and where input and output are
both possible the test assumption says who is first, which is drawn when the tester is about to give the input.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from random import Random
from typing import Any, Protocol, cast

from outplay.errors import UsageError
from outplay.game.assumption import Assumption
from outplay.model.label import SILENCE, Label
from outplay.model.specification import Channels, Specification, State
from outplay.model.tracking import Tracker
from outplay.model.wrapping import timers_of
from outplay.play.move_odds import Happening, odds_of
from outplay.play.system import Clock, System, VirtualClock
from outplay.play.trace import Event
from outplay.registries import imported
from outplay.strategy.opponent import Opponent

_PARTS = 16  # of a wait in which something falls due: at the end of which it may come


class Chooser(Protocol):
    """Chooses what a simulated system does."""

    def choose(self, state: State, ways: Sequence[Happening]) -> Happening:
        """Choose what happens in a state, which at the beginning is that of the play before."""


class Simulated:
    """A system that does what a model of any kind allows, by chance from `rng`, under a test assumption.

    A game has the assumption it was made under, anything else `nondeterministic` unless another is given. Where an
    `adversarial` opponent chooses for it, it goes where that is worst for the tester.
    """

    synchronous = True

    def __init__(
        self,
        model: Any,
        rng: Random | None = None,
        *,
        clock: Clock | None = None,
        adversarial: Opponent | None = None,
        assumption: Assumption | str | None = None,
    ) -> None:
        self._odds = odds_of(model, assumption, distinct=adversarial is None)
        self._rng, self._adverse = rng or Random(0), adversarial
        self.clock: Clock = clock or VirtualClock()
        self._state: State = None
        self.choosing: Chooser | None = None
        """The choice in place of chance, where there is one."""
        self._drawn: Happening | None = None  # next: an input, or an output before it
        self._mute = self._rests = False
        self._timers: _Timers | None = _Timers(self._odds.spec) if timers_of(self._odds.spec) is not None else None
        self.reset()

    @property
    def channels(self) -> Channels:
        """Over which connection each label goes."""
        return self._odds.spec.channels

    @property
    def state(self) -> State:
        """Return its state."""
        return self._state

    def go_to(self, states: Collection[State]) -> None:
        """Be in one of these states, as it chooses."""
        self._mute = self._rests = False
        self._go(self._worst([Happening(SILENCE, state) for state in states]))

    def reset(self) -> None:
        self._mute = self._rests = False
        self._state = None
        if self._adverse is not None:
            self._adverse.begin()
        self._go(self._worst([Happening(SILENCE, state) for state in self._odds.spec.initial]))
        if self._timers:
            self._timers.begin(self.clock.now())

    def forestalls(self, label: Label) -> bool:
        """Decide whether an output comes before an input that is about to be given; it is observed next."""
        ways = self._in_time(self._odds.contested(self._state, label, self._chance))
        hesitant = self._adverse is not None and not self._adverse.hasty
        ways = [way for way in ways if way.label == label] if hesitant else ways
        self._drawn = self._worst(sorted(ways, key=lambda way: way.label == label)) if ways else None
        return self._drawn is not None and self._drawn.label != label

    def give(self, label: Label) -> None:
        if self._drawn is None or self._drawn.label != label:  # nobody asked who is first
            ways = self._odds.contested(self._state, label, self._chance)
            taken = [way for way in ways if way.label == label] or self._ignored(label)
            self._drawn = self._worst(taken) if taken else None
        self._mute = self._rests = False
        if self._drawn is not None:
            self._go(self._drawn)
        if self._timers:
            self._timers.gave(label, self.clock.now())

    def observe(self, timeout: float) -> Event:
        # A look without waiting starts a new move. A wait comes in slices, and silence once chosen lasts through all.
        self._mute = self._mute and timeout > 0
        if self._drawn is not None and self._drawn.label.is_output:
            return self._said(self._drawn)
        if timeout > 0 and not self._mute:
            rested, way = self._rests, self._next()
            if way is not None and way.label != SILENCE:
                return self._said(way)
            self._mute = self._rests = True
            # More silence leads to where something was due; behind delays a wait may be shorter.
            if way is not None and not (rested and self._timers and self._timers.leave(timeout + self.clock.now())):
                self._go(way)
        if self._timers and timeout > 0 and (due := self._due_within(timeout)) is not None:
            return self._said(due)
        self.clock.sleep(timeout)
        return Event("silence", seen=self.clock.now())

    def close(self) -> None:
        """Nothing to end."""

    def seed(self, text: str) -> None:
        """Draw from this seed from now on."""
        self._rng.seed(text)

    @property
    def _chance(self) -> Random | None:
        return self._rng if self.choosing is None else None

    def _in_time(self, ways: list[Happening]) -> list[Happening]:
        """Return the moves that are possible now, timers considered."""
        timers, now = self._timers, self.clock.now()
        return (
            ways if timers is None else [way for way in ways if not way.label.is_output or timers.allow(way.label, now)]
        )

    def _due_within(self, timeout: float) -> Happening | None:
        """Return what has to come before a wait ends, after a part of it; None where nothing has to."""
        timers, now = self._timers, self.clock.now()
        if timers is None or timers.allow(SILENCE, now + timeout):
            return None
        moments = [now + timeout * part / _PARTS for part in range(_PARTS + 1)]
        moments += [due for due in (timers.due,) if due is not None and now <= due <= now + timeout]
        for moment in self._rng.sample(moments, len(moments)):
            spoken = [way for way in self._odds.waiting(self._state, self._chance) if way.label.is_output]
            ways = [way for way in spoken if timers.allow(way.label, moment)]
            if ways:
                self.clock.sleep(moment - now)
                return self._worst(ways)
        return None

    def _said(self, way: Happening) -> Event:
        self._mute = self._rests = False
        self._go(way)
        if self._timers:
            self._timers.saw(way.label, self.clock.now())
        return Event("output", way.label, seen=self.clock.now())

    def _ignored(self, label: Label) -> list[Happening]:
        """Return the target of an input that no move of the game foresees; one that is not specified is ignored."""
        return [Happening(label, target) for target in self._odds.spec.after(self._state, label)]

    def _next(self) -> Happening | None:
        """Choose what comes in a wait; where silence brought the tester's turn, more silence."""
        ways = self._in_time(self._odds.waiting(self._state, self._chance))
        silent = [way for way in ways if way.label == SILENCE]
        ways = silent if silent and self._rests and self._odds.timed else ways
        return self._worst(ways) if ways else None

    def _worst(self, ways: Sequence[Happening]) -> Happening:
        """Choose by chance, or the first of what is worst for the tester."""
        if self._adverse is not None:
            badness = self._adverse.badness
            return max(ways, key=lambda way: badness(way.target))
        if self.choosing is not None:
            return self.choosing.choose(self._state, ways)
        return self._rng.choices(ways, [way.weight for way in ways])[0]

    def _go(self, way: Happening) -> None:
        self._state, self._drawn = way.target, None
        if self._adverse is not None:
            self._adverse.moved(self._state)


class _Timers:
    """The history with its times: what may come now, and what is overdue."""

    def __init__(self, spec: Specification) -> None:
        self._begun = self._tracker = Tracker(spec)

    def begin(self, now: float) -> None:
        """Begin anew."""
        self._tracker = self._begun.started(now)

    def gave(self, label: Label, now: float) -> None:
        """An input was taken."""
        self._tracker = self._tracker.gave(label, now)

    def saw(self, label: Label, now: float) -> None:
        """An output was said."""
        self._tracker = self._tracker.saw(label, now)

    @property
    def due(self) -> float | None:
        """Return when something has to have been said."""
        return self._tracker.due

    def leave(self, now: float) -> bool:
        """Say whether nothing is due by then, though something will be."""
        return self.due is not None and now < self.due

    def allow(self, label: Label, now: float) -> bool:
        """Say whether a label, or silence until then, is in time."""
        return not self._tracker.saw(label, now).untimely


def simulated_from_text(
    text: str, *, seed: int, assumption: str, read_model: Callable[[str], Specification], reorder: float | None = None
) -> System:
    """Make the simulated system of the model that the text names, with delays if asked."""
    if not text:
        raise UsageError("--sut model: names no model; write model:FILE or model:file.py:Class")
    model = read_model(text)
    simulated = Simulated(model, Random(seed + 1), assumption=assumption)
    if not reorder:
        return simulated
    delayed: Any = imported("outplay.play.adapters.reordered:delayed")
    return cast(System, delayed(simulated, model, Random(seed + 2), seconds=reorder, text=text))
