from __future__ import annotations

import pytest

from outplay import Model, explore, observable, specification, win
from outplay.errors import UsageError
from outplay.model.programs.program import Program
from outplay.play.plan import Plan, plan
from outplay.tester.follower import Follower
from outplay.tester.tester import Walker


class Tick(Model):
    even: bool = True

    @observable
    def tick(self):
        self.even = not self.even


@pytest.mark.parametrize(
    "make", [lambda: Tick, lambda: Program(Tick), lambda: specification(Tick), lambda: explore(Tick)]
)
def test_a_model_in_any_form_is_walked(make):
    made = plan(make())
    assert isinstance(made.tester, Walker)
    assert made.goals == ()
    assert [str(label) for label in made.specification.outputs(0)] == ["!tick"]


def test_a_result_of_a_solver_is_followed_towards_its_goal():
    made = plan(win(explore(Tick), "s1"))
    assert isinstance(made.tester, Follower)
    assert made.goals == ("s1",)
    assert made.goal(None, None, 1)
    assert not made.goal(None, None, 0)


def test_a_plan_is_a_plan():
    made = Plan(specification(Tick), Walker(None))
    assert plan(made) is made


def test_what_cannot_be_played_is_told():
    with pytest.raises(UsageError, match="cannot be played: give a strategy"):
        plan(42)
