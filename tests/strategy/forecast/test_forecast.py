"""Every figure of every target against its definition, on hundreds of small games."""

from __future__ import annotations

from fractions import Fraction

import pytest

from helpers import targets
from helpers.games import COSTS
from outplay.strategy.forecast import forecast as forecasting
from outplay.strategy.forecast.entries import Entry, Forecast
from outplay.strategy.forecast.forecast import forecast

GAMES = 25  # in each of the numbered batches


def forecast_of(seed, steps=7):
    small = targets.draw(seed, costs=COSTS if steps % 2 else None)
    return small, forecast(small.game(), steps=steps)


def batch(number):
    for seed in range(GAMES):
        small, seen = forecast_of((number, seed), steps=seed % 9)
        for entry in seen.entries:
            yield seen, entry, targets.wanted(small, entry.name, entry.kind)


@pytest.mark.parametrize("number", range(8))
def test_forced_is_the_least_worst_cost_and_the_fewest_moves_that_guarantee_it(number):
    for _, entry, wanted in batch(number):
        forced = entry.forced and (entry.forced.moves, entry.forced.cost)
        assert forced == wanted.forced(), (entry, wanted)


@pytest.mark.parametrize("number", range(8))
def test_jokers_are_the_fewest_that_win_and_impossible_means_that_none_do(number):
    for _, entry, wanted in batch(number):
        assert entry.jokers == wanted.jokers[wanted.game.initial], (entry, wanted)
        assert entry.impossible == (wanted.jokers[wanted.game.initial] is None)
        assert (entry.jokers == 0) == (entry.forced is not None)


@pytest.mark.parametrize("number", range(4))
def test_every_wish_granted_leaves_one_joker_less_to_be_played(number):
    for seen, entry, wanted in batch(number):
        assert len(entry.helps) == (entry.jokers or 0)
        for left, number_of_edge in zip(range(entry.jokers or 0, 0, -1), entry.helps, strict=True):
            edge = wanted.game.edges[int(seen.game.edge_names[number_of_edge][1:])]
            assert wanted.game.system[edge.source]
            assert wanted.jokers[edge.source] == left
            assert wanted.jokers[edge.target] == left - 1


@pytest.mark.parametrize("number", range(8))
def test_the_probability_is_the_best_within_the_steps(number):
    for seen, entry, wanted in batch(number):
        assert entry.probability == pytest.approx(float(wanted.likely_within(seen.steps)), abs=1e-12), wanted


@pytest.mark.parametrize("number", range(8))
def test_the_expected_cost_is_the_least_of_all_strategies_that_arrive_with_probability_1(number):
    for _, entry, wanted in batch(number):
        exact = wanted.expected()
        if exact is None:
            assert entry.expected_cost is None, (entry, wanted)
        else:
            assert entry.expected_cost == pytest.approx(float(exact), rel=1e-6, abs=1e-12), (entry, wanted)


@pytest.mark.long
@pytest.mark.parametrize("number", range(100, 200))
def test_all_figures_of_thousands_of_games_are_those_of_the_definitions(number):
    for seen, entry, wanted in batch(number):
        assert (entry.forced and (entry.forced.moves, entry.forced.cost)) == wanted.forced(), wanted
        assert entry.jokers == wanted.jokers[wanted.game.initial], wanted
        assert entry.probability == pytest.approx(float(wanted.likely_within(seen.steps)), abs=1e-12), wanted
        exact = wanted.expected()
        assert (entry.expected_cost is None) == (exact is None), wanted
        assert exact is None or entry.expected_cost == pytest.approx(float(exact), rel=1e-6, abs=1e-12), wanted


def everything(seen: Forecast) -> list[Entry]:
    return sorted(seen.entries, key=lambda entry: (entry.kind, entry.name))


@pytest.mark.parametrize("number", range(4))
def test_compiled_or_not_and_with_or_without_the_shared_search_the_answers_are_the_same(number, monkeypatch):
    for seed in range(10):
        small = targets.draw((number, seed))
        plain = forecast(small.game(), steps=5)
        monkeypatch.setattr(forecasting, "COMPILE_FROM_EDGES", 0)
        monkeypatch.setattr(forecasting, "SHARED_FROM", 10**9)
        compiled = forecast(small.game(), steps=5)
        monkeypatch.undo()
        for one, other in zip(everything(plain), everything(compiled), strict=True):
            assert (one.name, one.forced, one.jokers, one.impossible) == (
                other.name,
                other.forced,
                other.jokers,
                other.impossible,
            )
            assert one.probability == pytest.approx(other.probability, abs=1e-12)
            assert (one.expected_cost is None) == (other.expected_cost is None)
            if one.expected_cost is not None:
                assert one.expected_cost == pytest.approx(other.expected_cost, rel=1e-6)


def test_the_games_hold_every_difficulty_they_are_drawn_for():
    found = [entry for number in range(8) for _, entry, _ in batch(number)]
    assert len(found) > 2000
    helped = [entry.jokers for entry in found if entry.jokers]
    assert len(helped) > 100
    assert max(helped) >= 3
    assert sum(entry.impossible for entry in found) > 100
    assert sum(bool(p.forced and p.forced.moves != p.forced.cost) for p in found) > 100
    unsure = [p for p in found if p.probability is not None and 0 < p.probability < 1]
    assert len(unsure) > 100
    assert sum(p.expected_cost is None for p in unsure) > 20
    between = [p for p in found if p.forced and p.expected_cost != pytest.approx(float(p.forced.cost or 0))]
    assert len(between) > 10
    assert {p.kind for p in found} == {"goal", "label", "state", "transition"}
    assert Fraction(1, 2) in {p.forced.cost for p in found if p.forced}
