"""Wang et al. 2013, sections 6 and 7.2: testers on a budget keep its rules, and the one that re-plans is ahead."""

from __future__ import annotations

import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from helpers.coverage import draw_field
from helpers.places import ROOT

sys.path.insert(0, str(ROOT))

from benchmarks import coverage, repeated
from benchmarks.coverage_figures import COLUMNS, MEASURED

from outplay import solve
from outplay.game.reset import with_reset
from outplay.game.tables import constant


def test_the_graphs_have_the_sizes_of_the_tables():
    sizes = [coverage.game_named(name).vertex_count for name in MEASURED]
    assert sizes == [20, 80, 308, 65, 161, 385, 19, 43, 91, 99, 19, 30, 40, 46, 75, 95, 100, 297]
    assert {len(row) for rows in MEASURED.values() for row in rows.values()} == {len(COLUMNS)}
    assert {len(rows) for rows in MEASURED.values()} == {3}


@pytest.mark.parametrize("name", ["inventory, 2 clients", "G1", "G4"])
def test_the_suite_goes_along_edges_and_covers_every_vertex(name: str):
    game = coverage.game_named(name)
    paths = repeated.paths_to_all(game.first, game.target, game.initial)
    edges = set(zip(game.source.tolist(), game.target.tolist(), strict=True))
    assert {vertex for path in paths for vertex in path} == set(range(game.vertex_count))
    assert all(path[0] == game.initial for path in paths)
    assert all(step in edges for path in paths for step in pairwise(path))


@pytest.mark.parametrize("kind", range(7))
def test_no_tester_visits_more_than_it_pays_for(kind: int):
    game = coverage.game_named("inventory, 2 clients")
    for budget in (1, 5, 12, 13, 40):
        found = coverage.percents(game, kind, budget, 20) * game.vertex_count / 100
        assert found.min() >= 1
        assert found.max() <= budget
        path = max(map(len, repeated.paths_to_all(game.first, game.target, game.initial)))
        if kind <= repeated.S4 and budget <= coverage.RESET + path:
            assert found.max() <= path + 1  # the first path, or the vertex it was diverted to


@pytest.mark.parametrize("seed", range(30))
def test_re_planning_goes_by_the_least_expected_cost(seed: int):
    """What it computes is the expected cost of an independent solver, with a reset as one more move."""
    field = draw_field(f"replan {seed}", most=8, least=3)
    game = field.game()
    new = [vertex for vertex in range(game.vertex_count) if vertex != game.initial][:: 1 + seed % 3]
    visited = np.array([vertex not in new for vertex in range(game.vertex_count)])
    ahead = np.zeros(game.vertex_count)
    arrays = [array.astype(np.int64) for array in (game.first, game.target, game.owner)]
    for _ in range(20):
        repeated.improve(*arrays, game.initial, coverage.RESET, visited, ahead)
    priced = with_reset(replace(game, cost=constant(1, game.edge_count)), cost=coverage.RESET + 1)
    answer = solve(priced, [game.names[vertex] for vertex in new], "expected")
    for vertex in np.flatnonzero(visited).tolist():
        exact = answer.value_of(vertex)
        if exact is None:
            assert ahead[vertex] >= 1000  # and would go on to grow
        else:
            assert ahead[vertex] == pytest.approx(float(exact), rel=0.02)


@pytest.mark.parametrize("name", ["inventory, 3 clients", "chat, 4 clients", "multiset, 3 threads", "G2", "G7"])
def test_re_planning_is_ahead_of_all_six_columns(name: str):
    game = coverage.game_named(name)
    budget = min(MEASURED[name]) // 10
    *columns, ours = [coverage.percents(game, kind, budget, 100).mean() for kind in range(7)]
    assert ours > max(columns)
