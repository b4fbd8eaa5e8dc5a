"""A simulated system: a specification that plays itself, by chance from a seed or as badly for the tester as it may.

It is synchronous and lives on a virtual clock, so whole campaigns take no time. Where input and output are both
possible it decides, each time the tester looks, whether to speak first.
"""

from __future__ import annotations

from collections.abc import Collection
from random import Random
from typing import Any

from outplay.errors import ModelError
from outplay.model.kinds import specification
from outplay.model.label import SILENCE, Label
from outplay.model.offer import Offer
from outplay.model.specification import State
from outplay.play.clock import Clock, VirtualClock
from outplay.play.event import Event
from outplay.strategy.opponent import Opponent


class Simulated:
    """A system that does what a model of any kind allows, by chance from `rng`.

    Where an `adverse` opponent chooses for it, it goes where that is worst for the tester.
    """

    synchronous = True

    def __init__(
        self, model: Any, rng: Random | None = None, *, clock: Clock | None = None, adverse: Opponent | None = None
    ) -> None:
        self._spec, self._rng, self._adverse = specification(model), rng or Random(0), adverse
        self.clock: Clock = clock or VirtualClock()
        self._state: State = None
        self._mute = False
        self.reset()

    def reset(self) -> None:
        self._mute = False
        if self._adverse is not None:
            self._adverse.begin()
        self._go(list(self._spec.initial))

    def give(self, label: Label) -> None:
        self._mute = False
        targets = list(self._spec.after(self._state, label))
        if targets:  # an input that is not specified is ignored, as many systems do
            self._go(targets)

    def observe(self, timeout: float) -> Event:
        # A look without waiting starts a new move. A wait comes in slices, and silence once chosen lasts through all.
        self._mute = self._mute and timeout > 0
        label = SILENCE if self._mute else self._next(timeout)
        if label != SILENCE:
            self._go(list(self._spec.after(self._state, label)))
            return Event("output", label, seen=self.clock.now())
        if timeout > 0 and not self._mute:
            self._mute = True
            self._go(list(self._spec.after(self._state, SILENCE)))
        self.clock.sleep(timeout)
        return Event("silence", seen=self.clock.now())

    def close(self) -> None:
        """Nothing to end."""

    def _next(self, timeout: float) -> Label:
        outputs = self._spec.outputs(self._state)
        urgent = timeout > 0 or self._hasty()
        return self._speak(outputs, timeout) if outputs and urgent else SILENCE

    def _hasty(self) -> bool:
        """Decide whether to speak first where the tester looks without waiting."""
        return self._rng.random() < 0.5 if self._adverse is None else self._adverse.hasty

    def _speak(self, outputs: Collection[Offer], timeout: float) -> Label:
        """Choose an output, or silence where that is allowed; silence must last, so it is not chosen in passing."""
        choices = [label for offer in outputs if (label := offer.sample(self._rng)) is not None]
        if self._spec.quiet(self._state) and timeout > 0:
            choices.append(SILENCE)
        if not choices:
            raise ModelError(f"no label was found in {outputs}: let the family draw its own arguments")
        if self._adverse is not None:
            return max(choices, key=self._harm)
        weights = [self._spec.weight(self._state, label) for label in choices]
        return self._rng.choices(choices, weights)[0]

    def _harm(self, label: Label) -> float:
        assert self._adverse is not None
        return max((self._adverse.badness(state) for state in self._spec.after(self._state, label)), default=0.0)

    def _go(self, states: list[State]) -> None:
        if self._adverse is None:
            self._state = self._rng.choice(states)
        else:
            self._state = max(states, key=self._adverse.badness)
            self._adverse.moved(self._state)
