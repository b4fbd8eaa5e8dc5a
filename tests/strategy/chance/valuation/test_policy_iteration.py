"""Policy iteration in floats and in fractions: against the definition, on large parts, and where floats give up."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from helpers import chance as oracle
from helpers.games import strategy_of, union
from outplay import GameBuilder
from outplay.errors import UsageError
from outplay.game.builder import game_from_arrays
from outplay.game.exact_numbers import exact_column_of
from outplay.game.graph import SYSTEM
from outplay.strategy.chance.reduction.reachability import almost_sure
from outplay.strategy.chance.valuation.exact import (
    Effort,
    eliminate_exactly,
    exact_expected,
    exact_probability,
    solve_exactly,
)
from outplay.strategy.chance.valuation.policy_iteration import (
    Component,
    IllConditionedError,
    iterate_policies,
    policy_iteration,
)
from outplay.strategy.chance.valuation.shortest_path import cost_shortest_path, failure_shortest_path

BATCH = 60


def drawn(seed, **how):
    games = [oracle.draw((seed, place), **how) for place in range(BATCH)]
    plain, _ = union(games)
    return games, plain, plain.game()


@pytest.mark.parametrize("number", range(6))
def test_exact_values_are_those_of_the_definition(number):
    games, _, game = drawn(("exact", number))
    goals = game.goals["done"]
    level = almost_sure(game, goals).level
    assert exact_expected(game, goals, level) == [cost for plain in games for cost in oracle.least_costs(plain)]
    assert exact_probability(game, goals) == [p for plain in games for p in oracle.greatest_probabilities(plain)]


@pytest.mark.parametrize("number", range(6))
def test_the_strategy_found_has_the_values_found(number):
    _, plain, game = drawn(("strategy", number))
    goals = game.goals["done"]
    costs, choice = solve_exactly(cost_shortest_path(game, goals, almost_sure(game, goals).winning), goals)
    got = oracle.costs_of(plain, strategy_of(game, choice.tolist()))
    assert all(cost is None or cost == value for cost, value in zip(costs, got, strict=True))
    failing, choice = solve_exactly(failure_shortest_path(game, goals), goals)
    got = oracle.probabilities_of(plain, strategy_of(game, choice.tolist()))
    assert [1 - value for value in failing] == got


@pytest.mark.parametrize("number", range(6))
def test_floats_are_near_the_definition(number):
    games, _, game = drawn(("floats", number))
    wanted = [np.inf if cost is None else float(cost) for plain in games for cost in oracle.least_costs(plain)]
    goals = game.goals["done"]
    assert policy_iteration(game, goals, almost_sure(game, goals).winning) == pytest.approx(wanted, rel=1e-12)


def one_part(seed, count, *, owners=0.5, degree=3):
    """A game that is one strongly connected part but for its goal, the last vertex."""
    rng = Random(f"{seed} {count}")
    owner = [int(rng.random() < owners) for _ in range(count)] + [0]
    source, target, weight = [], [], []
    for vertex in range(count):
        ways = [(vertex + 1) % count, *(rng.randrange(count) for _ in range(degree - 1))]
        if rng.random() < 0.1 or vertex == count - 1:
            ways.append(count)
        shares = [rng.randint(1, 5) for _ in ways]
        source += [vertex] * len(ways)
        target += ways
        weight += [Fraction(share, sum(shares)) if owner[vertex] else None for share in shares]
    costs = [Fraction(rng.choice((0, 0, 1, 2, 7)), rng.choice((1, 2, 3))) for _ in source]
    return game_from_arrays(
        owner=owner,
        source=source,
        target=target,
        cost=exact_column_of(costs),
        probability=exact_column_of(weight),
        goals={"done": [count]},
    )


@pytest.mark.parametrize("count", [20, 40, 41, 160])
@pytest.mark.parametrize("seed", range(3))
def test_large_parts_full_and_sparse_have_the_exact_values(seed, count):
    game = one_part(seed, count)
    goals = game.goals["done"]
    winning = almost_sure(game, goals)
    exact = exact_expected(game, goals, winning.level)
    assert policy_iteration(game, goals, winning.winning) == pytest.approx([float(value) for value in exact], rel=1e-9)
    for vertex in range(count):
        offers = [game.cost[edge] + exact[int(game.target[edge])] for edge in game.edges_of(vertex)]
        if game.owner[vertex] == SYSTEM:
            offers = [sum(game.probability[e] * o for e, o in zip(game.edges_of(vertex), offers, strict=True))]
        assert exact[vertex] == min(offers)


def test_a_strategy_that_arrives_is_found_though_going_round_costs_nothing():
    builder = GameBuilder().vertex("a", "tester").vertex("b", "tester").vertex("g", "tester")
    game = builder.edge("a", "b", cost=0).edge("b", "a", cost=0).edge("b", "g", cost=5).edge("a", "g", cost=9).build()
    goals = np.array([2])
    assert exact_expected(game, goals, np.full(3, -1)) == [5, 5, 0]
    assert policy_iteration(game, goals, np.ones(3, dtype=bool)).tolist() == [5.0, 5.0, 0.0]
    assert exact_probability(game, goals) == [1, 1, 1]


def test_changes_that_would_go_round_for_ever_are_taken_back():
    """Exact improvements never do; were rounding to propose such, the choices there stay as they were."""
    builder = GameBuilder()
    for name in "abcg":
        builder.vertex(name, "tester")
    builder.edge("a", "b", cost=0).edge("a", "g").edge("b", "a", cost=0).edge("b", "g").edge("c", "a").edge("c", "g")
    game = builder.edge("b", "c").build()
    problem = cost_shortest_path(game, np.array([3]), np.ones(4, dtype=bool))
    part = Component(problem, np.arange(3), np.arange(4), np.array([1, 1, 1, 0]))
    choice = np.array([1, 3, 6, -1])
    part.improve(choice, np.flatnonzero(np.isin(part.edges, [0, 2, 5])))
    assert choice.tolist() == [1, 3, 6, -1]
    part.improve(choice, np.flatnonzero(np.isin(part.edges, [0, 5])))
    assert choice.tolist() == [0, 3, 5, -1]


def test_where_only_failing_is_possible_the_probability_is_zero():
    builder = GameBuilder().vertex("a", "tester").vertex("b", "tester").vertex("g", "tester")
    assert exact_probability(builder.edge("a", "b").edge("b", "a").build(), np.array([2])) == [0, 0, 1]


def test_edges_out_of_goals_and_goals_of_the_system_count_for_nothing():
    builder = GameBuilder().vertex("a", "tester").vertex("g", "system").edge("a", "g", cost=2).edge("g", "a", cost=7)
    game = builder.build()
    assert exact_expected(game, np.array([1]), np.full(2, -1)) == [2, 0]
    assert exact_probability(game, np.array([1])) == [1, 1]


def escape(chance):
    """A system that stays in a ring of two but for a tiny chance; the tester may pay to leave at once."""
    builder = GameBuilder().vertex("t", "tester").vertex("p", "system").vertex("q", "system").vertex("g", "tester")
    builder.edge("t", "p", cost=0).edge("t", "g", cost=10**6)
    builder.edge("p", "q", probability=1 - chance).edge("p", "g", probability=chance)
    return builder.edge("q", "p", probability=1 - chance).edge("q", "t", cost=0, probability=chance).build()


@pytest.mark.parametrize("digits", [3, 9, 15, 18, 30, 100])
def test_chances_too_small_for_floats_are_no_hindrance_to_fractions(digits):
    chance = Fraction(1, 10**digits)
    game = escape(chance)
    values = exact_expected(game, np.array([3]), np.full(4, -1))
    assert values[0] == min(10**6, values[1])
    assert values[1] == 1 + (1 - chance) * values[2]
    assert values[2] == (1 - chance) * (1 + values[1]) + chance * values[0]
    assert (values[0] == 10**6) == (digits > 6)


def test_a_difference_too_small_for_floats_decides_between_fractions():
    """Floats take the first of the ways that seem alike; two exact steps find the last one."""
    tiny = Fraction(1, 10**30)
    builder = GameBuilder().vertex("a", "tester").vertex("b", "tester").vertex("c", "system").vertex("g", "tester")
    builder.edge("a", "g", cost=1 + 2 * tiny).edge("a", "b", cost=1 - tiny).edge("a", "c", cost=0)
    builder.edge("b", "a", cost=1).edge("b", "g", cost=3 * tiny).edge("b", "g", cost=tiny)
    game = builder.edge("c", "a").edge("c", "g").build()
    assert exact_expected(game, np.array([3]), np.full(4, -1)) == [1, tiny, Fraction(3, 2), 0]
    builder = GameBuilder().vertex("a", "tester").vertex("p", "system").vertex("q", "system").vertex("g", "tester")
    builder.vertex("d", "tester").edge("a", "p").edge("a", "q")
    for name, chance in (("p", Fraction(1, 2)), ("q", Fraction(1, 2) + tiny)):
        builder.edge(name, "g", probability=chance).edge(name, "d", probability=1 - chance)
    assert exact_probability(builder.build(), np.array([3]))[0] == Fraction(1, 2) + tiny


def test_floats_say_so_when_they_cannot_solve_the_equations():
    builder = GameBuilder().vertex("p", "system").vertex("q", "system").vertex("g", "tester")
    tiny = Fraction(1, 10**290)
    for name, other in (("p", "q"), ("q", "p")):
        builder.edge(name, other, probability=1 - tiny).edge(name, "g", probability=tiny)
    problem = cost_shortest_path(builder.build(), np.array([2]), np.ones(3, dtype=bool))
    with pytest.raises(IllConditionedError, match="too ill-conditioned for floats; use method 'vi' or epsilon 0"):
        iterate_policies(problem, problem.towards(np.array([2]))[1])
    assert solve_exactly(problem, np.array([2]))[0] == [10**290, 10**290, 0]


def test_sums_beyond_the_range_of_floats_are_no_hindrance_to_fractions():
    """Two loops that are hardly ever left, at a great cost each time; then a move."""
    dear, tiny = 10**200, Fraction(1, 10**200)
    builder = GameBuilder().vertex("t", "tester").vertex("p", "system").vertex("g", "tester")
    builder.edge("t", "t").edge("t", "p").edge("p", "p", cost=dear, probability=1 - tiny)
    game = builder.edge("p", "g", probability=tiny).build()
    problem = cost_shortest_path(game, np.array([2]), np.ones(3, dtype=bool))
    with pytest.raises(IllConditionedError):
        iterate_policies(problem, problem.towards(np.array([2]))[1])
    around = (dear * (1 - tiny) + tiny) / tiny
    assert exact_expected(game, np.array([2]), np.full(3, -1)) == [1 + around, around, 0]


def test_probabilities_that_sum_to_almost_one_are_divided_by_their_sum():
    third = "0.333333333"
    builder = GameBuilder().vertex("p", "system").vertex("g", "tester").vertex("d", "tester")
    for target in ("g", "d", "p"):
        builder.edge("p", target, probability=third)
    assert exact_probability(builder.build(), np.array([1])) == [Fraction(1, 2), 1, 0]


def test_exact_work_without_end_is_refused_with_a_way_out():
    rows = {vertex: {(vertex + 1) % 50: Fraction(1, 2), (vertex * 7) % 50: Fraction(1, 3)} for vertex in range(50)}
    right = {vertex: Fraction(1, 3) for vertex in range(50)}
    with pytest.raises(UsageError, match="too long; ask for an epsilon above 0"):
        eliminate_exactly(rows, right, Effort(1000))


def test_a_long_line_of_answers_is_exact_in_little_time():
    """Parts of one vertex are simply looked up, though the fractions grow with every step."""
    count = 2000
    source, target, weight = [], [], []
    for vertex in range(1, count):
        source += [vertex] * 2
        target += [vertex - 1, max(0, vertex - 3)]
        weight += [Fraction(1, 3), Fraction(2, 3)]
    game = game_from_arrays(
        owner=[0] + [1] * (count - 1), source=source, target=target, probability=exact_column_of(weight)
    )
    exact = exact_expected(game, np.array([0]), np.full(count, -1))
    assert exact[3] == Fraction(1, 3) * (1 + exact[2]) + Fraction(2, 3)
    assert float(exact[-1]) == pytest.approx(policy_iteration(game, np.array([0]), np.ones(count, dtype=bool))[-1])
