"""Folding, components and sweeps: run by Python and compiled, and what each array says of the game."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from helpers import chance as oracle
from helpers.kernels import each_way
from helpers.seeds import seeds
from outplay import Game, GameBuilder
from outplay.game.builder import game_from_arrays
from outplay.game.exact_numbers import exact_column
from outplay.strategy.certificate.check_chance import check_expected
from outplay.strategy.chance.reduction.decision_process import folded_process
from outplay.strategy.chance.reduction.end_components import end_components, finished_components
from outplay.strategy.chance.reduction.reachability import almost_sure
from outplay.strategy.chance.valuation import expected_cost
from outplay.strategy.chance.valuation.value_iteration import iterate_values
from outplay.strategy.expected import expected
from outplay.strategy.probability import probability


@seeds(range(60))
def test_plain_and_compiled_bounds_are_the_same_to_the_last_bit(monkeypatch, seed):
    game = oracle.draw(f"kernel {seed}", most=60, strategies=10**99).game()
    found = []
    for _ in each_way(monkeypatch):
        spent, likely_ = expected(game, "done"), probability(game, "done")
        found.append(
            [
                getattr(bounds, name).tolist()
                for bounds in (spent.bounds, likely_.bounds)
                for name in ("low", "high", "choice", "rank")
            ]
        )
    assert found[0] == found[1]


def reach(game: Game) -> list[set[int]]:
    """Where each vertex leads to, in any number of steps."""
    beyond = [{vertex} for vertex in range(game.vertex_count)]
    for _ in range(game.vertex_count):
        for source, target in zip(game.source.tolist(), game.target.tolist(), strict=True):
            beyond[source] |= beyond[target]
    return beyond


@seeds(range(60))
def test_components_are_the_vertices_that_reach_each_other_and_no_edge_leads_to_a_later_one(seed):
    game = oracle.draw(f"component {seed}", most=25, strategies=10**99).game()
    count, component, finished = finished_components(game.first, game.target, np.ones(game.vertex_count, dtype=bool))
    assert sorted(finished.tolist()) == list(range(game.vertex_count))
    beyond = reach(game)
    assert set(component.tolist()) == set(range(1, count + 1))
    for one in range(game.vertex_count):
        for other in range(game.vertex_count):
            together = other in beyond[one] and one in beyond[other]
            assert (component[one] == component[other]) == together
    assert np.all(component[game.source] >= component[game.target])


@seeds(range(60))
def test_actions_have_the_chances_and_costs_of_the_edges_they_are_made_of(seed):
    plain = oracle.draw(f"fold {seed}", most=12, strategies=10**99)
    game = plain.game()
    goals = game.goal_vertices("done")
    found = folded_process(game, goals, almost_sure(game, goals))
    arrays = found.arrays
    assert np.all(arrays.leave > 0)
    sums = np.add.reduceat(arrays.outcome_chance, arrays.outcome_first[:-1].astype(int)) if len(arrays.leave) else []
    np.testing.assert_allclose(sums, arrays.leave, rtol=1e-14)
    for action, state in enumerate(found.owner_of_actions().tolist()):
        vertex, edge = int(found.vertex[state]), int(found.action_edge[action])
        through = vertex if plain.system[vertex] else int(game.target[edge])
        cost = Fraction(0) if plain.system[vertex] else game.cost[edge]
        if plain.system[vertex] or found.folded[through]:
            cost += sum(chance * price for chance, price, _ in oracle.steps(plain, through, {}))
        assert arrays.action_cost[action] == pytest.approx(float(cost), rel=1e-14)


@seeds(range(60))
def test_end_components_are_the_largest_sets_that_can_be_stayed_in(seed):
    plain = oracle.draw(f"end {seed}", most=7, strategies=10**99)
    game = plain.game()
    sets = end_components(game, np.ones(game.edge_count, dtype=bool))
    wanted: dict[int, set[int]] = {vertex: set() for vertex in plain.vertices}
    for mask in range(1, 1 << len(plain.system)):
        inside = {vertex for vertex in plain.vertices if mask >> vertex & 1}
        if len(inside) > 1 and stays(plain, inside):
            for vertex in inside:
                wanted[vertex] |= inside
    for vertex in plain.vertices:
        same = {other for other in plain.vertices if sets[vertex] > 0 and sets[other] == sets[vertex]}
        assert same == wanted[vertex]


def stays(plain, inside: set[int]) -> bool:
    """Can the tester keep the play in the set and visit all of it for ever?"""
    ahead = {}
    for vertex in inside:
        targets = {plain.edges[edge][1] for edge in plain.leaving(vertex)}
        if not targets & inside or (plain.system[vertex] and targets - inside):
            return False
        ahead[vertex] = targets & inside
    for start in inside:
        seen, front = {start}, {start}
        while front := set().union(*(ahead[vertex] for vertex in front)) - seen:
            seen |= front
        if seen != inside:
            return False
    return True


def test_a_goal_at_the_start_leaves_nothing_to_sweep():
    game = GameBuilder().vertex("g", "tester", goals=["done"]).edge("g", "g").build()
    found = folded_process(game, np.array([0]), almost_sure(game, np.array([0])))
    swept = iterate_values(found, 1e-6)
    assert len(found.vertex) == 0
    assert swept is not None
    assert swept.value.tolist() == [0.0]


def shallow_game(slow: str) -> Game:
    """Every vertex near a goal, and two that send each other round, left with a chance of `slow`."""
    rng = np.random.default_rng(5)
    size = 4000
    owner = np.arange(size) % 2
    target = 2 * rng.integers(0, size // 2, (size, 4)) + 1 - owner[:, None]
    chance = np.where(owner[:, None] == 1, 1, 0) * np.ones((1, 4), dtype=int)
    there, back = 1, 3
    target[0], target[2], target[back] = [there] * 4, [back] * 4, [0, 2, 0, 2]
    target[there], chance[there] = [10, 0, 2, 2], [2, 3, 3, 3]  # by the first edge out of it
    left = Fraction(slow)
    table = [None, Fraction(1, 4), left, (1 - left) / 3]
    return game_from_arrays(
        owner=owner,
        source=np.repeat(np.arange(size), 4),
        target=target.reshape(-1),
        cost=exact_column(list(range(1, 10)), rng.integers(0, 9, 4 * size)),
        probability=exact_column(table, chance.reshape(-1)),
        goals={"goal": np.append(rng.choice(np.arange(12, size), size // 20, replace=False), 10)},
    )


@pytest.mark.parametrize("slow", ["1/2", "1/100000"])
def test_a_shallow_game_is_solved_as_one_component_unless_part_of_it_is_slow(monkeypatch, slow):
    game = shallow_game(slow)
    folded = []
    monkeypatch.setattr(
        expected_cost, "folded_process", lambda *given, **how: folded.append(how) or folded_process(*given, **how)
    )
    found = expected(game, "goal")
    assert folded == ([{"ordered": False}] if slow == "1/2" else [{"ordered": False}, {}])
    assert found.kept
    bounds = found.bounds
    goals = found.goal_vertices.tolist()
    check_expected(game, goals, bounds.low, bounds.high, bounds.choice, bounds.rank, found.region.level)
