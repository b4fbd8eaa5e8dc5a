"""Stiff games: costs and chances so far apart, or so small, that floats do not hold them beside each other.

What is known is compared with all strategies, one after the other, in fractions.
"""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from helpers import chance as oracle
from helpers.commands import called
from helpers.games import Plain, strategy_of
from outplay import GameBuilder, forecast, solve
from outplay.strategy.expected import expected
from outplay.strategy.probability import probability

TINY, DEAR = Fraction(1, 10**300), Fraction(10**290)
COSTS = (0, 1, 1, TINY, 3 * TINY, Fraction(1, 10**160), Fraction(1, 10**15), Fraction(3, 10**15), 10**8, 10**15, DEAR)
WEIGHTS = (1, 1, 2, 10**3, 10**9, 10**15, 10**17, 10**160, 10**200, 10**290)


def stiff(seed: object) -> Plain:
    """A game with few of these costs and weights, so that some meet often."""
    rng = Random(f"stiff {seed}")
    weights = rng.sample(WEIGHTS, rng.randint(1, 4))
    plain = oracle.draw(("stiff", seed), costs=rng.sample(COSTS, rng.randint(1, 4)), chances=0.0)
    edges = list(plain.edges)
    for vertex in plain.vertices:
        if plain.system[vertex] and rng.random() < 0.8:
            given = {place: rng.choice(weights) for place in plain.leaving(vertex)}
            for place, weight in given.items():
                edges[place] = edges[place]._replace(chance=Fraction(weight, sum(given.values())))
    return replace(plain, edges=tuple(edges))


def check(plain: Plain, epsilon: float) -> int:
    """The checker confirms the answers, their bounds hold and are kept; how many answers had to be exact."""
    game = plain.game()
    cost, chance = expected(game, "done", epsilon=epsilon), probability(game, "done", epsilon=epsilon)
    for found, wanted in ((cost, oracle.least_costs(plain)), (chance, oracle.greatest_probabilities(plain))):
        found.check()
        assert found.kept
        for vertex, truth in enumerate(wanted):
            low, high = found.interval(vertex)
            if truth is None:
                assert found.value_of(vertex) is None
                assert low == high == np.inf
                continue
            assert low <= truth <= high
            assert low <= found.value_of(vertex) <= high
            assert found.exact is None or found.value_of(vertex) == truth
            assert found.exact is not None or Fraction(high) - Fraction(low) <= Fraction(epsilon) * Fraction(high)
    chosen = strategy_of(game, chance.bounds.choice.tolist())
    got = oracle.probabilities_of(plain, chosen)
    assert all(chance.interval(vertex)[0] <= got[vertex] for vertex in plain.vertices)
    return (cost.exact is not None) + (chance.exact is not None)


@pytest.mark.parametrize("epsilon", [1e-6, 1e-12, 0])
@pytest.mark.parametrize("number", range(4))
def test_bounds_hold_however_far_numbers_are_apart(number, epsilon):
    exact = sum(check(stiff((number, game)), epsilon) for game in range(50))
    assert exact == 100 if epsilon == 0 else 0 < exact < 50


@pytest.mark.long
@pytest.mark.parametrize("number", range(40))
def test_bounds_hold_on_four_thousand_stiff_games(number):
    for game in range(100):
        check(stiff(("long", number, game)), 1e-6)


def twice(small: Fraction) -> GameBuilder:
    """Something that happens so seldom has to happen twice."""
    builder = GameBuilder().vertex("s", "tester").vertex("a", "system").vertex("b", "system")
    builder.vertex("g", "tester", goals=["done"]).vertex("lost", "tester").edge("s", "a")
    builder.edge("a", "b", probability=small).edge("a", "lost", probability=1 - small)
    return builder.edge("b", "g", probability=small).edge("b", "lost", probability=1 - small)


@pytest.mark.parametrize("digits", [140, 150, 160, 200])
@pytest.mark.parametrize("epsilon", [1e-6, 0])
def test_a_chance_below_all_floats_is_found_exactly(digits, epsilon):
    small = Fraction(1, 10**digits)
    found = probability(twice(small).build(), "done", epsilon=epsilon)
    low, high = found.interval(0)
    assert low <= small**2 <= high
    assert (found.exact is None) == (digits == 140 and epsilon > 0)
    assert found.value_of(0) == small**2 or digits == 140
    assert found.chosen(0) == 0
    assert not found.strategy.hopeless(0, found.strategy.start)
    found.check()
    assert repr(found) == f"Likelihood(to done with probability 1e-{2 * digits})"


def test_a_number_beyond_floats_is_written_as_a_fraction_and_told_in_digits():
    small = Fraction(1, 10**200)
    game = twice(small).build()
    for objective in ("probability", "bounded"):
        answer = solve(game, "done", objective)
        written = answer.json()["value"]
        assert (written["probability"] if objective == "bounded" else written) == f"1/1{400 * '0'}"
    assert "with probability 1e-400" in solve(game, "done", "bounded").sentence
    builder = GameBuilder().vertex("s", "system").vertex("g", "tester", goals=["done"])
    dear = builder.edge("s", "g", probability=small).edge("s", "s", probability=1 - small, cost=10**290).build()
    answer = expected(dear, "done")
    value = (1 - small) * 10**290 / small + 1
    assert answer.value_of(0) == value
    written = f"{value.numerator}/{value.denominator}"
    assert (answer.json()["value"], answer.json()["bounds"]) == (written, [written, written])
    assert not answer.strategy.hopeless(0, answer.strategy.start)
    assert repr(answer) == "Expectation(to done at expected cost 1e+490)"
    assert forecast(dear)["done"].json()["expected_cost"] == written
    answer.check()


@pytest.mark.parametrize("objective", ["probability", "expected"])
def test_with_epsilon_0_the_bounds_that_are_written_contain_the_value(objective):
    builder = GameBuilder().vertex("s", "system").vertex("g", "tester", goals=["done"])
    builder.edge("s", "g", probability="1/3", cost="1/7").edge("s", "s", probability="1/3")
    game = builder.vertex("lost", "tester", goals=["end"]).edge("s", "lost", probability="1/3").build()
    goals = "done" if objective == "probability" else ["done", "end"]
    answer = solve(game, goals, objective, epsilon=0)
    exact = answer.value_of(0)
    assert exact == (Fraction(1, 2) if objective == "probability" else Fraction(12, 7) / 2 + Fraction(3, 14))
    low, high = answer.json()["bounds"]
    assert Fraction(low) <= exact <= Fraction(high)
    assert answer.json(exact=True)["bounds"] == [f"{exact.numerator}/{exact.denominator}"] * 2


def test_a_move_that_only_comes_back_at_next_to_no_cost_is_no_cheaper_than_staying():
    """Rounded, 3e-15 more than 1e15 is less: the bounds must not say so."""
    builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("g", "tester", goals=["done"])
    builder.edge("s", "g", cost=10**15).edge("s", "c", cost=0).edge("c", "s", cost="3e-15")
    expected(builder.build(), "done").check()


def test_costs_of_nothing_beside_a_chance_next_to_nothing_are_left_to_fractions():
    """What is added to make every cost positive would be below all floats."""
    small = Fraction(1, 10**287)
    builder = GameBuilder().vertex("s", "system").vertex("t", "tester").vertex("g", "tester", goals=["done"])
    builder.edge("s", "s", probability=1 - 2 * small, cost=0).edge("s", "t", probability=small, cost=0)
    builder.edge("s", "g", probability=small, cost=0).edge("t", "s", cost=Fraction(1, 10**160))
    found = expected(builder.build(), "done")
    assert found.value_of(0) == Fraction(1, 10**160)
    found.check()


def test_the_command_line_answers_where_floats_end(tmp_path, capsys):
    small = f"1/1{200 * '0'}"
    vertices = [{"id": name, "owner": "sut" if name in "ab" else "tester"} for name in ("s", "a", "b", "g", "lost")]
    edges = [{"source": "s", "target": "a"}]
    for source, target in (("a", "b"), ("b", "g")):
        edges += [{"source": source, "target": target, "probability": small}]
        edges += [{"source": source, "target": "lost", "probability": f"{200 * '9'}/1{200 * '0'}"}]
    file = tmp_path / "tiny.json"
    game = {"format": "outplay-game/1", "initial": "s", "goals": {"done": ["g"]}, "vertices": vertices, "edges": edges}
    file.write_text(json.dumps(game), encoding="utf-8")
    result = called(capsys, "solve", file, "--goal", "done", "--objective", "probability", "--json")
    assert result.code == 0
    told = result.json
    assert told["value"] == f"1/1{400 * '0'}"
    assert told["certificate"]["checked"]
    low, high = told["bounds"]
    assert Fraction(low) <= Fraction(told["value"]) <= Fraction(high)
