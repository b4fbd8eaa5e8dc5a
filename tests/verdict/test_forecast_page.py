"""The page of a forecast: what it shows, and that names are text on it and nothing else."""

from __future__ import annotations

import re

from outplay import GameBuilder, Model, controllable, explore, goal, observable
from outplay.strategy.forecast.forecast import forecast
from outplay.verdict.forecast_page import forecast_page


class Door(Model):
    is_open: bool = False

    @controllable
    def knock(self):
        return not self.is_open

    @observable
    def opened(self):
        if self.is_open:
            return False
        self.is_open = True


def heads(page: str) -> list[str]:
    return re.findall(r"<th[^>]*><button>(.*?)</button>", page)


def game(**options):
    builder = GameBuilder().vertex("s", "tester").vertex("c", "system").vertex("g", "tester").vertex("<i>", "tester")
    return builder.edge("s", "c", "?a", **options).edge("c", "g", "!x").edge("c", "s", "!y").build()


class Shut(Door):
    @goal
    def ajar(self):
        return self.is_open and not self.is_open


def test_why_a_goal_is_impossible_names_its_conditions_as_code():
    shown = forecast_page(forecast(explore(Shut), kinds=["goal"]), title="t")
    assert "<code>is_open</code> and <code>not is_open</code> never hold together" in shown


def test_costs_have_a_column_where_they_are_not_the_moves():
    assert heads(forecast_page(forecast(game()), title="t")) == [
        "target",
        "what to expect",
        "moves",
        "help",
        "probability within 20",
        "expected moves",
    ]
    costly = forecast_page(forecast(game(cost=3), steps=7), title="t")
    assert heads(costly)[3:] == ["cost", "help", "probability within 7", "expected cost"]


def test_every_target_is_a_row_of_its_class_and_kind():
    page = forecast_page(forecast(game(), ["s", "g", "<i>"]), title="t")
    assert re.findall(r"<tr class=(\w+) data-kind=(\w+)>", page) == [
        ("forced", "state"),
        ("help", "state"),
        ("never", "state"),
    ]
    assert "<b>not forced</b>: needs help once (the system has to say !x rather than !y)" in page


def test_names_titles_and_assumptions_are_text():
    page = forecast_page(forecast(game(), ["<i>"]), title="<b>t</b>", assumption="<u>")
    assert "&lt;i&gt;" in page
    assert "&lt;b&gt;t&lt;/b&gt;" in page
    assert "&lt;u&gt;" in page
    assert "<i>" not in page.replace("<i style", "")


def test_numbered_states_of_a_model_program_are_described():
    page = forecast_page(forecast(explore(Door), kinds=["state"]), title="door")
    assert "<code>s1</code><br><small>is_open=true</small>" in page


def test_a_probability_just_below_1_is_not_shown_as_1():
    page = forecast_page(forecast(game(), ["g"], steps=60), title="t")
    assert "&gt;0.999" in page


def test_the_page_needs_nothing_from_elsewhere():
    written = forecast_page(forecast(game()), title="t")
    assert not re.search(r"(src|href)=|@import|url\(|https?:", written)
