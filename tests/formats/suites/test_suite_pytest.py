"""Suites as pytest files: they hold the same test cases, run by themselves, and no word in them is more than a word."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from itertools import islice
from pathlib import Path

import pytest

from helpers.places import ROOT
from helpers.seeds import seeds
from helpers.suites import named, random_suite
from outplay import Suite
from outplay.formats.suites.suite_pytest import suite_pytest_file
from outplay.runs.case_check import fail
from outplay.suite.suite import Stream, case_of

LAMP = case_of(
    [
        ("t0", "?press", "t1"),
        ("t0", "!hum", "fail"),
        ("t1", "!light", "pass"),
        ("t1", "!hum", "inconclusive"),
        ("t1", "delta", "fail"),
    ],
    name="off --?press--> on",
)


def test_a_test_case_reads_as_it_is_played():
    text = "".join(suite_pytest_file(Suite("lamp.aut", "win", (LAMP,), guarantee="the lamp shines")))
    assert text.startswith(
        '"""Test cases of lamp.aut by `outplay suite --method win`.\n\nWho passes: the lamp shines.\n'
    )
    assert text.endswith(
        "def test_1_off_press_on(check):\n"
        "    check(\n"
        '        "off --?press--> on",\n'
        "        {\n"
        '            "t0": {"?press": "t1"} | fail("!hum"),\n'
        '            "t1": {"!light": "pass", "!hum": "inconclusive"} | fail("delta"),\n'
        "        },\n"
        "    )\n"
    )


def checked(text: str) -> list:
    """The test cases that the functions of a file check."""
    tree, found = ast.parse(text), []
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")]
    space = {"fail": fail}
    exec(compile(ast.Module(functions, []), "file", "exec"), space)

    def check(name, states):
        rows = [(state, label, target) for state, moves in states.items() for label, target in moves.items()]
        found.append(case_of(rows, initial=next(iter(states)), name=name))

    for function in functions:
        space[function.name](check)
    return found


@seeds(range(60))
def test_the_file_holds_the_test_cases_of_the_suite(seed):
    suite = random_suite(seed)
    found = checked("".join(suite_pytest_file(suite)))
    assert [test.name for test in found] == [test.name for test in suite.tests]
    assert [named(test) for test in found] == [named(test) for test in suite.tests]


EVIL = [
    '"""\nimport os\nos.abort()\n"""',
    "'''",
    "\\",
    '\\"""',
    "{0}",
    "\u202e\x1b[2J",
    "a\nb",
    "'+exit()+'",
    "\u2028",
    "",
]


@pytest.mark.parametrize("evil", EVIL)
def test_a_word_of_others_is_never_more_than_a_word(evil):
    state = evil or "t"
    test = case_of([(state, "!x", "pass"), (state, "delta", "fail")], name=evil)
    suite = Suite(evil, evil, (test,), job={"set": [evil]}, guarantee=evil)
    text = "".join(suite_pytest_file(suite))
    plain = "".join(suite_pytest_file(Suite("m", "m", (test,), job={"set": ["m"]}, guarantee="m")))

    def shape(source):
        return [type(node).__name__ for node in ast.walk(ast.parse(source))]

    assert shape(text)[:40] == shape(plain)[:40]
    assert text.isprintable() or text.replace("\n", "").isprintable()
    assert [named(case) for case in checked(text)] == [named(test)]


def test_a_long_state_stands_on_many_lines():
    rows = [("t0", "delta", "pass"), *(("t0", f"!output {number}", "fail") for number in range(30))]
    text = "".join(suite_pytest_file(Suite(tests=(case_of(rows, name="long"),))))
    assert max(map(len, text.splitlines())) <= 120
    assert named(checked(text)[0]) == named(case_of(rows, name="long"))


def test_a_stream_is_written_as_a_stream():
    def endless():
        while True:
            yield LAMP

    assert len(list(islice(suite_pytest_file(Suite(tests=Stream(endless))), 50))) == 50


SPEC = "des (0, 5, 3)\n(0, ?press, 1)\n(1, !light, 2)\n(1, !flicker, 0)\n(2, ?press, 0)\n(0, delta, 0)\n"


@pytest.fixture(scope="module")
def lamp_tests(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lamp")
    (folder / "lamp.aut").write_text(SPEC)
    (folder / "wrong.aut").write_text(SPEC.replace("(2, ?press, 0)", "(2, ?press, 1)"))
    command = ["suite", "lamp.aut", "--method", "distinguish", "-o", "test_lamp.py"]
    done = subprocess.run(
        [sys.executable, "-m", "outplay", *command], cwd=folder, capture_output=True, text=True, check=True
    )
    assert "play them: OUTPLAY_SUT=… pytest test_lamp.py" in done.stdout
    return folder


def run_pytest(folder: Path, sut: str | None) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "OUTPLAY_SUT"}
    environment |= {"PYTHONPATH": str(ROOT / "src")} | ({"OUTPLAY_SUT": sut} if sut else {})
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_lamp.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)


def test_pytest_plays_it_against_a_right_and_a_wrong_system(lamp_tests):
    done = run_pytest(lamp_tests, "model:lamp.aut\nmodel:wrong.aut")
    assert done.returncode == 1
    failed = [line.split(" - ")[0].split("::")[1] for line in done.stdout.splitlines() if line.startswith("FAILED")]
    assert failed == ["test_4_1_light_2[model:wrong.aut]", "test_5_2_press_0[model:wrong.aut]"]
    tests = (lamp_tests / "test_lamp.py").read_text().count("\ndef test_")
    assert f"{2 * tests - 2} passed" in done.stdout
    assert "✗ Fail" in done.stdout


def test_pytest_asks_for_a_system_where_none_is_named(lamp_tests):
    done = run_pytest(lamp_tests, None)
    assert done.returncode == 1
    assert "name the system: OUTPLAY_SUT=" in done.stdout
