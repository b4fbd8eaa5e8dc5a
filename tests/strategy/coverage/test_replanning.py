"""The strategy that re-plans: its costs are those of an independent solver, and its choices follow from them."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest

from helpers.coverage import draw_field
from helpers.seeds import seeds
from outplay import Game, GameBuilder, solve
from outplay.compiling import compiled, interpreted
from outplay.game.algebra import float_edge_chances
from outplay.game.exact_numbers import constant_column
from outplay.game.reset import with_reset
from outplay.strategy.coverage import _kernels
from outplay.strategy.coverage.items import Sightings, items_to_cover
from outplay.strategy.coverage.replanning import (
    RESTART,
    Replanning,
    nothing_visited,
    rehearse_coverage,
    replanning_arrays,
)


def seen_but(game: Game, new: list[int]) -> Sightings:
    """Everything was seen but some vertices."""
    sightings = Sightings(items_to_cover(game, "states"))
    sightings.add(item for item, name in enumerate(sightings.items.names) if name not in {f"v{v}" for v in new})
    return sightings


@seeds(range(40))
def test_costs_to_anything_new_are_the_least_expected_ones_of_another_solver(seed: int):
    drawn = draw_field(f"replan {seed}", most=8, least=3).game()
    game = replace(drawn, cost=constant_column(1, drawn.edge_count))
    new = [vertex for vertex in range(game.vertex_count) if vertex != game.initial][:: 1 + seed % 3]
    sightings = seen_but(game, new)
    ground, known = replanning_arrays(sightings.items), nothing_visited(sightings.items)
    known.seen[:] = sightings.seen
    interpreted(_kernels.improve)(ground, known, game.initial, RESTART + 1, 3000)
    answer = solve(with_reset(game, cost=RESTART + 1), [game.names[vertex] for vertex in new], "expected")
    reached = {int(game.target[edge]) for edge in np.flatnonzero(sightings.items.of_edge >= 0)} | {game.initial}
    for vertex in reached - set(new):
        exact = answer.value_of(vertex)
        if exact is None:
            assert not known.fruitful[game.initial]
        else:
            assert known.near[vertex] == pytest.approx(float(exact), rel=0.02)


@seeds(range(40))
def test_there_is_hope_where_some_play_shows_something_new(seed: int):
    field = draw_field(f"hope {seed}", most=9)
    game, rng = field.game(), Random(seed)
    new = {vertex for vertex in range(game.vertex_count) if rng.random() < 0.3 and vertex != game.initial}
    strategy = Replanning(seen_but(game, sorted(new)))
    for vertex in range(game.vertex_count):
        ahead = {vertex}
        while more := {t for v in ahead for t in field.successors[v]} - ahead:
            ahead |= more
        some = {t for v in ahead for t in field.successors[v]}
        assert strategy.hopeless(vertex, None) or some & new
        if vertex == game.initial:
            assert strategy.hopeless(vertex, None) == (not some & new)


@seeds(range(12))
def test_a_rehearsal_is_the_same_compiled_and_plain(seed: int):
    items = items_to_cover(draw_field(f"both {seed}", most=9).game(), "states")
    limits = _kernels.RehearsalLimits(again=11.0, rounds=50, plays=5, steps=20, budget=60.0)
    world = float_edge_chances(items.game), items.game.initial, items.at_start, limits, seed
    found = []
    for run in (compiled(_kernels.rehearse), interpreted(_kernels.rehearse)):
        spent, play = np.zeros(items.count), np.zeros(items.count, dtype=np.int64)
        count = run(replanning_arrays(items), nothing_visited(items), *world, _kernels.FirstSeen(spent, play))
        found.append((count, spent.tolist(), play.tolist()))
    assert found[0] == found[1]
    count, spent, play = found[0]
    assert count >= 1
    assert spent[:count] == sorted(spent[:count])
    assert play[:count] == sorted(play[:count])


def fork(*, habit: float | None = None) -> Game:
    """From the start the tester asks a or b; each has a common and a rare answer, which shows something new."""
    builder = GameBuilder()
    for name, owner in (("s", "tester"), ("a", "system"), ("b", "system"), ("x", "tester"), ("y", "tester")):
        builder.vertex(name, owner)
    chance: dict[str, dict[str, float]] = {"rare": {}, "common": {}}
    if habit is not None:
        chance = {"rare": {"probability": 1 - habit}, "common": {"probability": habit}}
    builder.edge("s", "a", "?a").edge("s", "b", "?b")
    builder.edge("a", "s", "!no", **chance["common"]).edge("a", "x", "!x", **chance["rare"])
    builder.edge("b", "s", "!no").edge("b", "y", "!y").edge("x", "s", "?back").edge("y", "s", "?back")
    return builder.build()


def test_it_asks_where_an_answer_is_likely_and_learns_that_it_was_wrong():
    game = fork(habit=0.9)
    sightings = Sightings(items_to_cover(game, "transitions"))
    strategy = Replanning(sightings)
    sightings.add(item for item, name in enumerate(sightings.items.names) if "!x" not in name and "!y" not in name)
    assert game.label_of(strategy.edge(0, None) or 0) == "?b"  # 1 in 2 against 1 in 10
    common = next(edge for edge in game.edges_of(2) if game.label_of(edge) == "!no")
    for _ in range(60):
        strategy.answered([common])
        strategy.hopeless(0, None)
    assert game.label_of(strategy.edge(0, None) or 0) == "?a"


def test_what_ends_the_play_is_left_for_later():
    builder = GameBuilder().vertex("s", "tester").vertex("end", "tester")
    for number in range(3):
        builder.edge("s", "end", f"?quit{number}")
    for number in range(3):
        builder.edge("s", "s", f"?more{number}")
    sightings = Sightings(items_to_cover(builder.build(), "transitions"))
    strategy, given = Replanning(sightings), []
    for _ in range(4):
        edge = strategy.edge(0, None)
        given.append(sightings.items.game.label_of(edge))
        sightings.add([int(sightings.items.of_edge[edge])])
    assert [label[1:5] for label in given] == ["more", "more", "more", "quit"]
    assert strategy.hopeless(1, None)
    assert not strategy.hopeless(0, None)


def test_it_starts_again_where_that_is_cheaper_and_not_before():
    builder = GameBuilder().vertex("s", "tester").vertex("new", "tester")
    for number in range(30):
        builder.vertex(f"w{number}", "tester").edge(f"w{number - 1}" if number else "s", f"w{number}", "?on")
    builder.edge("w29", "s", "?home").edge("s", "new", "?new")
    game = builder.build()
    sightings = Sightings(items_to_cover(game, "states"))
    strategy = Replanning(sightings)
    sightings.add(item for item, name in enumerate(sightings.items.names) if name != "new")
    # By w15 it is 16 labels home; starting again costs 11 with its first label.
    stops = [strategy.hopeless(game.vertex_numbers[f"w{number}"], None) for number in range(30)]
    assert stops == [30 - number >= RESTART + 1 for number in range(30)]


def test_nobody_sees_more_than_was_paid_for():
    items = items_to_cover(fork(), "states")
    for seed in range(50):
        (found,) = rehearse_coverage(items, budget=9.0, seed=seed)
        assert len(found.spent) <= 9
        assert all(paid <= 9 for paid in found.spent)
        (found,) = rehearse_coverage(items, plays=2, steps=3, seed=seed)
        assert found.covered(0) == 0
        assert found.covered(1) <= found.covered(2) == len(found.spent) <= items.count
