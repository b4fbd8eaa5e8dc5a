"""Everything that shows itself does, in a notebook and as a file; large things briefly."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from outplay import (
    GameBuilder,
    Machine,
    Simulated,
    automaton,
    case_from_answer,
    expected,
    explore,
    forecast,
    joker,
    run,
    win,
)
from outplay.errors import FormatError, UsageError
from outplay.pictures.gallery import MOST_ROWS
from outplay.play.event import Event
from outplay.play.trace import Trace

COIN = automaton([("s", "?toss", "c"), ("c", "!heads", "h"), ("c", "!tails", "s")], name="coin")
GAME = explore(COIN)
COFFEE = Machine(("s0", "s1"), ((0, "coin", "beep", 1), (1, "button", "coffee", 0)), name="coffee")
ANSWERS = [win(GAME, "c"), win(GAME, "h"), expected(GAME, "h"), joker(GAME, "h")]
DRAWN = [COIN, GAME, COFFEE, case_from_answer(joker(GAME, "h")), *ANSWERS]


def long_game(count: int):
    builder = GameBuilder()
    for number in range(count):
        builder.vertex(f"v{number}", "tester")
    for number in range(count - 1):
        builder.edge(f"v{number}", f"v{number + 1}", f"?go {number}")
    return builder.build()


@pytest.mark.parametrize("thing", DRAWN, ids=lambda thing: type(thing).__name__)
def test_what_is_drawn_shows_itself_and_writes_its_picture(thing):
    picture = thing._repr_svg_()
    assert ElementTree.fromstring(picture).tag.endswith("svg")
    assert thing.draw("it.svg") == Path("it.svg")
    assert Path("it.svg").read_text() == picture
    thing.draw("it.html", title="<it>")
    assert "<title>&lt;it&gt;</title>" in Path("it.html").read_text()


def test_the_picture_of_an_answer_says_it_and_marks_its_moves():
    picture = ANSWERS[0]._repr_svg_()
    assert ANSWERS[0].sentence in picture
    assert str(ANSWERS[0]) == ANSWERS[0].sentence
    assert 'class="edge strategy' in picture


def test_a_large_game_shows_a_summary():
    assert "too many to draw" in long_game(500)._repr_svg_()
    assert len(long_game(20_000)._repr_svg_()) < 200_000


def test_a_picture_has_a_place_and_an_ending():
    with pytest.raises(UsageError, match=r"^it.png: give a name that ends in \.svg or \.html$"):
        GAME.draw("it.png")
    with pytest.raises(FormatError, match="nowhere"):
        GAME.draw("nowhere/it.svg")


def test_a_forecast_shows_a_table_of_its_first_entries():
    assert forecast(GAME)._repr_html_().count("<tr") == len(forecast(GAME).entries) + 1
    many = forecast(long_game(100))
    page = many._repr_html_()
    assert page.count("<tr") == MOST_ROWS + 1
    assert f"… and {len(many.entries) - MOST_ROWS:,} more" in page


def test_a_trace_shows_its_first_events_as_text():
    nasty = Event("garbage", detail="<script>", seen=1.0, play=1, n=1)
    page = Trace(events=(nasty,) * (MOST_ROWS + 1))._repr_html_()
    assert "<script>" not in page
    assert page.count("<tr") == MOST_ROWS + 1
    assert "… and 1 more" in page


def test_an_outcome_shows_what_the_terminal_tells():
    outcome = run(COIN, Simulated(COIN), plays=2, steps=5)
    page = outcome._repr_html_()
    assert all(line in page for line in str(outcome).splitlines())
