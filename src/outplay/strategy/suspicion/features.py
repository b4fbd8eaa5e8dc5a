"""What transitions have in common: what was seen of one counts for all that share its features.

Faults of programs are not in one transition but in what many share: an action, an argument, two arguments that are
equal, a state in which just these things are possible. So each transition has features, read off its label and off what
else its state offers, and is itself one of them. Each time a feature is seen, less doubt is left in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator

import numpy as np

from outplay.conformance.transition_table import TransitionTable
from outplay.model.label import Label
from outplay.strategy.suspicion.steps import Floats, States

SEEN = 0.7  # of the doubt in a feature is left each time that it is seen


class Doubts:
    """How much doubt is left in each transition: the mean of that in its features, from 1 down."""

    def __init__(self, table: TransitionTable) -> None:
        listed = _listed(table)
        width = max(map(len, listed), default=0)
        numbers: dict[Hashable, int] = {}
        self._features: States = np.zeros((len(listed), width), dtype=np.int64)
        weight = np.zeros((len(listed), width))
        for edge, features in enumerate(listed):
            for place, feature in enumerate(features):
                self._features[edge, place] = numbers.setdefault(feature, len(numbers))
            weight[edge, : len(features)] = 1.0 / len(features)
        self._weight = weight
        self._left = np.ones(len(numbers))

    def saw(self, edge: int) -> None:
        """A transition was taken, and nothing was wrong with it so far."""
        self._left[np.unique(self._features[edge][self._weight[edge] > 0])] *= SEEN

    def of(self, edges: States | slice) -> Floats:
        """The doubt in each of some transitions."""
        found: Floats = (self._left[self._features[edges]] * self._weight[edges]).sum(axis=1)
        return found


def _listed(table: TransitionTable) -> list[list[Hashable]]:
    """The features of each transition."""
    found: list[list[Hashable]] = []
    for state in range(table.state_count):
        row = table.label[table.first[state] : table.first[state + 1]].tolist()
        gates = Counter(table.labels[number].gate for number in row)
        offered = tuple(sorted(gates.items()))
        for number in row:
            own = (state, number)
            found.append([own, *dict.fromkeys(_features(table.labels[number], offered))])
    return found


def _features(label: Label, offered: tuple[tuple[str, int], ...]) -> Iterator[Hashable]:
    """What a label is, its arguments, which of them are equal, and what else is on offer."""
    gate, arguments = (label.kind, label.gate), [str(argument) for argument in label.arguments]
    yield gate
    for place, argument in enumerate(arguments):
        yield gate, place, argument
    if len(arguments) > 1:
        yield gate, tuple(arguments.index(argument) for argument in arguments)
    yield gate, offered
    yield gate, tuple(name for name, _ in offered)
