"""Coverage: what plays have seen of a model, counted step by step.

States and transitions are kept by their keys, which are the same in every process and run, so tallies can be added up.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from outplay.model.offer import offer_of
from outplay.model.wrapping import own_state
from outplay.play.following import Step
from outplay.play.system import failed_tries
from outplay.strategy.coverage.items import STATES, TRANSITIONS


@dataclass
class Tally:
    """The states, transitions and labels that a run has seen so far."""

    plays: int = 0
    steps: int = 0
    inputs: int = 0
    outputs: int = 0
    states: set[str] = field(default_factory=set)
    """By the keys of the specification, without what is wrapped around it."""
    transitions: set[tuple[str, str]] = field(default_factory=set)
    """States with what was given or seen there: a label, or the whole family where there are infinitely many."""
    retries: int = 0
    """The number of tries to reset the system that failed before one succeeded."""
    _new: list[tuple[str, str]] = field(default_factory=list, init=False, compare=False, repr=False)
    """The items seen for the first time and not asked for yet, in that order; states with no label."""

    def take(self, step: Step) -> None:
        """Count a step, and where it was made."""
        if step.label is None:
            self.retries += failed_tries(step.event) if step.event.detail else 0
            return
        self.steps += 1
        self.inputs += step.event.kind == "input"
        self.outputs += step.event.kind in ("output", "late")
        for wrapped in step.before.states:
            spec, state = own_state(step.before.spec, wrapped)
            key = spec.key(state)
            offers = spec.inputs(state) if step.label.is_input else spec.outputs(state)
            self._see(key)
            self._see(key, (offer_of(step.label, offers) or step.label).text)
        for wrapped in step.after.states:  # nothing may come after it
            spec, state = own_state(step.after.spec, wrapped)
            self._see(spec.key(state))

    def _see(self, key: str, label: str = "") -> None:
        seen: set[Any] = self.transitions if label else self.states
        place = (key, label) if label else key
        if place not in seen:
            seen.add(place)
            self._new.append((key, label))

    def news(self) -> tuple[tuple[str, str], ...]:
        """Return what was seen for the first time since this was asked last: states, with labels for transitions."""
        found = tuple(self._new)
        self._new.clear()
        return found

    def of(self, kind: str) -> Collection[object]:
        """Return the seen items of a kind: states, transitions or labels."""
        found: dict[str, Collection[object]] = {STATES: self.states, TRANSITIONS: self.transitions}
        return found[kind] if kind in found else {label for _, label in self.transitions}

    def __add__(self, other: Tally) -> Tally:
        """Return the items that two runs of one model have seen together."""
        return Tally(
            self.plays + other.plays,
            self.steps + other.steps,
            self.inputs + other.inputs,
            self.outputs + other.outputs,
            self.states | other.states,
            self.transitions | other.transitions,
            self.retries + other.retries,
        )
