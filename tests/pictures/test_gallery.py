"""Everything that shows itself does, in a notebook and as a file; large things briefly."""

from __future__ import annotations

import inspect
from pathlib import Path
from xml.etree import ElementTree

import pytest

from helpers.places import EXAMPLES
from outplay import (
    GameBuilder,
    Machine,
    Model,
    Simulated,
    automaton,
    case_from_answer,
    controllable,
    expected,
    explore,
    forecast,
    joker,
    read_model,
    run,
    win,
)
from outplay.errors import FormatError, UsageError
from outplay.model.programs.program import Program
from outplay.pictures.elements import LOST
from outplay.pictures.figure import full_text
from outplay.pictures.svg import MOST_ROWS, draw, drawing_of, svg_of
from outplay.play.trace import Event, Trace

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


class Lamp(Model):
    on: bool = False

    @controllable
    def press(self):
        self.on = not self.on


class Endless(Model):
    count: int = 0

    @controllable
    def up(self):
        self.count += 1


@pytest.mark.parametrize("model", [Lamp, Endless])
def test_a_model_class_shows_its_game_in_a_notebook(model):
    shows = model._repr_svg_
    assert inspect.ismethod(shows)  # IPython asks classes by nothing else than class methods
    picture = ElementTree.fromstring(shows())
    assert model.__name__ in "".join(picture.itertext())
    assert "_repr_svg_" not in Program(model).variables


def test_ipython_shows_a_model_class_as_a_picture():
    formatters = pytest.importorskip("IPython.core.formatters", reason="needs IPython")
    shown, _ = formatters.DisplayFormatter().format(Lamp)
    assert shown["image/svg+xml"] == Lamp._repr_svg_()


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


def test_a_strategy_marks_its_jokers_and_goals():
    told = [svg_of(answer) for answer in ANSWERS]
    assert [">joker<" in svg for svg in told] == [False, False, False, True]
    for answer in ANSWERS:
        goals = {node.title for node in drawing_of(answer).nodes if node.goal}
        assert goals == {answer.game.names[vertex] for vertex in answer.goal_vertices}
        assert not any(node.goal and node.role == LOST for node in drawing_of(answer).nodes)


def test_walk_models_are_drawn_as_they_stand_in_their_file():
    shop = read_model(EXAMPLES / "graphwalker" / "shop.json")
    drawing = drawing_of(shop)
    assert [node.name for node in drawing.nodes] == ["Start", "v_Browse", "v_Cart = v_Paying", "v_Paid"]
    assert drawing.nodes[2].note == "shared CART"
    assert "requirement: the cart shows what is in it" in drawing.nodes[2].details
    told = {full_text(edge): (edge.source, edge.target) for edge in drawing.edges}
    assert len(told) == len(shop.edges)
    assert told["e_Open"] == (0, 1)
    assert told["e_Clear [items > 1] / items := 0"] == (2, 2)
    assert told["e_Pay"] == (2, 3)
    assert drawing.initial == 0
    assert shop._repr_svg_().count("data-n=") == 4


def test_the_way_of_a_walk_is_marked_on_its_model():
    shop = read_model(EXAMPLES / "graphwalker" / "shop.json")
    picture = draw(shop, trace=["?e_Open", "?e_Look", "?e_Pay"])
    assert {edge.steps: edge.mark for edge in picture.edges if edge.mark} == dict.fromkeys([(1,), (2,), (3,)], "trace")
