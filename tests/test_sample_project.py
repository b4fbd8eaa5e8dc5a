"""The sample project of the examples: its tests pass for the right server, and fail for the wrong one."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from helpers.commands import Result, called
from helpers.places import EXAMPLES
from helpers.report_schemas import check_ctrf, check_junit

pytestmark = pytest.mark.xdist_group("sample project")


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch):
    for name in ("chat", "project"):
        shutil.copytree(EXAMPLES / name, name, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    monkeypatch.chdir("project")
    monkeypatch.setenv("OUTPLAY_SHRINK", "0")  # nothing here looks at how short a failing play is

    def run(*options: str) -> Result:
        done = subprocess.run([sys.executable, "-m", "pytest", *options], capture_output=True, text=True, check=False)
        return Result(done.returncode, done.stdout, done.stderr)

    return run


def test_the_right_server_passes_on_two_processes_with_one_summary(session):
    done = session("-n", "2", "-q", "--junitxml", "report.xml")
    assert done.code == 0, done
    assert "4 passed" in done.out
    assert "Chat: 2 of 2 goals reached, 2 of 2 actions" in done.out
    cases = {case.get("name"): case for case in ET.parse("report.xml").iter("testcase")}
    assert cases.keys() >= {"test_goal[everybody_posted]", "test_goal[two_pending]", "test_order"}
    said = {each.get("name"): each.get("value") for each in cases["test_order"].iter("property")}
    assert said.keys() == {"verdict", "seed", "coverage"}
    assert said["verdict"] == "pass"


def test_the_wrong_server_fails_its_plays_are_played_again_first_and_forgotten_once_it_is_mended(session):
    wrong = session("-q", "--bug")
    assert wrong.code == 1, wrong
    assert "← not allowed here" in wrong.out
    assert "1 passed" in wrong.out  # the test that plays nothing
    kept = list(Path(".pytest_cache").rglob("failures/*.jsonl"))
    assert kept
    again = session("-q", "--bug", "--lf")
    assert (again.code, "passed" in again.out) == (1, False), again
    assert "a stored failure failed again" in again.out
    assert "!ready" not in again.out  # what the test says of the system holds for stored failures too
    mended = session("-q", "--lf")
    assert mended.code == 0, mended
    assert not list(Path(".pytest_cache").rglob("failures/*.jsonl"))


@pytest.mark.usefixtures("modules_as_they_were")
def test_its_configuration_is_enough_for_the_command_and_its_reports(session, monkeypatch, capsys):
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    asked = ("--trust", "--plays", "1", "--goal", "two_pending", "--junit", "run.xml", "--ctrf", "run.json", "--github")
    done = called(capsys, "run", *asked)
    assert done.code in (0, 6), done  # one play need not reach it
    expected = {0: ("passed", "✅"), 6: ("other", "❓")}[done.code]
    check_junit(Path("run.xml").read_text())
    (test,) = check_ctrf(json.loads(Path("run.json").read_text()))["tests"]
    assert test["status"] == expected[0]
    assert expected[1] in Path("summary.md").read_text()
