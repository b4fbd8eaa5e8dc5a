"""What is remembered of a model's methods must never show: the game is the one that calling them everywhere gives."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from typing import Any

import pytest

from helpers.seeds import seeds
from outplay import Model, controllable, explore, given, goal, observable
from outplay.errors import ModelError
from outplay.game.graph import Game
from outplay.model.programs import method_cache, stepping

NAMES = ("a", "b", "c")
VALUES = ((), (1,), (True,), ("x", 1))


def assert_as_called(monkeypatch: pytest.MonkeyPatch, model: type[Model]) -> None:
    """Explore with and without remembering; both must agree on every vertex, edge, label and goal."""
    remembered = explore(model)
    with monkeypatch.context() as patch:
        patch.setattr(stepping, "can_cache_methods", lambda program: False)
        called = explore(model)
    assert written(remembered) == written(called)


def written(game: Game) -> list[Any]:
    """All that exploring finds, in order."""
    states = [game.origin.describe(place) for place in range(game.origin.states)]
    goals = {name: members.tolist() for name, members in game.goals.items()}
    return [
        states,
        goals,
        game.labels,
        *(getattr(game, part).tolist() for part in ("owner", "first", "target", "label")),
    ]


def remembered_actions(model: type[Model]) -> list[str]:
    """Explore a model and name the actions that are still remembered at the end."""
    stepper = explore(model).origin.specification.stepper
    return [stepper.program.actions[position].name for position in stepper._recalls]


def random_method(rng: random.Random, depth: int = 4, *, changes: bool = True) -> Callable[[Any], Any]:
    """A method that looks at variables and sets others, in an order that hangs on what it sees."""
    kind = rng.choice(["look", "set", "copy"] if changes else ["look"]) if rng.random() < depth / 4 else "stop"
    if kind == "stop":
        returned = rng.choice([None, None, None, True, False])
        return lambda model: returned
    name, other, value = rng.choice(NAMES), rng.choice(NAMES), rng.choice(VALUES)
    then, otherwise = (random_method(rng, depth - 1, changes=changes) for _ in range(2))
    if kind == "look":
        return lambda model: (then if repr(getattr(model, name)) == repr(value) else otherwise)(model)

    def change(model: Any) -> Any:
        setattr(model, name, value if kind == "set" else getattr(model, other))
        return then(model)

    return change


def random_model(rng: random.Random) -> type[Model]:
    asked, tested = random_method(rng, changes=False), random_method(rng, changes=False)

    def domain(self: Any) -> list[int]:
        return [0, 1] if asked(self) else [1]

    def there(self: Any) -> bool:
        return bool(tested(self))

    body: dict[str, Any] = {"__annotations__": dict.fromkeys(NAMES, tuple), "domain": domain, "there": goal(there)}
    for number in range(4):
        body[f"action{number}"] = random_action(rng)
    return type("Random", (Model,), body | {name: rng.choice(VALUES) for name in NAMES})


def random_action(rng: random.Random) -> Callable[..., Any]:
    first, second = random_method(rng), random_method(rng)

    def action(self: Any, which: Any) -> Any:
        return (first if which == 1 else second)(self)

    return rng.choice([controllable, observable])(given(which=rng.choice(["domain", "a", "b", (0, 1)]))(action))


@seeds(range(300), quick=160)
def test_remembering_changes_nothing(monkeypatch, seed):
    assert_as_called(monkeypatch, random_model(random.Random(seed)))


@seeds(range(100))
def test_giving_up_on_the_way_changes_nothing(monkeypatch, seed):
    monkeypatch.setattr(method_cache, "_PATIENCE", seed % 20)
    assert_as_called(monkeypatch, random_model(random.Random(seed)))


class Counters(Model):
    a: int = 0
    b: int = 0
    c: int = 0

    @controllable
    def step_a(self):
        self.a = (self.a + 1) % 5

    @controllable
    def step_b(self):
        self.b = (self.b + 1) % 5

    @observable
    def reset(self):
        self.c = 1  # neither a nor b matters
        self.c += 1

    @goal
    def meet(self):
        return self.a == self.b


def test_a_method_runs_once_for_each_value_of_what_it_reads(monkeypatch):
    called = []
    monkeypatch.setattr(method_cache.Watched, "run", watching(method_cache.Watched.run, called))
    game = explore(Counters)
    assert game.origin.states == 50
    assert [called.count(name) for name in ("step_a", "step_b", "reset")] == [5, 5, 5]


def watching(run: Callable[..., Any], called: list[str]) -> Callable[..., Any]:
    def watched(self: Any, function: Any, *rest: Any) -> Any:
        called.append(function.__name__)
        return run(self, function, *rest)

    return watched


class Setter(Model):
    a: int = 0
    b: int = 0

    @controllable
    def clear(self):
        self.a = 0  # where it is 0 already nothing changes, elsewhere it does

    @controllable
    def count(self):
        self.a = min(self.a + 1, 3)
        self.b = 1 - self.b


def test_setting_a_variable_to_what_it_is_counts_as_setting_it(monkeypatch):
    assert_as_called(monkeypatch, Setter)
    assert remembered_actions(Setter) == ["clear", "count"]


class Unwatchable(Model):
    """Each action but the last does something that cannot be watched."""

    a: int = 0
    b: int = 0

    @controllable
    def by_dictionary(self):
        vars(self)["a"] = (self.b + 1) % 3

    @controllable
    def by_copy(self):
        other = copy.copy(self)
        self.b = 7
        self.b = (other.b + other.a) % 3

    @controllable
    def plainly(self):
        self.a = type(self).a if self.a != type(self).a else 2


def test_what_cannot_be_watched_is_called_in_every_state(monkeypatch):
    assert_as_called(monkeypatch, Unwatchable)
    assert remembered_actions(Unwatchable) == ["plainly"]


def test_little_found_again_is_given_up(monkeypatch):
    monkeypatch.setattr(method_cache, "_PATIENCE", 0)

    class Chain(Model):
        a: int = 0
        b: int = 0

        @controllable
        def on(self):
            self.a, self.b = (self.b + 1) % 7, (self.a + self.b) % 7

        @goal
        def even(self):
            return (self.a + self.b) % 2 == 0

    assert remembered_actions(Chain) == []
    assert_as_called(monkeypatch, Chain)


def test_a_model_with_its_own_attribute_access_is_never_watched():
    class Own(Model):
        a: int = 0
        b: int = 0

        def __getattr__(self, name):
            return 0

        @controllable
        def on(self):
            self.a = 1 - self.a

    assert remembered_actions(Own) == []


def deleting(self):
    self.a = 1
    del self.a


def undeclared(self):
    self.z = 1


def raising(self):
    raise ValueError("no")


def returning(self):
    return 7


def unhashable(self):
    self.a = [1]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (deleting, "an action deletes 'a'"),
        (undeclared, "assigns 'z', which is no state variable"),
        (raising, "ValueError: no in `raise ValueError"),
        (returning, r"action\(\) returned 7"),
        (unhashable, "state variable 'a' holds a list"),
    ],
)
def test_mistakes_are_told_as_where_nothing_is_remembered(wrong, message):
    def action(self):
        return wrong(self) if self.b == 2 else setattr(self, "b", self.b + 1)

    kind = type(
        "Wrong", (Model,), {"__annotations__": {"a": int, "b": int}, "a": 0, "b": 0, "action": controllable(action)}
    )
    with pytest.raises(ModelError, match=message):
        explore(kind)


def test_a_goal_that_changes_the_state_is_refused():
    class Meddling(Model):
        a: int = 0
        b: int = 0

        @goal
        def there(self):
            self.a = 1
            return True

    with pytest.raises(ModelError, match="a goal changes the state"):
        explore(Meddling)


def test_the_tree_refuses_what_reads_something_else_after_seeing_the_same():
    fork = method_cache.Fork()
    assert fork.keep((4, 5), [0, 1], "x")
    assert fork.find((4, 5)) == "x"
    assert fork.find((4, 6)) is None
    assert not fork.keep((4, 5), [1], "y")
    assert not fork.keep((4, 5), [0], "y")
    assert list(fork.branches) == [4]
