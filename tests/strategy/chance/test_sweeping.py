"""Folding, components and sweeps: run by Python and compiled, and what each array says of the game."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from outplay import Game, GameBuilder, compiling
from outplay.strategy.chance import bounding, collapse, decisions, finite, likely, sweeping
from outplay.strategy.chance.decisions import finished_components, fold
from outplay.strategy.chance.finite import almost_sure
from outplay.strategy.chance.sweeping import sweep
from outplay.strategy.expected import expected
from outplay.strategy.probability import probability

KERNELS = (bounding, decisions, finite, likely, sweeping)


def each_way(monkeypatch):
    for way in (compiling.plain, compiling.compiled):
        for module in KERNELS:
            monkeypatch.setattr(module, "best_for", lambda kernel, edges, way=way: way(kernel))
        yield way


@pytest.mark.parametrize("seed", range(60))
def test_plain_and_compiled_bounds_are_the_same_to_the_last_bit(monkeypatch, oracle, seed):
    game = oracle.draw(f"kernel {seed}", most=60, strategies=10**99).game()
    found = []
    for _ in each_way(monkeypatch):
        costs, likely_ = expected(game, "done"), probability(game, "done")
        found.append(
            [
                getattr(bounds, name).tolist()
                for bounds in (costs.bounds, likely_.bounds)
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


@pytest.mark.parametrize("seed", range(60))
def test_components_are_the_vertices_that_reach_each_other_and_no_edge_leads_to_a_later_one(oracle, seed):
    game = oracle.draw(f"component {seed}", most=25, strategies=10**99).game()
    count, component, finished = finished_components(game, np.ones(game.vertex_count, dtype=bool))
    assert sorted(finished.tolist()) == list(range(game.vertex_count))
    beyond = reach(game)
    assert set(component.tolist()) == set(range(1, count + 1))
    for one in range(game.vertex_count):
        for other in range(game.vertex_count):
            together = other in beyond[one] and one in beyond[other]
            assert (component[one] == component[other]) == together
    assert np.all(component[game.source] >= component[game.target])


@pytest.mark.parametrize("seed", range(60))
def test_actions_have_the_chances_and_costs_of_the_edges_they_are_made_of(oracle, seed):
    plain = oracle.draw(f"fold {seed}", most=12, strategies=10**99)
    game = plain.game()
    goals = game.goal_vertices(["done"])
    found = fold(game, goals, almost_sure(game, goals))
    assert np.all(found.leave > 0)
    sums = np.add.reduceat(found.outcome_chance, found.outcome_first[:-1].astype(int)) if len(found.leave) else []
    np.testing.assert_allclose(sums, found.leave, rtol=1e-14)
    for action, state in enumerate(found.owner_of_actions().tolist()):
        vertex, edge = int(found.vertex[state]), int(found.action_edge[action])
        through = vertex if plain.system[vertex] else int(game.target[edge])
        cost = Fraction(0) if plain.system[vertex] else game.cost[edge]
        if plain.system[vertex] or found.folded[through]:
            cost += sum(chance * price for chance, price, _ in plain.steps(through, {}))
        assert found.action_cost[action] == pytest.approx(float(cost), rel=1e-14)


@pytest.mark.parametrize("seed", range(60))
def test_end_components_are_the_largest_sets_that_can_be_stayed_in(oracle, seed):
    plain = oracle.draw(f"end {seed}", most=7, strategies=10**99)
    game = plain.game()
    sets = collapse.end_components(game, np.ones(game.edge_count, dtype=bool))
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
    found = fold(game, np.array([0]), almost_sure(game, np.array([0])))
    swept = sweep(found, 1e-6)
    assert len(found.vertex) == 0
    assert swept is not None
    assert swept.value.tolist() == [0.0]
