"""Over which arguments an action is tried: every way to say it, in an order that nothing but the values decides."""
# an action that does not return False is enabled

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from typing import Any

import pytest

from outplay import Map, Model, controllable, explore, given, observable, specification
from outplay.errors import ModelError


class Colour(Enum):
    RED = 1
    BLUE = 2


def named(part: Any) -> str:
    """Names of cases that do not change from run to run."""
    return part[:20] if isinstance(part, str) else type(part).__name__


def a_model(**domains: Any) -> type[Model]:
    """A model with one action whose only parameter ranges over a domain, and all kinds of things to name."""

    class Choosing(Model):
        words = ("b", "a")
        loose = frozenset({"d", "c"})
        numbers = range(2)
        colours = Colour
        table = Map(z=1, y=2)
        nothing = ()
        single = "text"
        seven = 7
        held: frozenset[str] = frozenset({"f", "e"})
        queue: tuple[int, ...] = (4, 3)
        level: int = 2

        def method(self):
            return [self.level + 1, self.level]

        def generating(self):
            yield from (self.level, 0)

        def odd(self):
            return self.level

        def failing(self):
            return self.missing

        @property
        def up_to_level(self):
            return range(self.level)

        @staticmethod
        def fixed():
            return ("s",)

        @classmethod
        def of_class(cls):
            return cls.words

        @controllable
        @given(**domains)
        def pick(self, **chosen): ...

    return Choosing


def chosen(domain: Any) -> list[str]:
    """The labels enabled at the start, for an action with one parameter over the domain."""

    class Choosing(a_model()):  # type: ignore[misc]
        pick = None

        @controllable
        @given(value=domain)
        def take(self, value): ...

    spec = specification(Choosing)
    return [label.message.removeprefix("take ") for label in spec.inputs(spec.initial[0])]


@pytest.mark.parametrize(
    ("domain", "labels"),
    [
        (("b", "a"), ["b", "a"]),
        (["b", "a"], ["b", "a"]),
        ({"b", "a"}, ["a", "b"]),
        (frozenset({"b", "a"}), ["a", "b"]),
        (frozenset({3, "x", None, True}), ["null", "true", "3", "x"]),
        (range(3), ["0", "1", "2"]),
        (range(0), []),
        ((), []),
        (Colour, ["RED", "BLUE"]),
        ({"k": 1, "j": 2}, ["k", "j"]),
        (Map(k=1, j=2), ["j", "k"]),
        (iter([0, 1, 4]), ["0", "1", "4"]),
        ((1, 1, 2, 1), ["1", "2"]),
        ((1, True, Fraction(1)), ["1", "true", "1/1"]),
        (((1, 2), ("a",)), ["[1,2]", '["a"]']),
        ("words", ["b", "a"]),
        ("loose", ["c", "d"]),
        ("numbers", ["0", "1"]),
        ("colours", ["RED", "BLUE"]),
        ("table", ["y", "z"]),
        ("nothing", []),
        ("held", ["e", "f"]),
        ("queue", ["4", "3"]),
        ("method", ["2", "3"]),
        ("generating", ["0", "2"]),
        ("up_to_level", ["0", "1"]),
        ("fixed", ["s"]),
        ("of_class", ["a", "b"]),
        (lambda model: model.queue, ["3", "4"]),
        (lambda model: (n + model.level for n in model.queue), ["5", "6"]),
        (lambda model: {w.upper() for w in model.words}, ["A", "B"]),
    ],
    ids=named,
)
def test_a_domain_can_be_said_in_many_ways_and_what_functions_answer_is_put_in_order(domain, labels):
    assert chosen(domain) == labels


@pytest.mark.parametrize(
    ("domain", "complaint"),
    [
        ("wrods", r"action 'take': the model has no 'wrods'; did you mean 'words'\?"),
        ("ann", r"the model has no 'ann'"),
        (5, r"5 is no collection of values; write \(5,\) for a single one"),
        ("seven", r"7 is no collection of values; write \(7,\) for a single one"),
        ("single", r"'text' is no collection of values; write \('text',\) for a single one"),
        (("a", [1]), r"holds a list \(\[1\]\).*use a tuple"),
        ((0.5,), r"holds a float \(0\.5\).*use a Fraction"),
        ([{}], r"holds a dict.*use an outplay\.Map"),
        ("odd", r"2 is no collection of values"),
        ("failing", r"has no attribute 'missing' in `return self\.missing` \(while listing the values of take"),
        (lambda model: model.gone, r"has no attribute 'gone'"),
        ((("a", "b"), "[a,b]", Colour.RED, "RED"), r"are both written \?take RED: rename one of them"),
    ],
    ids=named,
)
def test_what_is_no_domain_is_refused_in_one_line(domain, complaint):
    with pytest.raises(ModelError, match=complaint) as told:
        chosen(domain)
    assert "\n" not in str(told.value)


def test_a_list_inside_what_a_function_answers_is_refused_with_the_remedy():
    with pytest.raises(ModelError, match=r"action 'take': its values.* holds a list \(\[2\]\).*use a tuple"):
        chosen(lambda model: [[model.level]])


def test_parameters_are_combined_with_the_last_one_moving_fastest():
    class Two(Model):
        @controllable
        @given(b=(1, 2), a=("x", "y"))
        def put(self, a, b): ...

    spec = specification(Two)
    assert [label.text for label in spec.inputs(0)] == ["?put x 1", "?put x 2", "?put y 1", "?put y 2"]


def test_a_domain_by_name_follows_the_state():
    class Growing(Model):
        seen: tuple[int, ...] = (0,)
        limit: int = 1

        def next_ones(self):
            return [self.limit, self.limit + 1]

        @controllable
        @given(which="seen")
        def again(self, which): ...

        @controllable
        @given(which="next_ones")
        def grow(self, which):
            if which > 3:
                return False
            self.seen += (which,)
            self.limit = which + 1

    spec = specification(Growing)
    (state,) = spec.after(0, next(label for label in spec.inputs(0) if label.text == "?grow 2"))
    assert [label.text for label in spec.inputs(state)] == ["?again 0", "?again 2", "?grow 3"]
    assert [label.text for label in spec.inputs(0)] == ["?again 0", "?grow 1", "?grow 2"]


def test_domains_that_hang_on_the_same_numbers_of_other_types_are_kept_apart():
    class Typed(Model):
        held: Any = 1

        def mine(self):
            return [self.held]

        @controllable
        @given(value=(1, True, Fraction(1)))
        def put(self, value):
            self.held = value

        @observable
        @given(value="mine")
        def show(self, value): ...

    spec = specification(Typed)
    shown = {spec.outputs(target)[0].text for label in spec.inputs(0) for target in spec.after(0, label)}
    assert shown == {"!show 1", "!show true", "!show 1/1"}


def test_sets_of_the_same_numbers_with_swapped_types_are_kept_apart():
    # 0 and 8 meet in one slot of a small table, so the order of such a set is that of putting them in.
    first, second = frozenset([0, Fraction(8)]), frozenset([8, Fraction(0)])
    assert first == second

    class Swapped(Model):
        later: bool = False

        def mine(self):
            return second if self.later else first

        @controllable
        def swap(self):
            self.later = True

        @observable
        @given(value="mine")
        def show(self, value): ...

    spec = specification(Swapped)
    assert [label.text for label in spec.outputs(0)] == ["!show 8/1", "!show 0"]
    (state,) = spec.after(0, spec.inputs(0)[0])
    assert [label.text for label in spec.outputs(state)] == ["!show 0/1", "!show 8"]


def test_a_generator_given_as_domain_serves_every_game_made_of_the_model():
    class Once(Model):
        x: int = 0

        @controllable
        @given(value=(i for i in range(3)))
        def put(self, value):
            self.x = value

        @controllable(returns=iter((True, False)))
        def ask(self, result): ...

    assert explore(Once) == explore(Once)
    assert explore(Once).edge_count == 3 * 4 + 3 * 2


def test_all_keyword_parameters_of_an_action_need_their_own_name():
    with pytest.raises(ModelError, match="parameter 'chosen' has no values"):
        explore(a_model(x=(1,)))


def test_results_range_over_the_same_kinds_of_domains():
    class Asked(Model):
        words = ("b", "a")
        level: int = 1

        def answers(self):
            return range(self.level)

        @controllable(returns="words")
        def by_constant(self, result): ...

        @controllable(returns="answers")
        def by_method(self, result): ...

        @controllable(returns=lambda model: (model.level,))
        def by_function(self, result): ...

        @controllable(returns=Colour)
        def by_enum(self, result): ...

        @controllable(returns={"q", "p"})
        def by_set(self, result): ...

    spec = specification(Asked)
    answered = {
        label.gate: [answer.text for target in spec.after(0, label) for answer in spec.outputs(target)]
        for label in spec.inputs(0)
    }
    assert answered == {
        "by_constant": ["!by_constant b", "!by_constant a"],
        "by_method": ["!by_method 0"],
        "by_function": ["!by_function 1"],
        "by_enum": ["!by_enum RED", "!by_enum BLUE"],
        "by_set": ["!by_set p", "!by_set q"],
    }


def test_an_unknown_name_for_results_is_refused_with_the_nearest():
    class Asked(Model):
        words = ("b", "a")

        @controllable(returns="wrods")
        def ask(self, result): ...

    with pytest.raises(
        ModelError, match=r"the results of action 'ask': the model has no 'wrods'; did you mean 'words'"
    ):
        explore(Asked)
