"""Merged games: one edge from a vertex to another, the same values."""

from __future__ import annotations

from fractions import Fraction

import pytest

from helpers import chance as oracle
from helpers.games import union
from outplay import GameBuilder
from outplay.strategy.chance.reduction.compression import merge_parallel_edges
from outplay.strategy.chance.reduction.reachability import almost_sure
from outplay.strategy.chance.valuation.exact import exact_expected, exact_probability

BATCH = 40


def solved(game, goals):
    """Exact costs and probabilities."""
    return exact_expected(game, goals, almost_sure(game, goals).level), exact_probability(game, goals)


@pytest.mark.parametrize("number", range(8))
def test_merging_changes_no_value_and_leaves_no_parallel_edges(number):
    plain, _ = union([oracle.draw(("merge", number, place)) for place in range(BATCH)])
    game = plain.game()
    merged = merge_parallel_edges(game)
    pairs = list(zip(merged.source.tolist(), merged.target.tolist(), strict=True))
    assert len(pairs) == len(set(pairs)) == len({(source, target) for source, target, *_ in plain.edges})
    assert solved(merged, game.goals["done"]) == solved(game, game.goals["done"])


def test_the_tester_keeps_the_cheapest_edge_and_the_system_the_average():
    builder = GameBuilder().vertex("a", "tester").vertex("b", "system").vertex("g", "tester")
    builder.edge("a", "b", "dear", cost=3).edge("a", "b", "cheap", cost=1).edge("a", "b", "later", cost=1)
    builder.edge("b", "g", cost=6, probability="1/6").edge("b", "a", probability="1/2")
    builder.edge("b", "g", cost=3, probability="1/3")
    merged = merge_parallel_edges(builder.build())
    assert merged.label_of(0) == "cheap"
    assert [merged.cost[edge] for edge in range(3)] == [1, 4, 1]
    assert [merged.probability[edge] for edge in range(3)] == [None, Fraction(1, 2), Fraction(1, 2)]
    assert merged.edge_names[1] == "e3"


def test_a_game_without_parallel_edges_stays_as_it_is():
    builder = GameBuilder().vertex("a", "system").vertex("g", "tester", goals=["done"])
    game = builder.edge("a", "g").edge("a", "a").build()
    assert merge_parallel_edges(game) == game
