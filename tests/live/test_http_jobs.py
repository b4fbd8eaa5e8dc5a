"""The job queue of the how-to over HTTP: the example, a Starlette application, and nginx before two of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("httpx2")

from helpers.commands import called
from helpers.places import EXAMPLES, ROOT
from helpers.servers import free_port, needs, serving
from outplay import Http, run
from outplay.formats.table_toml import read_table
from outplay.play.adapters.server import Server
from outplay.play.timing import Timing

JOBS = EXAMPLES / "jobs"
MODEL = f"{JOBS}/model.py:Jobs"
PATIENCE = 60.0
NGINX = """
user root; worker_processes 1; daemon off; pid {folder}/nginx.pid; error_log stderr;
events {{ worker_connections 64; }}
http {{
    access_log off; client_body_temp_path {folder}; proxy_temp_path {folder}; fastcgi_temp_path {folder};
    uwsgi_temp_path {folder}; scgi_temp_path {folder};
    upstream back {{ {way} server 127.0.0.1:{one}; server 127.0.0.1:{two}; }}
    server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://back; }} }}
}}
"""


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


@pytest.fixture
def back_ends() -> Iterator[tuple[int, int]]:
    with starlette() as one, starlette() as two:
        yield one.port, two.port


@needs("nginx")
@pytest.mark.long
def test_nginx_before_two_back_ends_passes_where_it_is_sticky(back_ends, tmp_path: Path):
    one, two = back_ends
    port, config = free_port(), tmp_path / "nginx.conf"
    config.write_text(NGINX.format(folder=tmp_path, way="ip_hash;", one=one, two=two, port=port))
    with serving(["nginx", "-p", str(tmp_path), "-c", str(config)], port, tmp_path):
        assert played(port, 3) == "pass"
