"""Orders on odds: which are monotone, what refutes the others, and what they find."""

from __future__ import annotations

import itertools
from fractions import Fraction
from random import Random

import pytest

from helpers.seeds import with_long
from outplay import GameBuilder
from outplay.errors import UsageError
from outplay.strategy.bounded import bounded
from outplay.strategy.bounded_reachability import other_orders
from outplay.strategy.value_orders import (
    KNOWN,
    LEXICOGRAPHIC,
    PROBABILITY,
    SURE,
    Odds,
    Order,
    check_acceptable,
    counterexample,
)

EXAMPLE_1 = Order("Example 1", lambda probability, cost: (-probability, cost if probability else 0))
WRONG = [
    EXAMPLE_1,
    Order("cost first", lambda probability, cost: (cost, -probability)),
    Order("sum", lambda probability, cost: cost / 10 - probability),
    Order("rounded", lambda probability, cost: (-round(10 * probability), cost)),
    Order("sure, else cheap", lambda probability, cost: (probability < 1, cost)),
    Order("expected", lambda probability, cost: cost * (1 - probability)),
    Order("lost above 20", lambda probability, cost: (0, -probability) if cost <= 20 else (1, 0)),
    *(
        Order(f"within {most}", lambda probability, cost, most=most: 0 if cost > most else -probability)
        for most in (1, 3, 7, 10, 50, 99)
    ),
]
RIGHT = [
    *KNOWN.values(),
    Order("cost alone", lambda probability, cost: cost),
    Order("all alike", lambda probability, cost: 0),
    Order("can win at all", lambda probability, cost: probability == 0),
    Order("squared", lambda probability, cost: (1 - probability**2, cost * 3)),
]


@pytest.mark.parametrize("order", WRONG, ids=lambda order: order.name)
def test_an_order_that_is_not_acceptable_is_refuted_by_a_mixture_that_turns_it_round(order):
    found = counterexample(order)
    assert found is not None
    assert 0 < found.weight <= 1
    assert order.key(*found.better) <= order.key(*found.worse)
    for odds in (found.better, found.worse):
        rest = (1 - found.weight) * found.others.probability
        mixed = Odds(found.weight * odds.probability + rest, max(found.cost + odds.cost, found.others.cost))
        assert found.mixed(odds) == mixed
    assert not order.key(*found.mixed(found.better)) <= order.key(*found.mixed(found.worse))


@pytest.mark.parametrize("order", RIGHT, ids=lambda order: order.name)
@pytest.mark.parametrize("largest", [Fraction(1, 10**6), 10**9])
def test_an_acceptable_order_is_accepted(order, largest):
    assert counterexample(order, largest) is None
    check_acceptable(order, largest)


@pytest.mark.parametrize("order", RIGHT, ids=lambda order: order.name)
def test_accepted_orders_stand_random_mixtures_of_several_at_once(order):
    rng = Random(order.name)
    for _ in range(500):
        weights = [rng.randint(1, 5) for _ in range(rng.randint(1, 4))]
        shares = [Fraction(weight, sum(weights)) for weight in weights]
        pairs = [sorted((drawn(rng), drawn(rng)), key=lambda odds: order.key(*odds)) for _ in shares]
        added = [rng.randint(0, 3) for _ in shares]
        better, worse = (
            (
                sum(share * pair[side].probability for share, pair in zip(shares, pairs, strict=True)),
                max(cost + pair[side].cost for cost, pair in zip(added, pairs, strict=True)),
            )
            for side in (0, 1)
        )
        assert order.key(*better) <= order.key(*worse)


def drawn(rng: Random) -> Odds:
    return Odds(Fraction(rng.choice((0, 0, 1, 2, 3, 4, 4)), 4), Fraction(rng.randint(0, 6)))


@pytest.mark.parametrize("largest", [1, 100, 10**6])
def test_a_limit_on_the_cost_is_found_at_any_size(largest):
    for share in (Fraction(1, 90), Fraction(1, 3), Fraction(9, 10)):
        order = Order("limited", lambda probability, cost, most=share * largest: 0 if cost > most else -probability)
        assert counterexample(order, largest) is not None


def forked(seed: int) -> GameBuilder:
    rng = Random(seed)
    builder = GameBuilder()
    for vertex in range(6):
        builder.vertex(str(vertex), "system" if vertex in (1, 2, 4) else "tester")
    for vertex in range(5):
        for _ in range(rng.randint(1, 3)):
            target = rng.randrange(6)
            moves = 0 if target > vertex and rng.random() < 0.2 else 1
            builder.edge(str(vertex), str(target), cost=rng.choice((0, 1, 2, Fraction(1, 3))), moves=moves)
    return builder.goal("done", ["5"])


@pytest.mark.parametrize("seed", with_long(range(25), quick=15))
def test_the_slow_way_for_orders_gives_what_the_fast_way_gives_for_the_plain_one(seed):
    game = forked(seed).build()
    fast = bounded(game, "done", 8)
    slow = bounded(game, "done", 8, order=Order("the same", LEXICOGRAPHIC.key))
    assert slow.exact
    assert slow.settled == fast.settled
    for vertex in range(game.vertex_count):
        assert slow.changes(vertex) == fast.changes(vertex)
        assert [slow.value_of(vertex, left) for left in range(9)] == [fast.value_of(vertex, left) for left in range(9)]


@pytest.mark.parametrize("seed", range(25))
def test_probability_alone_is_as_likely_and_sure_alone_is_as_cheap_where_it_is_sure(seed):
    game = forked(seed).build()
    plain, likely, sure = (bounded(game, "done", 8, order=order) for order in KNOWN.values())
    likely.check()
    sure.check()
    for vertex, left in itertools.product(range(game.vertex_count), range(9)):
        best = plain.value_of(vertex, left)
        assert likely.value_of(vertex, left).probability == best.probability
        assert SURE.key(*sure.value_of(vertex, left)) == SURE.key(*best)


def test_an_order_of_ones_own_is_checked_at_the_costs_of_the_game_and_refused_with_the_example():
    builder = GameBuilder().vertex("s", "tester").vertex("g", "tester", goals=["done"]).edge("s", "g", cost=2000)
    limited = Order("within 5000", lambda probability, cost: 0 if cost > 5000 else -probability)
    with pytest.raises(UsageError, match=r"'within 5000' is not acceptable, .* the first is worse; change its"):
        bounded(builder.build(), "done", 4, order=limited)
    assert bounded(builder.build(), "done", 4, order=PROBABILITY).value == (1, 2000)


def test_an_order_whose_keys_cannot_be_compared_is_refused():
    with pytest.raises(UsageError, match=r"keys of the order 'lambda' cannot be compared: .*; change its key"):
        bounded(forked(3).build(), "done", 5, order=lambda probability, cost: complex(probability, cost))


def test_a_large_game_under_an_order_of_ones_own_is_refused_before_it_takes_hours(monkeypatch):
    monkeypatch.setattr(other_orders, "_MOST_WORK", 10)
    game = GameBuilder().vertex("s", "tester").vertex("g", "tester", goals=["done"]).edge("s", "g").build()
    with pytest.raises(UsageError, match="'probability' would take 3,000 steps in exact fractions, and 10 are allowed"):
        bounded(game, "done", 1000, order=PROBABILITY)


def test_an_order_may_be_a_plain_function_or_a_name():
    game = forked(3).build()

    def dearest(probability, cost):
        return cost, probability

    assert bounded(game, "done", 5, order=lambda probability, cost: -probability).value.probability == (
        bounded(game, "done", 5, order="probability").value.probability
    )
    with pytest.raises(UsageError, match="the order 'dearest' is not acceptable"):
        bounded(game, "done", 5, order=dearest)
    with pytest.raises(UsageError, match="no order 'likely'"):
        bounded(game, "done", 5, order="likely")
