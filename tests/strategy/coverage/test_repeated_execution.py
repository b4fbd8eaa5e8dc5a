"""Repeated execution of a suite, live: the gains of the paper, budgets, and figures of an independent simulation."""

from __future__ import annotations

from itertools import pairwise
from random import Random
from statistics import fmean, stdev

import numpy as np
import pytest
from benchmarks import coverage, repeated

from helpers.coverage import draw_field
from helpers.places import EXAMPLES
from outplay import Simulated, explore, run
from outplay.errors import UsageError
from outplay.game.graph import SYSTEM
from outplay.model.programs.load import load_program
from outplay.runs.job import Job
from outplay.runs.preparing.planning import prepare
from outplay.strategy.coverage.items import COVERABLE, Sightings, items_to_cover
from outplay.strategy.coverage.repeated_execution import GAINS, RepeatedExecution, covering_paths

BAG = f"{EXAMPLES / 'coverage' / 'multiset.py'}:Multiset"
KINDS = {"s1.5": repeated.S15, "s2": repeated.S2, "s3": repeated.S3, "s4": repeated.S4}


def bag():
    return explore(load_program(BAG), assumption="timeout")


@pytest.mark.parametrize("kind", COVERABLE)
@pytest.mark.parametrize("seed", range(30))
def test_the_suite_shows_all_there_is_along_edges_and_no_path_begins_another(kind: str, seed: int):
    game = draw_field(f"suite {seed}", most=9).game()
    items = items_to_cover(game, kind)
    paths = covering_paths(items)
    shown = {int(items.of_edge[edge]) for path in paths for edge in path} | {items.at_start}
    assert shown - {-1} == set(range(items.count))
    for path in paths:
        assert not path or game.source[path[0]] == game.initial
        assert all(game.target[one] == game.source[other] for one, other in pairwise(path))
        assert not any(other[: len(path)] == path for other in paths if other is not path)


def test_the_gains_are_those_of_the_paper():
    items = items_to_cover(bag(), "states")
    for seed in range(40):
        rng, sightings = Random(seed), Sightings(items)
        sightings.seen[:] = [rng.random() < 0.6 for _ in sightings.seen]
        strategy = RepeatedExecution(sightings, rng, "s2")
        for path in strategy.paths:
            new = {item for item in path.items if not sightings.seen[item]}
            choices = [vertex for vertex in path.vertices if items.game.owner[vertex] == SYSTEM]
            assert (path.new(sightings), path.choices) == (len(new), len(choices))
            assert GAINS["s2"](path, len(new), rng) == (1 if new else 0)
            for name, most in (("s3", len(new)), ("s4", len(new) / max(len(choices), 1))):
                found = [GAINS[name](path, len(new), rng) for _ in range(60)]
                assert 0 <= min(found) <= max(found) <= most
                assert max(found) > 0.8 * most or not most
        open_paths = [path for path in strategy.paths if path.new(sightings)]
        strategy.plan()
        assert strategy.path in open_paths or not open_paths


def test_the_deterministic_strategy_takes_each_path_once_before_any_again():
    strategy = RepeatedExecution(Sightings(items_to_cover(bag(), "states")), Random(2), "s1.5")
    taken = []
    for _ in strategy.paths:
        strategy.plan()
        taken.append(strategy.path.edges)
    assert sorted(taken) == sorted(path.edges for path in strategy.paths)


@pytest.mark.parametrize("gain", GAINS)
def test_plays_cover_as_much_as_an_independent_simulation_of_the_paper(gain: str):
    game, budget, runs = bag(), 120, 60
    simulated = coverage.percents(coverage.prices(game, KINDS[gain], budget, 2_000), game, budget)
    played = []
    for seed in range(runs):
        how = {"tester": "nt-plan", "gain": gain, "budget": budget, "assumption": "timeout", "seed": seed}
        result = run(game, Simulated(game, Random(f"bag {seed}")), **how)
        assert result.passed
        played.append(100 * result.covered.json()["covered"] / game.vertex_count)
    error = np.hypot(stdev(played) / runs**0.5, simulated.std() / len(simulated) ** 0.5)
    assert abs(fmean(played) - simulated.mean()) < 4 * error


@pytest.mark.parametrize(("tester", "cost"), [("nt-plan", 10), ("nt-plan", 3), ("cover", 3)])
def test_labels_and_starts_cost_no_more_than_the_budget(tester: str, cost: int):
    more = {} if cost == 10 else {"reset_cost": str(cost)}
    result = run(BAG, f"model:{BAG}", tester=tester, budget=70, assumption="timeout", **more)
    tally = result.tally
    spent = tally.steps + tally.plays + cost * (tally.plays - 1)
    assert result.passed
    assert 70 - cost <= spent <= 70 or result.covered.json()["covered"] == 19


def test_what_makes_no_sense_is_refused():
    with pytest.raises(UsageError, match="there is no gain"):
        prepare(Job(BAG, assumption="timeout", tester="nt-plan", gain="S2", sut=f"model:{BAG}"))
    with pytest.raises(UsageError, match="--gain needs --tester nt-plan"):
        prepare(Job(BAG, tester="walk", gain="s3", sut=f"model:{BAG}"))
    with pytest.raises(UsageError, match="leave one out"):
        run(BAG, f"model:{BAG}", tester="nt-plan", budget=50, labels=50)
