"""Families of games against chance that grow: some quick to mix, some in many parts, some that are left but slowly."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from outplay import explore
from outplay.game.builder import game_from_arrays
from outplay.game.exact_numbers import exact_column
from outplay.game.graph import Game
from outplay.model.programs.load import load_program

MODEL = Path(__file__).parent.parent / "examples" / "chat" / "model.py"
CLIENTS = {1_000: 4, 10_000: 5, 100_000: 6, 1_000_000: 7}


def random_game(size: int, seed: int) -> Game:
    """Tester and system move in turn, four edges a vertex, costs 1 to 100, one vertex in a hundred a goal."""
    rng = np.random.default_rng(seed)
    edges = 4 * size
    owner = np.arange(size) % 2
    source = np.repeat(np.arange(size), 4)
    weights = np.where(owner[source] == 1, rng.permuted(np.tile([2, 3, 5, 10], (size, 1)), axis=1).reshape(-1), 0)
    return game_from_arrays(
        owner=owner,
        source=source,
        target=2 * rng.integers(0, size // 2, edges) + 1 - owner[source],
        cost=exact_column(list(range(1, 101)), rng.integers(0, 100, edges)),
        probability=exact_column([None, *(f"{n}/20" for n in range(1, 11))], weights),
        goals={"goal": rng.choice(size, size // 100, replace=False)},
    )


def slippery_grid(size: int, seed: int) -> Game:
    """A square field, rough in places; a step in one of four directions slips to a side one time in five."""
    rng = np.random.default_rng(seed)
    side = max(2, int((size / 5) ** 0.5))
    count = side * side
    row, column = np.divmod(np.arange(count), side)
    rough = np.where(rng.random(count) < 0.1, 50, rng.integers(1, 6, count))
    near = []
    for down, right in ((1, 0), (0, 1), (-1, 0), (0, -1)):
        place = np.clip(row + down, 0, side - 1) * side + np.clip(column + right, 0, side - 1)
        near.append(place)
    source, target, cost, chance = [], [], [], []
    for direction in range(4):
        node = count + 4 * np.arange(count) + direction
        source.append(np.arange(count))
        target.append(node)
        cost.append(np.zeros(count, dtype=int))
        chance.append(np.zeros(count, dtype=int))
        for turn, weight in ((0, 8), (1, 1), (3, 1)):
            source.append(node)
            target.append(near[(direction + turn) % 4])
            cost.append(rough)
            chance.append(np.full(count, weight))
    return game_from_arrays(
        owner=np.repeat([0, 1], [count, 4 * count]),
        source=np.concatenate(source),
        target=np.concatenate(target),
        cost=exact_column(list(range(51)), np.concatenate(cost)),
        probability=exact_column([None, "1/10", *[None] * 6, "8/10"], np.concatenate(chance)),
        goals={"goal": [count - 1]},
    )


def chains(size: int, seed: int) -> Game:
    """Chains of small components: rings of four places, each left forward with a chance, never back."""
    rng = np.random.default_rng(seed)
    rings = max(1, size // 12)
    place = np.arange(4 * rings)
    ring, spot = np.divmod(place, 4)
    onward = 4 * np.minimum(ring + rng.integers(1, 4, len(place)), rings) + rng.integers(0, 4, len(place))
    onward = np.minimum(onward, 4 * rings)  # the goal is the last place
    around = 4 * ring + (spot + 1) % 4
    back = 4 * ring + (spot + 3) % 4
    first, second = 4 * rings + 1 + 2 * place, 4 * rings + 2 + 2 * place
    risky = rng.integers(1, 10, len(place))
    source = np.concatenate([place, place, first, first, second, second])
    target = np.concatenate([first, second, onward, around, onward, back])
    weight = np.concatenate([np.zeros(2 * len(place), dtype=int), risky, 100 - risky, 2 * risky, 100 - 2 * risky])
    price = rng.integers(1, 10, len(place))
    cost = np.concatenate([np.zeros(2 * len(place), dtype=int), price, price, 2 * price, 2 * price])
    return game_from_arrays(
        owner=np.repeat([0, 1], [4 * rings + 1, 8 * rings]),
        source=source,
        target=target,
        cost=exact_column(list(range(20)), cost),
        probability=exact_column([None, *(f"{n}/100" for n in range(1, 101))], weight),
        goals={"goal": [4 * rings]},
    )


def layers(size: int, seed: int) -> Game:
    """Layers of fifty places on the way to the goal; a step in ten goes back a layer."""
    rng = np.random.default_rng(seed)
    wide = 50
    count = wide * max(2, size // (3 * wide))
    place = np.repeat(np.arange(count), 2)
    onward = rng.integers(0, wide, (2, len(place))) + wide * (place // wide + 1)
    back = rng.integers(0, wide, len(place)) + wide * np.maximum(place // wide - 1, 0)
    share = rng.integers(10, 81, len(place))
    return _moves(place, [*np.minimum(onward, count), back], [share, 90 - share, share * 0 + 10], 100, rng, goal=count)


def leak(size: int, seed: int) -> Game:
    """One large component in which every move leads anywhere, and out of it once in 5,000 steps."""
    rng = np.random.default_rng(seed)
    count = max(2, size // 3)
    place = np.repeat(np.arange(count), 2)
    anywhere = rng.integers(0, count, (3, len(place)))
    share = rng.integers(1000, 2000, (2, len(place)))
    out = np.full(len(place), count)
    return _moves(place, [*anywhere, out], [*share, 4999 - share.sum(axis=0), out * 0 + 1], 5000, rng, goal=count)


def ladder(size: int, seed: int) -> Game:
    """A ladder with the goal at its foot: a step goes up or down with the same chance, or across to the other rail."""
    rng = np.random.default_rng(seed)
    rungs = max(2, size // 6)
    place = np.repeat(np.arange(2 * rungs), 2)
    rung, rail = place // 2, place % 2
    across = np.arange(len(place)) % 2
    side = np.where(across == 1, 1 - rail, rail)
    up = 2 * np.minimum(rung + 1, rungs - 1) + side
    down = np.where(rung == 0, 2 * rungs, 2 * (rung - 1) + side)
    return _moves(place, [up, down], [across * 0 + 1] * 2, 2, rng, goal=2 * rungs, cheapest=5)


def _moves(
    place: NDArray[Any],
    targets: list[NDArray[Any]],
    weights: list[NDArray[Any]],
    total: int,
    rng: Any,
    goal: int,
    cheapest: int = 1,
) -> Game:
    """A game in which each entry of `place` is a move with these answers, in parts of `total`, at a cost of up to 9."""
    node = goal + 1 + np.arange(len(place))
    price = rng.integers(cheapest, 10, len(place))
    none = np.zeros(len(place), dtype=int)
    return game_from_arrays(
        owner=np.repeat([0, 1], [goal + 1, len(place)]),
        source=np.concatenate([place, *[node] * len(targets)]),
        target=np.concatenate([node, *targets]),
        cost=exact_column(list(range(10)), np.concatenate([none, *[price] * len(targets)])),
        probability=exact_column(
            [None, *(f"{n}/{total}" for n in range(1, total + 1))], np.concatenate([none, *weights])
        ),
        goals={"goal": [goal]},
    )


def chat(size: int, seed: int) -> Game:
    """The chat session of Blass et al. 2005 with time-outs everywhere and costs by chance; the goal is a full queue."""
    rng = np.random.default_rng(seed)
    clients = CLIENTS[size]
    names = tuple(f"client{number}" for number in range(clients))
    program = load_program(f"{MODEL}:Chat", [f"clients={names!r}", "texts=('hi',)"])
    game = explore(program, assumption="timeout-always")
    return game_from_arrays(
        owner=game.owner,
        source=game.source,
        target=game.target,
        cost=exact_column(list(range(11)), np.where(game.moves > 0, rng.integers(1, 11, game.edge_count), 0)),
        probability=game.probability,
        moves=game.moves,
        initial=game.initial,
        goals={"goal": game.goals["everybody_posted"]},
    )


FAMILIES = {
    "random": random_game,
    "slippery grid": slippery_grid,
    "chat": chat,
    "chains": chains,
    "layers": layers,
    "leak": leak,
    "ladder": ladder,
}
