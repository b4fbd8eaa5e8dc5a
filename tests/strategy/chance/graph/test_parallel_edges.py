"""Merged games: one edge from a vertex to another, the same values, the same strategies."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from helpers import chance as oracle
from helpers.games import Plain, strategy_of, union
from outplay import GameBuilder
from outplay.strategy.chance.graph.almost_sure import almost_sure
from outplay.strategy.chance.graph.parallel_edges import merge_parallel
from outplay.strategy.chance.values.exact import exact_expected, exact_probability
from outplay.strategy.chance.values.shortest_path import cost_problem

BATCH = 40


def solved(game, goals):
    """Exact costs and probabilities."""
    return exact_expected(game, goals, almost_sure(game, goals).level), exact_probability(game, goals)


@pytest.mark.parametrize("number", range(8))
def test_merging_changes_no_value_and_leaves_no_parallel_edges(number):
    plain, _ = union([oracle.draw(("merge", number, place)) for place in range(BATCH)])
    game = plain.game()
    merged = merge_parallel(game, game.goals["done"])
    pairs = list(zip(merged.game.source.tolist(), merged.game.target.tolist(), strict=True))
    assert len(pairs) == len(set(pairs)) == len({(source, target) for source, target, *_ in plain.edges})
    costs, probabilities = solved(merged.game, merged.goals)
    assert (costs, probabilities) == solved(game, game.goals["done"])
    assert merged.costs(costs) == costs
    assert merged.probabilities(probabilities) == probabilities


@pytest.mark.parametrize("number", range(8))
def test_a_strategy_of_the_merged_game_costs_the_same_in_the_old_one(number):
    for place in range(BATCH):
        plain = oracle.draw(("merged strategy", number, place))
        game = plain.game()
        merged = merge_parallel(game, game.goals["done"])
        finite = almost_sure(merged.game, merged.goals).finite
        _, choice = cost_problem(merged.game, merged.goals, finite).towards(merged.goals)
        small = {vertex: int(edge) for vertex, edge in enumerate(choice) if edge >= 0}
        as_plain = Plain(plain.system, listed(merged.game), plain.goals)
        old = strategy_of(game, merged.choices(choice).tolist())
        assert old.keys() == small.keys()
        assert oracle.costs_of(plain, old) == oracle.costs_of(as_plain, small)


def listed(game):
    """The edges of a game as the oracle has them."""
    return tuple(
        (int(game.source[edge]), int(game.target[edge]), game.cost[edge], game.probability[edge])
        for edge in range(game.edge_count)
    )


def test_the_tester_keeps_the_cheapest_edge_and_the_system_the_average():
    builder = GameBuilder().vertex("a", "tester").vertex("b", "system").vertex("g", "tester")
    builder.edge("a", "b", "dear", cost=3).edge("a", "b", "cheap", cost=1).edge("a", "b", "later", cost=1)
    builder.edge("b", "g", cost=6, probability="1/6").edge("b", "a", probability="1/2")
    builder.edge("b", "g", cost=3, probability="1/3")
    merged = merge_parallel(builder.build(), np.array([2]))
    assert merged.edge.tolist() == [1, -1, 4]
    assert merged.game.label_of(0) == "cheap"
    assert [merged.game.cost[edge] for edge in range(3)] == [1, 4, 1]
    assert [merged.game.probability[edge] for edge in range(3)] == [None, Fraction(1, 2), Fraction(1, 2)]
    assert merged.game.edge_names[1] == "e3"


def test_a_game_without_parallel_edges_stays_as_it_is():
    builder = GameBuilder().vertex("a", "system").vertex("g", "tester", goals=["done"])
    game = builder.edge("a", "g").edge("a", "a").build()
    merged = merge_parallel(game, game.goals["done"])
    assert merged.game == game
    assert merged.edge.tolist() == [0, 1]
    assert merged.choices([-1, -1]).tolist() == [-1, -1]
