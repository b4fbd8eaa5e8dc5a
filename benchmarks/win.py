"""Sure win on random games, beside C++ and beside Python's own heapq.

    python -m benchmarks.win [VERTICES …]

Half the vertices are the system's, four edges a vertex, costs 1 to 100, one vertex in a hundred a goal. Our time is
that of the whole call: index of incoming edges, values, ranks and strategy. `win_plain.cpp` is a straightforward
`g++ -O3` program with a binary heap, `win_tuned.cpp` the fastest we could write (values only, prefetching).
"""

from __future__ import annotations

import heapq
import resource
import sys
import time
from typing import Any

import numpy as np

from benchmarks.page import seconds, table, write_section
from benchmarks.peers import native
from outplay.game.builder import game_from_arrays
from outplay.game.exact_numbers import exact_column
from outplay.game.graph import Game
from outplay.strategy.attractor import solve_attractor

ROUNDS = 5
HEAPQ_UP_TO = 100_000


def main(sizes: list[int]) -> None:
    rows = [measured(size) for size in sizes]
    head = ("vertices", "edges", "build", "solve", "plain C++", "ratio", "tuned C++", "ratio", "heapq", "ratio")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    write_section("Sure win on random games", table(head, rows) + f"\n\nPeak memory of the whole run: {peak} MB.")


def measured(size: int) -> tuple[object, ...]:
    began = time.perf_counter()
    game = random_game(size)
    build = time.perf_counter() - began
    ours, worth = best_of_ours(game)
    arrays = (game.first, game.target, costs(game), game.owner, goal_flags(game))
    cells: list[object] = [f"{size:,}", f"{game.edge_count:,}", seconds(build), seconds(ours)]
    for program in ("win_plain", "win_tuned"):
        peer = native.win(*arrays, program=program, rounds=ROUNDS)
        assert (peer["checksum"], peer["winnable"]) == (int(worth[worth >= 0].sum()), int((worth >= 0).sum()))
        cells += [seconds(peer["seconds_with_index"]), f"{ours / peer['seconds_with_index']:.2f}"]
    if size <= HEAPQ_UP_TO:
        taken = by_heapq(game)
        cells += [seconds(taken), f"{ours / taken:.4f}"]
    else:
        cells += ["", ""]
    return tuple(cells)


def random_game(size: int, seed: int = 1) -> Game:
    rng = np.random.default_rng(seed)
    edges = 4 * size
    return game_from_arrays(
        owner=rng.integers(0, 2, size),
        source=np.sort(rng.integers(0, size, edges)),
        target=rng.integers(0, size, edges),
        cost=exact_column(list(range(1, 101)), rng.integers(0, 100, edges)),
        goals={"goal": rng.choice(size, size // 100, replace=False)},
    )


def best_of_ours(game: Game) -> tuple[float, Any]:
    """Time the whole call, compiled before, the index of incoming edges made anew each time."""
    times = []
    for _ in range(ROUNDS + 1):
        game.__dict__.pop("incoming", None)
        began = time.perf_counter()
        solution = solve_attractor(game, game.goals["goal"])
        times.append(time.perf_counter() - began)
    return min(times[1:]), solution.worth


def costs(game: Game) -> Any:
    return np.array(game.cost.scaled())[game.cost.index]


def goal_flags(game: Game) -> Any:
    flags = np.zeros(game.vertex_count, dtype=np.uint8)
    flags[game.goals["goal"]] = 1
    return flags


def by_heapq(game: Game) -> float:
    """What a user would write without outplay: dictionaries of lists and heapq."""
    incoming: dict[int, list[tuple[int, int]]] = {vertex: [] for vertex in range(game.vertex_count)}
    cost = costs(game).tolist()
    for edge, (source, target) in enumerate(zip(game.source.tolist(), game.target.tolist(), strict=True)):
        incoming[target].append((source, cost[edge]))
    left, owner, goals = np.diff(game.first).tolist(), game.owner.tolist(), set(game.goals["goal"].tolist())
    began = time.perf_counter()
    value, settled, queue = dict.fromkeys(goals, 0), set(), [(0, goal) for goal in goals]
    while queue:
        worth, vertex = heapq.heappop(queue)
        if vertex in settled:
            continue
        settled.add(vertex)
        for before, price in incoming[vertex]:
            if before in settled or before in goals:
                continue
            offer = worth + price
            if owner[before]:
                left[before] -= 1
                value[before] = max(value.get(before, 0), offer)
                if not left[before]:
                    heapq.heappush(queue, (value[before], before))
            elif offer < value.get(before, 1 << 62):
                value[before] = offer
                heapq.heappush(queue, (offer, before))
    return time.perf_counter() - began


if __name__ == "__main__":
    main([int(float(size)) for size in sys.argv[1:]] or [10_000, 100_000, 1_000_000])
