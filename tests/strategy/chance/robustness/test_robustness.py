"""Radii of change and regrets, against all strategies under many probabilities, in fractions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from helpers import chance as oracle
from helpers.games import Plain, strategy_of, with_chances
from helpers.seeds import seeds
from outplay import Game, GameBuilder
from outplay.errors import GameError, UsageError
from outplay.strategy.chance.robustness.perturbation import ProperPolicy
from outplay.strategy.chance.robustness.regret import regret
from outplay.strategy.chance.robustness.sensitivity import MOST, robustness
from outplay.strategy.chance.valuation.shortest_path import cost_shortest_path
from outplay.strategy.expected import expected


def draw(seed: int) -> Any:
    """A game in which the tester chooses among answers of the system; one in four is any random game."""
    if seed % 4 == 0:
        return oracle.draw(seed)
    rng = Random(seed)
    testers, systems = rng.randint(1, 3), rng.randint(2, 4)
    count, edges = 1 + testers + systems, []
    for vertex in range(1, 1 + testers):
        for target in rng.sample(range(1 + testers, count), rng.randint(2, min(3, systems))):
            edges.append((vertex, target, Fraction(rng.choice([0, 1, 1, 2, 3])), None))
    for vertex in range(1 + testers, count):
        targets = [0, *(rng.choice([0, rng.randrange(count)]) for _ in range(rng.randint(1, 3)))]
        weights = [rng.choice([1, 1, 2, 3, 5]) for _ in targets]
        for target, weight in zip(targets, weights, strict=True):
            edges.append((vertex, target, Fraction(rng.choice([0, 1, 2, 3, 5])), Fraction(weight, sum(weights))))
    return Plain((False,) * (1 + testers) + (True,) * systems, tuple(edges), frozenset({0}), 1)


def leaning(plain: Any, radius: Fraction, order: Callable[[int], float]) -> Any:
    """A corner of what is allowed: chance is moved across the middle of each vertex's answers, put in some order."""
    edges = list(plain.edges)
    for vertex in (vertex for vertex in plain.vertices if plain.system[vertex]):
        passed = Fraction(0)
        for edge in sorted(plain.leaving(vertex), key=order):
            chance = plain.chance_of(edge)
            first_half = max(Fraction(0), min(chance, Fraction(1, 2) - passed))
            passed += chance
            edges[edge] = (*edges[edge][:3], chance + radius * (2 * first_half - chance))
    return replace(plain, edges=tuple(edges))


def changed(plain: Any, strategy: dict[int, int], radius: Fraction, rng: Random, count: int) -> Iterator[Any]:
    """Probabilities at the very radius and some within, leaning towards dear or cheap answers or to any."""
    costs = oracle.costs_of(plain, strategy)
    for number in range(count):
        side = {vertex: rng.choice((-1, 1)) for vertex in plain.vertices}
        dear = [side[source] * (cost + (costs[target] or 0)) for source, target, cost, *_ in plain.edges]
        keys = dear if number % 3 else [rng.random() for _ in plain.edges]
        share = Fraction(rng.randint(1, 4), 4) if number % 4 == 3 else Fraction(1)
        yield leaning(plain, radius * share, keys.__getitem__)


def losses(plain: Any, strategy: dict[int, int]) -> list[Fraction]:
    played, best = oracle.costs_of(plain, strategy), oracle.least_costs(plain)
    return [own - least for own, least in zip(played, best, strict=True) if least is not None]


def solved(plain: Any) -> tuple[Any, dict[int, int], float]:
    """The expectation, its strategy, and the largest finite cost."""
    game = plain.game()
    result = expected(game, "done")
    strategy = strategy_of(game, result.bounds.choice.tolist())
    return result, strategy, max((float(cost) for cost in oracle.least_costs(plain) if cost is not None), default=0.0)


def policy_of(result: Any) -> ProperPolicy:
    problem = cost_shortest_path(result.game, result.goal_vertices, result.region.winning)
    return ProperPolicy(problem, result.bounds.choice)


@seeds(range(80), quick=40)
def test_within_the_radius_the_strategy_stays_within_epsilon_of_optimal(seed):
    plain, rng = draw(seed), Random(seed)
    result, strategy, most = solved(plain)
    epsilon = rng.choice((0, 0.01, 0.1, 0.5)) * most
    found = robustness(result, epsilon)
    assert 0 <= found.optimal_radius <= found.radius <= MOST
    for other in changed(plain, strategy, Fraction(found.radius), rng, 8):
        assert max(losses(other, strategy), default=0) <= Fraction(epsilon)
    for other in changed(plain, strategy, Fraction(found.optimal_radius), rng, 4):
        assert found.optimal_radius == 0 or max(losses(other, strategy), default=0) == 0


@seeds(range(80))
def test_the_bounds_hold_for_all_probabilities_within_the_radius(seed):
    plain, rng = draw(seed), Random(seed)
    result, strategy, _ = solved(plain)
    policy, radius = policy_of(result), rng.choice((0.0, 0.01, 0.3, 0.9))
    high, low, own = policy.dearest(radius), policy.cheapest(radius), policy.alone.cheapest(radius)
    assert high is not None
    assert low is not None
    assert own is not None
    for other in changed(plain, strategy, Fraction(radius), rng, 6):
        for vertex, (cost, best) in enumerate(
            zip(oracle.costs_of(other, strategy), oracle.least_costs(other), strict=True)
        ):
            if best is None:
                assert high[vertex] == low[vertex] == np.inf
            else:
                assert Fraction(low[vertex]) <= best <= cost <= Fraction(high[vertex])
                assert Fraction(own[vertex]) <= cost


@pytest.mark.parametrize("worst", [True, False])
@pytest.mark.parametrize("seed", range(40))
def test_one_step_is_the_worst_or_best_case_rounded_outward(seed, worst):
    plain, rng = draw(seed), Random(seed)
    if seed % 3:  # where steps are free nothing but the sums is rounded
        plain = replace(plain, edges=tuple((*edge[:2], Fraction(0), edge[3]) for edge in plain.edges))
    game = plain.game()
    result = expected(game, "done")
    rows = policy_of(result)._rows
    costs = [0.0 if vertex in plain.goals else rng.choice((0.1, rng.random(), 1e6)) for vertex in plain.vertices]
    bound = np.array(costs)
    radius = rng.choice((0.0, 0.1, 0.9))
    _, middle = rows.leaning(bound, 0.0)
    ahead = [cost + Fraction(bound[target]) for _, target, cost, *_ in plain.edges]
    other = leaning(plain, Fraction(radius), lambda edge: -ahead[edge] if worst else ahead[edge])
    for vertex, found in zip(rows.vertex, rows.ahead(bound, middle, radius, worst), strict=True):
        edges = plain.leaving(vertex)
        if plain.system[vertex]:
            true = sum(other.chance_of(edge) * ahead[edge] for edge in edges)
        else:
            true = min(ahead[edge] for edge in edges if result.region.level[plain.edges[edge][1]] == -1)
        assert (Fraction(found) >= true) if worst else (Fraction(found) <= true)
        assert found == pytest.approx(float(true), rel=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_the_bounds_are_reached_by_some_probabilities(seed):
    plain = draw(4 * seed + 1)
    result, strategy, _ = solved(plain)
    high = policy_of(result).dearest(0.25)
    other = plain
    for _ in range(20):  # worst answers against the costs of the last round, until nothing changes
        costs = oracle.costs_of(other, strategy)
        keys = [-(cost + costs[target]) for _, target, cost, *_ in plain.edges]
        other = leaning(plain, Fraction(1, 4), keys.__getitem__)
    assert high == pytest.approx([float(cost) for cost in oracle.costs_of(other, strategy)], rel=1e-8)


def trying(price: object = 5, chance: str = "1/2") -> Game:
    """To try costs 2 / chance on average, to buy costs the price."""
    builder = GameBuilder().vertex("start", "tester").vertex("tried", "system").vertex("goal", "tester")
    builder.edge("start", "goal", "buy", cost=price).edge("start", "tried", "try")
    rest = 1 - Fraction(chance)
    return builder.edge("tried", "goal", probability=chance).edge("tried", "start", probability=rest).build()


def test_a_radius_that_can_be_worked_out_by_hand():
    # Trying stays better while 2 / (1/2 - r/2) <= 5, and costs at most 1 more than buying while it is <= 6.
    assert robustness(expected(trying(), "goal"), 0).radius == pytest.approx(1 / 5, rel=0.01)
    # Where it fails more often the best is to buy, for 5; where it fails less often trying costs 2 / (1/2 + r/2).
    found = robustness(expected(trying(5), "goal"), 1.5)
    assert found.optimal_radius == pytest.approx(1 / 5, rel=0.01)
    assert 4 / (1 - found.radius) - 4 / (1 + found.radius) <= 1.5 + 1e-9 or found.radius == found.optimal_radius


def test_without_chance_every_radius_has_a_proof():
    builder = GameBuilder().vertex("start", "tester").vertex("goal", "tester")
    game = builder.edge("start", "goal", cost=1).edge("start", "goal", cost=1).edge("start", "start", cost=0).build()
    found = robustness(expected(game, "goal"), 0)
    assert found.radius == MOST
    assert found.loss(0) == 0


def test_the_loss_of_a_vertex_is_at_most_epsilon():
    found = robustness(expected(trying(4), "goal"), 0.5)  # both moves cost 4: a tie
    assert found.optimal_radius == 0
    assert 0 < found.radius < 1
    assert 0 < found.loss(0) <= 0.5
    assert "within 0.5 of optimal" in repr(found)


def test_where_the_goal_may_be_missed_there_is_no_loss_to_speak_of():
    builder = GameBuilder().vertex("start", "system").vertex("goal", "tester").vertex("lost", "tester")
    found = robustness(expected(builder.edge("start", "goal").edge("start", "lost").build(), "goal"), 1)
    assert found.loss(0) is None
    assert found.loss(1) == 0


def test_free_cycles_do_no_harm():
    builder = GameBuilder().vertex("a", "tester").vertex("b", "system").vertex("c", "system").vertex("goal", "tester")
    builder.edge("a", "b", cost=0).edge("b", "a", cost=0, probability="1/3").edge("b", "a", cost=0, probability="2/3")
    builder.edge("a", "c", cost=1).edge("c", "a", cost=0, probability="2/7")
    game = builder.edge("c", "goal", cost=0, probability="5/7").build()
    assert robustness(expected(game, "goal"), 0.1).radius > 0.01


def test_a_loop_that_is_hardly_left_has_a_proof_too():
    found = robustness(expected(trying(1_999_999, "1/1000000"), "goal"), 1000)  # to try costs 2,000,000
    assert found.radius == pytest.approx(1000 / 2_000_000, rel=0.02)


@pytest.mark.parametrize("epsilon", [-1, float("nan"), float("inf")])
def test_an_epsilon_that_is_no_cost_is_refused(epsilon):
    with pytest.raises(UsageError, match="give a cost that is 0 or more"):
        robustness(expected(trying(), "goal"), epsilon)


@seeds(range(80))
def test_a_regret_is_what_all_strategies_say(seed):
    plain = draw(seed)
    other = with_chances(Random(seed), plain)
    result, strategy, _ = solved(plain)
    found = regret(result, other.game())
    best, played = oracle.least_costs(other), oracle.costs_of(other, strategy)
    assert list(found.best.low) == list(found.best.high) == best
    assert [cost for cost, least in zip(found.played.low, best, strict=True) if least is not None] == [
        cost for cost, least in zip(played, best, strict=True) if least is not None
    ]
    lost = losses(other, strategy)
    assert found.largest_loss == (max(lost, default=0), max(lost, default=0))
    assert found.optimal is not any(lost)


@pytest.mark.parametrize("seed", range(40))
def test_a_regret_in_floats_bounds_the_exact_one(monkeypatch, seed):
    plain = draw(seed)
    result, _, _ = solved(plain)
    second = with_chances(Random(seed), plain).game()
    exact = regret(result, second)
    monkeypatch.setattr("outplay.strategy.chance.robustness.regret._SMALL", 0)
    found = regret(result, second)
    assert found.distance == pytest.approx(float(exact.distance), abs=1e-9)
    assert found.distance >= exact.distance
    for vertex in plain.vertices:
        loss, sure = found.loss(vertex), exact.loss(vertex)
        assert (loss is None) == (sure is None)
        if loss is not None:
            assert Fraction(loss[0]) <= sure[0] <= Fraction(loss[1])
            assert loss == pytest.approx([float(sure[0])] * 2, abs=1e-6)
    assert found.optimal in (None, exact.optimal)


@pytest.mark.parametrize("seed", range(40))
def test_a_world_within_the_radius_loses_at_most_epsilon(seed):
    plain, rng = draw(seed), Random(seed)
    result, strategy, most = solved(plain)
    found = robustness(result, 0.1 * most)
    for other in changed(plain, strategy, Fraction(found.radius), rng, 2):
        compared = regret(result, other.game())
        assert compared.distance <= found.radius
        assert compared.largest_loss[1] <= found.epsilon


def test_probabilities_may_be_given_by_the_numbers_of_their_edges():
    result = expected(trying(), "goal")
    assert regret(result, {}).distance == 0
    assert regret(result, {}).optimal
    found = regret(result, {2: "1/4", 3: "3/4"})
    assert found.loss(0) == (3, 3)
    assert repr(found) == "Regret(the strategy loses at most 3 where probabilities change by 50.000%)"


def test_probabilities_that_do_not_fit_are_refused():
    result = expected(trying(), "goal")
    with pytest.raises(GameError, match="sum to"):
        regret(result, {2: "1/4"})
    with pytest.raises(UsageError, match="there is no edge 9"):
        regret(result, {9: "1/4"})
    with pytest.raises(UsageError, match="only probabilities may differ"):
        regret(result, trying(6))


def test_a_goal_that_is_a_label_can_be_compared_with_the_game_as_it_was_given():
    result = expected(trying(), "try")
    assert regret(result, trying(5, "1/3")).optimal


@seeds(range(60))
def test_the_radius_that_an_answer_states_is_one_within_which_it_stays_optimal(seed):
    plain = draw(seed)
    answer = expected(plain.game(), "done", epsilon=0)
    if answer.value is None:
        assert answer.json_details(True)["radius"] is None
        return
    radius = Fraction(str(answer.json_details(True)["radius"]))
    chosen = strategy_of(answer.game, answer.bounds.choice.tolist())
    for other in changed(plain, chosen, radius, Random(seed), 6) if radius else ():
        assert not any(losses(other, chosen))


def test_the_radius_is_stated_in_words_where_probabilities_matter():
    builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("g", "tester", goals=["done"])
    builder.edge("s", "c", "?ask").edge("c", "g", "!yes").edge("c", "s", "!no")
    assert expected(builder.build(), "done").lines() == ["s: ?ask"]  # there is nothing else to do
    told = expected(builder.edge("s", "g", "?force", cost=5).build(), "done").lines()
    assert told == ["s: ?ask", "the best as long as no probability is off by more than 19.9 % of itself"]
    tied = expected(builder.edge("s", "g", "?push", cost=4).build(), "done").lines()
    assert tied[1] == "another strategy may be as good: no error of the probabilities is proven harmless"
