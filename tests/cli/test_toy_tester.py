"""A tester of one's own, in one file and one line: `run` knows it by name, and a job keeps it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import outplay.cli.run  # noqa: F401  # loaded before the tester is known
from helpers.first_input import FirstInput
from outplay import Job, run_job
from outplay.runs.preparing.named_tester import NamedTester
from outplay.runs.preparing.testers import TESTERS

DOOR = "des (0, 3, 2)\n(0, ?knock, 1)\n(0, ?push, 1)\n(1, !open, 0)\n"
ASKED = ("door.aut", "--sut", "model:door.aut", "--plays", "2", "--steps", "6")


@pytest.fixture
def toy(monkeypatch, outplay):
    line = NamedTester("first", "always the first input there is", lambda situation: FirstInput())
    monkeypatch.setitem(TESTERS, "first", line)
    Path("door.aut").write_text(DOOR)
    return outplay


def test_help_tells_of_it(toy):
    shown = toy("run", "--help").out
    assert re.search(r"--tester \[.*first\]", shown.replace("\n", ""))
    assert re.search(r"first +always the first input there is", shown)


def test_it_plays_and_is_kept_in_the_job(toy):
    found = toy("run", *ASKED, "--tester", "first", "--json").json
    assert found["verdict"] == "pass"
    events = [json.loads(line) for line in Path(found["trace"]).read_text().splitlines()]
    assert {event["label"] for event in events if event.get("kind") == "input"} == {"?knock"}


def test_a_job_in_python_names_it(toy):
    assert run_job(Job("door.aut", sut="model:door.aut", plays=2, steps=6, tester="first")).passed


def test_one_that_nobody_knows_is_refused(toy):
    assert "'second' is not one of" in toy("run", *ASKED, "--tester", "second").err
