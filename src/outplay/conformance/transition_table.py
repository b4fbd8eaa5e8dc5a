"""A whole behaviour as arrays, for algorithms on states and pairs of states: inputs are numbered before outputs."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay.conformance.behaviour import MOST_STATES, Alphabet, Behaviour, Inputs, unambiguous_state_names
from outplay.game.algebra import row_of_each
from outplay.model.label import Label

NOWHERE = -1


@dataclass(frozen=True, eq=False)
class TransitionTable:
    """A deterministic automaton: the transitions of state q lie at `first[q]` to `first[q + 1]`, by label."""

    names: tuple[str, ...]
    labels: tuple[Label, ...]
    inputs: int
    """Labels below this number are inputs, the others outputs, silence among them."""
    first: NDArray[np.int64]
    label: NDArray[np.int32]
    target: NDArray[np.int32]
    initial: int = 0
    name: str = "automaton"

    @property
    def state_count(self) -> int:
        return len(self.names)

    @cached_property
    def source(self) -> NDArray[np.int32]:
        """The state each transition leaves."""
        return row_of_each(self.first).astype(np.int32)

    @cached_property
    def targets(self) -> NDArray[np.int32]:
        """Return the target of each label from each state, a row a label; -1 where it leads nowhere."""
        made = np.full((len(self.labels), self.state_count), NOWHERE, dtype=np.int32)
        made[self.label, self.source] = self.target
        return made

    @cached_property
    def rows(self) -> list[dict[int, int]]:
        """Return the targets of the labels of each state, by their numbers."""
        return [self.moves(state) for state in range(self.state_count)]

    @cached_property
    def numbers(self) -> dict[Label, int]:
        """The number of each label."""
        return {label: number for number, label in enumerate(self.labels)}

    def moves(self, state: int) -> dict[int, int]:
        """The labels of a state by number, with the states they lead to."""
        row = slice(self.first[state], self.first[state + 1])
        return dict(zip(self.label[row].tolist(), self.target[row].tolist(), strict=True))


def table_of(
    model: Any, *, inputs: Inputs = Inputs.SOME, labels: Iterable[Label] = (), most: int = MOST_STATES
) -> TransitionTable:
    """Return the transition table of the behaviour of a model of any kind, its states in the order they are met.

    Labels given have their numbers even where nothing has them.

    >>> from outplay.model.automaton import automaton
    >>> table = table_of(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    >>> table.labels, table.inputs, table.targets.tolist()
    ((?press, !light, delta), 1, [[1, -1], [-1, 0], [0, -1]])
    """
    seen = Behaviour(model, inputs=inputs, alphabet=Alphabet(labels), most=most).whole()
    return known_table(seen, range(len(seen)))


def known_table(seen: Behaviour, built: Container[int]) -> TransitionTable:
    """Return the transition table of the states of a behaviour that are built, and those they lead to."""
    here = range(len(seen))
    rows = [{**seen.inputs(state), **seen.outputs(state)} if state in built else {} for state in here]
    names = unambiguous_state_names([seen.state_name(state) for state in here])
    return table_of_rows(rows, seen.alphabet.labels, names, name=seen.name)


def table_of_rows(
    rows: Sequence[dict[int, int]], labels: Sequence[Label], names: Sequence[str], *, initial: int = 0, name: str = ""
) -> TransitionTable:
    """Make a transition table of rows that map numbers of labels to targets; inputs come first, then by name."""
    order = sorted(range(len(labels)), key=lambda number: (not labels[number].is_input, str(labels[number])))
    place = {number: new for new, number in enumerate(order)}
    flat = [sorted((place[label], target) for label, target in row.items()) for row in rows]
    steps = np.array([step for row in flat for step in row], dtype=np.int32).reshape(-1, 2)
    return TransitionTable(
        tuple(names),
        tuple(labels[number] for number in order),
        sum(label.is_input for label in labels),
        np.cumsum([0, *map(len, flat)], dtype=np.int64),
        np.ascontiguousarray(steps[:, 0]),
        np.ascontiguousarray(steps[:, 1]),
        initial,
        name,
    )
