"""What a model program answers when it is played: inputs, outputs, silence, weights, goals."""
# an action that does not return False is enabled

from __future__ import annotations

import pytest

from outplay import Label, Model, controllable, explore, given, goal, observable
from outplay import specification as specify
from outplay.errors import UsageError
from outplay.game.goals.live_goal import followed_goal
from outplay.game.goals.target import find_target
from outplay.model.label import SILENCE
from outplay.model.programs.program import Program
from outplay.model.programs.program_specification import ProgramSpecification
from outplay.model.specification import SilenceRule


class Printer(Model):
    """Prints what was sent; may beep at any time while it prints; hums or not when idle."""

    job: str = ""

    @controllable
    @given(text=("a", "b"))
    def send(self, text):
        if self.job:
            return False
        self.job = text

    @observable(weight=3)
    @given(text=("a", "b"))
    def printed(self, text):
        if self.job != text:
            return False
        self.job = ""

    @observable(optional=True, weight="loudness")
    def beep(self):
        if not self.job:
            return False

    @observable(optional=True)
    def hum(self):
        if self.job:
            return False

    def loudness(self):
        return len(self.job) / 2

    @goal
    def busy(self):
        return bool(self.job)


def labels(found) -> list[str]:
    return [label.text for label in found]


def test_inputs_and_outputs_are_told_state_by_state():
    spec = specify(Printer)
    assert (labels(spec.inputs(0)), labels(spec.outputs(0))) == (["?send a", "?send b"], ["!hum"])
    (busy,) = spec.after(0, Label.parse("?send a"))
    assert (labels(spec.inputs(busy)), labels(spec.outputs(busy))) == ([], ["!printed a", "!beep"])


def test_a_label_that_is_not_specified_leads_nowhere():
    spec = specify(Printer)
    assert not spec.after(0, Label.parse("?send c"))
    assert not spec.after(0, Label.parse("!printed a"))
    assert not spec.after(0, Label.parse("?hum"))


def test_silence_is_allowed_where_all_outputs_are_optional_and_nowhere_else():
    spec = specify(Printer)
    (busy,) = spec.after(0, Label.parse("?send a"))
    assert (spec.quiet(0), spec.quiet(busy)) == (True, False)
    assert tuple(spec.after(0, SILENCE)) == (0,)
    assert tuple(spec.after(busy, SILENCE)) == ()


def test_silence_is_allowed_where_there_is_no_output_at_all():
    class Mute(Model):
        @controllable
        def poke(self): ...

    spec = specify(Mute)
    assert spec.quiet(0)
    assert tuple(spec.after(0, SILENCE)) == (0,)


def test_under_the_rule_of_time_outs_silence_is_allowed_wherever_the_tester_can_act():
    class Both(Model):
        x: int = 0

        @controllable
        def go(self):
            if self.x:
                return False
            self.x = 1

        @observable
        def tick(self): ...

    patient = ProgramSpecification(Program(Both), silence=SilenceRule.BEFORE_INPUTS)
    (after,) = patient.after(0, Label.parse("?go"))
    assert (patient.quiet(0), patient.quiet(after)) == (True, False)
    assert not specify(Both).quiet(0)


def test_weights_are_those_of_the_model_and_one_otherwise():
    spec = specify(Printer)
    (busy,) = spec.after(0, Label.parse("?send a"))
    assert spec.weight(busy, Label.parse("!printed a")) == 3
    assert spec.weight(busy, Label.parse("!beep")) == 0.5
    assert spec.weight(0, Label.parse("!hum")) == 1
    assert spec.weight(0, SILENCE) == 1


def test_goals_hold_by_name_and_states_by_number():
    spec = specify(Printer)
    (busy,) = spec.after(0, Label.parse("?send a"))
    assert tuple(spec.goals) == ("busy",)
    assert (spec.holds("busy", 0), spec.holds("busy", busy)) == (False, True)
    assert (spec.is_state("s0"), spec.is_state("s99"), spec.is_state("busy"), spec.is_state("s")) == (
        True,
        False,
        False,
        False,
    )
    assert (spec.holds("s0", 0), spec.holds("s0", busy)) == (True, False)


def test_where_states_are_grouped_a_number_is_that_of_a_place():
    class Halves:
        """States 0 and 1 are at place 0, 2 and 3 at place 1; no others were met."""

        def __len__(self):
            return 2

        def known(self, state):
            return state // 2 if state < 4 else None

    spec = ProgramSpecification(Program(Printer), places=Halves())
    assert [spec.is_state(name) for name in ("s0", "s1", "s2")] == [True, True, False]
    assert [spec.holds("s1", state) for state in range(6)] == [False, False, True, True, False, False]


def test_an_unknown_goal_is_refused_with_the_nearest():
    with pytest.raises(
        UsageError, match=r"no goal, state, label or transition 'bussy' in Printer; did you mean 'busy'\?"
    ):
        followed_goal(specify(Printer), ["bussy"])


def test_an_unknown_goal_is_refused_with_the_goals_that_there_are_and_not_with_all_labels():
    game = explore(Printer)
    assert len([*filter(None, game.labels)]) > len(game.goals)
    with pytest.raises(UsageError, match=rf"; known: {', '.join(sorted(game.goals))}$"):
        find_target(game, "zzzzzz")


def test_a_state_is_described_with_all_its_variables():
    assert specify(Printer).describe(0) == 'job=""'

    class Nothing(Model):
        pass

    assert specify(Nothing).describe(0) == "(no variables)"


def test_constants_can_be_given():
    class Sized(Model):
        size = 2

        @controllable
        @given(n=lambda model: range(model.size))
        def pick(self, n): ...

    assert labels(specify(Sized).inputs(0)) == ["?pick 0", "?pick 1"]
    assert labels(specify(Sized, {"size": 1}).inputs(0)) == ["?pick 0"]


def test_equal_models_have_equal_fingerprints():
    assert specify(Printer).fingerprint == specify(Printer).fingerprint == Program(Printer).fingerprint
    assert specify(Printer).name == "Printer"
