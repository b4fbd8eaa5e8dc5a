"""Families of games against chance that grow: random, a slippery grid, the chat session, chains of small components."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from outplay import explore
from outplay.game.builder import game_from_arrays
from outplay.game.graph import Game
from outplay.game.tables import exact
from outplay.model.load import load_program

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
        cost=exact(list(range(1, 101)), rng.integers(0, 100, edges)),
        probability=exact([None, *(f"{n}/20" for n in range(1, 11))], weights),
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
        cost=exact(list(range(51)), np.concatenate(cost)),
        probability=exact([None, "1/10", *[None] * 6, "8/10"], np.concatenate(chance)),
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
        cost=exact(list(range(20)), cost),
        probability=exact([None, *(f"{n}/100" for n in range(1, 101))], weight),
        goals={"goal": [4 * rings]},
    )


def chat(size: int, seed: int) -> Game:
    """The chat session of 001 with a time-out in every state and costs by chance; the goal is a full queue."""
    rng = np.random.default_rng(seed)
    clients = CLIENTS[size]
    names = tuple(f"client{number}" for number in range(clients))
    program = load_program(f"{MODEL}:Chat", [f"clients={names!r}", "texts=('hi',)"])
    game = explore(program, assumption="timeout-always")
    return game_from_arrays(
        owner=game.owner,
        source=game.source,
        target=game.target,
        cost=exact(list(range(11)), np.where(game.moves > 0, rng.integers(1, 11, game.edge_count), 0)),
        probability=game.probability,
        moves=game.moves,
        initial=game.initial,
        goals={"goal": game.goals["everybody_posted"]},
    )


FAMILIES = {"random": random_game, "slippery grid": slippery_grid, "chat": chat, "chains": chains}
