"""Moves that are as good as the chosen one: whichever is taken, the strategy achieves what the answer promises."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import product
from random import Random

import pytest

from helpers import chance, jokers, worst_case
from helpers.games import Plain, draw, place_of, strategy_of
from helpers.seeds import seeds
from outplay import Answer, bounded, expected, joker, probability, win
from outplay.strategy.coverage.guarantee import cover_nodes

FEW = (0, 1, 1, 2)  # costs
TIES = {"costs": (1,), "system": 0.3, "chances": 0.5}  # many moves are equally good


def others(answer: Answer, rng: Random) -> tuple[list[int], int]:
    """One of the moves that are as good at each vertex, and how many of them are not the chosen one."""
    choices, changed = [], 0
    for vertex in range(answer.game.vertex_count):
        good, chosen = answer.as_good(vertex), answer.chosen(vertex)
        assert chosen is None or chosen in good
        edge = rng.choice(good) if good else -1
        choices.append(edge)
        changed += chosen is not None and edge != chosen
    return choices, changed


@seeds(range(400), quick=200, a_test=100)
def test_whichever_is_taken_a_sure_win_costs_no_more(seed):
    plain = draw(("as good", seed), **TIES) if seed % 2 else worst_case.draw(("as good", seed), costs=FEW)
    answer = win(plain.game(), "done")
    choices, _ = others(answer, Random(seed))
    sure = [edge if answer.value_of(vertex) is not None else -1 for vertex, edge in enumerate(choices)]
    strategy = strategy_of(answer.game, sure)
    assert worst_case.costs_of(plain, strategy) == answer.solution.values(), plain


def drawn(name: str, seed: int) -> Plain:
    return draw((name, seed), **(TIES if seed % 2 else {"costs": FEW, "chances": 0.5}))


@seeds(range(400), quick=100, a_test=50)
@pytest.mark.parametrize(
    ("name", "solve", "attained"),
    [("as good", expected, chance.costs_of), ("as likely", probability, chance.probabilities_of)],
    ids=["the expected cost is the least", "the probability is the greatest"],
)
def test_whichever_is_taken(seed, name, solve, attained):
    plain = drawn(name, seed)
    exact = solve(plain.game(), "done", epsilon=0)
    choices, _ = others(exact, Random(seed))
    assert attained(plain, strategy_of(exact.game, choices)) == list(exact.exact), plain


@seeds(range(400), quick=100, a_test=50)
def test_whichever_is_taken_the_expected_cost_keeps_to_its_bound(seed):
    plain = drawn("as good", seed)
    near = expected(plain.game(), "done", method="vi")
    found = chance.costs_of(plain, strategy_of(near.game, others(near, Random(seed))[0]))
    for cost, high in zip(found, near.bounds.high.tolist(), strict=True):
        assert (cost is None) if high == float("inf") else cost <= Fraction(high)


@seeds(range(400), quick=40, a_test=40)
def test_whichever_is_taken_the_odds_within_the_moves_left_are_the_best(seed):
    """By the definition of odds, with one of the moves that are as good at each vertex for each number of moves."""
    how = TIES if seed % 2 else {"costs": FEW, "chances": 0.5}
    plain, steps, rng = draw(("as likely in time", seed), free=0.2, **how), 5, Random(seed)
    game = plain.game()
    answer = bounded(game, "done", steps)

    @cache
    def odds(vertex, left):
        if vertex in plain.goals:
            return Fraction(1), Fraction(0)
        if plain.system[vertex]:
            parts = [(plain.chance_of(edge), *beyond(edge, left)) for edge in plain.leaving(vertex)]
            return sum((p * q for p, q, _ in parts), Fraction(0)), max((cost for *_, cost in parts), default=0)
        good, chosen = answer.as_good(vertex, steps - left), answer.edge(vertex, left)
        assert good == () if chosen is None else chosen in good
        return beyond(place_of(game, rng.choice(good)), left) if good else (Fraction(0), Fraction(0))

    def beyond(edge, left):
        _, target, cost, *_ = plain.edges[edge]
        if left < plain.edges[edge].moves:
            return Fraction(0), Fraction(0)
        chance, more = odds(target, left - plain.edges[edge].moves)
        return chance, cost + more

    for vertex, left in product(plain.vertices, range(steps + 1)):
        assert odds(vertex, left) == tuple(answer.value_of(vertex, left)), plain


@seeds(range(400), quick=40, a_test=40)
def test_whichever_is_taken_as_many_jokers_and_moves_suffice(seed):
    """With so many jokers in hand, each granted, the worst play is as long as is said and comes round nowhere."""
    plain, rng, taken = jokers.draw(("as little help", seed)), Random(seed), dict[tuple[int, int], int]()
    game = plain.game()
    answer = joker(game, "done")

    def worst(vertex, left, before):
        assert (vertex, left) not in before, "a play that comes round again need never end"
        if vertex in plain.goals:
            return 0
        now, further = answer.solution.now(vertex, left), before | {(vertex, left)}
        if answer.plays_joker(vertex, left):
            assert answer.as_good(vertex, left) == (answer.edge(vertex, left),)
            return beyond(place_of(game, answer.edge(vertex, left)), left - 1, further)
        if plain.system[vertex]:
            return max(beyond(edge, left, further) for edge in plain.leaving(vertex))
        good = answer.as_good(vertex, left)
        assert now.edge in good
        return beyond(place_of(game, taken.setdefault((vertex, left), rng.choice(good))), left, further)

    def beyond(edge, left, before):
        return plain.edges[edge].moves + worst(plain.edges[edge].target, left, before)

    for vertex in plain.vertices:
        for more in range(2):
            if answer.jokers[vertex] >= 0:
                left = int(answer.jokers[vertex]) + more
                assert worst(vertex, left, frozenset()) <= answer.solution.now(vertex, left).moves, plain


def test_there_are_such_moves():
    games = [draw(("as good", seed), **TIES).game() for seed in range(100)]
    for solve in (win, expected, probability, lambda game, goal: bounded(game, goal, 4), joker):
        assert sum(others(solve(game, "done"), Random(1))[1] for game in games) > 8


def test_where_there_is_no_proof_of_others_the_chosen_one_is_alone():
    game = draw("alone", most=6).game()
    answer = cover_nodes(game)
    assert all(answer.as_good(v) == (() if answer.chosen(v) is None else (answer.chosen(v),)) for v in range(3))
