"""Mutants: a specification that is wrong in one place, and the shortest play that shows it, by search."""

from __future__ import annotations

from collections import deque
from random import Random

from outplay.model.label import SILENCE, Label
from outplay.model.specification import BaseSpecification, Specification
from outplay.model.tracking import Tracker

KINDS = ("another output", "another target", "a transition missing", "one more output")


class Mutant(BaseSpecification):
    """What a specification allows, changed for one label in one state: other labels and targets in its place."""

    def __init__(self, spec: Specification, state: object, label: Label | None, added: dict[Label, object]) -> None:
        self._spec, self._state, self._label, self._added = spec, state, label, added
        self.name, self.fingerprint, self.initial = f"mutant of {spec.name}", "mutant", spec.initial

    def __str__(self) -> str:
        return f"{self._spec.describe(self._state)}: {self._label} becomes {({*map(str, self._added)}) or 'nothing'}"

    def inputs(self, state):
        return self._changed(state, self._spec.inputs(state), "?")

    def outputs(self, state):
        return self._changed(state, self._spec.outputs(state), "!")

    def _changed(self, state, offers, kind):
        if state != self._state:
            return list(offers)
        kept = [offer for offer in offers if offer != self._label]
        return [*kept, *(label for label in self._added if label.kind == kind and label not in kept)]

    def quiet(self, state):
        return self._spec.quiet(state) or not self.outputs(state)

    def after(self, state, label):
        if state == self._state and label in self._added:
            return [self._added[label]]
        if state == self._state and label == self._label:
            return []
        return self._spec.after(state, label) or ([state] if label == SILENCE and self.quiet(state) else [])


def transitions(spec: Specification, most: int = 2_000) -> list[tuple[object, Label, object]]:
    """The transitions of a specification, breadth first, up to so many states."""
    found, queue, steps = dict.fromkeys(spec.initial), deque(spec.initial), []
    while queue:
        state = queue.popleft()
        for label in [*spec.inputs(state), *spec.outputs(state)]:
            for target in spec.after(state, label):
                steps.append((state, label, target))
                if target not in found and len(found) < most:
                    found[target] = None
                    queue.append(target)
    return steps


def mutant(spec: Specification, rng: Random, kind: str, steps: list[tuple[object, Label, object]]) -> Mutant | None:
    """Change one transition; None where this kind of change cannot be made at the one that was drawn."""
    state, label, target = rng.choice(steps)
    outputs = list(dict.fromkeys(label for _, label, _ in steps if label.is_output))
    others = [output for output in outputs if output not in spec.outputs(state)] + [Label.parse("!oops")]
    if kind == "another output":
        return Mutant(spec, state, label, {rng.choice(others): target}) if label.is_output else None
    if kind == "one more output":
        return Mutant(spec, state, None, {rng.choice(others): state})
    if kind == "a transition missing":
        return Mutant(spec, state, label, {})
    return Mutant(spec, state, label, {label: rng.choice(steps)[0]})


def shortest_failure(spec: Specification, wrong: Specification, most: int = 30_000) -> int | None:
    """The least number of steps of a play in which the wrong system shows what the specification forbids."""
    start = [(Tracker(spec), state) for state in wrong.initial]
    found, queue = set(start), deque((pair, 1) for pair in start)
    while queue and len(found) < most:
        (tracker, state), length = queue.popleft()
        shown = [*wrong.outputs(state), *[SILENCE] * wrong.quiet(state)]
        after = [(tracker.saw(label), there) for label in shown for there in wrong.after(state, label)]
        if any(not seen.conforms for seen, _ in after):
            return length
        for label in tracker.inputs():
            after += [(tracker.gave(label), there) for there in wrong.after(state, label) or [state]]
        for pair in after:
            if pair not in found and not pair[0].maybe_left:
                found.add(pair)
                queue.append((pair, length + 1))
    return None
