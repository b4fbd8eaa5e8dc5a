"""Exploring on disk: the game is that of exploring in memory, also in small pieces, and plays on it are the same."""

from __future__ import annotations

import random
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from game.exploring.test_exploration_workers import Depot, same
from game.exploring.test_explore import as_model, random_table
from helpers.seeds import seeds
from outplay import Limits, Model, controllable, explore, given, goal, internal, observable, win
from outplay.errors import ModelError, UsageError
from outplay.game.assumption import Assumption
from outplay.game.exploring import disk_game, disk_walk, state_index


class Counter(Model):
    """Costs and weights that hang on the state."""

    n: int = 0
    last: str = ""

    @controllable(cost=lambda self, by: self.n + by)
    @given(by=range(1, 4))
    def add(self, by: int) -> None:
        self.n, self.last = (self.n + by) % 40, "added"

    @observable(weight=lambda self: Fraction(1, self.n + 1))
    def drop(self) -> bool | None:
        if self.last != "added":
            return False
        self.n, self.last = self.n // 2, "dropped"
        return None

    @observable(weight=2, optional=True)
    def keep(self) -> bool | None:
        if self.last != "added":
            return False
        self.last = ""
        return None

    @goal
    def high(self) -> bool:
        return self.n > 35


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name, size in (
        (disk_walk, "BATCH", 7),
        (disk_game, "_SLICE", 11),
        (disk_game, "_PIECE", 13),
        (state_index, "_IN_MEMORY", 16),
        (state_index, "_PIECE", 5),
    ):
        monkeypatch.setattr(module, name, size)


@seeds(range(40))
def test_the_game_is_the_same_on_disk(seed: int, tmp_path_factory: pytest.TempPathFactory):
    model, rng = as_model(random_table(seed)), random.Random(seed)
    rule = rng.choice(list(Assumption))
    on_disk = explore(model, assumption=rule, disk=tmp_path_factory.mktemp("disk"))
    assert same(explore(model, assumption=rule), on_disk)


@pytest.mark.parametrize("model", [Counter, Depot], ids=lambda model: str(model.__name__))
@pytest.mark.parametrize("rule", ["nondeterministic", "timeout"])
def test_costs_chances_calls_and_values_are_the_same_on_disk(model: type[Model], rule: str, tmp_path: Path):
    limits = Limits(states=800)
    alone, on_disk = (explore(model, assumption=rule, limits=limits, disk=disk) for disk in (None, tmp_path))
    assert alone == on_disk
    assert alone.labels == on_disk.labels


@pytest.mark.parametrize("limits", [Limits(states=77), Limits(edges=150), Limits(depth=4)], ids=str)
def test_a_limit_ends_exploring_on_disk_at_the_same_state(limits: Limits, tmp_path: Path):
    alone, on_disk = (explore(Depot, limits=limits, disk=disk) for disk in (None, tmp_path))
    assert alone == on_disk
    assert (alone.origin.stopped or "").partition(" (")[0] == (on_disk.origin.stopped or "").partition(" (")[0] != ""


def test_a_game_on_disk_is_solved_and_its_states_are_stepped(tmp_path: Path):
    alone, on_disk = explore(Counter), explore(Counter, disk=tmp_path)
    assert win(alone, "high").json() == win(on_disk, "high").json()
    here, there = alone.origin.specification, on_disk.origin.specification
    for state in range(alone.origin.states):
        assert here.inputs(state) == there.inputs(state)
        for label in [*here.inputs(state), *here.outputs(state)]:
            assert here.after(state, label) == there.after(state, label)


def test_what_keeps_a_state_from_being_expanded_is_told_as_in_memory(tmp_path: Path):
    class Falling(Model):
        height: int = 2

        @controllable
        def drop(self) -> None:
            self.height -= 1
            self.height += 0 // self.height

    with pytest.raises(ModelError) as alone:
        explore(Falling)
    with pytest.raises(ModelError) as on_disk:
        explore(Falling, disk=tmp_path)
    assert str(alone.value) == str(on_disk.value)


def test_a_model_with_hidden_steps_is_not_explored_on_disk(tmp_path: Path):
    class Hidden(Model):
        n: int = 0

        @internal
        def step(self) -> None:
            self.n = 1 - self.n

    with pytest.raises(UsageError, match="on disk"):
        explore(Hidden, disk=tmp_path)


@seeds(range(20))
def test_pairs_are_numbered_in_the_order_they_are_met(seed: int, tmp_path_factory: pytest.TempPathFactory):
    rng, known = random.Random(seed), dict[tuple[int, int], int]()
    table = state_index.PairTable(tmp_path_factory.mktemp("pairs"), "all")
    for _ in range(30):
        pairs = [(rng.randrange(12), rng.randrange(2**32)) for _ in range(rng.randrange(1, 20))]
        pairs += rng.sample(list(known), min(len(known), 5))
        left, right = np.array(pairs, dtype=np.uint32).T
        expected = [known.setdefault(pair, len(known)) for pair in pairs]
        assert table.numbers(left, right).tolist() == expected
    back = table.pairs(np.arange(len(known), dtype=np.uint32))
    assert list(zip(*(part.tolist() for part in back), strict=True)) == list(known)
    assert table.known(99, 99) is None
    table.close()
