"""Jokers and moves on random games, beside C++.

    python -m benchmarks.joker [VERTICES …]

The games are those of sure win: half the vertices are the system's, four edges a vertex, one vertex in a hundred a
goal. Our time is that of the whole call: index of incoming edges, jokers, moves from every vertex and the strategy for
every number of jokers in hand. `joker.cpp` is a straightforward `g++ -O3` program that does the same.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from benchmarks.page import seconds, table, write_section
from benchmarks.peers import native
from benchmarks.win import goal_flags, random_game
from outplay.game.graph import Game
from outplay.strategy.jokers.joker import joker
from outplay.strategy.jokers.joker_answers import JokerSolution

ROUNDS = 5


def main(sizes: list[int]) -> None:
    head = ("vertices", "edges", "most jokers", "notes", "solve", "plain C++", "ratio")
    write_section("Jokers on random games", table(head, [measured(size) for size in sizes]))


def measured(size: int) -> tuple[object, ...]:
    game = random_game(size)
    ours, solution = best_of_ours(game)
    peer = native.joker(game.first, game.target, game.moves, game.owner, goal_flags(game), rounds=ROUNDS)
    reached = solution.jokers >= 0
    assert peer["jokers"] == int(solution.jokers[reached].sum())
    assert peer["moves"] == int(solution.moves[reached].sum())
    assert (peer["reached"], peer["changes"]) == (int(reached.sum()), len(solution.notes.vertex))
    return (
        f"{size:,}",
        f"{game.edge_count:,}",
        int(np.max(solution.jokers)),
        f"{len(solution.notes.vertex):,}",
        seconds(ours),
        seconds(peer["seconds"]),
        f"{ours / peer['seconds']:.2f}",
    )


def best_of_ours(game: Game) -> tuple[float, JokerSolution]:
    """Time the whole call, compiled before, the index of incoming edges made anew each time."""
    times = []
    for _ in range(ROUNDS + 1):
        game.__dict__.pop("incoming", None)
        began = time.perf_counter()
        result = joker(game, "goal")
        times.append(time.perf_counter() - began)
    return min(times[1:]), result.solution


if __name__ == "__main__":
    main([int(float(size)) for size in sys.argv[1:]] or [10_000, 100_000, 1_000_000])
