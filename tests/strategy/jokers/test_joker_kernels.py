"""The joker kernels run by Python and compiled give the same; long chains of jokers take no more than their length."""

from __future__ import annotations

from functools import partial
from random import Random

import numpy as np
import pytest

from helpers.large_games import large_game
from helpers.seeds import with_long
from outplay import Game, compiling
from outplay.game.builder import game_from_arrays
from outplay.strategy.certificate.check_joker import check_joker
from outplay.strategy.jokers.joker import joker
from outplay.strategy.jokers.joker_answers import Jokers

drawn = partial(large_game, system=0.6, near=(0.3, 0.9, 1.0), steps=(-2, 5), free=0.2)


def solved(monkeypatch: pytest.MonkeyPatch, game: Game, way: object):
    monkeypatch.setattr("outplay.strategy.jokers.joker.best_for", lambda kernel, edges: way(kernel))
    solution = joker(game, "done").solution
    columns = (solution.jokers, solution.moves, *solution.notes)
    return [column.tolist() for column in columns]


@pytest.mark.parametrize("seed", with_long(range(40), quick=20))
def test_plain_and_compiled_jokers_give_the_same_notes_in_the_same_order(monkeypatch, seed):
    game = drawn(seed, Random(seed).randint(1, 400))
    assert solved(monkeypatch, game, compiling.compiled) == solved(monkeypatch, game, compiling.interpreted)


def test_games_with_many_edges_are_compiled_on_their_own_and_the_checker_confirms_them():
    needs = []
    for seed in range(6):
        game = drawn(seed, 8_000)
        result = joker(game, "done")
        check_joker(game, result.goal_vertices.tolist(), result.solution.claim())
        needs.append(max(result.jokers.tolist()) * (game.edge_count >= compiling.COMPILE_FROM_EDGES))
    assert sum(need >= 2 for need in needs) >= 3


def test_games_with_many_notes_make_room_for_them():
    games = [drawn(seed, 300) for seed in range(30)]
    notes = [len(joker(game, "done").solution.notes.vertex) / game.vertex_count for game in games]
    assert max(notes) > 2


def chain(length: int) -> Game:
    """From each vertex the system goes one down or to a dead end; every step needs a joker."""
    numbers = np.arange(1, length + 1)
    return game_from_arrays(
        owner=[0, *[1] * length, 0],
        source=np.repeat(numbers, 2),
        target=np.column_stack([numbers - 1, np.full(length, length + 1)]).ravel(),
        initial=length,
        goals={"done": [0]},
    )


@pytest.mark.timeout(20)  # quadratic work would take minutes
@pytest.mark.parametrize("length", [1, 10, 1_000, 100_000])
def test_a_chain_of_jokers_takes_as_many_jokers_as_moves(length):
    result = joker(chain(length), "done")
    assert result.value == Jokers(length, length)
    assert len(result.solution.notes.vertex) == length + 1
    assert result.value_of(length + 1) is None
