from __future__ import annotations

import random
from itertools import combinations, permutations, product

from helpers.seeds import seeds
from outplay.pictures.coordinates import pooled
from outplay.pictures.layering import order_layers


def crossings(orders, pieces):
    place = {cell: at for order in orders for at, cell in enumerate(order)}
    layer = {cell: at for at, order in enumerate(orders) for cell in order}
    return sum(
        layer[a] == layer[c] and (place[a] - place[c]) * (place[b] - place[d]) < 0
        for (a, b), (c, d) in combinations(pieces, 2)
    )


def small(seed):
    rng = random.Random(seed)
    pieces = sorted({(rng.randrange(3), rng.randrange(3, 7)) for _ in range(6)})
    return pieces + sorted({(rng.randrange(3, 7), rng.randrange(7, 10)) for _ in range(6)})


def test_small_graphs_are_nearly_as_free_of_crossings_as_can_be():
    every = list(product(permutations(range(3)), permutations(range(3, 7)), permutations(range(7, 10))))
    least = found = 0
    for seed in range(40):
        pieces = small(seed)
        orders = order_layers([0] * 3 + [1] * 4 + [2] * 3, pieces, 0)
        assert [sorted(order) for order in orders] == [[0, 1, 2], [3, 4, 5, 6], [7, 8, 9]]
        found += crossings(orders, pieces)
        least += min(crossings(candidate, pieces) for candidate in every)
    assert least <= found <= 1.2 * least


def test_a_tree_is_drawn_without_crossings():
    pieces = [(0, 1), (0, 2), (0, 3), (1, 9), (2, 8), (3, 7), (1, 4), (2, 5), (3, 6)]
    layer = [0, 1, 1, 1, 2, 2, 2, 2, 2, 2]
    assert crossings(order_layers(layer, pieces, 0), pieces) == 0


@seeds(range(100))
def test_pooling_finds_the_nearest_ascending_sequence(seed):
    rng = random.Random(seed)
    values = [rng.randrange(6) for _ in range(rng.randrange(1, 6))]
    weights = [rng.randrange(1, 4) for _ in values]

    def cost(sequence):
        return sum(w * (v - x) ** 2 for v, w, x in zip(values, weights, sequence, strict=True))

    found = pooled(values, weights)
    assert found == sorted(found)
    grid = [number / 4 for number in range(21)]
    ascending = (sequence for sequence in product(grid[::2], repeat=len(values)) if list(sequence) == sorted(sequence))
    assert cost(found) <= min(map(cost, ascending)) + 1e-9
