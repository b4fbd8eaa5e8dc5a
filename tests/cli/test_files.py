"""Models from files on the command line: inspecting, converting, drawing, playing, and a newcomer's mistakes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.places import ROOT
from outplay import read_model

SHARED = ROOT.parent / "shared" / "data"
COFFEE = (
    'digraph coffee {\n__start0 [label=""];\n__start0 -> s0;\ns0 -> s1 [label="coin/beep"];\n'
    's0 -> s0 [label="button/init"];\ns1 -> s1 [label="coin/beep"];\ns1 -> s0 [label="button/coffee"];\n}\n'
)


@pytest.fixture(autouse=True)
def _files():
    Path("coffee.dot").write_text(COFFEE)
    Path("coffee.txt").write_text(COFFEE)
    Path("und.dot").write_text("graph { a -- b }")
    Path("short.aut").write_text('des (0,3,2)\n(0,"?a",1)\n')
    Path("empty.dot").write_text("")
    Path("bin.aut").write_bytes(b"\xff\xfe\x00")
    Path("no.json").write_text('{"a": 1}')
    Path("folder.dot").mkdir()
    Path("mixed.dot").write_text('digraph { a -> b [label="?x"]; b -> c [label="y"] }')


@pytest.mark.parametrize(
    ("typed", "code", "says"),
    [
        ("inspect nope.dot", 4, ["nope.dot", "no such file"]),
        ("inspect coffee.txt", 4, ["unknown kind of file", "--format"]),
        ("inspect coffee.txt --format doot", 2, ["did you mean 'dot'"]),
        ("inspect und.dot", 4, ["und.dot:1:1", "digraph"]),
        ("inspect short.aut", 4, ["short.aut:1:1", "3 transitions", "1"]),
        ("inspect empty.dot", 4, ["empty.dot:1:1", "digraph"]),
        ("inspect bin.aut", 4, ["bin.aut:1:1", "UTF-8"]),
        ("inspect no.json", 4, ["no.json:1:1", "outplay-game/1"]),
        ("inspect folder.dot", 4, ["folder.dot: a folder"]),
        ("inspect coffee.dot --inputs a*", 2, ["--inputs"]),
        ("inspect coffee.dot --set x=1", 2, ["--set"]),
        ("inspect coffee.dot --max-bytes 5", 4, ["coffee.dot:1:1", "--max-bytes"]),
        ("inspect coffee.dot --max-states 1", 4, ["coffee.dot:", "--max-states"]),
        ("solve coffee.dot --goal !coffe", 2, ["did you mean '!coffee'"]),
        ("run mixed.dot --sut model:mixed.dot", 2, ["'y' is neither input nor output", "--inputs"]),
        ("run coffee.dot --sut tcp:localhost", 2, ["tcp:HOST:PORT"]),
        ("run coffee.dot --sut python:nothing_here:X", 4, ["no module 'nothing_here'"]),
        ("explore coffee.dot -o out.xyz", 2, ["out.xyz", ".dot"]),
    ],
)
def test_a_mistake_with_a_file_is_answered_in_one_line_that_helps(outplay, typed, code, says):
    result = outplay(*typed.split())
    assert (result.code, result.out) == (code, "")
    assert result.err.count("\n") == 1
    assert all(word in result.err for word in says), result.err


def test_inspect_tells_the_properties_of_the_contract(outplay):
    answer = json.loads(outplay("inspect", "coffee.dot", "--json", "--pairs").out)
    assert (answer["states"], answer["machine_states"], answer["transitions"]) == (5, 2, 7)
    assert (answer["inputs"], answer["outputs"], answer["mixed_states"]) == (2, 3, 0)
    assert (answer["deterministic"], answer["input_enabled"]) == (True, False)
    assert (answer["compatible_pairs"], answer["pairs"]) == (0, [])


def test_one_of_something_is_told_in_the_singular(outplay):
    Path("once.py").write_text(
        "from outplay import Model, controllable, goal\n"
        "class Once(Model):\n"
        "    x: int = 0\n"
        "    @controllable\n"
        "    def go(self): pass\n"
        "    @goal\n"
        "    def home(self): return self.x == 0\n"
    )
    Path("once.aut").write_text('des (0, 2, 2)\n(0, "?go", 0)\n(1, "!gone", 1)\n')
    program, automaton = outplay("inspect", "once.py:Once").out, outplay("inspect", "once.aut").out
    for told in ("1 state, ", "go: 1 transition\n", "home: holds at 1 vertex\n", "x: 1 value: 0\n"):
        assert told in program
    for told in ("1 input, 1 output\n", "1 state cannot be reached"):
        assert told in automaton


def test_inspect_tells_what_looks_wrong_in_a_program(outplay):
    Path("odd.py").write_text(
        "from outplay import Model, controllable, goal\n\n\nclass Odd(Model):\n    x: int = 0\n    y: int = 7\n\n"
        "    @controllable\n    def go(self):\n        if self.x:\n            return False\n        self.x = 1\n\n"
        "    @controllable\n    def never(self):\n        return False\n\n"
        "    @goal\n    def far(self):\n        return self.x == 9\n"
    )
    answer = json.loads(outplay("inspect", "odd.py:Odd", "--json").out)
    told = " ".join(answer["warnings"])
    for word in (
        "'never' is never enabled",
        "'far' never holds",
        "'y' never changes",
        "1 state without any move",
        "x=1",
    ):
        assert word in told
    assert answer["variables"]["x"] == {"count": 2, "values": ["0", "1"]}


@pytest.mark.parametrize("ending", [".json", ".dot", ".mmd", ".svg", ".html", ".aut", ".csv"])
def test_a_file_is_explored_and_written_in_every_format(outplay, ending):
    result = outplay("explore", "coffee.dot", "-o", f"out{ending}")
    assert result.code == 0, result.err
    assert Path(f"out{ending}").stat().st_size > 50


def test_an_automaton_written_from_a_machine_is_that_automaton(outplay):
    assert outplay("explore", "coffee.dot", "-o", "out.aut").code == 0
    machine, written = read_model("coffee.dot"), read_model("out.aut")
    assert (written.state_count, written.transition_count) == (5, machine.automaton.transition_count)
    assert {str(label) for label in written.used_labels} == {"?coin", "?button", "!beep", "!init", "!coffee"}


def test_a_machine_is_solved_played_and_judged_like_a_program(outplay):
    forced = json.loads(outplay("solve", "coffee.dot", "--goal", "!coffee", "--json").out)
    assert (forced["value"], forced["certificate"]["checked"]) == (4.0, True)
    played = outplay("run", "coffee.dot", "--sut", "model:coffee.dot", "--plays", "3", "--json")
    assert (played.code, json.loads(played.out)["verdict"]) == (0, "pass")
    assert outplay("judge", "coffee.dot", ".outplay/last/trace.jsonl").code == 0
    wrong = COFFEE.replace("button/coffee", "button/beep")
    Path("wrong.dot").write_text(wrong)
    failed = outplay("run", "coffee.dot", "--sut", "model:wrong.dot", "--json")
    assert (failed.code, json.loads(failed.out)["verdict"]) == (1, "fail")


def test_a_model_and_a_trace_on_it_are_drawn(outplay):
    assert outplay("inspect", "coffee.dot", "-o", "machine.svg").code == 0
    assert "coin" in Path("machine.svg").read_text()
    Path("wrong.dot").write_text(COFFEE.replace("button/coffee", "button/beep"))
    assert outplay("run", "coffee.dot", "--sut", "model:wrong.dot").code == 1
    assert outplay("judge", "coffee.dot", ".outplay/last/trace.jsonl", "-o", "failure.html").code == 1
    assert "not allowed" in Path("failure.html").read_text()
    refused = outplay("inspect", "coffee.dot", "-o", "machine.dot")
    assert (refused.code, ".svg or .html" in refused.err) == (2, True)


def test_stepping_by_hand(outplay, monkeypatch):
    import io

    monkeypatch.setattr(sys, "stdin", io.StringIO("?coin\n1\nback\nnonsense\nrestart\nquit\n"))
    result = outplay("try", "coffee.dot")
    assert result.code == 0
    assert "?coin" in result.out
    assert "after ?coin !beep" in result.out
    assert "'nonsense' is no choice here" in result.out


def test_the_doctor_finds_nothing_wrong(outplay):
    answer = json.loads(outplay("doctor", "--json").out)
    assert answer["ok"] is True, answer


def test_mutants_of_a_machine_are_found():
    script = ROOT / "examples" / "mutants" / "play_mutants.py"
    done = subprocess.run(
        [sys.executable, str(script), "coffee.dot", "10"], capture_output=True, text=True, check=True
    )  # fmt: skip
    assert "10 of 10 mutants found" in done.stdout


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the model files of shared/data beside the repository")
def test_a_protocol_machine_from_outside_is_simulated_and_its_mutants_found():
    script = ROOT / "examples" / "mutants" / "play_mutants.py"
    machine = SHARED / "mealy" / "TCP_Linux_Client.dot"
    done = subprocess.run(
        [sys.executable, str(script), str(machine), "2", "20"], capture_output=True, text=True, check=True
    )  # fmt: skip
    assert int(done.stdout.splitlines()[-1].split()[0]) >= 1
