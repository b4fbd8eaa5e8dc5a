"""The worked examples of "Play to Test" (paper 001) about expected cost, number by number."""
# an action that does not return False is enabled

from __future__ import annotations

import itertools
from fractions import Fraction

import numpy as np
import pytest

from outplay import GameBuilder
from outplay.strategy.certificate.check_chance import check_expected
from outplay.strategy.chance.reduction.reachability import almost_sure
from outplay.strategy.chance.valuation.exact import exact_expected
from outplay.strategy.chance.valuation.linear_program import linear_program
from outplay.strategy.chance.valuation.policy_iteration import policy_iteration
from outplay.strategy.expected import expected
from outplay.strategy.probability import probability

METHODS = ("auto", "vi", "pi", "lp")


def figure_3():
    builder = GameBuilder().vertex("1", "tester").vertex("2", "system").vertex("g", "tester", goals=["goal"])
    builder.edge("1", "2").edge("2", "g", probability=Fraction(2, 3))
    return builder.edge("2", "1", probability=Fraction(1, 3)).build()


def swept(values):
    """One step of value iteration on figure 3, equation (7) of section 3, in fractions."""
    first, second = values
    return 1 + second, Fraction(2, 3) * 1 + Fraction(1, 3) * (1 + first)


def test_value_iteration_on_figure_3_gives_the_sequence_of_section_3():
    values, sequence = (Fraction(0), Fraction(0)), []
    for _ in range(40):
        values = swept(values)
        sequence.append(values[0])
    assert sequence[:6] == [1, 2, Fraction(7, 3), Fraction(8, 3), Fraction(25, 9), Fraction(26, 9)]
    for place in range(1, 20):  # 2 and (3^i − 2)/3^i, then 2 and (3^i − 1)/3^i
        power = 3**place
        assert sequence[2 * place : 2 * place + 2] == [2 + Fraction(power - 2, power), 2 + Fraction(power - 1, power)]


@pytest.mark.parametrize("method", METHODS)
def test_figure_3_costs_three_by_every_method(method):
    found = expected(figure_3(), "goal", method=method, epsilon=1e-9)
    low, high = found.interval(0)
    assert low <= 3 <= high
    assert found.value == pytest.approx(3, rel=1e-9)
    assert probability(figure_3(), "goal").value == 1


def test_figure_3_costs_exactly_three():
    found = expected(figure_3(), "goal", epsilon=0)
    assert found.exact == [3, 2, 0]
    choice, rank = found.bounds.choice, found.bounds.rank
    check_expected(found.game, found.goal_vertices, found.exact, found.exact, choice, rank, found.region.level)


def test_the_ratio_certificate_of_figure_3_bounds_the_value_from_both_sides():
    """With e1 and e2 the largest loss and gain of a step per unit of cost, v/(1 + e1) and v/(1 − e2) are bounds."""
    value = (Fraction(26, 9), Fraction(17, 9))
    gains = [new - old for old, new in zip(value, swept(value), strict=True)]  # all costs are 1
    loss, gain = max(-step for step in gains), max(gains)
    assert (loss, gain) == (0, Fraction(2, 27))
    low, high = [v / (1 + loss) for v in value], [v / (1 - gain) for v in value]
    assert low[0] == Fraction(26, 9) <= 3 <= high[0] == Fraction(78, 25)
    check_expected(figure_3(), [2], [*low, 0], [*high, 0], [0, -1, -1], [2, 1, 0], [-1] * 3)


def test_an_unsafe_way_to_the_goal_is_transient_and_yet_of_infinite_cost():
    """Section 2.1 calls a vertex transient if the goal can be reached; that is not enough."""
    builder = GameBuilder().vertex("v", "tester").vertex("p", "system").vertex("g", "tester", goals=["goal"])
    game = builder.vertex("sink", "tester").edge("v", "p").edge("p", "g").edge("p", "sink").build()
    for method in METHODS:
        found = expected(game, "goal", method=method)
        assert found.value is None
        assert [found.value_of(vertex) for vertex in range(4)] == [None, None, 0, None]
    assert probability(game, "goal").value == pytest.approx(0.5, rel=1e-6)
    assert probability(game, "goal", epsilon=0).exact == [Fraction(1, 2), Fraction(1, 2), 1, 0]


def test_both_strategies_beside_proposition_1_are_optimal():
    edges = [(1, 2, 1), (2, 0, 10), (1, 3, 10), (3, 0, 1)]
    builder = GameBuilder()
    for number in range(4):
        builder.vertex(f"{number}", "tester")
    for source, target, cost in edges:
        builder.edge(f"{source}", f"{target}", cost=cost)
    game = builder.build("1")
    values = expected(game, "0", epsilon=0).exact
    assert values == [0, 11, 10, 1]
    ranks, levels = [0, 2, 1, 1], [-1] * 4
    optimal = []
    for first, second, third in itertools.product(game.edges_of(1), game.edges_of(2), game.edges_of(3)):
        check_expected(game, [0], values, values, [-1, first, second, third], ranks, levels)
        optimal.append([first, second, third])
    assert len(optimal) == 2


def test_the_methods_of_sections_2_and_3_agree_on_figure_3():
    game = figure_3()
    goals = game.goal_vertices("goal")
    region = almost_sure(game, goals)
    assert region.winning.all()
    assert exact_expected(game, goals, region.level) == [3, 2, 0]
    assert np.allclose(linear_program(game, goals, region.winning), [3, 2, 0])
    assert np.allclose(policy_iteration(game, goals, region.winning), [3, 2, 0])
