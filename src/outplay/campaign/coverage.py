"""Coverage: what plays have seen of a model, counted step by step."""

from __future__ import annotations

from dataclasses import dataclass, field

from outplay.model.specification import State
from outplay.model.wrapping import own_state
from outplay.play.following import Step


@dataclass
class Tally:
    """What a run has seen so far."""

    plays: int = 0
    steps: int = 0
    inputs: int = 0
    outputs: int = 0
    states: set[State] = field(default_factory=set)
    transitions: set[tuple[State, str]] = field(default_factory=set)

    def take(self, step: Step) -> None:
        """Count a step, and where it was made."""
        if step.label is None:
            return
        self.steps += 1
        self.inputs += step.event.kind == "input"
        self.outputs += step.event.kind in ("output", "late")
        states = [own_state(step.before.spec, state) for state in step.before.states]
        self.states.update(states)
        self.transitions.update((state, step.label.text) for state in states)
