"""Wang et al. 2013, Table 1: the models have the sizes of the paper, and guarantees that can be told by hand."""

from __future__ import annotations

from typing import Any

import pytest

from helpers.coverage import Witnessing, visited_by
from helpers.places import EXAMPLES
from outplay import Game, explore
from outplay.model.programs.load import load_program
from outplay.strategy.coverage.coverage_strategy import Touring
from outplay.strategy.coverage.guarantee import cover_nodes

MODELS = [
    # name, constant, nodes, what is sure
    ("inventory.py:Inventory", "clients=2", 20, 10),
    ("inventory.py:Inventory", "clients=3", 80, 30),
    ("inventory.py:Inventory", "clients=4", 308, 88),
    ("chat.py:Chat", "clients=4", 65, 33),
    ("chat.py:Chat", "clients=5", 161, 51),
    ("chat.py:Chat", "clients=6", 385, 73),
    ("multiset.py:Multiset", "threads=2", 19, 7),
    ("multiset.py:Multiset", "threads=3", 43, 10),
    ("multiset.py:Multiset", "threads=4", 91, 13),
    ("safety_injection.py:SafetyInjection", None, 99, 6),
]
SMALL = [row for row in MODELS if row[2] <= 100]


def game_of(name: str, constant: str | None) -> Game:
    program = load_program(str(EXAMPLES / "coverage" / name), [constant] if constant else [])
    return explore(program, assumption="timeout")


@pytest.mark.parametrize(("name", "constant", "nodes", "sure"), MODELS)
def test_the_models_have_the_sizes_of_the_paper(name: str, constant: str, nodes: int, sure: int):
    game = game_of(name, constant)
    assert game.vertex_count == nodes
    assert game.is_state.all()  # every node is a state, and belongs to one side
    assert set(game.owner.tolist()) == {0, 1}


def check_guarantee(row: tuple[Any, ...], restart: bool) -> None:
    name, constant, _, sure = row
    answer = cover_nodes(game_of(name, constant), restart=restart)
    assert answer.value == sure  # a restart adds nothing: the tester comes back to the start anyway
    assert answer.check().vertices == answer.game.vertex_count
    # The tester for large games gets as much from the witness, and the witness gives no more.
    touring = Touring(answer.game, answer.weighted)
    visited = visited_by(answer, touring, Witnessing(answer), steps=3 * answer.game.vertex_count)
    assert sum(bool(answer.game.is_state[vertex]) for vertex in visited) == sure


@pytest.mark.parametrize("row", SMALL, ids=lambda row: f"{row[0]} {row[1]}")
def test_the_guarantee_of_the_models_up_to_a_hundred_nodes(row: tuple[Any, ...]):
    check_guarantee(row, restart=row[2] < 50)


@pytest.mark.long
@pytest.mark.parametrize("restart", [False, True])
@pytest.mark.parametrize("row", MODELS, ids=lambda row: f"{row[0]} {row[1]}")
def test_the_guarantee_of_all_models_with_and_without_restart(row: tuple[Any, ...], restart: bool):
    check_guarantee(row, restart)


def test_the_guarantees_of_chat_and_multiset_are_those_of_a_system_with_habits():
    # A server that always delivers in the same order shows one chain of m states for each of 2 m messages; threads
    # that always return in the same order, one of m states for each of 3 operations.
    for name, _, nodes, sure in MODELS:
        if "Chat" in name:
            clients = next(m for m in (4, 5, 6) if m * 2**m + 1 == nodes)
            assert sure == 1 + 2 * clients * clients
        if "Multiset" in name:
            threads = next(m for m in (2, 3, 4) if 6 * 2**m - 5 == nodes)
            assert sure == 1 + 3 * threads
