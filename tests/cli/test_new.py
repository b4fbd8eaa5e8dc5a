"""A project to start from: it passes as it is, fails with its bug, and replaces nothing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from helpers.commands import Result, shell
from outplay.scaffolding.starter_project import FILES, starter_text

BUG = {"WITH_BUG": "1"}


@pytest.fixture
def project(outplay, monkeypatch) -> Path:
    made = outplay("new", "jobs")
    assert made.code == 0, made
    assert "cd jobs" in made.out
    monkeypatch.chdir("jobs")
    for module in ("adapter", "service", "jobs_model"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    return Path()


def pytest_run(*more: str, **environment: str) -> Result:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--outplay-plays", "2", *more]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | environment, check=False)
    return Result(done.returncode, done.stdout, done.stderr)


def test_a_new_project_passes_at_once_and_its_bug_is_found(project):
    right = shell("run", "--plays", "2")
    assert (right.code, right.out.splitlines()[0]) == (0, "✓ Pass: 2 plays conformed (seed 0)"), right
    wrong = shell("run", "--shrink", "1", env=BUG)
    assert wrong.code == 1, wrong
    assert re.search(r"!done \w   ← not allowed here", wrong.out)
    assert "two_running" in shell("forecast", "--of", "goals").out
    assert "python:adapter:Adapter fits jobs_model.py:Jobs" in shell("verify").out
    stranger = {"XDG_DATA_HOME": str(Path("elsewhere").absolute())}
    assert "type `outplay trust`" in shell("verify", "jobs_model.py:Jobs", env=stranger).err


def test_its_tests_pass_and_fail_with_the_bug(project):
    right = pytest_run()
    assert (right.code, "Jobs: 2 of 2 goals reached" in right.out) == (0, True), right
    wrong = pytest_run("-k", "two_running", **BUG, OUTPLAY_SHRINK="1")
    assert (wrong.code, "← not allowed here" in wrong.out) == (1, True), wrong
    assert re.search(r"shrunk from \d+ steps|nothing shorter found", wrong.out), wrong


def test_what_its_ci_runs_works_there(project):
    steps = re.findall(r"- run: ([^#\n]+)", (project / ".github/workflows/test.yml").read_text())
    assert [step.strip() for step in steps] == ["pip install outplay pytest", "pytest", "outplay run --trust"]
    fresh = {"CI": "true", "OUTPLAY_PLAYS": "2", "XDG_DATA_HOME": str(Path("elsewhere").absolute())}
    assert "type `outplay trust`" in shell("run", env=fresh).err
    assert shell("run", "--trust", env=fresh).code == 0
    assert "profile ci" in shell("doctor", env=fresh).out


def test_nothing_is_replaced_and_nothing_is_left_half_written(outplay):
    Path("jobs").mkdir()
    Path("jobs/adapter.py").write_text("mine")
    refused = outplay("new", "jobs")
    assert (refused.code, "jobs/adapter.py is there already" in refused.err) == (4, True)
    assert [path.name for path in Path("jobs").iterdir()] == ["adapter.py"]
    Path("file").touch()
    assert outplay("new", "file").code == 4
    assert not Path("file").read_text()


def test_a_project_in_this_folder(outplay, monkeypatch):
    made = outplay("new", "--json").json
    assert made == {"folder": ".", "files": list(FILES)}


def test_its_files_are_as_a_linter_wants_them(project):
    ruff = shutil.which("ruff", path=Path(sys.executable).parent)
    for command in (["check", "--select", "E,F,I,B"], ["format", "--check"]):
        done = subprocess.run(
            [ruff or "ruff", *command, "--isolated", "--line-length", "120", "."],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
    assert set(tomllib.loads(starter_text("pyproject.toml"))["tool"]["outplay"]["profiles"]) == {"ci", "night"}


def test_the_doctor_looks_at_the_project(outplay, project):
    checks = {check["name"]: check for check in outplay("doctor", "--json").json["checks"]}
    assert checks["this project"]["ok"] is checks["its code"]["ok"] is True
    Path("service.py").write_text("# other\n")
    assert outplay("doctor").code == 0  # the adapter that was trusted is the same
    Path("adapter.py").write_text("# other\n")
    checks = {check["name"]: check for check in outplay("doctor", "--json").json["checks"]}
    assert (checks["its code"]["ok"], "has changed since" in checks["its code"]["what"]) == (None, True)
    Path("pyproject.toml").write_text("[tool.outplay]\nplas = 3\n")
    wrong = outplay("doctor")
    assert (wrong.code, "did you mean 'plays'?" in wrong.out) == (4, True)


def test_the_doctor_asks_whether_a_server_listens(outplay, free_port):
    Path("pyproject.toml").write_text(f'[tool.outplay]\nsystem = "tcp:127.0.0.1:{free_port}"\n')
    silent = outplay("doctor")
    assert (silent.code, "start it, or mend system" in silent.out) == (4, True)


@pytest.fixture
def free_port() -> int:
    import socket

    with socket.socket() as link:
        link.bind(("127.0.0.1", 0))
        return int(link.getsockname()[1])


def test_the_doctor_knows_every_extra_that_users_may_install(outplay):
    import importlib.metadata

    from outplay.cli.doctor import EXTRAS

    assert set(importlib.metadata.metadata("outplay").get_all("Provides-Extra") or ()) == {*EXTRAS, "dev", "bench"}
