"""Running a model's actions: what False undoes, what an action may not do, and calls with results."""
# an action that does not return False is enabled

from __future__ import annotations

import inspect
from typing import Any

import pytest

from outplay import Map, Model, PythonObject, controllable, explore, given, goal, observable, run
from outplay import specification as specify
from outplay.errors import ModelError
from outplay.model.programs import interning
from outplay.model.programs.interning import ValueTable
from outplay.model.programs.program_specification import ProgramSpecification


def reached(spec: ProgramSpecification, *labels: str) -> int:
    """Follow labels from the start to the state they lead to."""
    (state,) = spec.initial
    for text in labels:
        (label,) = [each for each in (*spec.inputs(state), *spec.outputs(state)) if each.text == text]
        (state,) = spec.after(state, label)
    return state


def steps(model: type[Model], *labels: str) -> str:
    """Describe the state that labels lead to from the start."""
    spec = specify(model)
    return spec.describe(reached(spec, *labels))


def enabled(spec: ProgramSpecification, *labels: str) -> set[str]:
    """The labels enabled after others."""
    state = reached(spec, *labels)
    return {label.text for label in (*spec.inputs(state), *spec.outputs(state))}


class Undoing(Model):
    a: int = 0
    b: tuple[str, ...] = ()
    c: Any = None

    @controllable
    def refuse(self):
        self.a, self.b, self.c = 9, ("x",), Map(y=1)
        return False

    @controllable
    def allow(self):
        if self.a:
            return False
        self.a = 1

    @controllable
    @given(how=(True, False, None))
    def maybe(self, how):
        self.b = (str(how),)
        return how

    @observable
    def told(self):
        self.c = (self.a, self.b, self.c)
        return self.a == 1 and not self.b and self.c == (1, (), None)


def test_false_undoes_all_that_was_changed():
    spec = specify(Undoing)
    assert spec.describe(0) == "a=0 b=[] c=null"
    assert [label.text for label in spec.inputs(0)] == ["?allow", "?maybe true", "?maybe null"]
    assert steps(Undoing, "?allow") == "a=1 b=[] c=null"


def test_what_a_refused_action_changed_is_not_seen_by_the_next_one():
    assert steps(Undoing, "?allow", "!told") == "a=1 b=[] c=[1,[],null]"


def test_what_an_enabled_action_changed_is_not_seen_by_the_next_one():
    class Both(Model):
        x: int = 0

        @controllable
        def add_one(self):
            self.x += 1
            return self.x <= 3

        @controllable
        def add_two(self):
            self.x += 2
            return self.x <= 3

        @controllable
        @given(n=(1, 2, 3))
        def put(self, n):
            if self.x:
                return False
            self.x += n

    spec = specify(Both)
    assert [spec.describe(spec.after(0, label)[0]) for label in spec.inputs(0)] == [
        "x=1",
        "x=2",
        "x=1",
        "x=2",
        "x=3",
    ]


def test_true_and_nothing_mean_enabled():
    assert steps(Undoing, "?maybe true") == 'a=0 b=["True"] c=null'
    assert steps(Undoing, "?maybe null") == 'a=0 b=["None"] c=null'


@pytest.mark.parametrize("odd", [0, 1, "", "no", (), [], 0.0, object])
def test_any_other_return_value_is_refused_so_that_no_mistake_passes_for_an_answer(odd):
    class Odd(Model):
        x: int = 0

        @controllable
        @given(n=(5,))
        def go(self, n):
            return odd

    with pytest.raises(ModelError, match="return False where the action is not enabled, and nothing otherwise") as told:
        explore(Odd)
    assert "Odd" in str(told.value)
    assert repr(odd) in str(told.value)
    assert "go" in str(told.value)


def test_a_call_with_a_result_may_not_return_oddities_either():
    class Odd(Model):
        @controllable(returns=(1, 2))
        def ask(self, result):
            return "yes"

    with pytest.raises(ModelError, match="return False where the action is not enabled, and nothing otherwise"):
        explore(Odd)


def test_an_undeclared_attribute_is_refused_with_what_to_write():
    class Sloppy(Model):
        count: int = 0

        @controllable
        def go(self):
            self.cuont = 1

    with pytest.raises(ModelError, match=r"Sloppy: .*'cuont', which is no state variable: annotate it in the class"):
        explore(Sloppy)


def test_an_undeclared_attribute_is_refused_also_where_the_action_is_not_enabled():
    class Sloppy(Model):
        count: int = 0

        @controllable
        def go(self):
            self.other = 1
            return False

    with pytest.raises(ModelError, match="'other'"):
        explore(Sloppy)


def test_an_undeclared_attribute_is_refused_in_a_call_with_a_result():
    class Sloppy(Model):
        count: int = 0

        @controllable(returns=(1,))
        def ask(self, result):
            self.other = result

    with pytest.raises(ModelError, match="'other'"):
        explore(Sloppy)


def test_an_undeclared_attribute_is_refused_also_beside_a_call_with_a_result():
    class Sloppy(Model):
        count: int = 0

        @controllable(returns=(1,))
        def ask(self, result): ...

        @controllable
        def go(self):
            self.other = 1

    with pytest.raises(ModelError, match="'other', which is no state variable"):
        explore(Sloppy)


def test_assigning_a_constant_is_refused_since_constants_do_not_change():
    class Sloppy(Model):
        top = 3
        count: int = 0

        @controllable
        def go(self):
            self.top = 4

    with pytest.raises(ModelError, match="'top', which is no state variable"):
        explore(Sloppy)


def test_a_deleted_variable_is_refused_with_what_to_do_instead():
    class Deleting(Model):
        count: int = 0

        @controllable
        def go(self):
            del self.count

    with pytest.raises(ModelError, match=r"deletes .*assign None instead"):
        explore(Deleting)


def test_a_variable_deleted_by_a_call_with_a_result_is_refused_too():
    class Deleting(Model):
        count: int = 0

        @controllable(returns=(1,))
        def ask(self, result):
            del self.count

    with pytest.raises(ModelError, match=r"deletes .*assign None instead"):
        explore(Deleting)


def test_deleting_one_variable_and_inventing_another_is_refused_too():
    class Swapping(Model):
        count: int = 0

        @controllable
        def go(self):
            del self.count
            self.other = 1

    with pytest.raises(ModelError, match=r"deletes|no state variable"):
        explore(Swapping)


def test_a_model_may_keep_private_variables_like_any_other():
    class Hidden(Model):
        _x: int = 0
        __y: int = 0

        @controllable
        def go(self):
            self._x, self.__y = 1, 2

    assert explore(Hidden).origin.states == 2


@pytest.mark.parametrize("kind", ["controllable", "observable", "returning"])
def test_when_an_action_raises_the_users_file_line_and_source_are_shown(kind):
    mark = {"controllable": controllable, "observable": observable, "returning": controllable(returns=(1,))}[kind]

    class Raising(Model):
        clients = ("ann",)

        @mark
        @given(n=(7,))
        def post(self, n, result=None):
            return self.clinets[n]

    class Plain(Model):
        clients = ("ann",)

        @mark
        @given(n=(7,))
        def post(self, n):
            return self.clinets[n]

    model = Raising if kind == "returning" else Plain
    line = inspect.getsourcelines(model.post)[1] + 3
    with pytest.raises(ModelError) as told:
        explore(model)
    message = str(told.value)
    assert message.startswith(f"{__file__}:{line}: AttributeError: ")
    assert "has no attribute 'clinets'" in message
    assert "in `return self.clinets[n]`" in message
    assert "\n" not in message


def test_when_a_helper_called_by_an_action_raises_the_helpers_line_is_shown():
    class Helped(Model):
        x: int = 0

        def divide(self):
            return 1 // self.x

        @controllable
        def go(self):
            self.x = self.divide()

    with pytest.raises(ModelError, match=r"ZeroDivisionError: .* in `return 1 // self\.x`"):
        explore(Helped)


def test_an_action_that_raises_with_its_work_half_done_is_blamed_for_what_it_raised():
    class HalfDone(Model):
        queue: Any = ()

        @controllable
        def pop(self):
            self.queue = list(self.queue)
            self.queue.pop()
            self.queue = tuple(self.queue)

    with pytest.raises(ModelError, match=r"IndexError: pop from empty list in `self\.queue\.pop\(\)`"):
        explore(HalfDone)


def test_when_a_goal_raises_it_is_named():
    class Raising(Model):
        x: int = 0

        @goal
        def reached(self):
            return self.y

    with pytest.raises(ModelError, match=r"in `return self\.y` \(while asking goal 'reached'\)"):
        explore(Raising)


def test_a_goal_that_changes_the_state_is_refused():
    class Meddling(Model):
        x: int = 0

        @controllable
        def go(self):
            self.x = 1

        @goal
        def first(self):
            self.x += 5
            return self.x == 5

        @goal
        def second(self):
            return self.x == 1

    with pytest.raises(ModelError, match="a goal changes the state: let goals only look"):
        explore(Meddling)


class Store(Model):
    """Takes are answered at once: with the item, or with None when there is none."""

    items: tuple[str, ...] = ("a",)
    taken: int = 0

    @controllable(returns=("a", "b", None), cost=3)
    @given(who=("ann",))
    def take(self, who, result):
        if self.taken == 2:
            return False
        if result is None:
            if self.items:
                return False
        else:
            if result not in self.items:
                return False
            self.items = ()
        self.taken += 1

    @controllable
    def fill(self):
        self.items = ("a", "b")

    @goal
    def emptied(self):
        return not self.items


def test_a_call_with_a_result_is_an_input_followed_by_one_of_its_answers():
    spec = specify(Store)
    assert enabled(spec) == {"?take ann", "?fill"}
    asked = reached(spec, "?take ann")
    assert spec.describe(asked) == 'items=["a"] taken=0 (waiting for the answer to take ann)'
    assert (spec.inputs(asked), [label.text for label in spec.outputs(asked)]) == ([], ["!take a"])
    assert not spec.quiet(asked)
    assert steps(Store, "?take ann", "!take a") == "items=[] taken=1"
    assert steps(Store, "?take ann", "!take a", "?take ann", "!take null") == "items=[] taken=2"


def test_a_call_with_several_allowed_answers_is_answered_by_the_systems_choice():
    assert enabled(specify(Store), "?fill", "?take ann") == {"!take a", "!take b"}


def test_a_call_without_allowed_answer_is_not_enabled():
    assert enabled(specify(Store), "?take ann", "!take a", "?take ann", "!take null") == {"?fill"}


def test_while_a_call_is_pending_no_goal_holds():
    game = explore(Store)
    spec = game.origin.specification
    pending = {name for name in game.names if "waiting" in spec.describe(int(name.split()[0][1:]))}
    assert pending
    assert not pending & {game.names[vertex] for vertex in game.goals["emptied"].tolist()}


def test_the_answer_to_a_call_costs_nothing_more():
    game = explore(Store)
    costs = {game.label_of(edge): game.cost[edge] for edge in range(game.edge_count)}
    assert costs == {"?take ann": 3, "!take a": 0, "!take b": 0, "!take null": 0, "?fill": 1}


def test_calls_from_different_states_wait_in_different_states():
    class Asking(Model):
        x: int = 0

        @controllable
        def go(self):
            if self.x:
                return False
            self.x = 1

        @controllable(returns=(0, 1))
        @given(n=(1, True))
        def same(self, n, result):
            if result != self.x:
                return False

    assert explore(Asking).origin.states == 2 + 2 * 2


def test_states_are_numbered_in_the_order_they_are_met():
    class Tree(Model):
        path: str = ""

        @controllable
        @given(to=("b", "a"))
        def go(self, to):
            if len(self.path) == 2:
                return False
            self.path += to

    spec = explore(Tree).origin.specification
    assert [spec.describe(number) for number in range(7)] == [
        'path=""',
        "path=b",
        "path=a",
        "path=bb",
        "path=ba",
        "path=ab",
        "path=aa",
    ]


def test_a_model_stepped_while_it_is_explored_keeps_its_numbers():
    game = explore(Undoing)
    spec = game.origin.specification
    for state in range(game.origin.states):
        targets = {label.text: spec.after(state, label) for label in (*spec.inputs(state), *spec.outputs(state))}
        assert all(0 <= target < game.origin.states for found in targets.values() for target in found)


def test_numbering_a_value_that_is_interrupted_leaves_no_gap(monkeypatch):
    def interrupted(value):
        monkeypatch.undo()
        raise MemoryError

    table = ValueTable("a variable")
    assert table.code(False) == 0
    monkeypatch.setattr(interning, "value_shape", interrupted)
    with pytest.raises(MemoryError):
        table.code("much")
    assert [table.code(value) for value in ("more", 2, True, 1, False)] == [1, 2, 3, 4, 0]
    assert table.values_of == [False, "more", 2, True, 1]


def test_a_call_that_assigns_what_is_not_annotated_is_named_also_while_playing():
    class Sloppy(Model):
        count = 0

        @controllable(returns=("ok",))
        def add(self, result):
            self.count += 1

    class Counter:
        def add(self):
            return "ok"

    verdict = run(Sloppy, PythonObject(Counter), plays=1).verdict
    assert verdict.name == "error"
    assert "action 'add' assigns 'count', which is no state variable: annotate it" in verdict.why
