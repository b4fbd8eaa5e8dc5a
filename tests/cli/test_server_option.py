"""`--server`: the command starts the server that it plays against, and never one that only a file names."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers.killing import marked
from helpers.places import ROOT

COMMAND = f"{sys.executable} {ROOT}/tests/helpers/counting_server.py {{port}}"
MODEL = """
from outplay import Model, controllable, given, observable

class Counter(Model):
    most = 3
    count_: int = 0
    owed: bool = False

    @controllable
    def count(self):
        if self.owed or self.count_ == self.most:
            return False
        self.count_, self.owed = self.count_ + 1, True

    @observable
    @given(number=range(1, 10))
    def counted(self, number):
        if not self.owed or number != self.count_:
            return False
        self.owed = False
"""
SUT = ("--sut", "tcp:127.0.0.1:{port}", "--plays", "2", "--steps", "4", "--silence", "5", "--shrink", "0", "--json")


@pytest.fixture(autouse=True)
def _model() -> None:
    Path("counter.py").write_text(MODEL)


def test_each_play_may_have_a_server_of_its_own(outplay):
    found = outplay("run", "counter.py:Counter", *SUT, "--server", COMMAND, "--server-per-play")
    assert found.json["verdict"] == "pass", found.json["why"]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")
def test_the_servers_of_workers_end_with_the_run(outplay, monkeypatch):
    mark = uuid.uuid4().hex
    monkeypatch.setenv("MARK", mark)
    stubborn = f"sh -c 'trap : TERM; {sys.executable} {ROOT}/tests/helpers/counting_server.py {{port}}'"
    found = outplay("run", "counter.py:Counter", *SUT, "--server", stubborn, "--server-per-play", "--jobs", "2")
    assert found.json["verdict"] == "pass", found.json["why"]
    assert [program for program in marked(mark).values() if "counting_server" in program] == []


def test_one_for_the_whole_run_goes_on_counting_and_only_who_names_it_again_replays_with_it(outplay):
    failed = outplay("run", "counter.py:Counter", *SUT, "--server", COMMAND, "--server-log", "server.log").json
    assert failed["verdict"] == "fail"
    assert "listening in" in Path("server.log").read_text()
    replay = ("replay", failed["trace"], "--sut", "tcp:127.0.0.1:{port}", "--silence", "5", "--tries", "1")
    refused = outplay(*replay)
    assert (refused.code, "names the server" in refused.err, "add it with --server" in refused.err) == (2, True, True)
    assert outplay(*replay, "--server", COMMAND).code in (1, 6)


def test_a_server_that_only_a_job_names_is_not_started(outplay):
    told = {"model": "counter.py:Counter", "options": ["server=touch started"], "sut": "tcp:127.0.0.1:{port}"}
    Path("job.json").write_text(json.dumps({"format": "outplay-job/1", "job": told}))
    asked = ("run", "counter.py:Counter", "--job", "job.json")
    assert outplay(*asked).code == 2
    assert outplay(*asked, "--sut", "tcp:127.0.0.1:{port}").code == 2
    assert outplay(*asked, "--sut", "tcp:127.0.0.1:1", "--plays", "1").code != 3
    assert not list(Path.cwd().rglob("started"))


def test_what_needs_a_server_says_so(outplay):
    refused = outplay("run", "counter.py:Counter", "--sut", "tcp:127.0.0.1:1", "--server-per-play")
    assert (refused.code, "need --server COMMAND" in refused.err) == (2, True)
    refused = outplay("run", "counter.py:Counter", "--sut", "exec:cat", "--server", COMMAND)
    assert (refused.code, "--server needs --sut tcp:…" in refused.err) == (2, True)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")
def test_the_server_ends_where_the_run_is_killed():
    mark, running = uuid.uuid4().hex, ("--server", COMMAND, "--sut", "tcp:127.0.0.1:{port}", "--silence", "600")
    command = [sys.executable, "-m", "outplay", "run", "counter.py:Counter", *running]
    with subprocess.Popen(command, env={**os.environ, "MARK": mark}, stderr=subprocess.DEVNULL) as process:
        until(lambda: any("counting_server" in program for program in marked(mark).values()))
        process.kill()
    until(lambda: not marked(mark))


def until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60.0
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)
