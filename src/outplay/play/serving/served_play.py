"""One play of a model in place of a system: it takes inputs as they come, and says when to speak, and what.

What it says is chosen by a simulation, by chance or by an opponent. It pauses before it speaks, so that an input may
come first: by chance, not at all where the opponent is hasty, and for the whole time where the opponent would rather
wait for an input. An input may meet an output on its way: one that is forbidden now, and was allowed before what was
said a moment ago, is taken as if it had come before that, where the model allows the same to be said after it.
"""

from __future__ import annotations

import time
from collections import deque
from random import Random

from outplay.model.label import Label
from outplay.model.offer import Offer
from outplay.model.specification import Specification, State
from outplay.play.adapters.simulated import Simulated
from outplay.strategy.opponent import Opponent

CROSSING = 0.1  # seconds in which an input may not have known of an output
_LISTED = 5  # inputs


class ServedPlay:
    """The model's side of a play; `pace` is the longest pause in seconds before it speaks."""

    def __init__(self, spec: Specification, rng: Random, opponent: Opponent | None = None, *, pace: float) -> None:
        self._spec, self._rng, self._opponent, self._pace = spec, rng, opponent, pace
        self._system = Simulated(spec, rng, adversarial=opponent)
        self._said: deque[tuple[float, State, Label]] = deque()
        self._silent = False

    def reset(self) -> None:
        """Begin a new play."""
        self._system.reset()
        self._said.clear()
        self._silent = False

    def pause(self) -> float | None:
        """Return how long to wait for an input before speaking; None where there is nothing to say until one comes."""
        if self._silent or not self._spec.outputs(self._system.state):
            return None
        if self._opponent is None:
            return self._rng.uniform(0, self._pace)
        eager = self._opponent.hasty or self._opponent.gains(self._system.state, self._after_speaking())
        return 0.0 if eager else self._pace

    def speak(self) -> Label | None:
        """Say something, or decide to say nothing until an input comes."""
        before = self._system.state
        label = self._system.observe(1.0).label
        self._silent = label is None
        if label is not None:
            self._said.append((time.monotonic(), before, label))
        return label

    def take(self, label: Label) -> str:
        """Take an input; return why not where the model forbids it."""
        self._forget(time.monotonic() - CROSSING)
        if self._spec.after(self._system.state, label):
            self._system.give(label)
        elif not self._took_before(label):
            return f"{label.message} is not allowed here; {self._allowed()}"
        self._silent = False
        return ""

    def _took_before(self, label: Label) -> bool:
        """Take an input as if it had come before something that was said, the latest that there is."""
        for n in reversed(range(len(self._said))):
            states = set(self._spec.after(self._said[n][1], label))
            for _, _, said in list(self._said)[n:]:
                states = {after for state in states for after in self._spec.after(state, said)}
            if states:
                self._system.go_to(states)
                self._said.clear()
                return True
        return False

    def _forget(self, before: float) -> None:
        while self._said and self._said[0][0] < before:
            self._said.popleft()

    def _after_speaking(self) -> list[State]:
        state = self._system.state
        labels = [label for offer in self._spec.outputs(state) if (label := offer.sample(self._rng)) is not None]
        return [after for label in labels for after in self._spec.after(state, label)]

    def _allowed(self) -> str:
        offers: list[Offer] = list(self._spec.inputs(self._system.state))
        shown = ", ".join(str(offer).removeprefix("?") for offer in offers[:_LISTED])
        more = f" and {len(offers) - _LISTED} more" if len(offers) > _LISTED else ""
        return f"allowed: {shown}{more}" if offers else "no input is allowed until something was said"
