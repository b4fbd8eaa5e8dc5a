"""`outplay explore` as the contract has it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from helpers.places import EXAMPLES
from outplay import explore as explore_model
from outplay.formats.registry import ENDINGS, read_model
from outplay.model.programs.load import load_program
from outplay.pictures.svg import PICTURES

ENDLESS = """
from outplay import Model, controllable

class Endless(Model):
    small: bool = False
    big: int = 0

    @controllable
    def up(self):
        self.big += 1
"""


def test_the_keys_and_types_are_those_of_the_contract(outplay, model):
    result = outplay("explore", model, "--json")
    found = result.json
    assert (result.code, result.err) == (0, "")
    assert {name: type(value) for name, value in found.items()} == {
        "states": int,
        "vertices": int,
        "edges": int,
        "complete": bool,
        "approximate": bool,
        "seconds": float,
        "goals": dict,
    }
    game = explore_model(load_program(model))
    assert (found["states"], found["vertices"], found["edges"]) == (
        game.origin.states,
        game.vertex_count,
        game.edge_count,
    )
    assert (found["complete"], found["approximate"]) == (True, False)


@pytest.mark.parametrize("compress", [[], ["--compress", "two_pending"]], ids=str)
def test_a_game_that_was_explored_in_part_says_so_in_its_file_too(outplay, compress):
    chat = f"{EXAMPLES / 'chat' / 'model.py'}:Chat"
    assert outplay("explore", chat, "--max-states", "50", "-o", "game.json", *compress).code == 0
    assert not outplay("explore", "game.json", "--json").json["complete"]
    done = outplay("forecast", "game.json")
    assert "raise --max-states to go on" in done.err
    assert "impossible" not in done.out
    assert "does not say that it is not complete" in outplay("explore", "game.json", "-o", "game.dot").err


def test_the_game_written_is_the_game_explored(outplay, model):
    result = outplay("explore", model, "-o", "game.json", "--json")
    assert result.code == 0
    assert read_model(Path("game.json")) == explore_model(load_program(model))
    again = outplay("explore", "game.json", "--json").json
    assert (again["vertices"], again["edges"], again["complete"]) == (
        result.json["vertices"],
        result.json["edges"],
        True,
    )


def test_the_file_written_is_a_game_as_the_contract_describes_it(outplay, model):
    outplay("explore", model, "-o", "game.json")
    game = json.loads(Path("game.json").read_text())
    assert game["format"] == "outplay-game/1"
    assert set(game) == {"format", "initial", "goals", "vertices", "edges"}
    assert set(game["goals"]) == {"answered", "waiting", "both"}
    ids = {vertex["id"] for vertex in game["vertices"]}
    assert game["initial"] in ids
    assert {vertex["owner"] for vertex in game["vertices"]} == {"tester", "system"}
    assert all(edge["source"] in ids and edge["target"] in ids for edge in game["edges"])


def test_people_are_told_sizes_goals_and_where_it_was_written(outplay, model):
    result = outplay("explore", model, "-o", "game.json")
    first, *rest = result.out.splitlines()
    assert "states" in first
    assert "edges" in first
    assert "  goal both: never holds" in rest
    assert any(line.startswith("  goal answered: holds at ") for line in rest)
    assert rest[-1] == "written: game.json"
    assert result.err == ""


@pytest.mark.parametrize("assumption", ["input-eager", "output-eager", "nondeterministic", "timeout"])
def test_the_assumption_is_heeded(outplay, model, assumption):
    found = outplay("explore", model, "--assumption", assumption, "--json").json
    game = explore_model(load_program(model), assumption=assumption)
    assert (found["vertices"], found["edges"]) == (game.vertex_count, game.edge_count)


def test_constants_are_set(outplay, model):
    fewer = outplay("explore", model, "--set", "words=('a',)", "--json").json
    assert fewer["states"] < outplay("explore", model, "--json").json["states"]


@pytest.mark.parametrize(
    ("option", "bound"),
    [("--max-states", "20"), ("--max-edges", "20"), ("--max-depth", "7"), ("--max-seconds", "0.05")],
)
def test_a_bound_that_is_met_is_told_on_stderr_and_in_the_result(outplay, option, bound):
    Path("endless.py").write_text(ENDLESS)
    result = outplay("explore", "endless.py", option, bound, "--json", "-o", "part.json")
    found = result.json
    assert (result.code, found["complete"]) == (0, False)
    assert f"raise {option} to go on" in found["stopped"]
    assert "'big'" in found["stopped"]
    assert result.err == f"outplay: {found['stopped']}\n"
    assert option != "--max-states" or found["states"] <= 20
    assert read_model(Path("part.json")).vertex_count == found["vertices"]
    plain = outplay("explore", "endless.py", option, bound)
    assert "(not complete)" in plain.out


def test_the_same_words_give_the_same_bytes(outplay, model):
    outplay("explore", model, "-o", "one.json")
    outplay("explore", model, "-o", "two.json")
    assert Path("one.json").read_bytes() == Path("two.json").read_bytes()


def test_the_compressed_game_is_smaller_and_costs_the_same(outplay, chat):
    entering = [f"{chat / 'entering.py'}:Entering", "--set", "posting=False", "--assumption", "timeout"]
    large = outplay("explore", *entering, "-o", "large.json", "--json").json
    small = outplay("explore", *entering, "-o", "small.json", "--compress", "everybody_is_in", "--json").json
    assert (large["vertices"], small["vertices"]) == (9, 3)
    asked = ["--goal", "everybody_is_in", "--objective", "expected", "--exact", "--json"]
    values = [outplay("solve", file, *asked).json["value"] for file in ("large.json", "small.json")]
    assert values[0] == values[1] not in (None, 0)


@pytest.mark.parametrize("kind", ["program", "automaton", "machine", "extended"])
def test_the_endings_that_are_offered_for_a_model_are_those_that_can_be_written(outplay, model, kind):
    Path("lamp.aut").write_text('des (0, 2, 2)\n(0, "?press", 1)\n(1, "!light", 0)\n')
    Path("lamp.dot").write_text('digraph { s [shape=circle]; s -> s [label="press/light"]; }\n')
    named = {"program": model, "automaton": "lamp.aut", "machine": "lamp.dot"}
    named |= {"extended": str(EXAMPLES / "tours" / "lift.efsm")}
    told = outplay("explore", named[kind], "-o", "game.xml")
    assert (told.code, ".xml" in told.err.partition("ends in")[2]) == (2, False)
    offered = told.err.partition("ends in")[2].split(" or ")
    assert {".json", ".svg"} < {ending.strip() for ending in offered}
    for ending in (*ENDINGS, *PICTURES):
        found = outplay("explore", named[kind], "-o", f"game{ending}")
        written = found.code == 0 or "no Markov decision process" in found.err  # what the game is, not its kind
        assert written == (ending in map(str.strip, offered)), (ending, found)


def test_a_program_is_not_explored_for_a_file_that_cannot_hold_its_game(outplay):
    Path("endless.py").write_text(ENDLESS)
    told = outplay("explore", "endless.py:Endless", "-o", "game.aut")
    assert (told.code, "--max-" in told.err, ".json" in told.err) == (2, False, True)


def test_a_model_is_explored_and_solved_in_a_folder(outplay, model):
    here, there = outplay("explore", model, "--json").json, outplay("explore", model, "--disk", "kept", "--json").json
    assert {**here, "seconds": 0.0} == {**there, "seconds": 0.0}
    assert Path("kept/target.npy").exists()
    solved = [outplay("solve", model, "--goal", "two_pending", *more) for more in ([], ["--disk", "kept/new"])]
    assert solved[0].out == solved[1].out


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["MODEL", "--disk", "full"], "there is something in that folder"),
        (["MODEL", "--disk", "new", "--jobs", "2"], "leave out --jobs"),
        (["game.json", "--disk", "new"], "for model programs"),
    ],
)
def test_a_folder_that_cannot_be_explored_in_is_refused(outplay, model, arguments, error):
    outplay("explore", model, "-o", "game.json")
    Path("full").mkdir()
    Path("full/mine.txt").write_text("mine")
    result = outplay("explore", *(model if text == "MODEL" else text for text in arguments))
    assert result.code == 2
    assert error in result.err
    assert Path("full/mine.txt").read_text() == "mine"


def test_a_disk_that_is_full_while_exploring_is_a_named_error(outplay, model):
    resource = pytest.importorskip("resource")
    kept = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, kept[1]))
    try:
        result = outplay("explore", model, "--disk", "small")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, kept)
    assert result.code == 4
    assert "small: File too large; make room there" in result.err
