"""The linear program of 001, section 2.2, against the definition."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from helpers import chance as oracle
from helpers.games import union
from outplay import GameBuilder
from outplay.strategy.chance.reduction.reachability import almost_sure
from outplay.strategy.chance.valuation.linear_program import linear_program


@pytest.mark.parametrize("number", range(10))
def test_the_largest_solution_is_the_least_expected_cost(number):
    games = [oracle.draw(("linear", number, place)) for place in range(50)]
    game = union(games)[0].game()
    goals = game.goals["done"]
    wanted = [np.inf if cost is None else float(cost) for plain in games for cost in oracle.least_costs(plain)]
    assert linear_program(game, goals, almost_sure(game, goals).winning) == pytest.approx(wanted, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("scale", [Fraction(1, 10**12), Fraction(10**12)])
def test_the_unit_of_costs_does_not_matter(scale):
    costs = [cost * scale for cost in (1, 2, 3, 5)]
    games = [oracle.draw(("unit", place), costs=costs) for place in range(100)]
    game = union(games)[0].game()
    goals = game.goals["done"]
    wanted = [np.inf if cost is None else float(cost) for plain in games for cost in oracle.least_costs(plain)]
    values = linear_program(game, goals, almost_sure(game, goals).winning)
    assert values == pytest.approx(wanted, rel=1e-6, abs=0)


def test_going_round_for_nothing_does_not_make_it_unbounded():
    builder = GameBuilder().vertex("a", "tester").vertex("b", "tester").vertex("p", "system").vertex("g", "tester")
    builder.edge("a", "b", cost=0).edge("b", "a", cost=0).edge("b", "p", cost=0)
    game = builder.edge("p", "a", cost=0).edge("p", "g", cost=4).build()
    assert linear_program(game, np.array([3]), np.ones(4, dtype=bool)) == pytest.approx([4, 4, 4, 0])


def test_what_is_out_of_reach_is_infinite_and_no_way_to_be_cheap():
    builder = GameBuilder().vertex("a", "tester").vertex("p", "system").vertex("d", "tester").vertex("g", "tester")
    game = builder.edge("a", "p", cost=0).edge("p", "g").edge("p", "d").edge("a", "g", cost=9).build()
    winning = almost_sure(game, np.array([3])).winning
    assert linear_program(game, np.array([3]), winning).tolist() == [pytest.approx(9), np.inf, np.inf, 0.0]
    assert linear_program(game, np.array([2]), np.array([False, False, True, False])).tolist() == [
        np.inf,
        np.inf,
        0.0,
        np.inf,
    ]
