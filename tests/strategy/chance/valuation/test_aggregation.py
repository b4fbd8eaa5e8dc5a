"""Slow components of many states: layers that lead back, one that is hardly ever left, a fair walk on a ladder."""

from __future__ import annotations

import itertools
from fractions import Fraction
from random import Random

import numpy as np
import pytest

from helpers.kernels import compile_from
from helpers.seeds import with_long
from outplay import Game, compiling
from outplay.game.builder import game_from_arrays
from outplay.game.exact_numbers import exact_column_of
from outplay.strategy.arrays import Iterates
from outplay.strategy.certificate.check_chance import check_expected
from outplay.strategy.chance.reduction.decision_process import folded_process
from outplay.strategy.chance.reduction.reachability import almost_sure
from outplay.strategy.chance.valuation import _value_iteration, aggregation, value_iteration
from outplay.strategy.chance.valuation.exact import exact_expected
from outplay.strategy.chance.valuation.policy_iteration import policy_iteration
from outplay.strategy.expected import expected


def moves(place: list[int], answers: list[list[tuple[int, Fraction]]], goal: int, rng: Random) -> Game:
    """A game in which every place has moves, each with its answers; the places end before the goal."""
    nodes = range(goal + 1, goal + 1 + len(place))
    source, target, chance, cost = list(place), list(nodes), [None] * len(place), [Fraction(0)] * len(place)
    for node, made in zip(nodes, answers, strict=True):
        price = Fraction(rng.randint(1, 9))
        for beyond, share in made:
            source.append(node)
            target.append(beyond)
            chance.append(share)
            cost.append(price)
    return game_from_arrays(
        owner=[0] * (goal + 1) + [1] * len(place),
        source=source,
        target=target,
        cost=exact_column_of(cost),
        probability=exact_column_of(chance),
        goals={"done": [goal]},
    )


def layers(count: int, wide: int, seed: int) -> Game:
    rng = Random(f"layers {seed}")
    goal = count * wide
    place = [vertex for vertex in range(goal) for _ in range(2)]
    answers = []
    for vertex in place:
        layer = vertex // wide
        onward = [min(wide * (layer + 1) + rng.randrange(wide), goal) for _ in range(2)]
        back = wide * max(layer - 1, 0) + rng.randrange(wide)
        answers.append([(onward[0], Fraction(6, 10)), (onward[1], Fraction(3, 10)), (back, Fraction(1, 10))])
    return moves(place, answers, goal, rng)


def leak(count: int, seed: int) -> Game:
    rng = Random(f"leak {seed}")
    place = [vertex for vertex in range(count) for _ in range(2)]
    answers = []
    for _ in place:
        inside = [(rng.randrange(count), Fraction(share, 5000)) for share in (2500, 1500, 999)]
        answers.append([*inside, (count, Fraction(1, 5000))])
    return moves(place, answers, count, rng)


def ladder(rungs: int, seed: int) -> Game:
    rng = Random(f"ladder {seed}")
    goal = 2 * rungs
    place = [vertex for vertex in range(goal) for _ in range(2)]
    answers = []
    for number, vertex in enumerate(place):
        rung, side = vertex // 2, (vertex + number) % 2
        up, down = 2 * min(rung + 1, rungs - 1) + side, goal if rung == 0 else 2 * (rung - 1) + side
        answers.append([(up, Fraction(1, 2)), (down, Fraction(1, 2))])
    return moves(place, answers, goal, rng)


def confirm(found) -> None:
    bounds, goals = found.bounds, found.goal_vertices
    check_expected(found.game, goals, bounds.low, bounds.high, bounds.choice, bounds.rank, found.region.level)


@pytest.mark.parametrize("seed", with_long(range(4), quick=2))
@pytest.mark.parametrize("make", [lambda seed: layers(20, 6, seed), lambda seed: ladder(70, seed)])
@pytest.mark.parametrize("edges", [0, 10**9])
def test_bounds_of_slow_families_hold_the_exact_values(monkeypatch, make, seed, edges):
    compile_from(monkeypatch, edges)
    monkeypatch.setattr(value_iteration, "LONG", 4)
    game = make(seed)
    found = expected(game, "done")
    assert found.kept
    confirm(found)
    exact = exact_expected(game, found.goal_vertices, found.region.level)
    assert all(
        Fraction(found.interval(v)[0]) <= value <= Fraction(found.interval(v)[1]) for v, value in enumerate(exact)
    )


@pytest.mark.parametrize("seed", range(4))
def test_a_component_that_is_hardly_ever_left_has_the_costs_that_policy_iteration_finds(seed):
    game = leak(300, seed)
    found = expected(game, "done")
    assert found.kept
    confirm(found)
    wanted = policy_iteration(game, found.goal_vertices, found.region.winning)
    assert [found.value_of(vertex) for vertex in range(game.vertex_count)] == pytest.approx(wanted.tolist(), rel=1e-6)


@pytest.mark.parametrize(
    ("make", "most"), [(lambda: layers(600, 8, 1), 0), (lambda: leak(3000, 1), 8), (lambda: ladder(4000, 1), 8)]
)
def test_slow_families_take_few_corrections_and_layers_none(monkeypatch, make, most):
    calls = []
    monkeypatch.setattr(value_iteration, "LONG", 8)
    monkeypatch.setattr(
        value_iteration,
        "aggregate_component",
        lambda *given: calls.append(0) or aggregation.aggregate_component(*given),
    )
    monkeypatch.setattr(value_iteration, "solve_row", None)
    found = expected(make(), "done")
    assert found.kept
    assert min(most, 1) <= len(calls) <= most
    confirm(found)


@pytest.mark.parametrize("seed", with_long(range(4), quick=1))
@pytest.mark.parametrize("way", [compiling.interpreted, compiling.compiled])
def test_a_window_that_rolls_over_layers_leaves_their_costs_behind(seed, way):
    game = layers(200, 8, seed)
    region = almost_sure(game, game.goals["done"])
    process = folded_process(game, game.goals["done"], region)
    row = int(np.argmax(np.diff(process.arrays.row_first)))
    low, high = process.arrays.row_first[row : row + 2].tolist()
    wanted = policy_iteration(game, game.goals["done"], region.winning)[process.vertex]
    states = len(process.vertex)
    found = Iterates(np.append(wanted, 0.0), np.zeros(states, dtype=np.uint32), *np.zeros((4, states)))
    found.value[low:high] = 0.0
    way(_value_iteration.guess)(process.arrays, low, high, found, 1e-7)
    assert found.value[low:high] == pytest.approx(wanted[low:high], rel=1e-6)


def test_where_floats_get_no_nearer_the_same_equations_are_not_solved_again(monkeypatch):
    solved = []

    def recorded(process, row, choice, value):
        solved.append(choice.tolist())
        return aggregation.aggregate_component(process, row, choice, value)

    monkeypatch.setattr(value_iteration, "LONG", 4)
    monkeypatch.setattr(value_iteration, "aggregate_component", recorded)
    monkeypatch.setattr(value_iteration, "solve_row", None)
    game = ladder(200, 1)
    process = folded_process(game, game.goals["done"], almost_sure(game, game.goals["done"]))
    swept = value_iteration.iterate_values(process, 1e-12)
    assert max(swept.above.max(), swept.below.max()) > 1e-12
    assert solved
    assert all(one != other for one, other in itertools.pairwise(solved))


@pytest.mark.parametrize("patience", [2, 16, 128])
def test_a_component_that_is_given_up_says_how_far_it_is_off(monkeypatch, patience):
    monkeypatch.setattr(value_iteration, "LONG", patience)
    monkeypatch.setattr(value_iteration, "_USELESS", 0)
    game = ladder(40, 2)
    goals = game.goals["done"]
    process = folded_process(game, goals, almost_sure(game, goals))
    swept = value_iteration.iterate_values(process, 1e-6, equations=False)
    exact = np.array(exact_expected(game, goals, almost_sure(game, goals).level), dtype=float)[process.vertex]
    value = swept.value[:-1]
    assert not np.allclose(value, exact, rtol=1e-3)
    assert np.all(value / (1 + swept.above) <= exact)
    assert np.all(exact * (1 - swept.below) <= value)


def test_aggregates_of_single_states_have_the_values_of_the_choices_outright():
    game = ladder(100, 3)
    goals = game.goals["done"]
    process = folded_process(game, goals, almost_sure(game, goals))
    choice = process.arrays.action_first[:-1].copy()
    value = np.zeros(len(process.vertex) + 1)
    assert aggregation.aggregate_component(process, 0, choice, value)
    ahead = process.ahead(value)[choice]
    leave, cost = process.arrays.leave[choice], process.arrays.action_cost[choice]
    assert value[:-1] * leave == pytest.approx(cost + ahead, rel=1e-12)
