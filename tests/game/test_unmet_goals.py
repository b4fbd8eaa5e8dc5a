"""Why a goal holds nowhere is true of every state, and names the moves that could bring it about."""

from __future__ import annotations

import pytest

from outplay import Model, controllable, explore, forecast, goal, observable
from outplay.game.exploring.breadth_first import Limits
from outplay.game.exploring.unmet_goals import UnmetGoal, unmet_goal


class Line(Model):
    most = 3

    sent: int = 0
    mode: str = "idle"
    log: tuple[str, ...] = ()

    @controllable
    def send(self):
        if self.sent == self.most:
            return False
        self.sent += 1

    @controllable
    def go(self):
        if self.mode != "idle" or self.sent == 2:
            return False
        self.mode = "busy"

    @observable
    def done(self):
        if self.mode != "busy":
            return False
        self.mode = "idle"
        self.log = (*self.log, "x")[-2:]

    @observable
    def lose(self):
        if self.mode != "busy" or self.log:
            return False
        self.mode = "lost"

    @goal
    def met(self):
        return self.sent == 2 and self.mode == "busy"

    @goal
    def five(self):
        """Documented."""
        return self.sent == 5

    @goal
    def below(self):
        return self.sent < 0 and self.mode == "idle"

    @goal
    def longer(self):
        return len(self.log) > 4

    @goal
    def broken(self):
        return self.mode == "broken"

    @goal
    def guarded(self):
        return self.log and self.log[0] == "y"

    @goal
    def lost_late(self):
        return self.mode == "lost" and self.log

    @goal
    def first_and_last(self):
        return self.mode == "busy" and self.sent == 0 and self.sent == 3

    @goal
    def written(self):
        last = self.log[-1:]
        return last == ("z",)


GAME = explore(Line)


def found(name: str) -> UnmetGoal:
    made = unmet_goal(GAME, name)
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("name", "reason", "detail"),
    [
        ("five", "`sent == 5` never holds (`sent` is 0 to 3)", "Only `?send` raises `sent`, and is not possible"),
        ("below", "`sent < 0` never holds (`sent` is 0 to 3)", "No move lowers `sent`."),
        (
            "longer",
            "`len(log) > 4` never holds (`len(log)` is 0 to 2)",
            "Only `!done` raises `len(log)`; where",
        ),
        (
            "broken",
            "`mode == 'broken'` never holds (`mode` is busy, idle or lost)",
            "It is changed by `!done`,",
        ),
        ("guarded", "`log[0] == 'y'` never holds", '`log` is [], ["x"] or ["x","x"].'),
        (
            "lost_late",
            "`mode == 'lost'` and `log` never hold together",
            "Only `!lose` makes `mode == 'lost'` true,",
        ),
        ("first_and_last", "`sent == 0` and `sent == 3` never hold together", "Each holds somewhere: `sent == 0` in"),
        ("written", "`written` never holds", '`log` is [], ["x"] or ["x","x"].'),
    ],
)
def test_the_reason_names_the_condition_and_the_moves(name: str, reason: str, detail: str):
    assert found(name).reason == reason
    assert any(line.startswith(detail) for line in found(name).details()), found(name).details()
    assert forecast(GAME, [name]).entries[0].why == f"none of the {GAME.origin.states} states has it: {reason}"


def test_what_is_said_of_conditions_is_true_of_every_state():
    asked = {"sent == 0": lambda one: one.sent == 0, "sent == 3": lambda one: one.sent == 3, "mode == 'busy'": None}
    made, stepper = found("first_and_last"), GAME.origin.specification.stepper  # type: ignore[attr-defined]
    assert len(made.states) == GAME.origin.states
    for condition in made.conditions:
        ask = asked[condition.text] or (lambda one: one.mode == "busy")
        assert condition.holds.tolist() == [ask(stepper.load(state)) for state in made.states.tolist()]
    for state, missing in made.nearest():
        one = stepper.load(state)
        assert one.mode == "busy"
        assert missing == f"without `sent == {3 if one.sent == 0 else 0}`"


def test_moves_that_an_assumption_forbids_are_said_to_be_so_under_it():
    eager = unmet_goal(explore(Line, assumption="output-eager"), "five")
    assert eager
    assert eager.reason == found("five").reason
    assert eager.details() == [*found("five").details(), "This is so under output-eager."]


def test_a_goal_that_some_state_has_or_that_is_none_of_the_programs_has_no_such_reason():
    for name in ("met", "idle", "s0"):
        assert unmet_goal(GAME, name) is None
    part = explore(Line, limits=Limits(states=5))
    assert part.origin.stopped
    assert unmet_goal(part, "five") is None
