"""A specification as suites are made of it: equivalent states made one.

Definition (van den Bos 2020, 2.13): equivalent states have the same conforming implementations, so there is nothing to
tell apart. A system may show what no model names, and that is a fault in every state, also in one that allows all
outputs there are; so no state is equivalent to chaos, the thesis' state in which anything conforms, and nothing but
what follows an unspecified input is left untested.

A test of an n-complete suite as a test case: follow a trace, and then watch.

It is the one that `case_from_tester` would write for a tester who does so, made at once: a suite may have millions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from outplay.conformance.behaviour import MOST_STATES, Inputs
from outplay.conformance.completion import equivalent_states, quotient_table
from outplay.conformance.transition_table import TransitionTable, table_of
from outplay.errors import ModelError
from outplay.model.automaton import automaton
from outplay.model.label import SILENCE, Label
from outplay.suite.complete.suite_tree import LabelPath
from outplay.suite.suite import TestCase
from outplay.tester.tester import End


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
    """Return the normal form of the behaviour of a model of any kind, giving only inputs that are surely specified.

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


class ObservingCases:
    """Makes the test cases of a specification."""

    def __init__(self, form: NormalForm) -> None:
        self._labels, self._rows, self._inputs = form.table.labels, form.rows, form.table.inputs
        shown = sorted((label for label in self._labels if label.is_output), key=str)
        self._shown = [(label, form.table.numbers[label]) for label in shown]
        self._waiting = [*self._shown, (SILENCE, form.table.numbers.get(SILENCE, -1))]
        self._known: dict[tuple[int, int | None], list[tuple[Label, str | None]]] = {}

    def case(self, path: LabelPath, name: str = "") -> TestCase:
        """Follow a trace, given by the numbers of its labels, which is its name unless it has one, and then watch.

        >>> from outplay.model.automaton import automaton
        >>> from outplay.suite.complete.normal_form import normal_form
        >>> form = normal_form(automaton([("off", "?press", "on"), ("on", "!light", "off"), ("on", "!hum", "on")]))
        >>> case = ObservingCases(form).case((0,))
        >>> case
        TestCase('?press', 2 states, 2 steps)
        >>> [" ".join(map(str, trace)) for trace in case.traces(End.PASS)]
        ['?press !light', '?press !hum']
        """
        steps, state = [], 0
        for number, label in enumerate((*path, None)):
            source, after = f"t{number}", f"t{number + 1}"
            steps += [(source, one, end or after) for one, end in self._listed(state, label)]
            state = self._rows[state][label] if label is not None else state
        name = name or " ".join([self._labels[label].text for label in path])
        return TestCase(automaton(steps, name=name or "at the start"))

    def _listed(self, state: int, label: int | None) -> list[tuple[Label, str | None]]:
        """Return the list of a test where it follows a label, or watches: each with its end, or with none where it goes
        on.
        """
        known = self._known.get((state, label))
        if known is None:
            row, given = self._rows[state], label is not None and label < self._inputs
            other = (End.PASS if label is None else End.INCONCLUSIVE).value
            known = [(self._labels[label], None)] if label is not None and given else []
            for shown, place in self._shown if given else self._waiting:
                allowed = None if place == label else other
                known.append((shown, allowed if place in row else End.FAIL.value))
            self._known[state, label] = known
        return known
