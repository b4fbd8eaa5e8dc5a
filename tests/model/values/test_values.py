"""What a state may hold, and that values are told apart by what they are."""
# an action that does not return False is enabled

from __future__ import annotations

import os
import pickle
import random
import subprocess
import sys
from collections import OrderedDict, namedtuple
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum, Flag, IntEnum
from fractions import Fraction
from typing import Any

import pytest

from helpers.seeds import seeds
from outplay import Map, Model, controllable, explore, given, ordered, specification
from outplay.errors import ModelError
from outplay.model.values import check_value, sort_key, value_shape


class Colour(Enum):
    RED = 1
    GREEN = 2


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Word(str, Enum):  # noqa: UP042  # the older way to write it, which many models have
    YES = "yes"


class Rights(Flag):
    READ = 1
    WRITE = 2


@dataclass(frozen=True)
class Point:
    x: Any
    y: Any = 0


@dataclass
class Loose:
    x: int = 0


@dataclass(frozen=True, eq=False)
class ByIdentity:
    x: int = 0


@dataclass(frozen=True)
class Noted:
    x: int
    note: str = field(default="", compare=False)


Pair = namedtuple("Pair", "left right")


def named(part: Any) -> str:
    """Names of cases that do not change from run to run."""
    return part if isinstance(part, str) else type(part).__name__


ALLOWED = [
    None,
    True,
    0,
    -(10**30),
    "",
    "two words",
    b"\x00\xff",
    Fraction(1, 3),
    Colour.RED,
    Level.LOW,
    Word.YES,
    Rights.READ | Rights.WRITE,
    Rights(0),
    (),
    (1, ("a", (None,))),
    frozenset(),
    frozenset({1, "a", None, (2, frozenset({b"b"}))}),
    Point(1, ("a", Fraction(2))),
    Point(Point(Point(1))),
    Map(),
    Map({"a": (1,), ("b", 2): Map(c=frozenset({3}))}),
]

FORBIDDEN = [
    ([1], "list", "tuple"),
    ({1: 2}, "dict", "outplay.Map"),
    (OrderedDict(a=1), "OrderedDict", "outplay.Map"),
    ({1}, "set", "frozenset"),
    (bytearray(b"a"), "bytearray", "use bytes"),
    (0.5, "float", "Fraction"),
    (float("nan"), "float", "Fraction"),
    (1j, "complex", "Fraction"),
    (Decimal(1), "Decimal", "Fraction"),
    (Loose(), "Loose", "frozen=True"),
    (ByIdentity(), "ByIdentity", "no eq=False"),
    (Pair(1, 2), "Pair", "plain tuple or a frozen dataclass"),
    (object(), "object", "frozen dataclass"),
    (range(3), "range", "tuple"),
    (len, "builtin_function_or_method", "tuple"),
    (Colour, "EnumType", "tuple"),
    (Point, "type", "tuple"),
]


def a_model_holding(value: Any) -> type[Model]:
    class Holder(Model):
        before: int = 0
        held: Any = None

        @controllable
        def take(self):
            self.held = value

    return Holder


@pytest.mark.parametrize("value", ALLOWED, ids=named)
def test_every_allowed_value_can_be_a_state(value):
    check_value(value, "x")
    assert explore(a_model_holding(value)).vertex_count == (1 if value is None else 2)


@pytest.mark.parametrize(("value", "kind", "remedy"), FORBIDDEN, ids=named)
def test_a_forbidden_value_is_refused_with_the_variable_its_type_and_the_remedy(value, kind, remedy):
    with pytest.raises(ModelError) as told:
        explore(a_model_holding(value))
    message = str(told.value)
    assert "test_values.py:" in message
    assert "Holder" in message
    assert "'held'" in message
    assert kind in message
    assert remedy in message
    assert "\n" not in message


@pytest.mark.parametrize(
    ("value", "place", "remedy"),
    [
        ((1, [2]), "x[1]", "use a tuple"),
        (((1, (2, {})),), "x[0][1][1]", "use an outplay.Map"),
        (Map(a=(1, [2])), "x['a'][1]", "use a tuple"),
        (Map({"a": {1}}), "x['a']", "use a frozenset"),
        (Map({(): Map(b=0.5)}), "x[()]['b']", "use a Fraction"),
        (Point(1, Point([2])), "x.y.x", "use a tuple"),
        (Point((1, {2})), "x.x[1]", "use a frozenset"),
        (frozenset({(1, 0.5)}), "a member of x[1]", "use a Fraction"),
        (frozenset({Pair(1, 2)}), "a member of x", "plain tuple"),
        ((frozenset({Point(0.5)}),), "a member of x[0].x", "use a Fraction"),
        (frozenset({object}), "a member of x", "use None, bool"),
    ],
)
def test_what_hides_inside_is_found_and_the_way_to_it_is_named(value, place, remedy):
    with pytest.raises(ModelError) as told:
        check_value(value, "x")
    assert str(told.value).startswith(place + " holds a ")
    assert remedy in str(told.value)


def test_a_forbidden_initial_value_is_refused_too():
    class Start(Model):
        queue: Any = []  # noqa: RUF012

    with pytest.raises(ModelError, match=r"Start: state variable 'queue' holds a list \(\[\]\).*use a tuple"):
        explore(Start)


def test_a_long_value_is_cut_short_in_the_message():
    with pytest.raises(ModelError) as told:
        check_value(list(range(10_000)), "x")
    assert len(str(told.value)) < 200


def test_a_dataclass_that_compares_only_some_fields_is_refused_since_states_would_be_merged():
    with pytest.raises(ModelError, match=r"x\.note is left out of comparisons.*drop compare=False"):
        check_value(Noted(1, "a"), "x")


SAME_BUT_FOR_TYPE = [
    (True, 1, Fraction(1)),
    (False, 0, Fraction(0)),
    (Level.LOW, 1, True),
    ((1, "a"), (True, "a"), (Fraction(1), "a"), (Level.LOW, "a")),
    (((1,),), ((True,),)),
    (frozenset({1}), frozenset({True}), frozenset({Fraction(1)}), frozenset({Level.LOW})),
    (frozenset({1, "a"}), frozenset({True, "a"})),
    (frozenset({(1, 2)}), frozenset({(True, 2)}), frozenset({(1, Fraction(2))})),
    (frozenset({frozenset({0})}), frozenset({frozenset({False})})),
    (Map(a=1), Map(a=True), Map(a=Fraction(1))),
    (Map({1: "a"}), Map({True: "a"})),
    (Map(a=(1,)), Map(a=(True,))),
    (Point(1), Point(True), Point(Fraction(1))),
    (Point((1,)), Point((True,))),
    ((Point(1),), (Point(True),)),
    (frozenset({Point(0)}), frozenset({Point(False)})),
    (frozenset({0, Fraction(8)}), frozenset({Fraction(0), 8})),
]


@pytest.mark.parametrize("values", SAME_BUT_FOR_TYPE, ids=named)
def test_values_equal_for_python_but_of_other_types_have_other_shapes(values):
    assert len({value_shape(value) for value in values}) == len(values)


def cycling_through(values: tuple[Any, ...]) -> type[Model]:
    """A model that takes one value after the other: as many states as the values are different."""

    class Cycle(Model):
        held: Any = values[0]

        @controllable
        @given(step=range(len(values)))
        def to(self, step):
            self.held = values[step]

    return Cycle


@pytest.mark.parametrize("values", SAME_BUT_FOR_TYPE, ids=named)
def test_values_equal_for_python_but_of_other_types_are_different_states(values):
    assert explore(cycling_through(values)).vertex_count == len(values)
    assert explore(cycling_through(values[::-1])).vertex_count == len(values)


def test_a_member_of_a_text_enum_and_text_are_different_states():
    assert explore(cycling_through((Word.YES, "yes"))).vertex_count == 2


def test_text_and_a_member_of_a_text_enum_are_different_states():
    assert explore(cycling_through(("yes", Word.YES))).vertex_count == 2


def test_typed_values_beside_each_other_stay_apart_in_every_combination():
    class Two(Model):
        left: Any = "start"
        right: Any = "start"

        @controllable
        @given(a=range(3), b=range(3))
        def put(self, a, b):
            values = (True, 1, Fraction(1))
            self.left, self.right = values[a], values[b]

    assert explore(Two).vertex_count == 1 + 9


def test_a_type_that_comes_late_is_still_told_apart():
    class Late(Model):
        step: int = 0
        held: Any = "text"

        @controllable
        def go(self):
            if self.step == 4:
                return False
            self.step += 1
            self.held = ("text", (1,), (True,), (Fraction(1),), (1,))[self.step]

        @controllable
        def back(self):
            self.step = 0

    assert explore(Late).vertex_count == 5 + 3  # step 0 with "text" and, come back to, with three different tuples


def test_the_values_seen_by_an_action_have_the_types_they_were_given():
    class Typed(Model):
        held: Any = 0
        seen: str = ""

        @controllable
        @given(value=(True, 1, Fraction(1), Level.LOW))
        def put(self, value):
            self.held, self.seen = value, type(value).__name__

        @controllable
        def look(self):
            if self.held == 0:
                return False
            if type(self.held).__name__ != self.seen:
                self.seen = "wrong"

    spec = specification(Typed)
    names = {spec.describe(state) for label in spec.inputs(0) for state in spec.after(0, label)}
    assert names == {"held=true seen=bool", "held=1 seen=int", "held=1/1 seen=Fraction", "held=LOW seen=Level"}
    for label in spec.inputs(0):
        (state,) = spec.after(0, label)
        (look,) = [each for each in spec.inputs(state) if each.gate == "look"]
        assert spec.after(state, look) == [state]


def test_a_map_is_a_frozen_mapping():
    ages = Map({"bob": 3}, ann=1)
    assert isinstance(ages, Mapping)
    assert dict(ages) == {"ann": 1, "bob": 3}
    assert (ages["ann"], ages.get("cid"), ages.get("cid", 7), len(ages), "bob" in ages) == (1, None, 7, 2, True)
    assert (list(ages), list(ages.values()), list(ages.items())) == (["ann", "bob"], [1, 3], [("ann", 1), ("bob", 3)])
    assert Map([("bob", 3), ("ann", 1)]) == ages == Map(ages)
    assert hash(Map(bob=3, ann=1)) == hash(ages)
    assert {ages: "x"}[Map(ann=1, bob=3)] == "x"
    assert Map() == Map({})
    assert not Map()
    with pytest.raises(KeyError):
        ages["cid"]


def test_changing_a_map_makes_a_new_one():
    ages = Map(ann=1)
    assert ages.set("bob", 2) == Map(ann=1, bob=2)
    assert ages.set("ann", 5) == Map(ann=5)
    assert ages.without("ann") == Map() == ages.without("ann").without("nobody")
    assert ages == Map(ann=1)
    with pytest.raises(TypeError):
        ages["ann"] = 2  # type: ignore[index]
    with pytest.raises(TypeError):
        del ages["ann"]  # type: ignore[attr-defined]
    with pytest.raises(AttributeError):
        ages.more = 2  # type: ignore[attr-defined]


def test_a_map_may_have_an_entry_of_any_name():
    assert dict(Map(items=1, self=2, key=3)) == {"items": 1, "self": 2, "key": 3}


def test_a_map_equals_maps_only():
    assert Map(a=1) != {"a": 1}
    assert Map(a=1) != Map(a=2)
    assert Map(a=1) != Map(b=1)


def test_a_map_shows_itself_in_order_and_can_be_pickled():
    made = Map({"b": 1, "a": Map(c=None)})
    assert repr(made) == "Map({'a': Map({'c': None}), 'b': 1})"
    assert pickle.loads(pickle.dumps(made)) == made


def test_a_map_with_a_key_that_has_no_order_says_what_to_use_instead():
    with pytest.raises(ModelError, match=r"a float has no canonical order \(0\.5\): use a Fraction"):
        Map({0.5: 1, "a": 2})


def random_value(rng: random.Random, depth: int = 3) -> Any:
    kinds = ["atom"] * 5 + (["tuple", "frozenset", "map", "point"] if depth else [])
    kind = rng.choice(kinds)
    if kind == "tuple":
        return tuple(random_value(rng, depth - 1) for _ in range(rng.randrange(4)))
    if kind == "frozenset":
        return frozenset(random_value(rng, depth - 1) for _ in range(rng.randrange(4)))
    if kind == "map":
        return Map({random_value(rng, depth - 1): random_value(rng, depth - 1) for _ in range(rng.randrange(3))})
    if kind == "point":
        return Point(random_value(rng, depth - 1), random_value(rng, depth - 1))
    atoms = [None, True, False, 0, 1, 2, -7, "", "a", "b", "ab", b"", b"a", Fraction(1), Fraction(1, 2)]
    return rng.choice([*atoms, *Colour, *Level, Word.YES, Rights.READ, Rights(0), Rights(3)])


@seeds(range(300))
def test_the_canonical_order_is_total_and_hangs_on_nothing_but_the_values(seed):
    rng = random.Random(seed)
    values = list({(value_shape(value), value): value for value in (random_value(rng) for _ in range(8))}.values())
    for value in values:
        check_value(value, "x")
    first = ordered(values)
    for _ in range(4):
        rng.shuffle(values)
        again = ordered(values)
        assert [(value_shape(value), value) for value in again] == [(value_shape(value), value) for value in first]
    assert len({sort_key(value) for value in values}) == len(values)  # different values, different places


def test_the_canonical_order_is_the_same_for_every_hash_seed():
    code = (
        "from outplay import Map, ordered\n"
        "from fractions import Fraction\n"
        "from enum import Enum\n"
        "class C(Enum):\n    B = 1\n    A = 2\n"
        "words = frozenset({'b', 'aa', 'a', '', 'zz', 'é', 'B'})\n"
        "mixed = {True, 'x', None, 2, Fraction(1, 2), b'b', (1, 'a'), frozenset('qp'), C.A, C.B, Map(k='', a=0)}\n"
        "print(ordered(words), [str(v) if not isinstance(v, frozenset) else ordered(v) for v in ordered(mixed)])\n"
        "print(ordered({frozenset({'a', 'b'}), frozenset({'c'}), frozenset({'a', 'c'})}) == "
        "(frozenset('c'), frozenset('ab'), frozenset('ac')), Map({w: frozenset({w}) for w in words}))\n"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "2")
    }
    assert len(printed) == 1
    assert "True" in printed.pop().splitlines()[1]
