"""Wang et al. 2013, sections 6 and 7.2: testers on a budget keep its rules, and the one that re-plans is ahead."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from benchmarks import coverage, repeated
from benchmarks.coverage_figures import COLUMNS, MEASURED

from helpers.places import ROOT


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


@pytest.mark.parametrize("kind", range(8))
def test_no_tester_visits_more_than_it_pays_for(kind: int):
    game = coverage.game_named("inventory, 2 clients")
    for budget in (1, 5, 12, 13, 40):
        found = coverage.percents(coverage.prices(game, kind, budget, 20), game, budget) * game.vertex_count / 100
        assert found.min() >= 1
        assert found.max() <= budget
        path = max(map(len, repeated.paths_to_all(game.first, game.target, game.initial)))
        if kind <= repeated.S4 and budget <= coverage.RESET + path:
            assert found.max() <= path + 1  # the first path, or the vertex it was diverted to


@pytest.mark.parametrize(
    "name",
    [
        *("inventory, 3 clients", "chat, 4 clients", "multiset, 3 threads", "G2"),
        pytest.param("G7", marks=pytest.mark.long),
    ],
)
def test_re_planning_is_ahead_of_all_six_columns(name: str):
    game = coverage.game_named(name)
    budget = min(MEASURED[name]) // 10
    spent = [coverage.prices(game, kind, budget, 100) for kind in coverage.KINDS]
    *columns, ours, wrong = [coverage.percents(prices, game, budget).mean() for prices in spent]
    assert ours > max(columns)
    assert wrong > max(columns) - 5, "what is believed wrongly is soon learnt"


@pytest.mark.parametrize(
    "name", ["leaves, 50", *(pytest.param(name, marks=pytest.mark.long) for name in coverage.LEAFY if "50" not in name)]
)
def test_on_games_with_leaves_and_traps_the_order_of_the_paper_returns(name: str):
    """Wang et al. 2013: s2, s3 and s4 cover more than s1.5, which covers more than the random walk."""
    game, budget = coverage.game_named(name), coverage.LEAFY[name][-1]
    paths = (repeated.S2, repeated.S3, repeated.S4, repeated.S15, repeated.WALK, repeated.OURS)
    spent = (coverage.prices(game, kind, budget, 100) for kind in paths)
    *good, once, walk, ours = (coverage.percents(each, game, budget).mean() for each in spent)
    assert ours > min(good) > once > walk


def test_what_a_run_had_covered_on_a_smaller_budget_is_what_one_of_that_budget_covers():
    game = coverage.game_named("G2")
    for kind in coverage.KINDS:
        long, short = coverage.prices(game, kind, 200, 10), coverage.prices(game, kind, 60, 10)
        assert coverage.percents(long, game, 60).tolist() == coverage.percents(short, game, 60).tolist()


def test_every_row_of_the_tables_has_our_tester_with_wrong_chances_not_behind_the_six_columns():
    text = (ROOT / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")
    parts = re.findall(r"^## Coverage by repeated execution, .*?(?=^## )", text, re.DOTALL | re.MULTILINE)
    lines = [line for part in parts for line in part.splitlines() if "±" in line]
    rows = [[float(cell) for cell in re.findall(r"([\d.]+) ±", line)] for line in lines]
    assert (len(parts), len(rows), {len(row) for row in rows}) == (3, 117, {len(coverage.HEAD)})
    assert all(row[repeated.WRONG] >= max(row[: repeated.OURS]) for row in rows)
    near = sum(row[repeated.OURS] - row[repeated.WRONG] < 2.05 for row in rows)
    for page in ("coverage.md", "papers/node-coverage.md"):
        told = " ".join((ROOT / "docs" / page).read_text("utf-8").split())
        assert f"at most 2 percent less in {near} of {len(rows)} rows" in told
