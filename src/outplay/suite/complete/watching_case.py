"""A test of an n-complete suite as a test case: follow a trace, and then watch.

It is the one that `case_from_tester` would write for a tester who does so, made at once: a suite may have millions.
"""

from __future__ import annotations

from outplay.model.automaton import automaton
from outplay.model.label import SILENCE
from outplay.suite.complete.normal_form import NormalForm
from outplay.suite.complete.suite_tree import LabelPath
from outplay.suite.testcase import TestCase
from outplay.tester.tester import End


class WatchingCases:
    """Makes the test cases of a specification."""

    def __init__(self, form: NormalForm) -> None:
        self._labels, self._rows, self._inputs = form.table.labels, form.rows, form.table.inputs
        shown = sorted((label for label in self._labels if label.is_output), key=str)
        self._shown = [(label, form.numbers[label]) for label in shown]
        self._waiting = [*self._shown, (SILENCE, form.numbers.get(SILENCE, -1))]

    def case(self, path: LabelPath) -> TestCase:
        """Follow a trace, given by the numbers of its labels, and then watch.

        >>> from outplay.model.automaton import automaton
        >>> from outplay.suite.complete.normal_form import normal_form
        >>> form = normal_form(automaton([("off", "?press", "on"), ("on", "!light", "off"), ("on", "!hum", "on")]))
        >>> case = WatchingCases(form).case((0,))
        >>> case
        TestCase('?press', 2 states, 2 steps)
        >>> [" ".join(map(str, trace)) for trace in case.traces(End.PASS)]
        ['?press !light', '?press !hum']
        """
        steps, state = [], 0
        for number, label in enumerate((*path, None)):
            source, row = f"t{number}", self._rows[state]
            given = label is not None and label < self._inputs
            if label is not None and given:
                steps.append((source, self._labels[label], f"t{number + 1}"))
            other = End.PASS if label is None else End.INCONCLUSIVE
            for shown, place in self._shown if given else self._waiting:
                allowed = f"t{number + 1}" if place == label else other.value
                steps.append((source, shown, allowed if place in row else End.FAIL.value))
            state = row[label] if label is not None else state
        name = " ".join(self._labels[label].text for label in path)
        return TestCase(automaton(steps, name=name or "at the start"))
