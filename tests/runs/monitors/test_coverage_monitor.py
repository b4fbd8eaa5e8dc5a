"""Coverage watched in a run: it is counted like the tally, told with what is left, and held against the forecast."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from helpers.places import EXAMPLES
from outplay import automaton, explore, run
from outplay.game.exploring.breadth_first import Limits
from outplay.model.programs.load import load_program
from outplay.play.adapters.simulated import Simulated
from outplay.play.plan import Plan
from outplay.runs.job import Job
from outplay.runs.monitors.coverage_monitor import Covered, ItemMonitor
from outplay.runs.monitors.quiet import Quiet
from outplay.runs.recorded_run import run_job
from outplay.strategy.coverage.expected_coverage import Outlook, expected_coverage
from outplay.strategy.coverage.items import COVERABLE, Items, Sightings, items_to_cover
from outplay.strategy.coverage.replanning import Rehearsal
from outplay.tester.tester import Walker

LINES = ("s ?a t", "s ?b u", "t !x s", "t !y u", "u !x u", "u ?a s", "u ?b v", "v !y s")


@pytest.mark.parametrize("kind", COVERABLE)
@pytest.mark.parametrize("assumption", ["nondeterministic", "timeout"])
def test_a_walk_is_counted_as_the_tally_counts_it(kind: str, assumption: str):
    game = explore(automaton([line.split() for line in LINES]), assumption=assumption)
    spec = game.origin.specification
    for plays in (1, 2, 5, 30):
        sightings = Sightings(items_to_cover(game, kind))
        monitor = ItemMonitor(
            sightings, expected_coverage(sightings.items, plays=plays, steps=9, rehearsed=False), played=False
        )
        tester = Walker(Random(plays))
        outcome = run(Plan(spec, tester), Simulated(spec, Random(plays)), plays=plays, steps=9, observers=[monitor])
        named = {sightings.items.names[item] for item in np.flatnonzero(sightings.seen).tolist()}
        if kind == "states":
            assert named == {name.strip('{}"') for name in outcome.tally.states}
        if kind == "labels":
            assert named == set(outcome.tally.of("labels")) & set(sightings.items.names)
        if kind == "transitions":
            seen = {(key.strip('{}"'), label) for key, label in outcome.tally.transitions}
            pairs, known = (
                {(name.split(" --")[0], name.split("--")[1]) for name in names}
                for names in (named, sightings.items.names)
            )
            assert pairs == seen & known


def covered_of(seen: list[int], forced: list[int] | None, *, total: int = 10, plays: int = 4, runs: int = 0) -> Covered:
    game = explore(automaton([line.split() for line in LINES]))
    items = Items(game, "states", tuple(map(str, range(total))), np.zeros(game.edge_count, dtype=np.int64))
    can = None if forced is None else np.isin(np.arange(total), forced)
    rehearsed = tuple(Rehearsal(np.arange(8.0), np.zeros(8, dtype=np.int64)) for _ in range(runs))
    return Covered(items, np.isin(np.arange(total), seen), plays, Outlook(items, plays, 9, (1, 1), can, rehearsed))


def test_the_sentence_tells_what_is_left_and_why():
    assert covered_of([0, 1, 2], [0, 1, 8]).sentence() == "3 of 10 states; 1 more can be forced, 6 need help"
    assert covered_of([0, 1, 8], [0, 1, 8]).sentence() == "3 of 10 states; 7 more need help"
    assert covered_of(list(range(9)), []).sentence() == "9 of 10 states; 1 more needs help"
    assert covered_of([0], list(range(10))).sentence() == "1 of 10 states; 9 more can be forced"
    assert covered_of([0], None).sentence() == "1 of 10 states; 9 more were not seen"
    assert covered_of(list(range(10)), []).sentence() == "all 10 of 10 states"


def test_far_from_all_rehearsals_is_a_surprise():
    assert covered_of(list(range(7)), [], runs=20).surprise == ""
    assert "less than in any of 20 rehearsals" in covered_of([0, 1], [], runs=20).surprise
    assert "more than in any of 20 rehearsals" in covered_of(list(range(11)), [], runs=20, total=12).surprise
    assert covered_of([0, 1], []).surprise == ""


def test_plays_that_were_cut_short_are_not_held_against_whole_ones():
    less, more = covered_of([0, 1], [], runs=20), covered_of(list(range(11)), [], runs=20, total=12)
    assert replace(less, cut_short=True).surprise == ""
    assert replace(more, cut_short=True).surprise == more.surprise


@pytest.mark.parametrize(("answer", "surprised"), [("!x", True), ("!y", False)])
def test_less_than_was_rehearsed_is_a_surprise_only_where_no_play_failed(tmp_path, monkeypatch, answer, surprised):
    monkeypatch.chdir(tmp_path)
    states = 30
    way = [f'({at}, "?a", {at + 1})' for at in range(1, states - 1)]
    model, system = tmp_path / "model.aut", tmp_path / "system.aut"
    first = ['(0, "?a", 0)', '(0, "!x", 0)', '(0, "!z", 1)']
    model.write_text("\n".join([f"des (0, {len(way) + 3}, {states})", *first, *way, ""]))
    system.write_text(f'des (0, 2, 1)\n(0, "?a", 0)\n(0, "{answer}", 0)\n')
    result = run_job(Job(str(model), sut=f"model:{system}", tester="cover", plays=3, shrink=0.0))
    assert (result.verdict.name, bool(result.covered.surprise)) == ("pass" if surprised else "fail", surprised)


def test_json_has_numerator_denominator_and_forecast():
    told = covered_of([0, 1, 2], [0, 1, 8]).json()
    assert (told["covered"], told["total"], told["can_be_forced"], told["need_help"]) == (3, 10, 1, 6)
    assert told["forecast"]["sure"] == [1, 1]


def test_of_a_model_that_is_too_large_only_what_is_known_is_counted():
    program = load_program(str(EXAMPLES / "coverage" / "chat.py:Chat"), [])
    game = explore(program, limits=Limits(states=12))
    items = items_to_cover(game, "states")
    assert not game.origin.complete
    seen = Covered(items, np.ones(items.count, dtype=bool), 1, Outlook(items, 1, 1, None, None))
    assert seen.sentence() == f"{items.count} of at least {items.count} states"


def test_a_run_ends_when_plays_are_quiet():
    spec = explore(automaton([line.split() for line in LINES])).origin.specification
    quiet = Quiet("states", 4)
    outcome = run(spec, Simulated(spec, Random(0)), plays=1000, steps=20, observers=[quiet])
    assert quiet.since == 4
    assert outcome.tally.plays == quiet.plays < 1000
