"""Least expected cost: known answers, long chains, slow components, costs of nothing, and wrong calls."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from helpers.places import shared_data
from outplay import Game, GameBuilder
from outplay.errors import UsageError
from outplay.formats.registry import read_model
from outplay.game.builder import game_from_arrays
from outplay.game.exact_numbers import exact_column
from outplay.strategy.certificate.check_chance import check_expected
from outplay.strategy.expected import expected

PROCESSES = shared_data("mdp")
VALUES = {
    "consensus-2-2": ("finished", Fraction(48)),
    "consensus-4-2": ("finished", Fraction(192)),
    "csma-2-2": ("all_delivered", Fraction(53954981353, 805306368)),
    "firewire-3": ("done", Fraction(553, 4)),
}


def figure_3() -> GameBuilder:
    builder = GameBuilder().vertex("1", "tester").vertex("2", "system").vertex("g", "tester", goals=["done"])
    return builder.edge("1", "2").edge("2", "g", probability="2/3").edge("2", "1", probability="1/3")


def confirm(found) -> None:
    bounds = found.bounds
    checked = (bounds.low, bounds.high, bounds.choice, bounds.rank, found.region.level)
    check_expected(found.game, found.goal_vertices, *checked)


def rings(count: int, onward: str) -> Game:
    """A chain of rings of three places; from the first of each a step leads on with a small chance, else round."""
    place, gate = np.arange(3 * count), np.arange(0, 3 * count, 3)
    chances = exact_column(
        [None, onward, 1 - Fraction(onward), 1], np.concatenate([np.where(place % 3, 3, 2), 0 * gate + 1])
    )
    return game_from_arrays(
        owner=np.repeat([1, 0], [3 * count, 1]),
        source=np.concatenate([place, gate]),
        target=np.concatenate([place - place % 3 + (place + 1) % 3, gate + 3]),
        probability=chances,
        goals={"done": [3 * count]},
    )


def walk(length: int) -> Game:
    """A walk to and fro that is as likely to go back as on: some length² steps on average, and slow to iterate."""
    place = np.arange(length)
    return game_from_arrays(
        owner=np.repeat([1, 0], [length, 1]),
        source=np.concatenate([place, place]),
        target=np.concatenate([place + 1, np.maximum(place - 1, 0)]),
        goals={"done": [length]},
    )


def test_figure_3_of_paper_001_costs_3():
    found = expected(figure_3().build(), "done")
    assert found.value == pytest.approx(3, rel=1e-6)
    assert expected(figure_3().build(), "done", epsilon=0).value_of(0) == 3
    assert repr(found) == "Expectation(to done at expected cost 3)"


@pytest.mark.parametrize("file", VALUES)
@pytest.mark.parametrize("epsilon", [1e-3, 1e-6, 1e-9])
def test_public_processes_have_the_values_published_with_them(file, epsilon):
    path = PROCESSES / f"{file}.drn"
    if not path.exists():
        pytest.skip("no folder shared/data beside the repository")
    goal, value = VALUES[file]
    game = read_model(path)
    found = expected(game, goal, epsilon=epsilon)
    low, high = found.interval(game.initial)
    assert found.kept
    assert low <= value <= high
    if game.edge_count < 20_000:
        confirm(found)


@pytest.mark.parametrize("count", [1, 30, 10_000])
def test_a_long_chain_of_slow_rings_costs_what_one_ring_does_times_their_number(count):
    found = expected(rings(count, "1/100"), "done")
    assert found.kept
    assert found.value == pytest.approx(298 * count, rel=1e-6)
    if count < 1000:
        confirm(found)


def test_slow_components_of_few_states_are_solved_within_the_kernel(monkeypatch):
    def never(*_):
        raise AssertionError

    monkeypatch.setattr("outplay.strategy.chance.valuation.value_iteration.aggregate_component", never)
    monkeypatch.setattr("outplay.strategy.chance.valuation.value_iteration.PATIENCE", 1)
    assert expected(rings(40, "1/1000"), "done").kept
    with pytest.raises(AssertionError):
        expected(walk(400), "done")


@pytest.mark.parametrize("length", [1, 2, 50, 400, 6_000])
def test_a_walk_to_and_fro_takes_length_squared_plus_length_steps(length):
    found = expected(walk(length), "done")
    assert found.kept
    assert found.value == pytest.approx(length * (length + 1), rel=1e-6)
    if length < 1000:
        confirm(found)


@pytest.mark.parametrize("zeros", [3, 6, 9, 12])
def test_a_step_that_mostly_stays_is_solved_at_once_and_in_fractions_where_floats_do_not_do(zeros):
    chance = Fraction(1, 10**zeros)
    builder = GameBuilder().vertex("s", "system").vertex("g", "tester", goals=["done"])
    builder.edge("s", "g", probability=chance).edge("s", "s", probability=1 - chance)
    found = expected(builder.build(), "done")
    low, high = found.interval(0)
    assert low <= 10**zeros <= high
    assert found.kept
    assert (found.exact is None) == (zeros < 9)
    confirm(found)


def test_going_round_for_nothing_is_no_strategy():
    builder = GameBuilder().vertex("a", "tester").vertex("b", "tester").vertex("g", "tester", goals=["done"])
    game = builder.edge("a", "b", cost=0).edge("b", "a", cost=0).edge("a", "g", cost=5).edge("b", "g", cost=7).build()
    found = expected(game, "done")
    assert found.kept
    assert [found.value_of(vertex) for vertex in range(3)] == pytest.approx([5, 5, 0])
    assert [found.bounds.edge(vertex) for vertex in range(3)] == [game.edges_of(0)[1], game.edges_of(1)[0], None]
    confirm(found)


def test_a_value_beyond_what_floats_can_prove_is_found_in_fractions():
    builder = GameBuilder().vertex("g", "tester", goals=["done"])
    for number in range(60):
        builder.vertex(f"s{number}", "system")
    for number in range(60):
        ahead = f"s{number + 1}" if number < 59 else "g"
        builder.edge(f"s{number}", ahead, probability="1/4").edge(f"s{number}", "s0", probability="3/4")
    game = builder.build("s0")
    found = expected(game, "done")
    assert found.exact is not None
    assert found.value_of(game.initial) == Fraction(4**61 - 4, 3)
    assert found.kept


@pytest.mark.parametrize("chances", [("0.333333333", "0.666666667"), ("0.3333333333", "0.6666666666")])
def test_probabilities_that_almost_sum_to_1_are_divided_by_their_sum(chances):
    builder = GameBuilder().vertex("s", "system").vertex("t", "system").vertex("g", "tester", goals=["done"])
    builder.edge("s", "g", probability=chances[0]).edge("s", "t", probability=chances[1]).edge("t", "s")
    found = expected(builder.build(), "done", epsilon=1e-12)
    low, high = found.interval(0)
    on, back = map(Fraction, chances)
    assert low <= (on + 2 * back) / on <= high
    confirm(found)


def test_a_value_beyond_all_floats_is_exact_and_shown_as_the_largest_float():
    builder = GameBuilder().vertex("s", "system").vertex("t", "system").vertex("g", "tester", goals=["done"])
    chance = Fraction(1, 10**290)
    builder.edge("s", "t", probability=chance, cost=10**299).edge("s", "s", probability=1 - chance, cost=10**299)
    game = builder.edge("t", "g", probability=chance).edge("t", "s", probability=1 - chance).build()
    found = expected(game, "done")
    assert found.value_of(0) > 10**580
    assert found.value == np.finfo(float).max
    assert found.interval(0) == (np.finfo(float).max, np.inf)


def test_where_no_strategy_is_sure_to_arrive_there_is_no_value_but_a_reason():
    builder = figure_3().vertex("lost", "tester").vertex("v", "tester").vertex("p", "system")
    game = builder.edge("v", "p").edge("p", "g").edge("p", "lost", "!no").build("v")
    found = expected(game, "done")
    assert found.value is None
    assert found.interval(game.initial) == (np.inf, np.inf)
    assert "no value" not in found.region.reason(game.initial)
    assert repr(found) == "Expectation(to done not with probability 1)"
    assert found.kept


def test_choices_are_listed_like_those_of_a_sure_win():
    game = figure_3().build()
    found = expected(game, ["done", "g"])
    assert list(found.choices()) == [(0, 0)]
    assert found.bounds.edge(1) is None


@pytest.mark.parametrize("epsilon", [-1e-6, 1, float("nan"), float("inf")])
def test_an_epsilon_that_is_no_width_is_refused(epsilon):
    with pytest.raises(UsageError, match="write a number from 0"):
        expected(figure_3().build(), "done", epsilon=epsilon)


def test_a_method_that_is_none_is_refused_with_the_nearest():
    with pytest.raises(UsageError, match="did you mean 'lp'"):
        expected(figure_3().build(), "done", method="lpp")
