"""The map in the docs names files and functions that exist, and tells the walk of a run in the order it has."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.places import EXAMPLES, ROOT
from outplay.cli import run as run_module
from outplay.runs import recorded_run
from outplay.runs.preparing import job_answer, planning
from outplay.runs.run import Run

FILES = {str(path.relative_to(ROOT / "src")): path for path in sorted((ROOT / "src").rglob("*.py"))}
MAP = re.sub(r"```.*?```", "", (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"), flags=re.DOTALL)
COMMAND = run_module.command.callback
LOOP = "runs/run.py"
OBSERVED = {"observe", "complete", "close", "enough"}


def written() -> dict[str, set[str]]:
    """Each function, class and method of the package, a method with its class too, and the files that define it."""
    found: dict[str, set[str]] = {}
    for name, path in FILES.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.setdefault(node.name, set()).add(name)
            if isinstance(node, ast.ClassDef):
                for inner in node.body:
                    if isinstance(inner, ast.FunctionDef):
                        found.setdefault(f"{node.name}.{inner.name}", set()).add(name)
    return found


def test_every_file_it_names_is_one_of_the_tree():
    named = set(re.findall(r"`(?!tests/|_kernels)([\w/]+\.py)`", MAP))
    assert len(named) > 100
    for file in named:
        assert len([name for name in FILES if name.endswith(f"/{file}")]) == 1, file


def test_every_function_it_names_is_in_the_file_it_says():
    homes = written()
    named = re.findall(r"`([\w/]+\.py)` `([\w.]+)(?:\([^`]*\))?`", MAP)
    assert len(named) >= 12
    for file, name in named:
        assert any(home.endswith(f"/{file}") for home in homes.get(name, ())), f"{file} has no {name}"
    for name in re.findall(r"`([A-Z]\w+\.\w+)`", MAP):
        assert name in homes, name


@pytest.mark.parametrize(
    ("function", "calls"),
    [
        (COMMAND, ("prepare(", "stored_run(", "_show(")),
        (
            planning.prepare,
            ("refuse_unused_options(", "_model(", ".wanted(", "answer_for_job(", "goal_plan(", "system_of("),
        ),
        (job_answer.answer_for_job, ("_target(", "_solved(", "_strongest(")),
        (recorded_run.recorded_run, ("Record(", "ForecastComparison(", "Shrinking(", "Secrets(", "Run(")),
        (Run, ("play_source_of(", "Playing(", "RunStarted(", "_plays(", "_complete(", "RunEnded(")),
        (Run, ("PlayStarted(", ".begin(", "_new_coverage(", "PlayEnded(", "FailureFound(")),
    ],
)
def test_the_walk_of_a_run_is_in_the_order_it_tells(function: Callable[..., object], calls: tuple[str, ...]):
    source, place = inspect.getsource(function), 0
    for call in calls:
        place = source.find(call, place)
        assert place >= 0, f"{function.__name__} does not call {call} then"
        place += 1


def test_names_that_the_docs_write_with_their_modules_can_be_imported():
    named = set[str]()
    for page in (ROOT / "docs").glob("*.md"):
        named |= set(re.findall(r"`(outplay(?:\.\w+)+)`", page.read_text(encoding="utf-8")))
    assert len(named) > 10
    for name in named:
        module, _, attribute = name.rpartition(".")
        try:
            importlib.import_module(name)
        except ModuleNotFoundError:
            assert hasattr(importlib.import_module(module), attribute), name


def walk_of(*options: str) -> tuple[set[str], set[tuple[str, str]], set[str]]:
    """The files whose functions a run of the chat calls, who calls whom across packages, and what the loop calls."""
    script, model = ROOT / "tests" / "helpers" / "walk_of_a_run.py", f"{EXAMPLES / 'chat' / 'model.py'}:Chat"
    asked = ["run", model, f"--sut=model:{model}", "--plays=2", "--steps=20", "--no-cache", *options]
    done = subprocess.run([sys.executable, str(script), *asked], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["code"] == 0
    calls = {(caller, called) for caller, called, _ in found["calls"] if caller}
    across = {(caller, called) for caller, called in calls if caller.partition("/")[0] != called.partition("/")[0]}
    before_and_after = ("cli/", "store/", "runs/recorded_run.py", "runs/python_run.py")
    back = {name for caller, called, name in found["calls"] if caller == LOOP and called.startswith(before_and_after)}
    return {called for _, called, _ in found["calls"]}, across, back


@pytest.mark.parametrize(
    ("options", "files", "changes"),
    [(["--tester=walk"], 85, 140), ([], 110, 190), (["--goal=two_pending", "--steps=60"], 156, 270)],
)
def test_a_reader_of_a_run_goes_through_few_files(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, options: list[str], files: int, changes: int
):
    monkeypatch.chdir(tmp_path)
    read, across, back = walk_of(*options)
    assert LOOP in read
    assert len(read) <= files
    assert len(across) <= changes
    assert back <= OBSERVED, "the loop goes back to those who called it, other than as their observer"
