"""The job queue of the how-to over HTTP: the example, and a Starlette application."""

from __future__ import annotations

import sys

import pytest

pytest.importorskip("httpx2")

from helpers.commands import called
from helpers.places import EXAMPLES, ROOT
from outplay import Http, run
from outplay.formats.table_toml import read_table
from outplay.play.adapters.server import Server
from outplay.play.timing import Timing

JOBS = EXAMPLES / "jobs"
MODEL = f"{JOBS}/model.py:Jobs"
PATIENCE = 60.0


def played(port: int, plays: int = 1) -> str:
    table = read_table(JOBS / "jobs.toml")
    system = Http(f"http://127.0.0.1:{port}", table, patience=PATIENCE)
    timing = Timing(silence=2.0, latency=0.5)
    outcome = run(MODEL, system, plays=plays, steps=14, seed=3, timing=timing)
    system.close()
    return outcome.verdict.name


def test_model_and_table_have_less_than_80_lines():
    assert sum(len((JOBS / name).read_text().splitlines()) for name in ("model.py", "jobs.toml")) < 80


def test_the_table_fits_the_model(capsys):
    done = called(capsys, "verify", MODEL, "http://127.0.0.1:1", "--table", f"{JOBS}/jobs.toml")
    assert done.code == 0, done.out


@pytest.mark.parametrize(("bug", "verdict"), [(None, "pass"), ("result", "fail"), ("number", "fail")])
def test_the_example_passes_and_its_bugs_are_found(bug, verdict):
    command = [sys.executable, str(JOBS / "server.py"), "{port}", *(["--bug", bug] if bug else [])]
    with Server(command, patience=PATIENCE) as server:
        assert played(server.port, 8 if bug else 1) == verdict


@pytest.mark.long
@pytest.mark.parametrize("bug", ["cancelled", "lost"])
def test_rarer_bugs_of_the_example_are_found(bug):
    with Server([sys.executable, str(JOBS / "server.py"), "{port}", "--bug", bug], patience=PATIENCE) as server:
        assert played(server.port, 60) == "fail"


def starlette(*, fault: str = "") -> Server:
    pytest.importorskip("starlette")
    pytest.importorskip("uvicorn")
    command = ["env", f"FAULT={fault}", sys.executable, "-m", "uvicorn", "--app-dir", str(ROOT / "tests" / "helpers")]
    return Server([*command, "--port", "{port}", "--log-level", "warning", "starlette_jobs:app"], patience=PATIENCE)


@pytest.mark.parametrize(("fault", "verdict"), [("", "pass"), ("result", "fail")])
def test_a_starlette_application_with_a_worker_passes_and_its_fault_is_found(fault, verdict):
    with starlette(fault=fault) as server:
        assert played(server.port, 8 if fault else 1) == verdict
