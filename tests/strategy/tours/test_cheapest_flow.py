"""The flow kernel: optimal beside networkx, proven by its heights, the same plain and compiled."""

from __future__ import annotations

from random import Random

import networkx
import numpy as np
import pytest

from outplay.compiling import compiled, interpreted
from outplay.strategy.tours import _kernels
from outplay.strategy.tours.cheapest_flow import Balanced, Stuck, cheapest_flow
from outplay.strategy.tours.closed_walks import euler_walk, strong_parts
from outplay.strategy.tours.tour_network import Network, connected_parts, network_of


def draw(seed: int, most: int = 12) -> tuple[Network, np.ndarray]:
    rng = Random(seed)
    count = rng.randint(1, most)
    edges = [(rng.randrange(count), rng.randrange(count), rng.randint(0, 9)) for _ in range(rng.randint(1, 4 * count))]
    supply = np.zeros(count, dtype=np.int64)
    for _ in range(rng.randint(0, 2 * count)):
        amount = rng.randint(1, 4)
        supply[rng.randrange(count)] += amount
        supply[rng.randrange(count)] -= amount
    return network_of(count, edges), supply


def least_by_networkx(network: Network, supply: np.ndarray) -> int | None:
    graph = networkx.MultiDiGraph()
    graph.add_nodes_from((vertex, {"demand": -int(supply[vertex])}) for vertex in range(network.vertex_count))
    for edge in range(network.edge_count):
        graph.add_edge(int(network.source[edge]), int(network.target[edge]), weight=int(network.criteria[0][edge]))
    try:
        return int(networkx.network_simplex(graph)[0])
    except networkx.NetworkXUnfeasible:
        return None


@pytest.mark.parametrize("way", [interpreted, compiled])
def test_flows_cost_what_networkx_finds_and_heights_prove_it(way, monkeypatch):
    monkeypatch.setattr("outplay.strategy.tours.cheapest_flow.best_for", lambda kernel, edges: way(kernel))
    stuck = 0
    for seed in range(100):
        network, supply = draw(seed)
        found, least = cheapest_flow(network, supply), least_by_networkx(network, supply)
        if least is None:
            stuck += 1
            assert isinstance(found, Stuck)
            continue
        assert isinstance(found, Balanced)
        left = np.bincount(network.source, weights=found.flow, minlength=network.vertex_count)
        came = np.bincount(network.target, weights=found.flow, minlength=network.vertex_count)
        assert np.array_equal(left - came, supply)
        assert found.flow.min(initial=0) >= 0
        reduced = network.joined + found.height[network.source] - found.height[network.target]
        assert reduced.min(initial=0) >= 0
        cost = int((found.flow * network.joined).sum())
        assert cost == -int((supply * found.height).sum()) == least
    assert 10 < stuck < 90


def test_a_large_postman_flow_is_proven_by_its_heights():
    rng = np.random.default_rng(7)
    ring = rng.permutation(3000)
    ends = zip([*ring, *rng.integers(0, 3000, 9000)], [*np.roll(ring, -1), *rng.integers(0, 3000, 9000)], strict=True)
    network = network_of(3000, [(int(a), int(b), int(rng.integers(1, 100))) for a, b in ends])
    supply = np.bincount(network.target, minlength=3000) - np.bincount(network.source, minlength=3000)
    found = cheapest_flow(network, supply)
    assert isinstance(found, Balanced)
    reduced = network.joined + found.height[network.source] - found.height[network.target]
    assert reduced.min() == 0
    assert int((found.flow * network.joined).sum()) == -int((supply * found.height).sum())
    walk = euler_walk(network, found.flow + 1, 0)
    assert np.array_equal(np.bincount(walk), found.flow + 1)
    assert np.array_equal(network.target[walk], network.source[[*walk[1:], walk[0]]])


@pytest.mark.parametrize("way", [interpreted, compiled])
def test_the_kernel_of_walks_is_the_same_plain_and_compiled(way):
    network = network_of(3, [(0, 1, 1), (1, 0, 1), (1, 2, 1), (2, 1, 1), (2, 2, 1)])
    walk, out = np.zeros(8, dtype=np.uint32), network.outgoing
    times = np.array([1, 1, 2, 2, 2])
    path = np.zeros(9, dtype=np.uint32)
    length = way(_kernels.euler)(out.first, out.edge, network.target, times, 0, out.first.copy(), path, walk)
    assert (int(length), times.sum()) == (8, 0)
    order = walk[::-1].tolist()
    assert all(network.target[a] == network.source[b] for a, b in zip(order, [*order[1:], order[0]], strict=True))


def test_parts_are_those_of_networkx():
    for seed in range(60):
        network, _ = draw(seed)
        graph = networkx.MultiDiGraph()
        graph.add_nodes_from(range(network.vertex_count))
        graph.add_edges_from(zip(network.source.tolist(), network.target.tolist(), strict=True))
        strong, weak = strong_parts(network), connected_parts(network, np.ones(network.edge_count, dtype=bool))
        for number, found in (
            (strong, networkx.strongly_connected_components(graph)),
            (weak, networkx.weakly_connected_components(graph)),
        ):
            assert {frozenset(np.flatnonzero(number == one).tolist()) for one in set(number.tolist())} == {
                frozenset(part) for part in found
            }
        assert all(strong[network.source] >= strong[network.target])
