"""What transitions have in common: what was seen of one counts for all that share its features.

Faults of programs are not in one transition but in what many share: an action, an argument, two arguments that are
equal, a state in which just these things are possible. So each transition has features, read off its label and off what
else its state offers. Each time a feature is seen, less doubt is left in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator

import numpy as np

from outplay.conformance.transition_table import TransitionTable
from outplay.model.label import Label
from outplay.strategy.suspicion.steps import Floats, States

ALONE = 0.1  # is left in a transition of which all features have been seen, for it may be wrong by itself
SEEN = 0.7  # of the doubt in a feature is left each time that it is seen


class Doubts:
    """How much doubt is left in each transition: the mean of that in its features, from 1 down."""

    def __init__(self, table: TransitionTable) -> None:
        kinds, self._kind = _kinds(table)
        numbers: dict[Hashable, int] = {}
        listed = [[numbers.setdefault(feature, len(numbers)) for feature in features] for features in kinds]
        width = max(map(len, listed), default=0)
        self._features: States = np.array(
            [[*one, *[len(numbers)] * (width - len(one))] for one in listed], dtype=np.int64
        )
        self._count = np.array([float(len(one)) for one in listed])
        self._left = np.append(np.ones(len(numbers)), 0.0)

    def saw(self, edge: int) -> None:
        """A transition was taken, and nothing was wrong with it so far."""
        self._left[self._features[self._kind[edge]]] *= SEEN

    def of(self, edges: States | slice) -> Floats:
        """The doubt in each of some transitions."""
        shared: Floats = self._left[self._features].sum(axis=1) / self._count
        return ALONE + (1 - ALONE) * shared[self._kind[edges]]


def _kinds(table: TransitionTable) -> tuple[list[list[Hashable]], States]:
    """The features of each kind of transition, which are a label and what else is on offer, and the kind of each."""
    numbers: dict[tuple[int, tuple[tuple[str, int], ...]], int] = {}
    of_edge: list[int] = []
    for state in range(table.state_count):
        row = table.label[table.first[state] : table.first[state + 1]].tolist()
        offered = tuple(sorted(Counter(table.labels[number].gate for number in row).items()))
        of_edge += [numbers.setdefault((number, offered), len(numbers)) for number in row]
    listed = [list(dict.fromkeys(_features(table.labels[number], offered))) for number, offered in numbers]
    return listed, np.array(of_edge, dtype=np.int64)


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
