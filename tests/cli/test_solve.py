"""`outplay solve` as the contract has it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from outplay.runs.queries import solved_job

GAME = {
    "format": "outplay-game/1",
    "initial": "s",
    "goals": {"done": ["g"], "nowhere": []},
    "vertices": [
        {"id": "s", "owner": "tester"},
        {"id": "c", "owner": "system"},
        {"id": "g", "owner": "tester"},
        {"id": "dead", "owner": "tester"},
    ],
    "edges": [
        {"source": "s", "target": "c", "label": "?a", "cost": "1/3"},
        {"source": "c", "target": "g", "label": "!x"},
        {"source": "c", "target": "g", "label": "!y", "cost": "1/2"},
        {"id": "trap", "source": "s", "target": "dead", "label": "?b", "cost": 0},
    ],
}


@pytest.fixture
def game() -> str:
    Path("game.json").write_text(json.dumps(GAME))
    return "game.json"


def test_the_keys_and_types_are_those_of_the_contract(outplay, game):
    result = outplay("solve", game, "--objective", "win", "--goal", "done", "--json")
    found = result.json
    assert (result.code, result.err) == (0, "")
    assert found == {
        "objective": "win",
        "goal": ["done"],
        "initial": "s",
        "value": pytest.approx(4 / 3),
        "values": {"s": pytest.approx(4 / 3), "c": 1.0, "g": 0.0, "dead": None},
        "strategy": {"s": {"edge": "e0", "label": "?a"}},
        "certificate": {"checked": True, "vertices": 4, "edges": 4},
        "seconds": found["seconds"],
    }
    assert isinstance(found["value"], float)
    assert isinstance(found["seconds"], float)


def test_numbers_are_exact_on_request(outplay, game):
    found = outplay("solve", game, "--goal", "done", "--exact", "--json").json
    assert (found["value"], found["values"]) == ("4/3", {"s": "4/3", "c": "1/1", "g": "0/1", "dead": None})


def test_where_there_is_no_strategy_the_value_is_null_and_that_is_no_error(outplay, model):
    result = outplay("solve", model, "--goal", "answered", "--assumption", "output-eager", "--json")
    assert result.code == 0
    assert result.json["value"] is None
    assert result.json["blocking"]
    plain = outplay("solve", model, "--goal", "answered", "--assumption", "output-eager")
    assert plain.code == 0
    assert plain.out.startswith("answered cannot be forced: the system can stay within ")


def test_a_goal_is_a_name_a_vertex_or_a_label_and_several_are_one_union(outplay, game):
    for goals, value in ((["done"], 4 / 3), (["dead"], 0), (["?a"], 1 / 3), (["!y"], None), (["!x", "!y"], 4 / 3)):
        options = [word for goal in goals for word in ("--goal", goal)]
        found = outplay("solve", game, *options, "--json").json
        assert found["value"] == (None if value is None else pytest.approx(value)), goals
        assert found["goal"] == goals
    both = outplay("solve", game, "--goal", "done", "--goal", "dead", "--json").json
    assert (both["value"], both["goal"]) == (0, ["done", "dead"])


def test_the_only_goal_need_not_be_named(outplay):
    only = {**GAME, "goals": {"done": ["g"]}}
    Path("only.json").write_text(json.dumps(only))
    assert outplay("solve", "only.json", "--json").json["goal"] == ["done"]


def test_people_are_shown_the_value_the_moves_and_that_it_was_checked(outplay, model):
    result = outplay("solve", model, "--goal", "waiting")
    lines = result.out.splitlines()
    assert lines[0] == "waiting can be forced at cost 1, in at most 1 step"
    assert "?say " in lines[1]
    assert 'told=""' in lines[1]
    assert lines[-1] == "confirmed by the checker"


def test_steps_are_counted_in_labels_and_not_in_decisions(outplay):
    Path("mixed.py").write_text(
        "from outplay import Model, controllable, goal, observable\n"
        "class Mixed(Model):\n"
        "    done: bool = False\n"
        "    @controllable\n"
        "    def give(self):\n"
        "        self.done = True\n"
        "    @observable\n"
        "    def show(self):\n"
        "        self.done = True\n"
        "    @goal\n"
        "    def reached(self):\n"
        "        return self.done\n"
    )
    for assumption in ("nondeterministic", "input-eager", "output-eager"):
        shown = outplay("solve", "mixed.py", "--assumption", assumption).out.splitlines()
        assert shown[0] == "reached can be forced at cost 1, in at most 1 step"


def test_the_checker_can_be_left_out(outplay, model):
    found = outplay("solve", model, "--goal", "waiting", "--no-check", "--json").json
    assert found["certificate"] == {"checked": False, "why": "--no-check"}
    assert "not checked (--no-check)" in outplay("solve", model, "--goal", "waiting", "--no-check").out


BIG = """
from outplay import Model, controllable, goal

class Big(Model):
    n: int = 0

    @controllable
    def up(self):
        if self.n == 50:
            return False
        self.n += 1

    @goal
    def top(self):
        return self.n == 50
"""


def test_values_of_a_large_game_are_printed_only_on_request(outplay, monkeypatch):
    assert solved_job.LISTED_UP_TO == 10_000
    monkeypatch.setattr(solved_job, "LISTED_UP_TO", 50)
    Path("big.py").write_text(BIG)
    found = outplay("solve", "big.py", "--json").json
    assert found["value"] == 50
    assert "values" not in found
    assert "strategy" not in found
    assert len(outplay("solve", "big.py", "--values", "--json").json["values"]) == 51


def test_people_are_told_how_much_is_left_out_of_a_long_list(outplay):
    Path("big.py").write_text(BIG)
    lines = outplay("solve", "big.py").out.splitlines()
    assert (len(lines), lines[-2]) == (1 + 20 + 2, "  … and 30 more; --json lists them all")


def test_what_is_forced_in_a_part_is_told_with_a_warning_on_stderr(outplay):
    Path("big.py").write_text(BIG.replace("return self.n == 50", "return self.n == 3"))
    result = outplay("solve", "big.py", "--max-states", "20", "--json")
    assert result.json["value"] == 3
    assert "raise --max-states" in result.err
    assert "lower bound" in result.err


def test_the_answer_is_the_same_each_time_but_for_the_time(outplay, model):
    first, second = (outplay("solve", model, "--goal", "waiting", "--json").json for _ in range(2))
    first.pop("seconds")
    second.pop("seconds")
    assert first == second


def test_a_goal_that_holds_nowhere_cannot_be_forced_and_that_is_no_mistake(outplay):
    Path("chat.py").write_text(
        "from outplay import Model, goal\n\n\nclass Idle(Model):\n    x: int = 0\n\n"
        "    @goal\n    def never(self):\n        return False\n"
    )
    result = outplay("solve", "chat.py:Idle", "--goal", "never", "--json")
    answer = json.loads(result.out)
    assert (result.code, answer["value"], answer["blocking"]) == (0, None, ["s0"])
    assert answer["certificate"]["checked"] is True
    assert "holds nowhere" in result.err


def test_resilience_is_an_objective_with_its_own_number(outplay, game):
    found = outplay("solve", game, "--objective", "resilience", "--goal", "done", "--json").json
    assert (found["value"], found["resilience"]) == ({"jokers": 0, "moves": 2}, None)
    assert found["certificate"]["checked"]
