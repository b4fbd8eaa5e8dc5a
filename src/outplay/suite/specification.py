"""A specification that follows a test case beside it: what the model says, and where the test stands.

States are pairs of a state of the model and one of the test case, None once something happened that the test case does
not list. So tracking keeps both orders apart where input and output may have crossed, and the only goal, `pass`, is
reached at the test case's Pass end. What is allowed is up to the model alone.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from outplay.model.label import Label
from outplay.model.specification import Specification, State
from outplay.model.wrapping import WithObserver
from outplay.suite.testcase import End, TestCase

PASS_GOAL = End.PASS.value


class CaseSpecification(WithObserver):
    """A model with a test case beside it."""

    def __init__(self, spec: Specification, case: TestCase) -> None:
        super().__init__(spec)
        self.case = case
        self.goals = (PASS_GOAL,)
        self.initial = tuple((state, case.initial) for state in spec.initial)

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
