"""Random games of thousands of vertices, made of arrays: too large for lists and for trying strategies."""

from __future__ import annotations

import numpy as np

from outplay import Game
from outplay.game.builder import game_from_arrays
from outplay.game.exact_numbers import exact_column


def large_game(
    seed: int,
    vertices: int,
    *,
    costs: list[object] | tuple[object, ...] = (1,),
    system: float = 0.5,
    near: tuple[float, ...] = (0.0,),
    steps: tuple[int, int] | None = None,
    free: float = 0.0,
    goals: int = 1,
) -> Game:
    """Draw a game with one to four edges a vertex, whose last vertex is the initial one.

    One of `near` is the share of edges that lead to lower numbers, or down by some number of `steps`; a share `free`
    of all edges counts no move. The goals are among the first tenth of the vertices.
    """
    rng = np.random.default_rng(seed)
    edges = int(vertices * rng.uniform(1, 4)) + 1
    source = rng.integers(0, vertices, edges)
    down = rng.integers(*steps, edges) if steps else source - rng.integers(0, np.maximum(source, 1))
    lower = np.clip(source - down, 0, vertices - 1)
    target = np.where(rng.random(edges) < rng.choice(near), lower, rng.integers(0, vertices, edges))
    return game_from_arrays(
        owner=(rng.random(vertices) < system).astype(np.uint8),
        source=source,
        target=target,
        cost=exact_column(list(costs), rng.integers(0, len(costs), edges)),
        moves=(rng.random(edges) >= free).astype(np.uint8),
        initial=vertices - 1,
        goals={"done": rng.integers(0, max(1, vertices // 10), goals) if goals > 1 else [0]},
    )
