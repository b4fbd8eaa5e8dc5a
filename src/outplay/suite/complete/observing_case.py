"""A test of an n-complete suite as a test case: follow a trace, and then watch.

It is the one that `case_from_tester` would write for a tester who does so, made at once: a suite may have millions.
"""

from __future__ import annotations

from outplay.model.automaton import automaton
from outplay.model.label import SILENCE, Label
from outplay.suite.complete.normal_form import NormalForm
from outplay.suite.complete.suite_tree import LabelPath
from outplay.suite.testcase import TestCase
from outplay.tester.tester import End


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
