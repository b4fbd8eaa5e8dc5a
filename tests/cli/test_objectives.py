"""The objectives of `outplay solve` and `outplay run`, as the contract has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

FIGURE_3 = {
    "format": "outplay-game/1",
    "initial": "1",
    "vertices": [
        {"id": "1", "owner": "tester"},
        {"id": "2", "owner": "system"},
        {"id": "g", "owner": "tester", "goal": True},
    ],
    "edges": [
        {"source": "1", "target": "2", "label": "?try"},
        {"source": "2", "target": "g", "label": "!done", "probability": "2/3"},
        {"source": "2", "target": "1", "label": "!again", "probability": "1/3"},
    ],
}
# From s either a gamble that may be lost for ever, or nothing at all.
GAMBLE = {
    "format": "outplay-game/1",
    "initial": "s",
    "vertices": [
        {"id": "s", "owner": "tester"},
        {"id": "c", "owner": "system"},
        {"id": "g", "owner": "tester", "goal": True},
        {"id": "lost", "owner": "tester"},
    ],
    "edges": [
        {"source": "s", "target": "c", "label": "?dare", "cost": 2},
        {"source": "c", "target": "g", "label": "!luck", "probability": "1/4", "cost": 5},
        {"source": "c", "target": "lost", "label": "!none", "probability": "3/4"},
    ],
}


@pytest.fixture
def figure() -> str:
    Path("figure.json").write_text(json.dumps(FIGURE_3))
    return "figure.json"


@pytest.fixture
def gamble() -> str:
    Path("gamble.json").write_text(json.dumps(GAMBLE))
    return "gamble.json"


@pytest.mark.parametrize("method", ["auto", "vi", "pi", "lp"])
def test_expected_gives_a_number_with_bounds_around_it(outplay, figure, method):
    found = outplay("solve", figure, "--objective", "expected", "--method", method, "--json").json
    low, high = found["bounds"]
    assert low <= 3 <= high
    assert high - low <= 1e-6 * high
    assert low <= found["value"] <= high
    assert found["values"]["1"] == found["value"]
    assert found["values"]["2"] == pytest.approx(2)
    assert found["values"]["g"] == 0
    assert found["strategy"] == {"1": {"edge": "e0", "label": "?try"}}
    assert found["certificate"]["checked"] is True


def test_expected_is_exact_on_request(outplay, figure):
    found = outplay("solve", figure, "--objective", "expected", "--exact", "--json").json
    assert (found["value"], found["bounds"]) == ("3/1", ["3/1", "3/1"])


def test_expected_where_luck_can_fail_is_null_and_says_why(outplay, gamble):
    found = outplay("solve", gamble, "--objective", "expected", "--json")
    assert (found.code, found.json["value"], found.json["bounds"]) == (0, None, None)
    assert found.json["certificate"]["checked"] is True
    told = outplay("solve", gamble, "--objective", "expected").out
    assert "cannot be reached with probability 1" in told
    assert "lost" in told or "!none" in told


def test_probability_gives_the_best_chance(outplay, gamble):
    found = outplay("solve", gamble, "--objective", "probability", "--json").json
    assert found["value"] == pytest.approx(0.25)
    assert found["bounds"][0] <= 0.25 <= found["bounds"][1]
    assert found["values"]["lost"] == 0
    assert "probability 0.25" in outplay("solve", gamble, "--objective", "probability").out


def test_bounded_gives_probability_and_worst_cost(outplay, figure, gamble):
    found = outplay("solve", gamble, "--objective", "bounded", "--steps", "2", "--exact", "--json").json
    assert found["value"] == {"probability": "1/4", "cost": "7/1"}
    assert found["strategy"]["s"] == [[2, {"edge": "e0", "label": "?dare"}]]
    short = outplay("solve", gamble, "--objective", "bounded", "--steps", "1", "--json").json
    assert short["value"] == {"probability": 0, "cost": 0}
    more = outplay("solve", figure, "--objective", "bounded", "--steps", "4", "--json").json
    assert more["value"]["probability"] == pytest.approx(8 / 9)


def test_joker_counts_help_and_moves(outplay, gamble):
    found = outplay("solve", gamble, "--objective", "joker", "--json").json
    assert found["value"] == {"jokers": 1, "moves": 2}
    assert found["values"]["lost"] is None
    assert found["strategy"]["c"]["label"] == "!luck"
    assert "needs 1 joker" in outplay("solve", gamble, "--objective", "joker").out


def test_a_method_for_another_objective_is_told(outplay, figure):
    found = outplay("solve", figure, "--objective", "win", "--method", "lp")
    assert found.code == 2
    assert "leave it out" in found.err


@pytest.mark.parametrize("objective", ["auto", "expected", "probability", "bounded", "win", "joker"])
def test_every_objective_can_be_played(outplay, figure, objective):
    arguments = ["run", figure, "--sut", f"model:{figure}", "--goal", "goal", "--objective", objective, "--plays", "20"]
    found = outplay(*arguments, "--silence", "0.05", "--json").json
    assert found["verdict"] == "pass"
    assert found["inputs"] >= 20


def test_an_objective_without_a_goal_is_told(outplay, figure):
    found = outplay("run", figure, "--sut", f"model:{figure}", "--objective", "expected")
    assert found.code == 2
    assert "needs a --goal" in found.err


def test_what_cannot_be_forced_is_played_for_the_least_cost_or_the_best_chance(outplay, figure, gamble):
    told = outplay("run", figure, "--sut", f"model:{figure}", "--goal", "goal", "--plays", "3")
    assert "playing for the least expected cost, 3" in told.err
    told = outplay("run", gamble, "--sut", f"model:{gamble}", "--goal", "goal", "--plays", "30")
    assert "the best chance is 0.25" in told.err


def test_a_label_as_goal_fails_no_system_for_what_comes_after_it(outplay):
    there_and_back = {
        "format": "outplay-game/1",
        "initial": "s",
        "vertices": [{"id": "s", "owner": "system"}, {"id": "g", "owner": "system"}],
        "edges": [{"source": "s", "target": "g", "label": "!a"}, {"source": "g", "target": "s", "label": "!b"}],
    }
    Path("ab.json").write_text(json.dumps(there_and_back))
    found = outplay("run", "ab.json", "--sut", "model:ab.json", "--goal", "!a", "--plays", "20", "--json")
    assert (found.code, found.json["verdict"]) == (0, "pass")
    judged = outplay("judge", "ab.json", ".outplay/last/trace.jsonl")
    assert (judged.code, judged.err) == (0, "")


def test_a_reset_under_the_rule_of_the_time_out_starts_active_again(outplay):
    Path("t.aut").write_text("des (0, 4, 4)\n(0, ?a, 1)\n(0, !x, 3)\n(1, !y, 2)\n(1, !z, 3)\n")
    arguments = ["--goal", "2", "--assumption", "timeout", "--reset-cost", "1", "--objective", "expected"]
    found = outplay("run", "t.aut", "--sut", "model:t.aut", *arguments, "--plays", "50", "--steps", "60", "--json").json
    assert found["forecast"]["reached"] >= 48


@pytest.mark.parametrize("objective", ["bounded", "expected", "probability"])
def test_under_input_fair_only_who_wins_is_told(outplay, objective):
    Path("t.aut").write_text("des (0, 2, 3)\n(0, ?a, 1)\n(0, !x, 0)\n")
    found = outplay("solve", "t.aut", "--goal", "1", "--assumption", "input-fair", "--objective", objective)
    assert (found.code, "means nothing under input-fair" in found.err) == (2, True)
    won = outplay("solve", "t.aut", "--goal", "1", "--assumption", "input-fair")
    assert (won.code, "no bound" in won.err) == (0, True)


def test_a_probability_is_not_rounded_to_certainty(outplay, figure):
    told = outplay("solve", figure, "--objective", "bounded", "--steps", "1000").out
    assert "probability just below 1" in told


def test_costs_far_apart_are_solved_in_fractions(outplay):
    far = json.loads(json.dumps(FIGURE_3))
    far["edges"][1]["cost"], far["edges"][2]["cost"] = 10**12, "1/3"
    Path("far.json").write_text(json.dumps(far))
    found = outplay("solve", "far.json", "--objective", "expected", "--json").json
    assert found["kept"] is True
    assert found["value"] == pytest.approx(10**12 + 5 / 3, rel=1e-12)


BOTH = """des (0, 6, 4)
(0, "?left", 1)
(1, "!one", 0)
(0, "?right", 2)
(2, "!two", 0)
(0, "?both", 3)
(3, "!none", 0)
"""


def test_all_of_several_goals_are_asked_for_with_an_ampersand(outplay):
    """Each output takes an input and an answer; any of them is nearer than all of them."""
    Path("both.aut").write_text(BOTH)
    values = {}
    for goal in ("!one", "!one & !two", "!one & !two & !none"):
        found = outplay("solve", "both.aut", "--goal", goal, "--assumption", "input-eager", "--json")
        made = json.loads(found.out)
        assert (found.code, made["goal"], made["certificate"]["checked"]) == (0, [goal], True)
        values[goal] = made["value"]
    assert list(values.values()) == [2.0, 4.0, 6.0]
    either = outplay("solve", "both.aut", "--goal", "!one & !two", "--goal", "!none", "--json", "--objective", "joker")
    assert json.loads(either.out)["goal"] == ["!one & !two", "!none"]
    assert json.loads(either.out)["value"] == {"jokers": 0, "moves": 2}
    told = outplay("forecast", "both.aut", "--goal", "!one & !two", "--assumption", "input-eager").out
    assert "!one & !two  forced in 4 moves" in told
    played = outplay("run", "both.aut", "--goal", "!one & !two", "--sut", "model:both.aut", "--plays", "3", "--json")
    assert (played.code, json.loads(played.out)["verdict"]) == (0, "pass")
