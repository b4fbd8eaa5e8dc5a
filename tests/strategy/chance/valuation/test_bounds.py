"""Bounds of expected costs and probabilities: against all strategies in fractions, and confirmed by the checker."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from helpers import chance as oracle
from helpers.games import chain, strategy_of, union
from helpers.seeds import seeds
from outplay.strategy.arrays import ProcessArrays
from outplay.strategy.certificate.check_chance import check_expected, check_probability
from outplay.strategy.chance.valuation._reach_probability import needed_shift
from outplay.strategy.expected import expected
from outplay.strategy.probability import probability

DEAR = (0, 1, 10**9, 10**40, Fraction(1, 10**12), Fraction(1, 3))


def confirmed_costs(game, **options):
    """The answer, once the checker has agreed to the last bit."""
    found = expected(game, "done", **options)
    low, high = (found.bounds.low, found.bounds.high) if found.exact is None else (found.exact, found.exact)
    checked = (low, high, found.bounds.choice, found.bounds.rank, found.region.level)
    check_expected(game, found.goal_vertices, *checked)
    return found


def confirmed_chances(game, **options):
    found = probability(game, "done", **options)
    low, high = (found.bounds.low, found.bounds.high) if found.exact is None else (found.exact, found.exact)
    check_probability(game, found.goal_vertices, low, high, found.bounds.choice, found.bounds.rank)
    return found


def contains(found, wanted) -> bool:
    """Say whether every exact value lies within its bounds, infinite ones too."""
    pairs = zip(found.bounds.low.tolist(), wanted, found.bounds.high.tolist(), strict=True)
    return all(low == high == np.inf if value is None else low <= value <= high for low, value, high in pairs)


@seeds(range(400))
def test_the_least_expected_cost_over_all_strategies_lies_within_narrow_bounds(seed):
    plain = oracle.draw(f"cost {seed}")
    found = confirmed_costs(plain.game())
    assert found.kept
    assert contains(found, oracle.least_costs(plain))


@seeds(range(100))
def test_the_strategy_costs_no_more_than_the_upper_bound(seed):
    plain = oracle.draw(f"strategy {seed}")
    game = plain.game()
    found = confirmed_costs(game)
    costs = oracle.costs_of(plain, strategy_of(game, found.bounds.choice.tolist()))
    for vertex, cost in enumerate(costs):
        assert (cost is None) == (found.bounds.high[vertex] == np.inf)
        assert cost is None or cost <= found.bounds.high[vertex]


@pytest.mark.promise("A3")
@pytest.mark.parametrize("epsilon", [0.5, 1e-3, 1e-9, 1e-12, 1e-17])
@pytest.mark.parametrize("seed", range(30))
def test_the_value_lies_within_bounds_of_any_width_and_kept_says_the_truth(seed, epsilon):
    plain = oracle.draw(f"width {seed}")
    found = confirmed_costs(plain.game(), epsilon=epsilon)
    assert contains(found, oracle.least_costs(plain))
    low, high = found.bounds.low, found.bounds.high
    winning = found.region.winning
    near = bool(np.all(high[winning] - low[winning] <= epsilon * high[winning]))
    assert found.kept == (near or found.exact is not None)
    assert found.kept or epsilon < 1e-9


@pytest.mark.promise("A3")
@pytest.mark.parametrize("method", ["vi", "pi", "lp"])
@pytest.mark.parametrize("seed", range(40))
def test_every_method_comes_with_bounds_that_hold(seed, method):
    plain = oracle.draw(f"method {seed}")
    found = confirmed_costs(plain.game(), method=method)
    assert found.method == method
    assert contains(found, oracle.least_costs(plain))


@seeds(range(60))
def test_dear_and_cheap_moves_side_by_side_do_not_harm_the_bounds(seed):
    plain = oracle.draw(f"dear {seed}", costs=DEAR)
    assert contains(confirmed_costs(plain.game()), oracle.least_costs(plain))


@seeds(range(100))
def test_where_everything_is_free_all_values_are_0_or_infinite_and_the_strategy_arrives(seed):
    plain = oracle.draw(f"free {seed}", costs=(0,))
    found = confirmed_costs(plain.game())
    assert found.kept
    assert set(found.bounds.high.tolist()) <= {0.0, np.inf}


@pytest.mark.promise("A3")
@seeds(range(250))
def test_the_greatest_probability_over_all_strategies_lies_within_narrow_bounds(seed):
    plain = oracle.draw(f"chance {seed}")
    found = confirmed_chances(plain.game())
    assert found.kept
    assert contains(found, oracle.greatest_probabilities(plain))


@seeds(range(60))
def test_exact_values_are_those_of_the_definition_and_their_strategies_have_them(seed):
    plain = oracle.draw(f"exact {seed}")
    game = plain.game()
    costs, likely = confirmed_costs(game, epsilon=0), confirmed_chances(game, epsilon=0)
    assert list(costs.exact) == oracle.least_costs(plain)
    assert list(likely.exact) == oracle.greatest_probabilities(plain)
    assert contains(costs, costs.exact)
    assert contains(likely, likely.exact)


@pytest.mark.parametrize("seed", range(3))
def test_many_games_side_by_side_compiled_have_the_bounds_they_have_alone(seed):
    games = [oracle.draw(f"side {seed} {number}", most=8, strategies=64) for number in range(1200)]
    together, places = union(games)
    game = together.game()
    assert game.edge_count >= 10_000
    costs, likely = confirmed_costs(game), confirmed_chances(game)
    assert costs.kept
    assert likely.kept
    for plain, place in list(zip(games, places, strict=True))[:15]:
        for vertex, value, chance in zip(
            place, oracle.least_costs(plain), oracle.greatest_probabilities(plain), strict=True
        ):
            low, high = costs.interval(vertex)
            assert low == high == np.inf if value is None else low <= value <= high
            assert likely.interval(vertex)[0] <= chance <= likely.interval(vertex)[1]


@pytest.mark.promise("A3")
@pytest.mark.parametrize("length", [5, 10, 20])
def test_a_chain_on_which_iteration_seems_to_stand_still_is_bounded_truly(length):
    plain = chain(length)
    found = confirmed_chances(plain.game())
    assert found.kept
    assert found.value == pytest.approx(0.5, rel=1e-6)


def test_where_floats_cannot_be_narrow_a_small_game_is_solved_in_fractions():
    game = chain(45).game()
    found = confirmed_chances(game)
    assert found.kept
    assert found.value_of(game.initial) == Fraction(1, 2)


def test_where_floats_cannot_be_narrow_the_bounds_of_a_large_game_say_so_and_still_hold(monkeypatch):
    monkeypatch.setattr("outplay.strategy.chance.valuation.bounds.EXACT_UP_TO", 0)
    game = chain(45).game()
    found = confirmed_chances(game)
    assert not found.kept
    low, high = found.interval(game.initial)
    assert low <= 0.5 <= high
    assert confirmed_chances(game, epsilon=0).value_of(game.initial) == Fraction(1, 2)


@pytest.mark.parametrize(("value", "needed"), [(0.6, 0.1), (0.5, 0.0), (0.3, 0.2)])
def test_a_value_too_high_needs_a_shift_as_one_too_low_does(value, needed):
    """One step to the goal with probability a half: v + x must not fall short of it, nor v - x exceed it."""
    arrays = ProcessArrays([0, 1], [0, 1], [0.0], [1.0], [0, 1], [1], [0.5])
    assert needed_shift(arrays, [value, 1.0], [1.0, 0.0], [0], 0.0) == pytest.approx(needed)
