"""Moves that are as good as the chosen one: whichever is taken, the strategy achieves what the answer promises."""

from __future__ import annotations

from fractions import Fraction
from random import Random

from helpers import chance, worst_case
from helpers.games import draw, strategy_of
from helpers.seeds import seeds
from outplay import Answer, bounded, expected, probability, win

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


@seeds(range(400), quick=150, a_test=50)
def test_whichever_is_taken_the_expected_cost_is_the_least(seed):
    plain = draw(("as good", seed), **(TIES if seed % 2 else {"costs": FEW, "chances": 0.5}))
    exact = expected(plain.game(), "done", epsilon=0)
    choices, _ = others(exact, Random(seed))
    assert chance.costs_of(plain, strategy_of(exact.game, choices)) == list(exact.exact), plain
    near = expected(plain.game(), "done", method="vi")
    found = chance.costs_of(plain, strategy_of(near.game, others(near, Random(seed))[0]))
    for cost, high in zip(found, near.bounds.high.tolist(), strict=True):
        assert (cost is None) if high == float("inf") else cost <= Fraction(high)


@seeds(range(400), quick=150, a_test=50)
def test_whichever_is_taken_the_probability_is_the_greatest(seed):
    plain = draw(("as likely", seed), **(TIES if seed % 2 else {"costs": FEW, "chances": 0.5}))
    exact = probability(plain.game(), "done", epsilon=0)
    choices, _ = others(exact, Random(seed))
    assert chance.probabilities_of(plain, strategy_of(exact.game, choices)) == list(exact.exact), plain


def test_there_are_such_moves():
    games = [draw(("as good", seed), **TIES).game() for seed in range(100)]
    for solve in (win, expected, probability):
        assert sum(others(solve(game, "done"), Random(1))[1] for game in games) > 8


def test_where_there_is_no_proof_of_others_the_chosen_one_is_alone():
    game = draw("alone", most=6).game()
    answer = bounded(game, "done", steps=4)
    assert all(answer.as_good(v) == (() if answer.chosen(v) is None else (answer.chosen(v),)) for v in range(3))
