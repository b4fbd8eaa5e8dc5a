"""A test case as a tester, and the specification in which it plays: the model, with the test case beside it.

States are pairs of a state of the model and one of the test case, None once something happened that the test case does
not list. So tracking keeps both orders apart where input and output may have crossed, and the only goal, `pass`, is
reached at the test case's Pass end. What is allowed is up to the model alone.

Definition (van den Bos 2020, 5.22 and Theorem 5.23): after a trace the tester gives the input of the test case's state
where the specification enables it, stops at an end or where it does not enable it, and waits otherwise. With Theorem
5.20 this is one to one between testers, as far as their own plays go, and the test cases that give only inputs the
specification enables and that end with `fail` exactly where it forbids what was seen. The thesis (5.25) leaves these
conditions out; what a tester would do in plays that cannot occur is in no test case, and a test case that gives an
input nobody specified, or forgives a forbidden output, stands for the same tester as another one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any, TypeAlias

from outplay.model.label import Label
from outplay.model.specification import Specification, State
from outplay.model.tracking import Tracker
from outplay.model.wrapping import WithObserver
from outplay.suite.suite import TestCase
from outplay.tester.tester import Decision, End, Give, Stop, TraceBased, Wait

PASS_GOAL = End.PASS.value
Beginning: TypeAlias = tuple[Collection[State], int]
"""States of the model, and the state of the test case that goes with them."""


class CaseSpecification(WithObserver):
    """A model with a test case beside it, from the beginning of both or from where they are."""

    def __init__(self, spec: Specification, case: TestCase, begin: Beginning | None = None) -> None:
        super().__init__(spec)
        self.case = case
        self.goals = (PASS_GOAL,)
        states, place = begin or (spec.initial, case.initial)
        self.initial = tuple((state, place) for state in states)

    def after(self, state: Any, label: Label) -> Collection[State]:
        model, place = state
        reached = None if place is None else self.case.after(place, label)
        return tuple((target, reached) for target in self.spec.after(model, label))

    def is_state(self, name: str) -> bool:
        return False

    def holds(self, goal: str, state: Any) -> bool:
        return state[1] is not None and self.case.end(state[1]) is End.PASS

    def place_key(self, place: int | None) -> str:
        return "nowhere" if place is None else self.case.automaton.names[place]


class CaseTester(TraceBased):
    """Follows a test case; the states it is told of are those of a `CaseSpecification`, so it remembers nothing."""

    start = None

    def __init__(self, case: TestCase) -> None:
        self._case = case

    def choose(self, tracker: Tracker, memory: None) -> Decision:
        places = self._places(tracker)
        ends = [End.INCONCLUSIVE if place is None else self._case.end(place) for place in places]
        if ends and all(ends):
            return Stop(ends[0] or End.INCONCLUSIVE)
        given = [self._case.given(place) for place in places if place is not None]
        wanted = [label for label in dict.fromkeys(given) if label is not None]
        enabled = next(filter(tracker.enabled, wanted), None)
        if enabled is not None:
            return Give(enabled)
        # Two orders of events may ask for two inputs; what comes next tells which one it was.
        return Stop(End.INCONCLUSIVE) if wanted and not tracker.in_flight else Wait()

    def remember(self, tracker: Tracker, memory: None, label: Label) -> None:
        """Nothing: where the test stands is part of the state."""

    @staticmethod
    def _places(tracker: Tracker) -> list[int | None]:
        states: Iterable[Any] = tracker.states
        return [place for _, place in states]
