"""Games, answers and suites go to other processes and into files: they pickle, and come back equal."""

from __future__ import annotations

import copy
import pickle
from random import Random
from typing import Any

import pytest

from helpers.places import EXAMPLES
from outplay import Assumption, Limits, Model, Simulated, explore, make_suite, observable, run, solve
from outplay.formats.registry import read_model
from outplay.model.programs.load import load_program
from outplay.strategy.objectives import OBJECTIVES

OPTIONS: dict[str, dict[str, Any]] = {"bounded": {"steps": 6}}
CHAT = load_program(f"{EXAMPLES / 'chat' / 'model.py'}:Chat", ["clients=('ann','bob')"])


def again(thing: Any) -> Any:
    return pickle.loads(pickle.dumps(thing))


@pytest.mark.parametrize("assumption", list(Assumption))
def test_an_explored_game_comes_back_equal_under_its_assumption_and_can_be_played(assumption):
    game = explore(CHAT, assumption=assumption)
    found = again(game)
    assert found == game
    assert list(found.names) == list(game.names)
    assert found.origin.assumption is assumption
    answer = solve(found, "two_pending")
    assert answer.value == solve(game, "two_pending").value
    played = run(answer, Simulated(found, Random(0)), plays=5)
    assert played.verdict.name in ("pass", "inconclusive")  # where nothing helps the goal is out of reach


def test_what_is_to_be_known_of_a_game_comes_back_with_it():
    class Long(Model):
        place: int = 0

        @observable
        def step(self):
            self.place += 1

    game = explore(Long, limits=Limits(states=5))
    assert game.origin.stopped
    assert again(game).origin.stopped == game.origin.stopped


def test_a_game_of_a_file_comes_back_equal():
    game = read_model(EXAMPLES / "graphs" / "two_doors.json")
    assert again(game) == game
    assert copy.deepcopy(game) is game


@pytest.mark.parametrize("objective", list(OBJECTIVES))
def test_an_answer_comes_back_equal_and_its_checker_confirms_it(objective):
    game = explore(CHAT)
    answer = solve(
        game, "two_pending" if OBJECTIVES[objective].takes_goal else (), objective, **OPTIONS.get(objective, {})
    )
    found = again(answer)
    assert found == answer
    assert hash(found) == hash(answer)
    assert str(found) == str(answer)
    found.check()


def test_answers_of_other_goals_and_objectives_are_not_equal():
    game = explore(CHAT)
    win, joker = (solve(game, "two_pending", name) for name in ("win", "joker"))
    assert win != joker
    assert win != solve(game, "everybody_posted")
    assert win == solve(game, "two_pending")


@pytest.mark.parametrize(
    ("file", "method"),
    [("printer/printer.aut", "joker"), ("mp3/mp3.aut", "distinguish"), ("mp3/mp3.aut", "n-complete")],
)
def test_a_suite_comes_back_equal_with_its_remarks(file, method):
    suite = make_suite(str(EXAMPLES / file), method=method)
    found = again(suite)
    assert found == suite
    assert found.size == len(list(suite.tests))
    assert found.remarks is None or found.remarks.json() == suite.remarks.json()
    assert again(found) == found
    assert make_suite(str(EXAMPLES / file), method="edges") != suite
