"""Tours in the time there is: by a clock of the test's own, what was found when it is up is answered, and holds."""

from __future__ import annotations

import numpy as np
import pytest

from helpers.deadlines import after
from helpers.tours import check_walk, draw_round, least_cost
from outplay.strategy.tours import quick_tours
from outplay.strategy.tours.cheapest_flow import Balanced, Late, cheapest_flow
from outplay.strategy.tours.closed_walks import with_closing_edges
from outplay.strategy.tours.joined_tour import Joined, joined_tour
from outplay.strategy.tours.postman import postman
from outplay.strategy.tours.postman_problem import Tour, postman_problem
from outplay.strategy.tours.quick_tours import nearest_goals_walk
from outplay.strategy.tours.tour_network import Network, network_of


def large(count: int = 60) -> tuple[Network, np.ndarray]:
    rng = np.random.default_rng(3)
    ring = [(v, (v + 1) % count, 5) for v in range(count)]
    more = [(int(a), int(b), int(rng.integers(1, 30))) for a, b in rng.integers(0, count, (3 * count, 2))]
    network = network_of(count, [*ring, *more])
    return network, np.bincount(network.target, minlength=count) - np.bincount(network.source, minlength=count)


def test_a_flow_that_is_stopped_balances_or_says_that_it_is_late():
    network, supply = large()
    best = cheapest_flow(network, supply)
    assert isinstance(best, Balanced)
    least, kinds = int((best.flow * network.joined).sum()), set[str]()
    for looks in range(0, 200, 9):
        found = cheapest_flow(network, supply, after(looks), pivots=1)
        assert isinstance(found, Balanced | Late)
        kinds.add("late" if isinstance(found, Late) else "proven" if found.proven else "any")
        if isinstance(found, Balanced):
            left = np.bincount(network.source, weights=found.flow, minlength=network.vertex_count)
            came = np.bincount(network.target, weights=found.flow, minlength=network.vertex_count)
            assert np.array_equal(left - came, supply)
            cost = int((found.flow * network.joined).sum())
            assert cost == least if found.proven else cost >= least
    assert kinds >= {"any", "proven"}


def test_parts_are_joined_to_a_tour_even_when_time_is_up():
    circles = [(5 * n + k, 5 * n + (k + 1) % 5, 1) for n in range(12) for k in range(5)]
    bridges = [(5 * n, 5 * ((n + 1) % 12), 3) for n in range(12)]
    network = network_of(60, [*circles, *bridges])
    wanted = range(0, 60, 5)
    ready = with_closing_edges(postman_problem(network, [[edge] for edge in wanted]))
    costs = []
    for looks in range(30):
        found = joined_tour(ready, wanted, until=after(looks))
        assert isinstance(found, Joined)
        assert found.times is not None
        walk = ready.walk(found.times)
        assert set(wanted) <= set(walk)
        assert np.array_equal(network.target[list(walk)], network.source[[*walk[1:], walk[0]]])
        costs.append(ready.problem.network.cost_of(walk))
    assert min(costs) == costs[-1] == (12 * 5 + 12 * 3,)


def test_a_walk_to_the_nearest_is_given_up_when_time_is_up(monkeypatch):
    monkeypatch.setattr(quick_tours, "_WORK", 0)
    network, _ = large()
    ready = with_closing_edges(postman_problem(network, [[edge] for edge in range(20)], start=0))
    assert nearest_goals_walk(ready, after(2)) is None
    assert nearest_goals_walk(ready) is not None


def test_goals_with_several_edges_are_met_even_without_time_for_the_nearest(monkeypatch):
    monkeypatch.setattr(quick_tours, "_WORK", 0)
    network, _ = large()
    goals = [[edge, edge + 60, edge + 120] for edge in range(20)]
    found = postman(network, goals, start=0, time_limit=0)
    assert isinstance(found, Tour)
    assert all(set(goal) & set(found.walk) for goal in goals)
    assert found.bound <= found.cost


@pytest.mark.parametrize("kind", ["chinese", "rural", "generalized", "alternatives", "shares"])
def test_where_nothing_is_ready_in_time_there_is_a_tour_to_each_goal_and_back(kind: str, monkeypatch):
    monkeypatch.setattr("outplay.strategy.tours.postman.joined_tour", lambda *given, **named: Late())
    monkeypatch.setattr("outplay.strategy.tours.postman.nearest_goals_walk", lambda *given: None)
    for seed in range(40):
        problem = draw_round(f"there {seed}", kind, connected=1.0)
        found, least = problem.solved(time_limit=0), least_cost(problem)
        assert isinstance(found, Tour)
        check_walk(problem, found)
        assert found.bound <= least <= found.cost


@pytest.mark.parametrize("kind", ["chinese", "rural", "generalized", "alternatives", "shares"])
@pytest.mark.parametrize("looks", [0, 1, 2, 3, 5, 8, 13])
def test_whenever_time_is_up_the_tour_is_one_and_the_bound_holds(kind: str, looks: int, monkeypatch):
    monkeypatch.setattr("outplay.strategy.tours.postman.deadline", lambda seconds: after(looks))
    for seed in range(6):
        problem = draw_round(f"late {seed}", kind, connected=1.0)
        found, least = problem.solved(time_limit=1), least_cost(problem)
        assert isinstance(found, Tour)
        check_walk(problem, found)
        assert found.bound <= least <= found.cost
