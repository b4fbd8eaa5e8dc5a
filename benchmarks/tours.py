"""Postman tours: flows beside networkx and HiGHS, joined tours beside exact ones, and transition tours of machines.

    python -m benchmarks.tours [EDGES [LIMIT]]

Flows are those of the Chinese postman on random strongly connected graphs of up to EDGES edges, four times as many as
vertices, with costs from 1 to 10. A peer that takes longer than LIMIT seconds is stopped. All times are those of the
processor, as each work has one thread. Machines come from `shared/data` beside the repository: a transition tour takes
every transition, from the initial state, starting again as seldom as can be. *Each by itself* is the classical way:
reset, a shortest way to a transition, and that.
"""

from __future__ import annotations

import multiprocessing
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import networkx
import numpy as np

from benchmarks.page import seconds, table, write_section
from outplay import Machine, read_model
from outplay.strategy.tours.cheapest_flow import Balanced, cheapest_flow
from outplay.strategy.tours.postman import postman
from outplay.strategy.tours.postman_problem import Tour
from outplay.strategy.tours.tour_network import Network, network_of

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
MOST_STATES = 200


def main(largest: int, limit: float) -> None:
    head = ("vertices", "edges", "our flow", "tour", "networkx", "ratio", "HiGHS", "ratio", "added cost")
    rows = [beside_peers(edges // 4, edges, limit) for edges in (10_000, 100_000, 400_000) if edges <= largest]
    write_section("Flows of the Chinese postman", table(head, rows))
    head = ("required of 4,000 edges", "flow alone", "tour", "bound", "gap %", "seconds")
    write_section("Rural postmen, 20 seconds each", table(head, [rural(share) for share in (5, 20, 100, 400, 1_000)]))
    head = ("goals of 3 edges", "tour", "bound", "gap %", "seconds")
    write_section("Generalized rural postmen, 20 seconds each", table(head, [grouped(n) for n in (10, 30, 100)]))
    head = ("machine", "states", "transitions", "tests", "inputs", "at least", "gap %", "seconds", "each by itself")
    paths = [path for name in ("mealy", "onfsm") for path in sorted((DATA / name).glob("*.dot"))]
    tours = [row for path in paths if (row := machine_tour(path)) is not None]
    write_section("Transition tours of machines", table(head, tours))


def drawn(vertices: int, edges: int, seed: int = 0) -> Network:
    """A strongly connected graph: a ring through all vertices, and edges anywhere."""
    rng = np.random.default_rng(seed)
    ring = rng.permutation(vertices)
    more = edges - vertices
    source = np.concatenate([ring, rng.integers(0, vertices, more)])
    target = np.concatenate([np.roll(ring, -1), rng.integers(0, vertices, more)])
    cost = rng.integers(1, 11, edges)
    return Network(vertices, source.astype(np.uint32), target.astype(np.uint32), (cost,), (1,))


def beside_peers(vertices: int, edges: int, limit: float) -> tuple[object, ...]:
    network = drawn(vertices, edges)
    count = network.vertex_count
    supply = np.bincount(network.target, minlength=count) - np.bincount(network.source, minlength=count)
    cheapest_flow(drawn(2_500, 10_000), np.zeros(2_500, dtype=np.int64))  # compiled, or loaded, before
    network.joined, network.outgoing  # noqa: B018  # made once, as a reader of a graph would
    times = []
    for _ in range(3):
        began = time.process_time()
        found = cheapest_flow(network, supply)
        times.append(time.process_time() - began)
    assert isinstance(found, Balanced)
    ours, added = min(times), int((found.flow * network.joined).sum())
    began = time.process_time()
    tour = postman(network)
    whole = time.process_time() - began
    assert isinstance(tour, Tour)
    assert tour.optimal
    row: list[object] = [f"{vertices:,}", f"{edges:,}", seconds(ours), seconds(whole)]
    for peer in (by_networkx, by_highs):
        took = limited(peer, (network, supply, added), limit)
        row += [f"> {limit:.0f}" if took is None else seconds(took)]
        row += [f"< {ours / limit:.2g}" if took is None else f"{ours / took:.2g}"]
    return (*row, f"{added:,}")


def limited(work: Callable[..., float], given: tuple[Any, ...], limit: float) -> float | None:
    """The seconds some work took in a process of its own, None where it was stopped."""
    context = multiprocessing.get_context("fork")
    receiving, tell = context.Pipe(duplex=False)
    child = context.Process(target=bounded, args=(tell, work, given, int(limit)))
    child.start()
    tell.close()
    child.join()
    return receiving.recv() if child.exitcode == 0 else None


def bounded(tell: Any, work: Callable[..., float], given: tuple[Any, ...], limit: int) -> None:
    spent = int(time.process_time())
    resource.setrlimit(resource.RLIMIT_CPU, (spent + limit, spent + limit + 1))
    tell.send(work(*given))


def by_networkx(network: Network, supply: np.ndarray, expected: int) -> float:
    graph = networkx.MultiDiGraph()
    graph.add_nodes_from((vertex, {"demand": -int(supply[vertex])}) for vertex in range(network.vertex_count))
    ends = zip(network.source.tolist(), network.target.tolist(), network.criteria[0].tolist(), strict=True)
    graph.add_edges_from((source, target, {"weight": cost}) for source, target, cost in ends)
    began = time.process_time()
    cost = networkx.network_simplex(graph)[0]
    took = time.process_time() - began
    assert cost == expected
    return took


def by_highs(network: Network, supply: np.ndarray, expected: int) -> float:
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    edges, shape = np.arange(network.edge_count), (network.vertex_count, network.edge_count)
    rows = np.concatenate([network.source, network.target])
    entries = np.concatenate([np.ones(len(edges)), -np.ones(len(edges))])
    matrix = coo_array((entries, (rows, np.concatenate([edges, edges]))), shape=shape).tocsr()
    began = time.process_time()
    answer = linprog(network.criteria[0].astype(float), A_eq=matrix, b_eq=supply.astype(float), method="highs")
    took = time.process_time() - began
    assert round(answer.fun) == expected
    return took


def percent(tour: Tour) -> str:
    return f"{100 * float(tour.gap):.2f}"


def rural(required: int) -> tuple[object, ...]:
    network, rng = drawn(1_000, 4_000, seed=required), Random(required)
    bounds: list[Any] = []
    began = time.process_time()
    tour = postman(
        network,
        [[edge] for edge in rng.sample(range(4_000), required)],
        time_limit=20,
        progress=lambda cost, bound: bounds.append(bound[0]),
    )
    took = time.process_time() - began
    assert isinstance(tour, Tour)
    return f"{required:,}", bounds[0], tour.cost[0], tour.bound[0], percent(tour), seconds(took)


def grouped(goals: int) -> tuple[object, ...]:
    network, rng = drawn(250, 1_000, seed=goals), Random(goals)
    began = time.process_time()
    tour = postman(network, [rng.sample(range(1_000), 3) for _ in range(goals)], time_limit=20)
    took = time.process_time() - began
    assert isinstance(tour, Tour)
    return goals, tour.cost[0], tour.bound[0], percent(tour), seconds(took)


def machine_tour(path: Path) -> tuple[object, ...] | None:
    machine = read_model(path)
    if not isinstance(machine, Machine) or len(machine.names) > MOST_STATES:
        return None
    steps = list(dict.fromkeys(machine.steps))
    network = network_of(len(machine.names), [(source, target, (0, 1)) for source, _, _, target in steps])
    restartable = network.with_resets(machine.initial, cost=[1, 0])
    distances = networkx.single_source_shortest_path_length(
        networkx.MultiDiGraph([(source, target) for source, _, _, target in steps]), machine.initial
    )
    goals = [[number] for number, (source, _, _, _) in enumerate(steps) if source in distances]
    began = time.process_time()
    tour = postman(restartable, goals, start=machine.initial, closed=False, time_limit=60)
    took = time.process_time() - began
    assert isinstance(tour, Tour)
    alone = sum(distances[steps[goal][0]] + 1 for (goal,) in goals)
    sizes = f"{len(machine.names):,}", f"{len(steps):,}", int(tour.cost[0]) + 1
    return (
        path.stem,
        *sizes,
        f"{int(tour.cost[1]):,}",
        f"{int(tour.bound[1]):,}",
        percent(tour),
        seconds(took),
        f"{alone:,}",
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000, float(sys.argv[2]) if len(sys.argv) > 2 else 180)
