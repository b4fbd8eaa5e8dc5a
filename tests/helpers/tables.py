"""A specification as a table, for tests of what follows it."""

from __future__ import annotations

from outplay.model.label import SILENCE, Label
from outplay.model.specification import ONE_FOR_ALL, Channels


class Table:
    """A nondeterministic automaton as a table; silence is allowed where it is listed and where no output is."""

    name, fingerprint = "table", "0"
    channels: Channels = ONE_FOR_ALL

    def __init__(self, edges: list[tuple[int, Label, int]], initial: tuple[int, ...] = (0,)) -> None:
        self.initial, self.goals = initial, ("odd",)
        self.edges = edges

    def inputs(self, state):
        return list(dict.fromkeys(label for source, label, _ in self.edges if source == state and label.is_input))

    def outputs(self, state):
        return list(dict.fromkeys(label for source, label, _ in self.edges if source == state and label.is_output))

    def quiet(self, state):
        return not self.outputs(state) or any(s == state and label == SILENCE for s, label, _ in self.edges)

    def after(self, state, label):
        found = [target for source, by, target in self.edges if source == state and by == label]
        return [state] if label == SILENCE and not found and self.quiet(state) else list(dict.fromkeys(found))

    def written(self, state, label):
        return label

    def is_state(self, name):
        return name.isdigit()

    def holds(self, goal, state):
        return state % 2 == 1 if goal == "odd" else goal == str(state)

    def weight(self, state, label):
        return 1.0

    def describe(self, state):
        return f"state {state}"
