"""Bounded reachability on random games, beside C++ and whole arrays of numpy.

    python -m benchmarks.bounded [VERTICES …]

The games are those of sure win: half the vertices are the system's, four edges a vertex, costs 1 to 100, one vertex in
a hundred a goal, and 100 moves. Our time is that of the whole call: numbers, layers, strategy. `bounded.cpp` is a
straightforward `g++ -O3` program for the same recursion with the same changes of the strategy; numpy computes each
layer on whole arrays, values only.
"""

from __future__ import annotations

import resource
import sys
import time
from typing import Any

import numpy as np

from benchmarks.page import seconds, table, write_section
from benchmarks.peers import native
from benchmarks.win import costs, goal_flags, random_game
from outplay.game.graph import SYSTEM, Game
from outplay.strategy.bounded import Bounded, bounded

STEPS = 100
ROUNDS = {10_000: 20, 100_000: 8}  # else 3


def main(sizes: list[int]) -> None:
    head = ("vertices", "edges", "changes", "solve", "plain C++", "ratio", "numpy", "ratio", "one `edge`, µs")
    rows = [measured(size) for size in sizes]
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    body = table(head, rows) + f"\n\nPeak memory of the whole run: {peak} MB."
    write_section(f"Bounded reachability on random games, {STEPS} moves", body)


def measured(size: int) -> tuple[object, ...]:
    game = random_game(size)
    ours, answer, peer = in_turns(game, ROUNDS.get(size, 3))
    if size <= 100_000:
        assert peer["changes"] == sum(len(answer.changes(vertex)) for vertex in range(size))
    by_arrays, chance = by_numpy(game)
    assert np.isclose(chance.sum(), peer["probability"])
    began = time.perf_counter()
    for vertex in range(10_000):
        answer.edge(vertex, STEPS // 2)
    looked_up = (time.perf_counter() - began) / 10_000
    return (
        f"{size:,}",
        f"{game.edge_count:,}",
        f"{peer['changes']:,}",
        seconds(ours),
        seconds(peer["seconds"]),
        f"{ours / peer['seconds']:.2f}",
        seconds(by_arrays),
        f"{ours / by_arrays:.2f}",
        f"{1e6 * looked_up:.2f}",
    )


def in_turns(game: Game, rounds: int) -> tuple[float, Bounded, native.Bounded]:
    """Time the whole call, compiled before, and the C++ program in turns, so that both meet the same machine."""
    arrays = (game.first, game.target, costs(game), game.owner, goal_flags(game), probabilities(game))
    bounded(game, "goal", STEPS // 10)
    times, peers = [], []
    for _ in range(rounds):
        began = time.perf_counter()
        answer = bounded(game, "goal", STEPS)
        times.append(time.perf_counter() - began)
        peers.append(native.bounded(*arrays, steps=STEPS, tolerance=answer.tolerance, rounds=1))
    return min(times), answer, min(peers, key=lambda peer: peer["seconds"])


def probabilities(game: Game) -> Any:
    """Equal ones at system vertices."""
    return np.where(game.owner[game.source] == SYSTEM, 1.0 / np.diff(game.first)[game.source], 1.0)


def by_numpy(game: Game) -> tuple[float, Any]:
    """What a user would write without outplay; costs are those of the first likeliest move that is cheapest."""
    began = time.perf_counter()
    goals, filled = game.goals["goal"], np.diff(game.first) > 0
    first, is_system = game.first[:-1][filled].astype(np.int64), game.owner[filled] == SYSTEM
    cost, share = costs(game).astype(float), probabilities(game)
    row = np.repeat(np.arange(len(first)), np.diff(game.first)[filled])
    chance, worst = np.zeros(game.vertex_count), np.zeros(game.vertex_count)
    chance[goals] = 1.0
    for _ in range(STEPS):
        p, c = chance[game.target], cost + worst[game.target]
        highest = np.maximum.reduceat(p, first)
        cheap = np.minimum.reduceat(np.where(p >= (highest * (1 - 1e-12))[row], c, np.inf), first)
        chance[filled] = np.where(is_system, np.add.reduceat(share * p, first), highest)
        worst[filled] = np.where(is_system, np.maximum.reduceat(c, first), np.where(highest > 0, cheap, 0.0))
        chance[goals], worst[goals] = 1.0, 0.0
    return time.perf_counter() - began, chance


if __name__ == "__main__":
    main([int(float(size)) for size in sys.argv[1:]] or [10_000, 100_000, 1_000_000])
