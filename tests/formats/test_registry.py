"""The ending of a file decides its format."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random

import pytest

from helpers.odd_models import draw
from outplay import Game
from outplay.errors import FormatError, UsageError
from outplay.formats.common.source import ReadLimits
from outplay.formats.registry import ENDINGS, FORMATS, read_model, write_model
from outplay.model.automaton import Automaton, automaton
from outplay.model.machine import Machine

KNOWN = ".aut, .csv, .dot, .drn, .efsm, .fsm, .gv, .json, .mmd, .npz, .sts, .tra, .xml"
LAMP = automaton([("0", "?press", "1"), ("1", "!light", "0")])


def test_every_format_has_an_ending():
    assert set(KNOWN.split(", ")) == set(ENDINGS)


@pytest.mark.parametrize("ending", [".aut", ".csv", ".dot", ".gv", ".DOT"])
def test_an_automaton_is_written_and_read_by_its_ending(ending):
    write_model(f"m{ending}", LAMP)
    assert read_model(f"m{ending}") == LAMP


@pytest.mark.parametrize("ending", [".dot", ".gv", ".fsm"])
def test_a_machine_is_written_and_read_by_its_ending(ending):
    machine = draw.machine(Random(3), deterministic=True)
    write_model(f"m{ending}", machine)
    assert read_model(Path(f"m{ending}"), name="m") == machine
    assert read_model(Path(f"m{ending}")).name == f"m{ending}"


@pytest.mark.parametrize("ending", [".dot", ".json", ".drn", ".tra"])
def test_a_game_is_written_and_read_by_its_ending(ending):
    game = draw.process(Random(5), costs=False)
    write_model(f"m{ending}", game)
    assert read_model(f"m{ending}") == game


def test_labels_and_values_of_states_lie_beside_transitions():
    game = draw.process(Random(5), costs=False, names=lambda count: [f"x={n}" for n in range(count)])
    write_model("m.tra", game)
    assert sorted(path.name for path in Path().iterdir()) == ["m.lab", "m.sta", "m.tra"]
    assert read_model("m.tra") == game


def test_values_of_another_model_beside_transitions_are_not_taken_for_its_own():
    Path("m.sta").write_text("(x)\n0:(1)\n")
    with pytest.raises(FormatError, match=r"m.sta: names states of another model than the one to write; move it away"):
        write_model("m.tra", draw.process(Random(5), costs=False))


def test_a_named_format_overrides_the_ending():
    write_model("m.txt", LAMP, format="aut")
    assert read_model("m.txt", format=".aut") == LAMP
    assert isinstance(read_model("m.txt", format="aut", name="lamp"), Automaton)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("m.dott", f"m.dott: the ending '.dott' is unknown; did you mean '.dot'? known: {KNOWN}"),
        ("m.xyzzy", f"m.xyzzy: the ending '.xyzzy' is unknown; known: {KNOWN}"),
        ("m", f"m: no ending says which format it has; known: {KNOWN}"),
        ("m.mmd", "m.mmd: .mmd files are written only; read the model's .dot or .json"),
        ("m.aut", "m.aut: no such file; check the path"),
        ("m.json", "m.json: no such file; check the path"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_in_one_line(path, line):
    with pytest.raises(FormatError) as refused:
        read_model(path)
    assert str(refused.value) == line


def test_a_format_that_does_not_exist_is_a_mistake_in_the_call():
    with pytest.raises(UsageError, match=r"no format 'dott'; did you mean 'dot'\? known: aut, csv, dot, drn"):
        read_model("m", format="dott")
    with pytest.raises(UsageError, match=r"only .drn files name their costs; leave out 'time'"):
        read_model("m.aut", reward="time")


def test_bytes_that_are_no_text_are_told_with_their_place():
    Path("m.aut").write_bytes(b"des (0,1,1)\n(0,\xff,0)")
    with pytest.raises(FormatError, match=r"m.aut:2:4: not UTF-8; save it as UTF-8"):
        read_model("m.aut")


def test_limits_reach_the_readers():
    write_model("m.dot", LAMP)
    with pytest.raises(FormatError, match="more than 1 node"):
        read_model("m.dot", limits=ReadLimits(states=1))
    with pytest.raises(FormatError, match="larger than 10 bytes"):
        read_model("m.dot", largest=10)


@pytest.mark.parametrize(
    ("path", "model", "line"),
    [
        ("m.fsm", LAMP, "m.fsm: .fsm does not hold a model of kind automaton; write .aut, .csv, .dot, .gv, .mmd"),
        (
            "m.aut",
            Machine(("a",), ()),
            "m.aut: .aut does not hold a model of kind machine; write .dot, .fsm, .gv, .mmd",
        ),
        ("no/m.dot", LAMP, "No such file or directory; give a path that can be written"),
        (
            "m.dot",
            automaton([("\ud800", "?a", "b")]),
            "a name or label holds half a character, which no file can; rename it",
        ),
    ],
)
def test_a_model_that_cannot_be_written_is_told_in_one_line_and_leaves_nothing(path, model, line):
    with pytest.raises(FormatError) as refused:
        write_model(path, model)
    assert str(refused.value).endswith(line)
    assert os.listdir() == []


def test_a_failed_writing_leaves_the_old_file_alone():
    write_model("m.dot", LAMP)
    with pytest.raises(FormatError):
        write_model("m.dot", automaton([("\ud800", "?a", "b")]))
    assert read_model("m.dot") == LAMP
    assert os.listdir() == ["m.dot"]


def test_a_link_stays_a_link():
    write_model("real.dot", LAMP)
    Path("m.dot").symlink_to("real.dot")
    write_model("m.dot", automaton([("a", "?x", "a")]))
    assert Path("m.dot").is_symlink()
    assert read_model("real.dot").state_count == 1


def test_only_formats_that_hold_games_say_so():
    game = draw.game(Random(1))
    for name, known in FORMATS.items():
        assert known.can_hold(Game) == (name in ("dot", "drn", "gv", "json", "mmd", "npz", "tra"))
    write_model("m.mmd", game)
    assert Path("m.mmd").read_text().startswith("flowchart LR\n")
