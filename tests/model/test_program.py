"""What is read off a model class: variables, constants, actions and goals; and what is refused."""
# an action that does not return False is enabled

from __future__ import annotations

import inspect
from typing import Any, ClassVar

import pytest

from outplay import Map, Model, controllable, explore, given, goal, group, observable
from outplay import specification as specify
from outplay.errors import ModelError, UsageError
from outplay.model.programs.load import load_program
from outplay.model.programs.program import Program


class Counter(Model):
    """Counts up to a constant."""

    top = 3
    step: ClassVar[int] = 1
    helper = staticmethod(lambda: 5)
    count: int = 0

    @controllable
    def up(self):
        if self.count >= self.top:
            return False
        self.count += self.step

    @observable
    def tick(self):
        return self.count > 0

    @goal
    def full(self):
        return self.count == self.top


def test_annotated_attributes_are_the_state_and_all_others_are_not():
    assert Program(Counter).variables == ("count",)
    assert Program(Counter).initial == (0,)


def test_actions_and_goals_are_found_in_the_order_written():
    program = Program(Counter)
    assert [(action.name, action.mark.controllable) for action in program.actions] == [("up", True), ("tick", False)]
    assert list(program.goals) == ["full"]


def test_the_place_of_a_model_is_its_file_and_line():
    line = inspect.getsourcelines(Counter)[1]
    assert Program(Counter).where == f"{__file__}:{line}: Counter"


def test_setting_a_constant_changes_this_game_and_nothing_else():
    assert explore(Counter, constants={"top": 5}).vertex_count > explore(Counter).vertex_count
    assert explore(Counter).origin.states == Counter.top + 1 == 4
    assert explore(Counter, constants={"step": 3}).origin.states == 2


def test_only_constants_can_be_set_and_the_nearest_is_named():
    with pytest.raises(UsageError, match=r"Counter has no constant 'topp' to set; did you mean 'top'\?"):
        Program(Counter, {"topp": 1})
    for name in ("count", "up", "full", "helper", "__doc__", "start"):
        with pytest.raises(UsageError, match=f"Counter has no constant {name!r} to set; known: step, top"):
            Program(Counter, {name: 1})


def test_a_constant_that_could_change_is_refused_with_the_remedy():
    class Careless(Model):
        clients = ["ann"]  # noqa: RUF012

    with pytest.raises(ModelError, match=r"Careless: constant 'clients' holds a list \(\['ann'\]\).*use a tuple"):
        Program(Careless)


def test_constants_may_hold_what_no_state_may():
    class Rates(Model):
        rate = 0.5
        table = (0.5, 1.5)
        pattern = object()

    assert Program(Rates).variables == ()
    assert Program(Rates, {"rate": 0.25, "table": (2.5,)}).fingerprint != Program(Rates).fingerprint


def test_what_is_no_model_is_refused():
    class Plain:
        pass

    with pytest.raises(UsageError, match=r"is no model program: write `class Plain\(outplay.Model\)`"):
        Program(Plain)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="is no model program"):
        Program(Counter())  # type: ignore[arg-type]


def test_a_model_without_variables_or_actions_is_one_state():
    class Empty(Model):
        pass

    game = explore(Empty)
    assert (game.vertex_count, game.edge_count, game.origin.complete) == (1, 0, True)


def test_a_variable_without_initial_value_is_refused_by_name():
    class Unset(Model):
        queue: tuple[str, ...]

    with pytest.raises(ModelError, match="state variable 'queue' has no initial value: write `queue: type = value`"):
        Program(Unset)


def test_start_sets_initial_values_from_constants():
    class Pool(Model):
        size = 3
        free: frozenset[int] = frozenset()

        def start(self):
            self.free = frozenset(range(self.size))

    assert Program(Pool).initial == (frozenset({0, 1, 2}),)
    assert Program(Pool, {"size": 1}).initial == (frozenset({0}),)


def test_an_action_called_start_is_an_action_and_not_run_beforehand():
    class Engine(Model):
        on: bool = False

        @controllable
        def start(self):
            self.on = True

    assert Program(Engine).initial == (False,)
    assert [label.text for label in specify(Engine).inputs(0)] == ["?start"]


def test_start_may_not_invent_variables():
    class Wild(Model):
        x: int = 0

        def start(self):
            self.y = 1

    with pytest.raises(ModelError, match=r"start\(\) sets 'y', which is no state variable: annotate it \(y: type = "):
        explore(Wild)


def test_start_may_not_leave_a_forbidden_value():
    class Listed(Model):
        x: Any = ()

        def start(self):
            self.x = [1]

    with pytest.raises(ModelError, match=r"state variable 'x' holds a list.*use a tuple"):
        explore(Listed)


def test_when_start_raises_the_users_line_is_shown():
    class Broken(Model):
        x: int = 0

        def start(self):
            self.x = 1 // self.x

    with pytest.raises(
        ModelError, match=rf"{__file__}:\d+: ZeroDivisionError: .* in `self.x = 1 // self.x` \(while sta"
    ):
        explore(Broken)


def test_a_model_that_wants_arguments_to_be_made_is_refused_by_place():
    class Wanting(Model):
        x: int = 0

        def __init__(self, size):
            self.x = size

    with pytest.raises(ModelError, match=rf"{__file__}:\d+: Wanting: TypeError: .*'size'"):
        explore(Wanting)


class Base(Model):
    x: int = 0

    @controllable
    def first(self):
        if self.x:
            return False
        self.x = 1

    @observable
    def second(self):
        if self.x != 1:
            return False
        self.x = 2

    @goal
    def done(self):
        return self.x == 2


def test_a_derived_model_has_the_variables_actions_and_goals_of_its_base_first():
    class Derived(Base):
        y: bool = False

        @controllable
        def third(self):
            if self.y:
                return False
            self.y = True

        @goal
        def both(self):
            return self.x == 2 and self.y

    program = Program(Derived)
    assert program.variables == ("x", "y")
    assert [action.name for action in program.actions] == ["first", "second", "third"]
    assert list(program.goals) == ["done", "both"]
    assert explore(Derived).origin.states == 6


def test_an_overridden_action_keeps_its_place_and_has_the_new_meaning():
    class Shortcut(Base):
        @controllable(cost=7)
        def first(self):
            if self.x:
                return False
            self.x = 2

    program = Program(Shortcut)
    assert [action.name for action in program.actions] == ["first", "second"]
    assert program.actions[0].mark.cost == 7
    assert explore(Shortcut).origin.states == 2


def test_an_overriding_action_may_call_the_overridden_one():
    class Logged(Base):
        count: int = 0

        @controllable
        def first(self):
            self.count += 1
            return super().first()

    spec = specify(Logged)
    (state,) = spec.after(0, spec.inputs(0)[0])
    assert spec.describe(state) == "x=1 count=1"
    assert spec.inputs(state) == []


def test_a_derived_model_may_change_initial_values_and_constants():
    class Later(Base):
        x: int = 1

    class Higher(Counter):
        top = 7

    assert Program(Later).initial == (1,)
    assert explore(Higher).origin.states == 8


def test_an_action_or_goal_overridden_without_its_mark_is_refused_and_not_dropped():
    class Unmarked(Base):
        def first(self):
            self.x = 2

    class NoGoal(Base):
        def done(self):
            return False

    with pytest.raises(ModelError, match=r"Unmarked: 'first' overrides an action without its mark: mark it again, or"):
        Program(Unmarked)
    with pytest.raises(ModelError, match=r"NoGoal: 'done' overrides a goal without its mark.* done = None"):
        Program(NoGoal)


def test_an_action_or_goal_is_left_out_where_a_derived_model_says_so():
    class Without(Base):
        second = None
        done = None

    assert [action.name for action in Program(Without).actions] == ["first"]
    assert list(Program(Without).goals) == []


def test_a_goal_that_is_a_property_is_refused_and_not_overlooked():
    class Hidden(Model):
        x: int = 0

        @property
        @goal
        def done(self):
            return self.x == 0

    with pytest.raises(ModelError, match="Hidden: 'done' is a goal and a property: drop @property"):
        Program(Hidden)


def test_mixins_that_are_no_models_can_bring_actions():
    class Pressing:
        @controllable
        def press(self):
            self.x = 1 - self.x

    class Lamp(Pressing, Model):
        x: int = 0

    assert [action.name for action in Program(Lamp).actions] == ["press"]
    assert explore(Lamp).origin.states == 2


def test_a_parameter_without_values_is_refused_by_name():
    class Loose(Model):
        @controllable
        def post(self, sender, text): ...

    with pytest.raises(ModelError, match=r"action 'post': parameter 'sender' has no values: add @given\(sender=…\)"):
        Program(Loose)


def test_values_for_what_is_no_parameter_are_refused_with_the_nearest():
    class Misspelt(Model):
        @controllable
        @given(sendr=(1,), text=(2,))
        def post(self, text, sender="x"): ...

    class Extra(Model):
        @controllable
        @given(sendre=(1,), sender=(2,))
        def post(self, sender): ...

    with pytest.raises(ModelError, match="parameter 'sender' has no values"):
        Program(Misspelt)
    with pytest.raises(ModelError, match=r"@given names 'sendre', which is no parameter; did you mean 'sender'\?"):
        Program(Extra)


def test_a_call_with_a_result_needs_the_parameter_result_at_the_end():
    for parameters in ("self", "self, x", "self, result, x"):
        namespace: dict[str, Any] = {}
        exec(f"def ask({parameters}): ...", namespace)
        wrong = type("Wrong", (Model,), {"ask": controllable(returns=(1,))(given(x=(1,))(namespace["ask"]))})
        with pytest.raises(ModelError, match="'ask' returns something: its last parameter must be `result`"):
            Program(wrong)


@pytest.mark.parametrize("first", [controllable, observable])
@pytest.mark.parametrize("second", [controllable, observable])
def test_an_action_marked_twice_is_refused(first, second):
    class Both(Model):
        @second
        @first
        def post(self): ...

    said = r"test_program.py:\d+: Both: action 'post': marked twice: an action is controllable or observable"
    with pytest.raises(ModelError, match=said):
        Program(Both)


def test_given_may_be_written_in_several_lines():
    class Several(Model):
        last: str = ""

        @given(a=("x", "y"))
        @controllable
        @given(b=("z",))
        def put(self, a, b):
            self.last = a + b

    assert explore(Several).origin.states == 3


def test_values_given_twice_for_one_parameter_are_refused():
    class Twice(Model):
        @controllable
        @given(a=(1,))
        @given(a=(2,))
        def put(self, a): ...

    with pytest.raises(ModelError, match=r"test_program.py:\d+: Twice: action 'put': @given names 'a' twice: keep one"):
        Program(Twice)


def test_a_wrong_mark_in_one_model_keeps_nobody_from_another_of_the_file(tmp_path):
    lines = ["from outplay import Model, controllable, observable"]
    lines += ["class Both(Model):", "    @controllable", "    @observable", "    def go(self): ..."]
    lines += ["class Good(Model):", "    @controllable", "    def go(self): ..."]
    (tmp_path / "two.py").write_text("\n".join(lines))
    assert load_program(f"{tmp_path}/two.py:Good").name == "Good"
    with pytest.raises(ModelError, match=r"two.py:2: Both: action 'go': marked twice"):
        load_program(f"{tmp_path}/two.py:Both")


@pytest.mark.parametrize("mark", [controllable, observable, goal, group, lambda method: method])
@pytest.mark.parametrize("written", ["async def start(self): pass", "def start(self): yield"])
def test_what_does_not_run_when_it_is_called_is_refused(mark, written):
    namespace: dict[str, Any] = {}
    exec(written, namespace)
    wrong = type("Wrong", (Model,), {"start": mark(namespace["start"])})
    with pytest.raises(ModelError, match="'start' does not run when it is called: write a plain `def`"):
        Program(wrong)


def test_a_goal_with_parameters_is_refused():
    class Asking(Model):
        x: int = 0

        @goal
        def above(self, limit):
            return self.x > limit

    with pytest.raises(ModelError, match=r"goal 'above': a goal looks at the state alone: write `def above\(self\)`"):
        Program(Asking)


def test_the_fingerprint_hangs_on_source_and_constants():
    class Other(Counter):
        pass

    prints = [
        Program(Counter).fingerprint,
        Program(Counter, {"top": 4}).fingerprint,
        Program(Counter, {"top": "4"}).fingerprint,
        Program(Counter, {"top": Map(a=frozenset({"b", "c"}))}).fingerprint,
        Program(Other).fingerprint,
    ]
    assert len(set(prints)) == len(prints)
    assert Program(Counter).fingerprint == Program(Counter).fingerprint
    assert all(len(each) == 16 for each in prints)
