"""What is asked of many games alike, each against its definition."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from helpers.games import draw
from helpers.seeds import seeds
from outplay import Game, GameBuilder
from outplay.game.algebra import (
    edge_chance,
    exact_chances,
    float_edge_chances,
    reachable,
    row_entries,
    row_starts,
    subgame,
)


def drawn(seed: int) -> Game:
    return draw(seed, chances=0.5, free=0.3, labels=("!x", "!y", "?a")).game()


@seeds(range(60))
def test_rows_and_ranges_are_those_of_the_edges(seed):
    game, rng = drawn(seed), Random(seed)
    assert row_starts(game.source, game.vertex_count).tolist() == game.first.tolist()
    rows = np.array([rng.randrange(game.vertex_count) for _ in range(rng.randint(0, 6))], dtype=np.int64)
    entries, place = row_entries(game.first, rows)
    wanted = [(edge, number) for number, vertex in enumerate(rows.tolist()) for edge in game.edges_of(vertex)]
    assert list(zip(entries.tolist(), place.tolist(), strict=True)) == wanted


@seeds(range(60))
def test_reachable_is_closed_under_edges_and_no_larger(seed):
    game = drawn(seed)
    met = {game.initial}
    while True:
        more = met | {int(game.target[edge]) for vertex in met for edge in game.edges_of(vertex)}
        if more == met:
            break
        met = more
    assert np.flatnonzero(reachable(game, game.initial)).tolist() == sorted(met)


@seeds(range(60))
def test_absent_probabilities_count_as_equal(seed):
    game = drawn(seed)
    for vertex in range(game.vertex_count):
        edges = game.edges_of(vertex)
        given = [game.probability[edge] for edge in edges]
        wanted = [Fraction(1, len(edges)) if one is None else one for one in given]
        assert [edge_chance(game, edge) for edge in edges] == exact_chances(game, vertex) == wanted
        assert float_edge_chances(game)[edges.start : edges.stop].tolist() == pytest.approx(
            [float(share) for share in wanted]
        )


def test_decimals_that_sum_to_almost_one_are_divided_by_their_sum():
    builder = GameBuilder().vertex("s", "system")
    for _ in range(3):
        builder.edge("s", "s", probability="0.3333333333")
    assert exact_chances(builder.build(), 0) == [Fraction(1, 3)] * 3
    assert float_edge_chances(builder.build()).sum() == pytest.approx(1.0, abs=1e-15)


@seeds(range(60))
def test_a_subgame_has_the_same_vertices_and_some_of_the_edges(seed):
    game, rng = drawn(seed), Random(seed)
    kept = np.array([rng.random() < 0.6 for _ in range(game.edge_count)], dtype=bool)
    made = subgame(game, kept, probability=game.probability.taken(np.flatnonzero(kept)))
    assert subgame(game, np.flatnonzero(kept)) == made
    assert (made.vertex_count, made.edge_count) == (game.vertex_count, int(kept.sum()))
    for edge, old in enumerate(np.flatnonzero(kept).tolist()):
        parts = [
            (int(one.source[at]), int(one.target[at]), one.label_of(at), one.cost[at], int(one.moves[at]))
            for one, at in ((made, edge), (game, old))
        ]
        assert parts[0] == parts[1]
        assert made.edge_names[edge] == game.edge_names[old]
