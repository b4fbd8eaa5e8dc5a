"""Kernels are one text run two ways: by Python itself and compiled. Both ways must give the same arrays."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from helpers.large_games import large_game
from helpers.seeds import seeds
from outplay import Game, compiling, win
from outplay.game import graph
from outplay.strategy import _kernels
from outplay.strategy.certificate.check_win import check_win


def drawn(seed: int, vertices: int, costs: list[object]) -> Game:
    return large_game(seed, vertices, costs=costs, system=0.4, near=(0.5, 0.9, 0.98), goals=3)


def solved(monkeypatch: pytest.MonkeyPatch, game: Game, way: object) -> tuple[list[object], ...]:
    monkeypatch.setattr("outplay.strategy.attractor.best_for", lambda kernel, edges: way(kernel))
    solution = win(game, "done").solution
    return solution.worth.tolist(), solution.choice.tolist(), solution.rank.tolist()


def confirmed(game: Game) -> list[Fraction | None]:
    """The values of all vertices, once the checker has agreed."""
    result = win(game, "done")
    values, solution = result.solution.values(), result.solution
    check_win(game, result.goal_vertices.tolist(), values, solution.rank.tolist(), solution.choice.tolist())
    return values


@seeds(range(60))
def test_plain_and_compiled_sure_win_give_the_same_values_choices_and_ranks(monkeypatch, seed):
    vertices = Random(seed).randint(1, 400)
    game = drawn(seed, vertices, [0, 0, 1, 2, 3, 7, "1/2", "5/7", 10**9])
    plain = solved(monkeypatch, game, compiling.interpreted)
    assert solved(monkeypatch, game, compiling.compiled) == plain
    assert sum(worth >= 0 for worth in plain[0]) >= 1


def test_the_random_graphs_are_neither_all_won_nor_all_lost():
    shares = [np.mean(win(drawn(seed, 300, [0, 1, 2]), "done").solution.worth >= 0) for seed in range(30)]
    assert sum(0.2 < share < 0.999 for share in shares) >= 10


@pytest.mark.parametrize("bits", [12, 16, 30, 31, 32, 62])
@pytest.mark.parametrize("excess", [-1, 0, 1])
def test_both_ways_agree_where_sums_fill_a_whole_number_of_the_machine(monkeypatch, bits, excess):
    most = (1 << bits) // 301 + excess
    game = drawn(bits, 300, [most, max(0, most - 1), 1, 0])
    plain = solved(monkeypatch, game, compiling.interpreted)
    assert solved(monkeypatch, game, compiling.compiled) == plain


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("unit", [255, 256, 257, 2**24, 2**31, 10**18, 2**63, 10**30])
def test_in_other_units_the_same_game_has_the_same_values(seed, unit):
    """Units are chosen so that costs cross every width of whole numbers, up to those that only Python has."""
    costs = [0, 1, 2, 3, Fraction(1, 3)]
    small = confirmed(drawn(seed, 60, costs))
    large = confirmed(drawn(seed, 60, [cost * unit for cost in costs]))
    assert large == [None if value is None else value * unit for value in small]


@pytest.mark.timeout(20)  # it takes a fraction of a second, or minutes if every byte of a number costs a search
def test_a_common_denominator_of_hundreds_of_digits_is_no_burden():
    game = drawn(4, 1000, [Fraction(1, number) for number in range(1, 700)])
    assert game.cost.denominator > 10**200
    assert sum(value is not None for value in confirmed(game)) > 300


@pytest.mark.parametrize("seed", range(3))
def test_a_game_with_many_edges_is_compiled_on_its_own_and_the_checker_confirms_it(monkeypatch, seed):
    chosen = []
    best_for = compiling.best_for
    monkeypatch.setattr(
        "outplay.strategy.attractor.best_for",
        lambda kernel, edges: chosen.append((kernel, edges)) or best_for(kernel, edges),
    )
    game = drawn(seed, 20_000, [0, 1, "1/3", 5, 1000])
    values = confirmed(game)
    assert chosen == [(_kernels.sure_win, game.edge_count)]
    assert game.edge_count >= compiling.COMPILE_FROM_EDGES
    assert sum(value is not None for value in values) > 100


@pytest.mark.parametrize("way", [compiling.interpreted, compiling.compiled])
@pytest.mark.parametrize("seed", range(20))
def test_incoming_edges_are_those_with_that_target_in_ascending_order(monkeypatch, seed, way):
    monkeypatch.setattr(graph, "best_for", lambda kernel, edges: way(kernel))
    game = drawn(seed, Random(seed).randint(1, 200), [1])
    incoming = game.incoming
    for vertex in range(game.vertex_count):
        row = slice(int(incoming.first[vertex]), int(incoming.first[vertex + 1]))
        expected = [edge for edge in range(game.edge_count) if game.target[edge] == vertex]
        assert incoming.edge[row].tolist() == expected
        assert incoming.source[row].tolist() == game.source[expected].tolist()
    assert int(incoming.first[-1]) == game.edge_count


def test_few_edges_run_uncompiled_until_many_were_compiled(monkeypatch):
    monkeypatch.setattr(compiling, "_so_far", Counter())  # many small games may have been solved before
    monkeypatch.setattr(compiling, "_found_worthwhile", set())
    assert compiling.best_for(_kernels.sure_win, 9_999).__wrapped__ is _kernels.sure_win
    assert compiling.best_for(_kernels.sure_win, 10_000) is compiling.compiled(_kernels.sure_win)
    assert compiling.best_for(_kernels.sure_win, 1) is compiling.compiled(_kernels.sure_win)


def test_a_kernel_run_by_python_writes_its_results_back_into_the_arrays():
    def kernel(numbers, doubled):
        for place in range(len(numbers)):
            doubled[place] = 2 * numbers[place]
        return len(numbers)

    numbers, doubled = np.array([1, 2, 2**40]), np.zeros(3, dtype=np.int64)
    numbers.flags.writeable = False
    assert compiling.interpreted(kernel)(numbers, doubled) == 3
    assert doubled.tolist() == [2, 4, 2**41]
