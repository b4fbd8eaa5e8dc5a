"""The chat with an entering phase (paper 001, section 2.4): Figure 2, before and after compression."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from outplay import Game, explore
from outplay.game.graph import SYSTEM, TESTER
from outplay.model.programs.load import load_program
from outplay.strategy.chance.reduction.compression import compress_chains
from outplay.strategy.expected import expected


def entering(chat: Path, *settings: str) -> Game:
    return explore(load_program(f"{chat / 'entering.py'}:Entering", settings), assumption="timeout")


def owners(game: Game) -> tuple[int, int]:
    found = Counter(game.owner.tolist())
    return found[TESTER], found[SYSTEM]


@pytest.mark.parametrize("clients", range(1, 7))
def test_the_passive_states_of_figure_2a_are_the_sets_of_clients_who_are_in_but_not_all(clients: int, chat: Path):
    game = entering(chat, f"sizes=({clients},)", "posting=False")
    assert owners(game) == (2, 2**clients - 1)  # s0 and s1 are active
    assert game.edge_count == 1 + clients * 2 ** (clients - 1)


def test_figure_2a_has_nine_states_and_thirteen_transitions(chat: Path):
    game = entering(chat, "posting=False")
    assert (game.vertex_count, game.edge_count) == (9, 13)


@pytest.mark.parametrize("clients", range(1, 7))
def test_compressed_to_figure_2b_a_single_passive_state_is_left_between_s0_and_s1(clients: int, chat: Path):
    game = entering(chat, f"sizes=({clients},)", "posting=False")
    small = compress_chains(game, game.goals["everybody_is_in"]).game
    assert (small.vertex_count, small.edge_count) == (3, 2)
    assert owners(small) == (2, 1)
    start, entered = range(2)
    assert [small.cost[start], small.cost[entered]] == [1, clients]
    assert small.probability[entered] in (1, None)


def test_compression_keeps_the_expected_cost_of_a_start_and_three_clients_entering(chat: Path):
    game = entering(chat, "posting=False")
    goals = game.goals["everybody_is_in"]
    assert expected(game, "everybody_is_in", epsilon=0).value_of(game.initial) == 4
    small = compress_chains(game, goals).game
    assert expected(small, "everybody_is_in", epsilon=0).value_of(small.initial) == 4


def test_nobody_posts_before_all_are_in_and_everybody_may_afterwards(chat: Path):
    game = entering(chat)
    inside = set(game.goals["everybody_is_in"].tolist())
    posting = {int(game.source[e]) for e in range(game.edge_count) if game.label_of(e).startswith("?post")}
    assert posting
    assert posting <= inside
    origin = game.origin
    first = next(vertex for vertex in sorted(inside) if "queue=[]" in origin.describe(vertex))
    assert [game.label_of(edge) for edge in game.edges_of(first)] == ["?post 0 hi", "?post 1 hi", "?post 2 hi"]
