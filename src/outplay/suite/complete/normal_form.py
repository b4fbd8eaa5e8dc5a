"""A specification as suites are made of it: equivalent states made one.

Definition (van den Bos 2020, 2.13): equivalent states have the same conforming implementations, so there is nothing to
tell apart. A system may show what no model names, and that is a fault in every state, also in one that allows all
outputs there are; so no state is equivalent to chaos, the thesis' state in which anything conforms, and nothing but
what follows an unspecified input is left untested.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from outplay.conformance.behaviour import MOST_STATES, Inputs
from outplay.conformance.completion import completed, equivalence_classes, quotient_table, with_any_other
from outplay.conformance.transition_table import TransitionTable, table_of
from outplay.errors import ModelError
from outplay.model.label import SILENCE


@dataclass(frozen=True, eq=False)
class NormalForm:
    """The smallest equivalent specification, its states numbered as they are met."""

    table: TransitionTable
    states: int
    """The number of states of the specification."""
    waiting: int
    """The number of them that allowed nothing but silence."""

    @cached_property
    def rows(self) -> list[dict[int, int]]:
        """Return the targets of the labels of each state, by their numbers."""
        return self.table.rows

    @property
    def silence(self) -> int | None:
        """The number of silence, where it has one."""
        return self.table.numbers.get(SILENCE)

    def outputs(self, state: int) -> list[int]:
        """The labels that may be shown in a state."""
        return [label for label in self.rows[state] if label >= self.table.inputs]

    @cached_property
    def resting(self) -> list[int]:
        """The states in which nothing but silence is allowed."""
        return [state for state in range(len(self.rows)) if self.outputs(state) == [self.silence]]


def normal_form(model: Any, *, most: int = MOST_STATES) -> NormalForm:
    """The normal form of the behaviour of a model of any kind, giving only inputs that are specified for sure.

    >>> from outplay.model.automaton import automaton
    >>> twins = [("a", "?go", "b"), ("a", "?run", "c"), ("b", "!x", "a"), ("c", "!x", "a")]
    >>> normal_form(automaton(twins)).table.state_count
    2
    """
    table = table_of(model, inputs=Inputs.ALL, most=most)
    shown = [[table.labels[x] for x in row if x >= table.inputs] for row in table.rows]
    if [] in shown:
        name = table.names[shown.index([])]
        raise ModelError(f"{table.name}: {name} shows nothing, not even silence, so nothing conforms; add an output")
    return NormalForm(quotient_table(table, equivalent_states(table)), len(shown), shown.count([SILENCE]))


def equivalent_states(table: TransitionTable) -> list[int]:
    """The number of the class of each state, which equivalent states share."""
    classes: list[int] = equivalence_classes(completed(with_any_other(table))).tolist()
    return classes[:-1]
