"""Where the goal is reached with probability 1: against all strategies, and by the levels' own local proof."""

from __future__ import annotations

import numpy as np

from helpers import chance as oracle
from helpers.kernels import each_way
from helpers.seeds import seeds
from outplay import Game, GameBuilder
from outplay.strategy.chance.reduction.reachability import almost_sure


def levels(game: Game) -> list[int]:
    return almost_sure(game, game.goal_vertices("done")).level.tolist()


@seeds(range(300))
def test_a_vertex_counts_exactly_when_some_strategy_arrives_with_probability_1(seed):
    plain = oracle.draw(f"finite {seed}")
    sure = [cost is not None for cost in oracle.least_costs(plain)]
    assert [level == -1 for level in levels(plain.game())] == sure


@seeds(range(200))
def test_every_level_proves_itself_from_the_levels_around(seed):
    plain = oracle.draw(f"levels {seed}", most=30, strategies=10**9)
    level = levels(plain.game())
    for vertex in set(plain.vertices) - plain.goals:
        beyond = [level[plain.edges[edge][1]] for edge in plain.leaving(vertex)]
        own = level[vertex]
        if own == -1:
            kept = [other == -1 for other in beyond]
            assert all(kept) if plain.system[vertex] else any(kept)
        elif not (plain.system[vertex] and any(0 <= other < own for other in beyond)):
            assert all(0 <= other <= own for other in beyond)


@seeds(range(60))
def test_plain_and_compiled_cuts_are_the_same(monkeypatch, seed):
    game = oracle.draw(f"both {seed}", most=60, strategies=10**99).game()
    goals = game.goal_vertices("done")
    found = []
    for _ in each_way(monkeypatch):
        result = almost_sure(game, goals)
        found.append((result.level.tolist(), result.distance.tolist()))
    assert found[0] == found[1]


def ladder(steps: int) -> Game:
    """Each step is lost only because the one before is: as many rounds as steps."""
    builder = GameBuilder().vertex("g", "tester", goals=["done"]).vertex("t0", "tester")
    for step in range(1, steps + 1):
        builder.vertex(f"t{step}", "tester").vertex(f"u{step}", "tester").vertex(f"s{step}", "system")
        builder.edge(f"t{step}", f"s{step}").edge(f"t{step}", f"u{step}").edge(f"u{step}", f"t{step}")
        builder.edge(f"s{step}", "g").edge(f"s{step}", f"t{step - 1}")
    return builder.build()


def test_many_rounds_each_touch_only_what_they_cut():
    steps = 20_000
    found = levels(ladder(steps))
    assert found[0] == -1
    assert found[1] == 0
    assert max(found) >= steps
    assert found.count(-1) == 1


def test_reasons_name_the_answer_that_may_miss_the_goal():
    builder = GameBuilder().vertex("a", "tester").vertex("b", "system").vertex("g", "tester", goals=["done"])
    builder.vertex("dead", "tester").vertex("loop", "tester").edge("loop", "loop").vertex("c", "system")
    builder.edge("a", "b").edge("b", "g", "!yes").edge("b", "dead", "!no").edge("c", "b").edge("c", "a")
    game = builder.build()
    found = almost_sure(game, game.goal_vertices("done"))
    reasons = [found.reason(vertex) for vertex in range(game.vertex_count)]
    assert reasons == [
        "every move of the tester at 'a' leads where the goal may be missed for ever",
        "at 'b' the system may answer by '!no' and lead to 'dead': a dead end",
        "from 'g' some strategy reaches the goal with probability 1",
        "'dead' has no edges and is no goal",
        "no path leads from 'loop' to the goal",
        "at 'c' the system may answer and lead to 'b': the goal may be missed for ever there",
    ]


def test_a_goal_counts_whatever_leaves_it():
    builder = GameBuilder().vertex("g", "system", goals=["done"]).vertex("dead", "tester").edge("g", "dead")
    assert levels(builder.build()) == [-1, 0]


def test_without_goals_everything_is_cut_at_once():
    game = GameBuilder().vertex("a", "tester").edge("a", "a").build()
    assert almost_sure(game, np.zeros(0, dtype=np.uint32)).level.tolist() == [0]
