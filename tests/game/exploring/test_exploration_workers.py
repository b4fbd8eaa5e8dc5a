"""Exploring with workers: whoever expands a state, the game is the same byte for byte, also where a limit ends it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from dataclasses import dataclass
from dataclasses import replace as changed
from enum import Enum, Flag
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from game.exploring.test_explore import as_model, random_table
from helpers.places import EXAMPLES
from helpers.seeds import seeds
from outplay import Limits, Map, Model, controllable, explore, given, goal
from outplay.errors import ModelError
from outplay.formats.games.npz import write
from outplay.game.exploring import exploration_workers
from outplay.game.exploring.exploration_workers import Crew
from outplay.game.graph import Game
from outplay.model.programs.batches import BatchWorker, pack_value, unpack_value
from outplay.model.programs.program import Program
from outplay.model.programs.stepping import Stepper
from outplay.runs.job import Job
from outplay.runs.parallel.worker_pool import exploration_crew
from outplay.runs.preparing.loaded_model import load_model


class Here(Executor):
    """A worker in this process, with a stepper of its own; it may die after some tasks."""

    def __init__(self, model: type[Model], life: int | None = None) -> None:
        self._worker, self._life = BatchWorker(Stepper(Program(model))), life

    def submit(self, task: Callable[..., Any], /, *arguments: Any, **named: Any) -> Future[Any]:
        done = Future[Any]()
        if self._life == 0:
            raise BrokenExecutor("it has died")
        self._life = None if self._life is None else self._life - 1
        done.set_result(json.dumps(self._worker.answer(json.loads(arguments[0]))))
        return done


def never(request: str) -> str:
    raise AssertionError(request)


def crew(model: type[Model], workers: int = 3, life: int | None = None) -> Crew:
    return Crew([lambda: Here(model, life)] * workers, never, {}, at_once=True)


def same(one: Game, other: Game) -> bool:
    """Say whether two games are the same to the last byte, the numbers of labels and what stopped them included."""
    arrays = [b"".join(write(game)) for game in (one, other)]
    origins = [game.origin for game in (one, other)]
    words = [(origin.stopped, [origin.describe(number) for number in range(origin.states)]) for origin in origins]
    return arrays[0] == arrays[1] and words[0] == words[1]


class Access(Flag):
    READ = 1
    WRITE = 2


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True)
class Parcel:
    owner: str
    weight: int


class Depot(Model):
    """Values of every kind, calls with results, and domains that hang on the state."""

    shelf: tuple[Parcel, ...] = ()
    light: Colour | None = None
    owed: Map[str, int] = Map()
    flag: object = 1

    @controllable
    @given(owner=("ann", "bob"), weight=lambda self: range(1, 3 + len(self.shelf) % 2))
    def bring(self, owner: str, weight: int) -> bool | None:
        if len(self.shelf) == 2:
            return False
        self.shelf = (*self.shelf, Parcel(owner, weight))
        return None

    @controllable
    @given(parcel="shelf")
    def fetch(self, parcel: Parcel) -> None:
        self.shelf = tuple(other for other in self.shelf if other is not parcel)
        self.owed = self.owed.set(parcel.owner, parcel.weight)
        self.flag = len(self.shelf) == 1 or 1

    @controllable(returns=lambda self: (*sorted(self.owed), None))
    def ask(self, result: str | None) -> bool | None:
        if result is None:
            self.light = None
            return len(self.owed) == 0 or None
        self.light = Colour.RED if self.light is Colour.BLUE else Colour.BLUE
        return None

    @goal
    def full(self) -> bool:
        return len(self.shelf) == 2 and self.light is Colour.RED


@seeds(range(60))
def test_workers_find_the_same_game(seed: int):
    model = as_model(random_table(seed))
    assert same(explore(model), explore(model, crew=crew(model)))


def test_workers_find_the_same_game_with_values_of_every_kind_and_calls():
    alone, together = explore(Depot), explore(Depot, crew=crew(Depot))
    assert alone.origin.states > 500
    assert together.origin.helped == alone.origin.states - 1
    assert same(alone, together)


@pytest.mark.parametrize(("clock", "hired"), [("perf_counter", False), ("thread_time", True)])
def test_workers_are_hired_for_work_and_not_for_the_time_that_others_take(
    clock: str, hired: bool, monkeypatch: pytest.MonkeyPatch
):
    ticks = count()
    monkeypatch.setattr(exploration_workers.time, clock, lambda: float(next(ticks)))
    asked = Crew([lambda: Here(Depot)] * 2, never, {})
    together = explore(Depot, crew=asked)
    assert (together.origin.helped > 0) is hired
    assert same(explore(Depot), together)


@pytest.mark.parametrize("limits", [Limits(states=77), Limits(edges=300), Limits(depth=4)], ids=str)
def test_a_limit_ends_exploring_at_the_same_state(limits: Limits):
    alone, together = explore(Depot, limits=limits), explore(Depot, limits=limits, crew=crew(Depot))
    assert alone.origin.stopped
    assert same(alone, together)


def test_workers_that_die_are_replaced():
    assert same(explore(Depot), explore(Depot, crew=crew(Depot, life=3)))


def test_the_first_state_that_raises_ends_exploring_with_the_same_error():
    class Falling(Model):
        height: int = 9
        side: int = 0

        @controllable
        @given(by=range(3))
        def drop(self, by: int) -> None:
            self.height -= by
            self.side = by // (self.height + 1 if self.height < 0 else 1)

    with pytest.raises(ModelError) as alone:
        explore(Falling)
    with pytest.raises(ModelError) as together:
        explore(Falling, crew=crew(Falling))
    assert str(alone.value) == str(together.value)


def test_a_model_that_is_explored_quickly_is_explored_alone():
    assert explore(Depot, crew=changed(crew(Depot), at_once=False)).origin.helped == 0


@pytest.mark.usefixtures("modules_as_they_were")
def test_processes_find_the_same_game():
    job = Job(f"{EXAMPLES}/chat/model.py:Chat", jobs=2)
    model = load_model(job)
    found = model.game(crew=exploration_crew(job, at_once=True))
    assert found.origin.helped
    assert same(found, load_model(job).game())


def test_no_hash_seed_changes_a_game_that_workers_explored(tmp_path: Path):
    (tmp_path / "code.py").write_text(
        "import hashlib\n"
        "from game.exploring.test_exploration_workers import Depot, crew\n"
        "from outplay import explore\n"
        "from outplay.formats.games.npz import write\n"
        "print(hashlib.sha256(b''.join(write(explore(Depot, crew=crew(Depot))))).hexdigest())\n"
    )
    found = [
        subprocess.run(
            [sys.executable, tmp_path / "code.py"],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[2])},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed in ("1", "2")
    ]  # fmt: skip
    assert found[0] == found[1] != ""


@pytest.mark.parametrize(
    "value", [2**99, -5, Fraction(-1, 3), b"\xff", "\ud800", Access.READ | Access.WRITE, Colour.RED]
)
def test_a_value_is_the_same_after_it_was_sent(value: object):
    nested = (frozenset({value}), Map({value: (None, True, 1)}))
    assert repr(unpack_value(json.loads(json.dumps(pack_value(nested))))) == repr(nested)


def test_only_values_are_made_of_what_a_worker_sends():
    with pytest.raises(ModelError, match="no kind of value"):
        unpack_value(["d", "subprocess", "Popen", ["t", "ls"]])
