"""The workspace behind the page: what it explores by itself, and where it keeps the runs that are started in it."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("starlette")
from helpers.places import EXAMPLES
from outplay.errors import UsageError
from outplay.runs.job import Job
from outplay.studio.application import StudioServer
from outplay.studio.document import Asked
from outplay.studio.live import live_run, start_run
from outplay.studio.past_runs import runs_kept
from outplay.studio.workspace import workspace_of

CHAT = f"{EXAMPLES / 'chat' / 'model.py'}:Chat"


def wait_until(holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_the_model_that_the_command_names_is_explored_before_the_page_asks(tmp_path: Path):
    server = StudioServer(workspace_of(Job(CHAT), tmp_path))
    (document,) = server.workspace.documents.values()
    assert "game" not in document.__dict__
    server.start()
    try:
        wait_until(lambda: "game" in document.__dict__)
    finally:
        server.close()


def test_a_model_that_cannot_be_read_is_left_to_the_page(tmp_path: Path):
    (tmp_path / "wrong.aut").write_text("des (0, oops")
    workspace = workspace_of(Job(str(tmp_path / "wrong.aut")), tmp_path)
    workspace.explore_ahead()
    (document,) = workspace.documents.values()
    assert "game" not in document.__dict__


@pytest.mark.parametrize("name", ["none.aut", "none.py:Chat"])
def test_a_file_that_is_not_there_is_said_by_the_command_at_once(tmp_path: Path, name: str):
    with pytest.raises(UsageError, match="no such file; check the path"):
        workspace_of(Job(str(tmp_path / name)), tmp_path)


def test_a_run_of_a_folder_is_kept_and_listed_in_that_folder(tmp_path: Path):
    models = tmp_path / "models"
    models.mkdir()
    (models / "lamp.aut").write_text('des (0, 2, 2)\n(0, "?press", 1)\n(1, "!light", 0)\n')
    workspace = workspace_of(Job(str(models)), tmp_path)
    document = workspace.open(Job(str(models / "lamp.aut")))
    asked = {"document": document.id, "sut": f"model:{models / 'lamp.aut'}", "plays": 2}
    begun = start_run(workspace, Asked(asked))
    run = live_run(workspace, Asked({"run": begun["id"]}))
    wait_until(lambda: run.over)
    assert not run.error
    assert [one["verdict"] for one in runs_kept(workspace, Asked({}))["runs"]] == ["pass"]
    assert (models / ".outplay" / "store.db").exists()


def test_the_studio_starts_without_what_only_large_games_need():
    code = "import sys, outplay.studio.application; sys.exit('scipy.sparse' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
