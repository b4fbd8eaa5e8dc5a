"""`outplay forecast` as the contract has it, and as people read it."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from helpers.commands import shell
from outplay.strategy.forecast import forecast as forecasting

GAME = {
    "format": "outplay-game/1",
    "initial": "s",
    "goals": {"done": ["g"], "nowhere": []},
    "vertices": [
        {"id": "s", "owner": "tester"},
        {"id": "c", "owner": "system"},
        {"id": "g", "owner": "tester"},
        {"id": "lost", "owner": "tester"},
    ],
    "edges": [
        {"source": "s", "target": "c", "label": "?a"},
        {"source": "s", "target": "g", "label": "?long", "cost": 7},
        {"source": "c", "target": "g", "label": "!x", "probability": "1/4"},
        {"source": "c", "target": "s", "label": "!y", "probability": "3/4"},
    ],
}


@pytest.fixture
def game() -> str:
    Path("game.json").write_text(json.dumps(GAME))
    return "game.json"


def test_the_keys_and_types_are_those_of_the_contract(outplay, game):
    result = outplay("forecast", game, "--goal", "done", "--goal", "!x", "--goal", "lost", "--steps", "3", "--json")
    assert (result.code, result.err) == (0, "")
    found = result.json
    assert (found["steps"], found["blocking"]) == (3, ["s", "c", "g"])
    assert found["targets"] == [
        {
            "name": "done",
            "kind": "goal",
            "forced": {"moves": 1, "cost": 7.0},
            "jokers": 0,
            "probability": 1.0,
            "expected_cost": 7.0,
            "impossible": False,
            "why": "whatever the system does",
        },
        {
            "name": "!x",
            "kind": "label",
            "forced": None,
            "jokers": 1,
            "probability": 0.25,
            "expected_cost": pytest.approx(8.0, rel=1e-6),
            "impossible": False,
            "why": "needs help once (the system has to say !x rather than !y)",
        },
        {
            "name": "lost",
            "kind": "state",
            "forced": None,
            "jokers": None,
            "probability": 0.0,
            "expected_cost": None,
            "impossible": True,
            "why": "no way leads there: whatever is done, play stays in 3 other states",
        },
    ]


def test_forced_comes_from_one_strategy_the_cheapest_and_ties_go_to_the_shorter(outplay):
    vertices = [{"id": name, "owner": "tester"} for name in ("s", "a", "b", "g")]
    edges = [("s", "g", 3), ("s", "a", 1), ("a", "g", 1), ("s", "b", "1/2"), ("b", "a", "1/2"), ("b", "g", "3/2")]
    game = {**GAME, "goals": {"g!": ["g"]}, "vertices": vertices}
    game["edges"] = [{"source": source, "target": target, "cost": cost} for source, target, cost in edges]
    Path("ties.json").write_text(json.dumps(game))
    (found,) = outplay("forecast", "ties.json", "--goal", "g!", "--json").json["targets"]
    assert found["forced"] == {"moves": 2, "cost": 2.0}


def test_without_goals_everything_is_forecast(outplay, game):
    found = outplay("forecast", game, "--json").json["targets"]
    names = {(target["kind"], target["name"]) for target in found}
    assert names == {
        *(("goal", name) for name in ("done", "nowhere")),
        *(("label", name) for name in ("?a", "?long", "!x", "!y")),
        *(("state", name) for name in ("s", "c", "g", "lost")),
        *(("transition", name) for name in ("s --?a--> c", "s --?long--> g", "c --!x--> g", "c --!y--> s")),
    }


def joined(text: str) -> str:
    """Folded lines put together again."""
    return " ".join(text.split())


def test_the_printed_forecast_reads_without_the_papers(outplay, chat):
    shown = outplay("forecast", f"{chat / 'model.py'}:Chat", "--of", "goals").out
    assert shown.startswith(
        "goals: 2 not forced\n  two_pending       not forced: needs help once (the system has to take"
    )
    assert "hi before it says anything); with probability above 0.99 within 20 moves, 4 moves expected" in joined(shown)
    assert "joker" not in shown
    assert max(map(len, shown.splitlines())) <= 100


def test_long_lists_show_both_ends_and_all_on_request(outplay, chat):
    model = f"{chat / 'model.py'}:Chat"
    short = outplay("forecast", model, "--of", "labels").out
    assert "  … 6 more between these; --all lists them\n" in short
    full = outplay("forecast", model, "--of", "labels", "--all").out
    assert (len(short.splitlines()), len(full.splitlines())) == (14, 19)


def test_the_assumption_changes_what_is_forced(outplay, chat):
    model = f"{chat / 'model.py'}:Chat"
    eager = outplay("forecast", model, "--goal", "two_pending", "--assumption", "input-eager").out
    assert eager == "  two_pending  forced in 2 moves\n"


def test_a_kind_that_is_left_out_is_named(outplay, game, monkeypatch):
    monkeypatch.setattr(forecasting, "MOST_LISTED", 3)
    result = outplay("forecast", game)
    assert "labels and states and transitions left out" in result.err
    assert "goals: 1 forced, 1 impossible" in result.out


def test_a_model_cut_short_is_said_to_be(outplay, chat):
    result = outplay("forecast", f"{chat / 'model.py'}:Chat", "--goal", "two_pending", "--max-states", "3")
    assert "what is forced stays so" in result.err
    assert "not met in the" in result.out


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--goal", "dune"], "did you mean 'done'?"),
        (["--goal", "done", "--of", "states"], "give one or the other"),
        (["-o", "forecast.svg"], "ends in .html"),
        (["-o", "nowhere/forecast.html"], "there is no folder nowhere"),
        (["--steps", "-1"], "--steps"),
    ],
)
def test_mistakes_are_told_in_one_line(outplay, game, arguments, complaint):
    result = outplay("forecast", game, *arguments)
    assert result.code == 2
    assert complaint in result.err
    assert result.err.count("\n") == 1


class Page(HTMLParser):
    """Collects the rows and texts of a page, and what it would load from elsewhere."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.rows: list[str] = []
        self.loads: list[str] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag == "tr" and "class" in given:
            self.rows.append(given["class"])
        self.loads += [value for name, value in attrs if name in ("src", "href")]

    def handle_data(self, data):
        self.texts.append(data)


def test_the_page_holds_every_target_and_loads_nothing(outplay, game):
    outplay("forecast", game, "-o", "forecast.html")
    page = Page(Path("forecast.html").read_text())
    assert sorted(set(page.rows)) == ["forced", "help", "never"]
    assert len(page.rows) == 14
    assert page.loads == []
    assert "c --!y--> s" in page.texts


def test_names_from_a_model_are_text_on_the_page_and_nothing_else(outplay):
    game = json.loads(json.dumps(GAME).replace('"lost"', '"<script>alert(1)</script>"'))
    Path("evil.json").write_text(json.dumps(game))
    assert outplay("forecast", "evil.json", "-o", "forecast.html").code == 0
    text = Path("forecast.html").read_text()
    assert "<script>alert" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text


def test_the_same_model_gives_the_same_bytes_whatever_the_hash_seed(model):
    calls = [shell("forecast", model, "--json", env={"PYTHONHASHSEED": seed}) for seed in "12"]
    first, second = ({**call.json, "seconds": 0} for call in calls)
    assert first == second
