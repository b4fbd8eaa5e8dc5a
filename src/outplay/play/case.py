"""Playing a test case: it gives the inputs the test case names, waits where it waits, and ends where it ends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from outplay.model.label import Label
from outplay.model.specification import Specification
from outplay.model.tracking import Tracker, goal_of
from outplay.play.event import Event
from outplay.play.plan import Plan
from outplay.suite.specification import PASS_GOAL, CaseSpecification
from outplay.suite.testcase import TestCase


class CaseTester:
    """Follows a test case; the states it is told of are those of a `CaseSpecification`."""

    def __init__(self, case: TestCase) -> None:
        self._case = case

    def begin(self) -> None:
        """Nothing to do: where the test stands is part of the state."""

    def choose(self, tracker: Tracker) -> Label | None:
        return next((label for label in self._wanted(tracker) if tracker.enabled(label)), None)

    def notice(self, event: Event, tracker: Tracker) -> None:
        """Nothing to do: the tracker follows the test case."""

    def done(self, tracker: Tracker) -> bool:
        """At an end, outside the test case, or where its input is not enabled for sure (004, 5.22)."""
        places = self._places(tracker)
        if places and all(place is None or self._case.end(place) for place in places):
            return True
        wanted = self._wanted(tracker)
        return bool(wanted) and not tracker.in_flight and not any(map(tracker.enabled, wanted))

    def _wanted(self, tracker: Tracker) -> list[Label]:
        given = [self._case.given(place) for place in self._places(tracker) if place is not None]
        return [label for label in dict.fromkeys(given) if label is not None]

    def _places(self, tracker: Tracker) -> list[int | None]:
        states: Iterable[Any] = tracker.states
        return [place for _, place in states]


def case_plan(case: TestCase, specification: Specification) -> Plan:
    """Plan to play a test case: give it to `run` with `plays=1` and at least `case.depth` steps.

    The verdict is Pass at its Pass end and Inconclusive where it ends otherwise; Fail is for the specification to say.

    >>> from random import Random
    >>> from outplay import Simulated, SuspensionAutomaton, automaton, run
    >>> from outplay.suite.testcase import case_of
    >>> lamp = SuspensionAutomaton(automaton([("off", "?press", "on"), ("on", "!light", "off")]))
    >>> case = case_of([("t0", "?press", "t1"), ("t1", "!light", "pass"), ("t1", "delta", "fail")])
    >>> run(case_plan(case, lamp), Simulated(lamp, Random(0)), plays=1, steps=case.depth).verdict.name
    'pass'
    """
    both = CaseSpecification(specification, case)
    return Plan(both, CaseTester(case), goal_of(both, [PASS_GOAL]), (PASS_GOAL,))
