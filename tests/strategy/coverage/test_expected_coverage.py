"""The forecast of coverage: what can be forced is asked of another solver, what is sure of the definition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from helpers.coverage import draw_field, guarantees
from helpers.seeds import seeds
from outplay import GameBuilder, automaton, explore, solve
from outplay.strategy.coverage.expected_coverage import Outlook, expected_coverage, forced_items
from outplay.strategy.coverage.items import COVERABLE, items_to_cover
from outplay.strategy.coverage.replanning import Rehearsal

MODELS = [
    ("s ?a t", "s ?b u", "t !x s", "t !y u", "u !x u", "u ?a s", "u ?b v", "v !y s"),
    ("s !x t", "s !y u", "t ?a s", "u ?a v", "v !x s", "v !y w", "w ?b w"),
    ("s ?a s", "s ?b t", "t ?a s", "t ?b u", "u !x s", "u ?a u"),
]


@pytest.mark.parametrize("lines", MODELS)
@pytest.mark.parametrize("assumption", ["nondeterministic", "input-eager", "output-eager"])
@pytest.mark.parametrize("kind", COVERABLE)
def test_an_item_can_be_forced_where_a_sure_win_says_so(lines: tuple[str, ...], assumption: str, kind: str):
    game = explore(automaton([line.split() for line in lines]), assumption=assumption)
    items = items_to_cover(game, kind)
    forced = forced_items(items)
    assert forced is not None
    assert [bool(known) for known in forced] == [solve(game, name).value is not None for name in items.names]


@seeds(range(30), quick=10)
def test_sure_is_the_guarantee_with_a_restart_and_no_less_than_what_can_be_forced(seed: int):
    field = replace(draw_field(f"outlook {seed}", most=7), restart=True)
    counting = replace(field, gains=(1,) * len(field.gains))
    items = items_to_cover(counting.game(), "states")
    seen = expected_coverage(items, plays=1, steps=1, rehearsed=False)
    value = guarantees(counting)[counting.plain.initial]
    assert seen.sure == (value, value)
    assert seen.forced is not None
    assert seen.forced.sum() <= value


def test_without_time_less_is_sure_but_it_is():
    field = draw_field("outlook 3", most=7)
    counting = replace(field, gains=(1,) * len(field.gains), restart=True)
    items = items_to_cover(counting.game(), "states")
    low, high = expected_coverage(items, plays=1, steps=1, seconds=0, rehearsed=False).sure or (9, 0)
    assert low <= guarantees(counting)[0] <= high


def coin() -> GameBuilder:
    builder = GameBuilder().vertex("s", "tester").vertex("c", "system")
    builder.vertex("head", "tester").vertex("tail", "tester")
    builder.edge("s", "c", "?toss").edge("c", "head", "!head", probability=0.75)
    return builder.edge("c", "tail", "!tail", probability=0.25)


def test_what_is_expected_is_the_mean_over_plays_by_chance():
    # Two plays show one side for sure and the other with 1 - 0.75² - 0.25² = 0.375.
    seen = expected_coverage(items_to_cover(coin().build(), "states"), plays=2, steps=2)
    assert seen.sure == (3, 3)
    assert seen.expected(1) == 3
    assert seen.expected() == pytest.approx(3.375, abs=0.15)
    assert "3 of 4 states are sure" in seen.sentence()
    assert seen.json()["can_be_forced"] == 2


def test_words_tell_when_all_is_expected():
    items = items_to_cover(coin().build(), "states")
    runs = (Rehearsal(np.arange(4.0), np.array([0, 0, 0, 1])), Rehearsal(np.arange(4.0), np.array([0, 0, 0, 3])))
    seen = Outlook(items, 10, 2, (2, 3), None, runs)
    assert seen.sentence() == (
        "at least 2 of 4 states are sure, whatever the system does; "
        "all of them are expected after 3.0 ± 1.0 plays of 2 labels each"
    )
    assert Outlook(items, 10, 2, None, None).sentence() == "4 states are known"
