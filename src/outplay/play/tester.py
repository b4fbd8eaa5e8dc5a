"""Testers: who decides the tester's next move from what was seen so far.

A tester answers with an input to give, or None to wait for the system.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any, Protocol

from outplay.game.graph import Game
from outplay.game.reset import RESET
from outplay.model.label import SILENCE, Label
from outplay.model.offer import offer_of
from outplay.model.tracking import Tracker
from outplay.play.event import Event
from outplay.strategy.guide import Guide

PATIENCE = 3  # silences in a row after which hoping for an output ends


class Tester(Protocol):
    """Decides moves during one play after another."""

    def begin(self) -> None:
        """A new play starts."""

    def choose(self, tracker: Tracker) -> Label | None:
        """Return the input to give, or None to wait."""

    def notice(self, event: Event, tracker: Tracker) -> None:
        """Something happened; the tracker stands before it."""

    def done(self, tracker: Tracker) -> bool:
        """Say whether going on would lead nowhere."""


class Walker:
    """Walks at random, preferring transitions it has not seen yet; remembers them across plays."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self.seen: Counter[tuple[str, str]] = Counter()
        """How often an offer was taken in a state, by their written forms."""

    def begin(self) -> None:
        """Nothing to do: what was seen stays seen."""

    def choose(self, tracker: Tracker) -> Label | None:
        inputs, outputs, here = tracker.inputs(), tracker.outputs(), _here(tracker)
        fresh = [offer for offer in inputs if not self.seen[here, offer.text]]
        waits_for_news = any(not self.seen[here, offer.text] for offer in outputs or [SILENCE])
        if fresh and not (outputs and waits_for_news and self._rng.random() < 0.5):
            return self._rng.choice(fresh).sample(self._rng)
        if waits_for_news or not inputs:
            return None
        # Waiting where nothing can come costs a whole time-out and was seen before.
        chosen = self._rng.choice([*inputs, None] if outputs else inputs)
        return None if chosen is None else chosen.sample(self._rng)

    def done(self, tracker: Tracker) -> bool:
        return bool(self.seen[_here(tracker), SILENCE.text]) and not tracker.inputs() and not tracker.outputs()

    def notice(self, event: Event, tracker: Tracker) -> None:
        label = SILENCE if event.kind == "silence" else event.label
        if label is not None and event.is_move:
            for state in tracker.states:
                offers = tracker.spec.inputs(state) if label.is_input else tracker.spec.outputs(state)
                self.seen[tracker.spec.key(state), (offer_of(label, offers) or label).text] += 1


def _here(tracker: Tracker) -> str:
    """Where the system may be, as a walk remembers it."""
    return tracker.spec.key(tracker.states[0]) if tracker.states else ""


class Follower:
    """Follows a solved game: at each state the edge the guide knows there; waits where it has no choice."""

    def __init__(self, game: Game, guide: Guide) -> None:
        self._game, self._guide = game, guide
        self.begin()

    def begin(self) -> None:
        self._silent = True  # play starts active (001), as after a time-out
        self._silences = 0
        self._made = 0

    def done(self, tracker: Tracker) -> bool:
        if self._silences >= PATIENCE:
            return True
        vertices = [self.vertex(state) for state in tracker.states]
        return all(vertex is None or self._guide.hopeless(vertex, self._made) for vertex in vertices)

    def choose(self, tracker: Tracker) -> Label | None:
        for state in tracker.states:
            vertex = self.vertex(state)
            label = None if vertex is None else self._label(vertex)
            if label is not None and tracker.enabled(label):
                return label
        return None

    def notice(self, event: Event, tracker: Tracker) -> None:
        if event.is_move:
            self._made += 1
            silent = event.kind == "silence"
            self._silences = self._silences + 1 if silent else 0
            # After a reset in the middle of a play it starts active again.
            self._silent = silent or (event.label is not None and event.label.text == RESET)

    def vertex(self, state: Any) -> int | None:
        """Where the game stands when the model is in a state."""
        return self._game.origin.vertex(state, self._silent)

    def _label(self, vertex: int) -> Label | None:
        edge = self._guide.edge(vertex, self._made)
        text = None if edge is None else self._game.input_of(edge)
        return None if text is None else Label.parse(text)


class Script:
    """Gives the inputs of a recorded play again, at the places where they stood."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._record = [event for event in events if event.is_move]
        self.begin()

    def done(self, tracker: Tracker) -> bool:
        return self._next >= len(self._steps)

    def begin(self) -> None:
        self._steps = list(self._record)
        self._next = 0

    def choose(self, tracker: Tracker) -> Label | None:
        if self.done(tracker):
            return None
        step = self._steps[self._next]
        return step.label if step.kind == "input" else None

    def notice(self, event: Event, tracker: Tracker) -> None:
        if not event.is_move or self.done(tracker):
            return
        wanted = self._steps[self._next]
        if event.kind == "input" or (wanted.kind != "input"):
            self._next += 1
        # An output where the record has an input came early: skip it in the record where it stands later.
        elif event.label is not None:
            later = next((i for i in range(self._next, len(self._steps)) if self._steps[i].label == event.label), None)
            if later is not None:
                del self._steps[later]
