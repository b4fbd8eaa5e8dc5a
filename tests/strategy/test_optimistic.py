"""Optimism: sure moves where there are any, and elsewhere the cheapest way on which the system helps."""

from __future__ import annotations

from fractions import Fraction

import pytest

from helpers import worst_case
from helpers.games import strategy_of
from outplay import GameBuilder, win


def cheapest_ways(plain):
    """The cheapest path from each vertex to a goal, whoever chooses: edge after edge until nothing gets cheaper."""
    best = [Fraction(0) if vertex in plain.goals else None for vertex in plain.vertices]
    for _ in plain.vertices:
        for source, target, cost, *_ in plain.edges:
            if best[target] is not None and (best[source] is None or cost + best[target] < best[source]):
                best[source] = cost + best[target]
    return best


def lucky(plain, strategy):
    """The vertices from which the goal is reached when the tester keeps to the strategy and the system helps."""
    reached = set(plain.goals)
    for _ in plain.vertices:
        for place, (source, target, *_) in enumerate(plain.edges):
            if target in reached and (plain.system[source] or strategy.get(source) == place):
                reached.add(source)
    return reached


@pytest.mark.parametrize("number", range(20))
def test_its_values_are_the_cheapest_ways_with_a_helping_system(number):
    for game_number in range(25):
        plain = worst_case.draw(("hope", number, game_number), most=10, strategies=None, answers=None)
        assert win(plain.game(), "done").optimistic.values() == cheapest_ways(plain), plain


@pytest.mark.parametrize("number", range(20))
def test_wherever_the_goal_can_be_reached_at_all_its_moves_keep_it_in_reach(number):
    for game_number in range(25):
        plain = worst_case.draw(("hope", number, game_number), most=10, strategies=None, answers=None)
        game = plain.game()
        moves = strategy_of(game, win(game, "done").optimistic.choice.tolist())
        in_reach = {vertex for vertex, cost in enumerate(cheapest_ways(plain)) if cost is not None}
        assert lucky(plain, moves) == in_reach, plain
        assert not any(plain.system[vertex] or vertex in plain.goals for vertex in moves)


@pytest.mark.parametrize("number", range(20))
def test_where_the_goal_can_be_forced_it_plays_the_sure_strategy(number):
    for game_number in range(25):
        plain = worst_case.draw(("hope", number, game_number))
        game = plain.game()
        result = win(game, "done")
        sure, hoped = result.solution, result.optimistic
        moves = strategy_of(game, hoped.choice.tolist())
        costs = worst_case.costs_of(plain, moves)
        for vertex, value in enumerate(sure.values()):
            if value is not None:
                assert hoped.edge(vertex) == sure.edge(vertex), plain
                assert costs[vertex] == value, plain


def test_a_sure_way_is_preferred_to_a_cheaper_lucky_one():
    builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("g", "tester", goals=["done"])
    builder.vertex("trap", "tester").edge("s", "g", "?sure", cost=9).edge("s", "c", "?dare", cost=1)
    game = builder.edge("c", "g", "!luck", cost=1).edge("c", "trap", "!no").build()
    hoped = win(game, "done").optimistic
    assert game.label_of(hoped.edge(0)) == "?sure"
    assert hoped.value(0) == 2
    assert hoped.value(3) is None
    assert hoped.edge(3) is None
