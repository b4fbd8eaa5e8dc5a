"""What a simulated system does, by the numbers of its model's labels: the play loop and the product search read it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from outplay.conformance.behaviour import Alphabet, Behaviour
from outplay.conformance.transition_table import TransitionTable
from outplay.model.label import SILENCE, Label
from outplay.model.specification import BaseSpecification

Given = dict[int, int]
"""Where inputs lead; one that is not there is ignored, as many systems do."""
Shown = tuple[tuple[int, int], ...]
"""Outputs, silence among them, and where they lead: one of them is seen by whoever waits, each as likely as another."""


@dataclass(frozen=True, eq=False)
class Rows:
    """A system that starts in state 0. A label with a number that the model has not is an output it never shows."""

    given: Callable[[int], Given]
    shown: Callable[[int], Shown]


def of_lists(given: Sequence[Given], shown: Sequence[Shown]) -> Rows:
    """The rows in lists, a place for each state."""
    return Rows(given.__getitem__, shown.__getitem__)


def lists_of(table: TransitionTable) -> tuple[list[Given], list[Shown]]:
    """A table as two lists with a row for each state, the initial state first."""
    assert table.initial == 0, "tables are numbered as they are met"
    moves = [table.moves(state) for state in range(table.state_count)]
    given = [{label: after for label, after in row.items() if label < table.inputs} for row in moves]
    return given, [tuple((label, after) for label, after in row.items() if label >= table.inputs) for row in moves]


def of_model(model: Any, labels: Iterable[Label]) -> Rows:
    """A model of any kind, built as it is played; labels have the numbers they have here, others come after."""
    behaviour = Behaviour(model, alphabet=Alphabet(labels))

    @cache
    def shown(state: int) -> Shown:
        return tuple(behaviour.outputs(state).items())

    return Rows(behaviour.inputs, shown)


class Simulation(BaseSpecification):
    """A system as an implementation that `check` takes: it has every input of the model."""

    def __init__(self, table: TransitionTable, rows: Rows) -> None:
        self._labels, self._rows = table.labels, rows
        self._inputs = list(table.labels[: table.inputs])
        self._numbers = {label: number for number, label in enumerate(table.labels)}
        self.name, self.fingerprint, self.initial = f"a system like {table.name}", "simulation", (0,)

    def inputs(self, state: Any) -> list[Label]:
        return self._inputs

    def given(self, state: Any, label: Label) -> bool:
        """Whether an input is not just ignored."""
        return self._numbers[label] in self._rows.given(state)

    def outputs(self, state: Any) -> list[Label]:
        return [label for label in self._shown(state) if label != SILENCE]

    def quiet(self, state: Any) -> bool:
        return SILENCE in self._shown(state)

    def after(self, state: Any, label: Label) -> list[Any]:
        if label.is_input:
            return [self._rows.given(state).get(self._numbers[label], state)]
        shown = self._shown(state)
        return [shown[label]] if label in shown else []

    def _shown(self, state: int) -> dict[Label, int]:
        return {self._label(number): after for number, after in self._rows.shown(state)}

    def _label(self, number: int) -> Label:
        """The label of a number; those that the model has not are all alike, since none of them is allowed."""
        return self._labels[number] if number < len(self._labels) else Label.parse("!unknown")
