"""The features that transitions have in common: what was seen of one counts for all that share its features.

Faults of programs are not in one transition but in what many share: an action, an argument, two arguments that are
equal, a place in the program, an outcome, or two of these at once. So each transition has features, read off its label
and off what can be done from its state and after it. Of each kind of feature the faults are as likely as of any other
kind, and within a kind all features are alike: the fewer there are of a kind, the more it is worth to see one of them.
Each time a feature is seen, less doubt is left in it. Where labels carry no data, all that transitions share is a name,
which tells less.

The outcome of a question is what the system may say to it and could not say before, with the question's own arguments
left open. It stands for the case of the program that the question comes to: who asks for a lock that he holds is
refused, and who asks for one that another holds has to wait. Without it to have seen the one would count for the other.
Of actions whose label and place always tell the outcome it is left out: it would only count again what they do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np

from outplay.conformance.transition_table import TransitionTable
from outplay.model.label import Label, write_argument
from outplay.strategy.suspicion.behaviour_table import Floats, States

ALONE = 3.0  # how likely a fault is in one transition alone, beside one in a kind of feature
ALONE_WITHOUT_DATA = 10.0  # the same in a model whose labels have no arguments
SEEN = 0.3  # of the doubt in a feature is left each time that it is seen
FEW_ACTIONS = 20  # of which it counts how many are on offer, though they have no arguments
_ROUNDS = 12  # in which places are told apart


class Doubts:
    """The doubt that is left in each transition: that in its features and in itself, at most 1 together."""

    def __init__(self, table: TransitionTable) -> None:
        sorts, self._sort = _sorts(table)
        numbers: dict[Feature | tuple[int, int], int] = {}
        listed = [_numbered(features, numbers) for features in sorts]
        width = max(map(len, listed), default=0)
        self._features: States = np.array(
            [[*one, *[len(numbers)] * (width - len(one))] for one in listed], dtype=np.int64
        )
        kinds = _kinds(numbers)
        of_kind = Counter(kinds)
        left = np.array([*(1 / of_kind[kind] for kind in kinds), 0.0])
        data = any(label.arguments for label in table.labels)
        alone = (ALONE if data else ALONE_WITHOUT_DATA) / max(len(self._sort), 1)
        most = alone + left[self._features].sum(axis=1).max(initial=0.0)
        self._left: Floats = left / most
        self._alone = alone / most

    def saw(self, edges: int | States) -> None:
        """A transition was taken, or one of some, and nothing was wrong with it so far.

        A feature that several of them have was seen once.
        """
        self._left[self._features[self._sort[edges]]] *= SEEN

    def of(self, edges: States | slice) -> Floats:
        """The doubt in each of some transitions."""
        if isinstance(edges, slice):  # of all of them: there are fewer sorts than transitions
            shared: Floats = self._left[self._features].sum(axis=1)[self._sort[edges]]
        else:
            shared = self._left[self._features[self._sort[edges]]].sum(axis=1)
        doubt: Floats = self._alone + shared
        return doubt


Offer = tuple[tuple[str, int], ...]
"""The number of transitions of each action of a state."""
Outcome = frozenset[tuple[str, ...]]
"""The possible answers: names with their arguments, where `?0` is the first argument of the question."""


class Feature(NamedTuple):
    """A feature that some transitions with the same action have in common."""

    kind: str
    action: tuple[object, str]
    what: object


def _numbered(features: Sequence[Feature], numbers: dict[Feature | tuple[int, int], int]) -> list[int]:
    """The numbers of the features of a sort, and of each two of them at once but for the action, which is the first."""
    single = [numbers.setdefault(feature, len(numbers)) for feature in features]
    return single + [numbers.setdefault(pair, len(numbers)) for pair in combinations(single[1:], 2)]


def _kinds(numbers: Iterable[Feature | tuple[int, int]]) -> list[tuple[str, ...]]:
    """The kind of each feature, by number; two at once have the kinds of both."""
    kinds: list[tuple[str, ...]] = []
    for one in numbers:
        kinds.append((one.kind,) if isinstance(one, Feature) else kinds[one[0]] + kinds[one[1]])
    return kinds


def _sorts(table: TransitionTable) -> tuple[list[list[Feature]], States]:
    """The features of each sort of transition, which are a label and a kind of state, and the sort of each."""
    offers, place = _offers(table), numbered_places(table)
    numbers: dict[tuple[int, Offer, int, Outcome | None], int] = {}
    of_edge = [
        numbers.setdefault((label, offers[state], place[state], outcome), len(numbers))
        for label, state, outcome in zip(
            table.label.tolist(), table.source.tolist(), telling_outcomes(table, place), strict=True
        )
    ]
    listed = [_features(table.labels[label], offer, at, outcome) for label, offer, at, outcome in numbers]
    return listed, np.array(of_edge, dtype=np.int64)


def _features(label: Label, offer: Offer, place: int, outcome: Outcome | None) -> list[Feature]:
    """The action, its arguments, which are equal, how much is on offer, place and outcome."""
    action, arguments = (label.kind, label.gate), [str(argument) for argument in label.arguments]
    single: list[tuple[str, object]] = [("action", None), *(("argument", one) for one in enumerate(arguments))]
    if len(arguments) > 1:
        single.append(("equal", tuple(arguments.index(argument) for argument in arguments)))
    single += [("offer", one) for one in offer]
    single.append(("place", place))
    single += [("outcome", outcome)] if outcome is not None else []
    return [Feature(kind, action, what) for kind, what in single]


def _offers(table: TransitionTable) -> list[Offer]:
    """The number of transitions of each action of a state.

    Where there are many actions, only of those with arguments: of others it says no more than the place does, and to
    tell all of them in pairs would take longer than to play.
    """
    with_data = {label.gate for label in table.labels if label.arguments}
    few = len({label.gate for label in table.labels}) <= FEW_ACTIONS
    counts = [Counter[str]() for _ in range(table.state_count)]
    for label, state in zip(table.label.tolist(), table.source.tolist(), strict=True):
        if few or table.labels[label].gate in with_data:
            counts[state][table.labels[label].gate] += 1
    return [tuple(sorted(count.items())) for count in counts]


def telling_outcomes(table: TransitionTable, place: Sequence[int]) -> list[Outcome | None]:
    """Return as a feature the outcomes of actions which label and place do not always tell already; else None."""
    found = transition_outcomes(table)
    first: dict[tuple[int, int], Outcome | None] = {}
    telling = {
        table.labels[label].gate
        for label, state, outcome in zip(table.label.tolist(), table.source.tolist(), found, strict=True)
        if outcome != first.setdefault((label, place[state]), outcome)
    }
    gates = (table.labels[label].gate for label in table.label.tolist())
    return [outcome if gate in telling else None for gate, outcome in zip(gates, found, strict=True)]


def transition_outcomes(table: TransitionTable) -> list[Outcome | None]:
    """Return as a feature the outcome of each transition that is a question; None of others or without data."""
    if not any(label.arguments for label in table.labels):
        return [None] * len(table.label)
    said: list[set[int]] = [set() for _ in range(table.state_count)]
    for label, state in zip(table.label.tolist(), table.source.tolist(), strict=True):
        if table.labels[label].is_output:
            said[state].add(label)

    @cache
    def opened(question: int, answer: int) -> tuple[str, ...]:
        own = [write_argument(argument) for argument in table.labels[question].arguments]
        return table.labels[answer].gate, *_opened(table.labels[answer].arguments, own)

    return [
        frozenset(opened(label, answer) for answer in said[after] - said[state]) if label < table.inputs else None
        for label, state, after in zip(table.label.tolist(), table.source.tolist(), table.target.tolist(), strict=True)
    ]


def _opened(values: Sequence[object], own: Sequence[str]) -> Iterator[str]:
    """Values as texts, also those within tuples, where one's own are left open."""
    for value in values:
        if (text := write_argument(value)) in own:
            yield f"?{own.index(text)}"
        elif isinstance(value, tuple):
            yield from ("(", *_opened(value, own), ")")
        else:
            yield text


def numbered_places(table: TransitionTable) -> Sequence[int]:
    """Number the places as a feature: states where the same actions can follow, whatever their arguments.

    That is bisimilarity of what is left where arguments are dropped, found by telling apart round by round.
    """
    gates: dict[tuple[object, str], int] = {}
    action = [gates.setdefault((label.kind, label.gate), len(gates)) for label in table.labels]
    steps = list(
        zip(table.source.tolist(), [action[label] for label in table.label], table.target.tolist(), strict=True)
    )
    place, count = [0] * table.state_count, 1
    for _ in range(_ROUNDS):
        follows: list[set[tuple[int, int]]] = [set() for _ in place]
        for source, gate, target in steps:
            follows[source].add((gate, place[target]))
        numbers: dict[tuple[int, frozenset[tuple[int, int]]], int] = {}
        place = [
            numbers.setdefault((old, frozenset(one)), len(numbers)) for old, one in zip(place, follows, strict=True)
        ]
        if len(numbers) == count:
            break
        count = len(numbers)
    return place
