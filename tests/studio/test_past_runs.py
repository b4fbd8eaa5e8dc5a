"""Past runs and traces: opened at the step that left the model, and nothing that only they name is run."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from outplay.errors import FormatError, UsageError
from outplay.formats.trace_jsonl import read_trace, write_trace
from outplay.play.trace import Trace
from outplay.runs.job import Job
from outplay.runs.preparing.planning import prepare
from outplay.store.stored_run import stored_run
from outplay.studio.document import Asked
from outplay.studio.operations import OPERATIONS
from outplay.studio.past_runs import PastRun
from outplay.studio.shown_run import run_of
from outplay.studio.workspace import Workspace, workspace_of

LAMP = 'des (0, 4, 3)\n(0, "?press", 1)\n(1, "!light", 2)\n(1, "!dark", 0)\n(2, "?press", 0)\n'
PROGRAM = """
from pathlib import Path
from outplay import Model, controllable, observable

Path(__file__).with_name("ran").touch()


class Lamp(Model):
    on: bool = False
    asked: bool = False

    @controllable
    def press(self):
        if self.asked:
            return False
        self.asked = True

    @observable
    def light(self):
        if not self.asked:
            return False
        self.on, self.asked = not self.on, False
"""


Ask = Callable[..., dict[str, Any]]


def asking(workspace: Workspace) -> Ask:
    def ask(operation: str, **given: object) -> dict[str, Any]:
        found = OPERATIONS[operation].answer(workspace, Asked(given))
        assert isinstance(found, dict)
        json.dumps(found)
        return found

    return ask


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that failed in several plays, as `outplay run` leaves it."""
    folder = tmp_path_factory.mktemp("recorded")
    (folder / "lamp.aut").write_text(LAMP)
    (folder / "broken.aut").write_text(LAMP.replace("!dark", "!smoke"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        job = Job("lamp.aut", sut="model:broken.aut", plays=20, keep_going=True, shrink=0.0)
        assert stored_run(prepare(job), trace=folder / "all.jsonl").finish().verdict.name == "fail"
    return folder


@pytest.fixture
def failed(tmp_path: Path, recorded: Path) -> Path:
    """A copy of it, in which the test stands."""
    shutil.copytree(recorded, tmp_path, symlinks=True, dirs_exist_ok=True)
    return tmp_path


@pytest.fixture
def workspace(failed: Path) -> Iterator[Workspace]:
    with closing(workspace_of(Job(), failed)) as made:
        yield made


@pytest.fixture
def ask(workspace: Workspace) -> Ask:
    return asking(workspace)


def test_a_failing_play_of_a_past_run_ends_where_it_left_the_model(ask: Ask):
    (kept,) = ask("runs")["runs"]
    run = ask("past", run=kept["id"])
    assert len(run["failures"]) == run["failed"] == kept["failed"] > 1
    names = ask("facts", document=run["document"])
    assert names["states"] == 3
    for number in range(run["failed"]):
        found = ask("failing", run=run["id"], failure=number)
        numbers = [row[0] for row in found["rows"]]
        assert numbers == list(range(len(numbers)))
        assert [row[8] for row in found["rows"]] == [True] * (len(numbers) - 1) + [False]
        assert found["rows"][-1][3] == "!smoke"
        before = found["rows"][-2][6]
        assert ask("vertex", document=run["document"], vertex=before)["name"] == "1"
        assert sorted(found["allowed"]) == ["!dark", "!light"]
        assert len(found["after"]) == len(numbers)


def test_the_command_that_is_copied_names_the_trace_that_is_there_or_the_one_to_save(ask: Ask):
    run = ask("past", run=ask("runs")["runs"][0]["id"])
    found = [ask("failing", run=run["id"], failure=number) for number in range(run["failed"])]
    there = [one for one in found if one["file"] is None]
    assert len(there) == 1  # the run keeps the play that its verdict tells of
    _, _, path, *_ = there[0]["command"].split()
    assert read_trace(Path(path)).events[-1].label
    other = next(one for one in found if one["file"])
    saved = ask("savedfailure", run=run["id"], failure=other["number"])
    Path(saved["name"]).write_text(saved["text"])
    assert other["command"].split()[2] == saved["name"]
    assert read_trace(Path(saved["name"])).events[-1].label.text == "!smoke"  # type: ignore[union-attr]


def test_a_past_play_is_played_again_only_against_the_system_that_the_page_names(ask: Ask):
    run = ask("past", run=ask("runs")["runs"][0]["id"])
    with pytest.raises(UsageError, match="sut is missing"):
        ask("replay", run=run["id"], failure=0)
    again = ask("replay", run=run["id"], failure=0, sut="model:broken.aut", shrink=True)
    assert again["fails"] == 1
    assert again["rows"][-1][3] == "!smoke"
    assert any("!light" in line for line in again["lines"])  # what was allowed there
    assert not ask("replay", run=run["id"], failure=0, sut="model:lamp.aut")["fails"]


def test_coverage_of_a_past_run_is_what_the_store_has(ask: Ask, workspace: Workspace):
    run = ask("past", run=ask("runs")["runs"][0]["id"])
    assert run["covered"]
    assert set(run_of(workspace, Asked({"run": run["id"]})).seen) == {0, 1, 2}


def test_all_failing_plays_of_a_trace_are_found_and_a_right_one_has_none(failed: Path):
    ask = asking(workspace_of(Job("all.jsonl"), failed))
    assert ask("documents")["shown"] == "trace"
    run = ask("past")
    assert run["plays"] == 20
    assert run["failed"] == len(run["failures"]) > 1
    recorded = read_trace(failed / "all.jsonl")
    numbers = [number for number, events in recorded.plays() if any("smoke" in str(e.label) for e in events)]
    assert [one["play"] for one in run["failures"]] == numbers
    right = Trace(recorded.header, recorded.play(numbers[0]).events[:-1])
    write_trace(Path("right.jsonl"), right)
    passed = asking(workspace_of(Job("right.jsonl"), failed))("past")
    assert (passed["plays"], passed["failures"]) == (1, [])


def test_a_trace_is_found_its_model_from_another_folder(failed: Path, tmp_path_factory, monkeypatch):
    (file,) = (failed / ".outplay" / "last" / "failures").glob("*.jsonl")
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    run = asking(workspace_of(Job(str(file)), Path.cwd()))("past")
    assert [one["kind"] for one in run["failures"]] == ["smoke"]


def recorded_with(program: Path, failed: Path, model_hash: str = "") -> str:
    """The text of a trace that names a model program, and a system that leaves a mark where it is started."""
    lines = (failed / "all.jsonl").read_text().splitlines()
    head = json.loads(lines[0])
    head["model"] = head["job"]["model"] = f"{program}:Lamp"
    head["sut"] = head["job"]["sut"] = "exec:touch started"
    return "\n".join([json.dumps({**head, "model_hash": model_hash}), *lines[1:]]) + "\n"


def test_nothing_that_a_trace_names_runs_unless_the_user_ran_it(ask: Ask, workspace: Workspace, failed: Path):
    program = failed / "lamp.py"
    program.write_text(PROGRAM)
    text = recorded_with(program, failed)
    with pytest.raises(UsageError, match=r"lamp.py:Lamp, which is code and you have never run.*open that model in"):
        ask("choose", name="t.jsonl", text=text)
    assert not (failed / "ran").exists()
    opened = workspace.open_reference(f"{program}:Lamp")
    hashed = recorded_with(program, failed, opened.model.specification().fingerprint)
    run = ask("choose", name="t.jsonl", text=hashed)["run"]
    assert run["document"] == opened.id
    assert not run["warnings"]
    assert run["failed"]
    assert not (failed / "started").exists()
    program.write_text(PROGRAM + "# changed\n")
    with pytest.raises(UsageError, match="has changed since"):
        ask("choose", name="t.jsonl", text=text)


def test_a_trace_of_another_model_says_so_and_what_is_allowed_now(ask: Ask, failed: Path):
    before = ask("runs")["runs"][0]["id"]
    (failed / "lamp.aut").write_text(LAMP.replace("!dark", "!smoke"))
    run = ask("past", run=before)
    assert "another model or has changed" in run["warnings"][0]
    found = ask("failing", run=run["id"], failure=0)
    assert found["now"].startswith("As the model is now, this play is allowed")


@pytest.mark.parametrize("text", ["", "{}", "[]\n", '{"format": "outplay-trace/2", "job": {"model": 3}}\n', "\x00"])
def test_what_is_no_trace_is_refused(ask: Ask, text: str):
    with pytest.raises(FormatError, match=r"x\.jsonl|the trace"):
        ask("choose", name="x.jsonl", text=text)


def test_runs_are_asked_for_by_the_ids_of_the_list(ask: Ask, workspace: Workspace, failed: Path):
    run = ask("past", run=ask("runs")["runs"][0]["id"])
    for name in ("", "2", "../x", "/etc/passwd", str(failed / "all.jsonl")):
        with pytest.raises(UsageError, match="not in the store"):
            ask("past", run=name)
    with pytest.raises(UsageError, match="this run is past"):
        ask("steer", run=run["id"], what="cancel")
    assert isinstance(run_of(workspace, Asked({"run": run["id"]})), PastRun)
